"""A child of a template, or of the zygote: locks itself in, then runs one bot for one match.

The untrusted code runs in the same process.
"""

import linecache
import os
import random
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import numpy as np

from arena import games
from arena.agent import Agent, BotFiles, LoadedBot
from arena.errors import BotError, printable, short_trace
from arena.readiness import Part, absent_parts
from arena.records import Clock, Ending
from arena.seats.sandbox import kernel, launch, namespaces, wire
from arena.seats.sandbox.lockdown import Cell, lock

SOCKET, OUTPUT = launch.SOCKET, 1
_ENVIRONMENT = {"PATH": "/nonexistent", "HOME": "/nonexistent", "LANG": "C.UTF-8"}


@dataclass(frozen=True)
class Prepared:
    """What a process has ready for the seat that it will be."""

    cell: Cell
    bot: wire.Bot | None = None
    """The bot, or None if the child has no template: then the worker tells it."""
    files: namespaces.Files | None = None
    """What is in the bot's folder, if that is known."""
    source: bytes | None = None
    """The content of the bot's main file, if that is known."""


def from_zygote(cell: Cell, socket: int, output: int, *of_command: int) -> None:
    """A seat without a template. Never returns.

    `socket`: to the worker; `output`: takes what the bot prints; `of_command`: see launch.arrange.
    """
    if of_command:
        launch.arrange(socket, output, *of_command)
        start = wire.decode_start(_read_message())
        assert start.bot is not None
        launch.run(cell, start.bot, lambda: _send(wire.Locked(wire.START_ID, time.process_time())))
    arrange(socket, output)
    kernel.call("close_range", SOCKET + 1, 0xFFFF_FFFF, 0)
    forget_environment()
    open_output()
    run(Prepared(cell))


def arrange(socket: int, output: int) -> None:
    """Number the descriptors: 0 nothing, 1 and 2 what is printed, 3 the worker."""
    high = [os.dup(socket), os.dup(output)]  # above all that is overwritten below
    os.dup2(high[1], 1)
    os.dup2(high[1], 2)
    os.dup2(high[0], SOCKET)
    for number in (*high, socket, output):
        if number > SOCKET:
            os.close(number)
    os.setsid()


def forget_environment() -> None:
    """Give this process the environment of every bot in Python."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(_ENVIRONMENT)
    os.chdir("/")


def open_output() -> None:
    """Let Python print to the descriptors 1 and 2, whatever they are then."""
    sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115


def run(prepared: Prepared) -> NoReturn:
    """Lock this process in, and play the match that the worker tells of."""
    kernel.call_this_process("arena seat")
    start = wire.decode_start(_read_message())
    bot = prepared.bot or start.bot
    assert bot is not None
    random.seed(start.seed)
    np.random.seed(int(start.seed, 16) & 0xFFFF_FFFF)
    folder = lock(prepared.cell, bot.folder, bot.limits, files=prepared.files, channel=SOCKET)
    _send(wire.Locked(wire.START_ID, time.process_time()))
    asked = [wire.START_ID]  # the request that the bot works on
    with absent_parts(lambda part: _ask_for(part, start, asked[0])):
        _play(start, bot.main, prepared.source, Path(folder), asked)


def _play(start: wire.Start, main: str, source: bytes | None, folder: Path, asked: list[int]) -> NoReturn:
    agent = _started(start, main, source, folder)
    while True:
        body = _read_message()
        request = wire.decode_request(body)
        asked[0] = request.id
        if isinstance(request, wire.Ask):
            _send(_acted(agent, start, request))
        else:
            _send(_ended(agent, request))


def _ask_for(part: Part, start: wire.Start, request: int) -> None:
    """Tell the worker that the bot needs a part of its room that is not here, and wait to be ended.

    A part of another room stays absent, and calling it fails: nothing is compiled for a game that is not played.
    """
    if start.info is not None and part.game == start.info.game:
        _send(wire.Lacking(request, part.name))
        while True:
            _read(1)


def _started(start: wire.Start, main: str, source: bytes | None, folder: Path) -> Agent[Any]:
    """The bot's agent, once the worker was told that it is ready. Ends the process if there is no agent."""
    try:
        source = (folder / main).read_bytes() if source is None else source
        remember_lines(str(folder / main), source)
        loaded = LoadedBot(BotFiles(main, {main: source}), folder)
        if start.info is None:
            _send(wire.Ready(wire.START_ID, False, list(loaded.agent_class.games)))
            os._exit(0)
        agent = loaded.agent_class()
        agent.rng = random.Random(int(start.seed, 16))
        agent.params = msgspec.json.decode(start.params)
        agent.start(start.info)
        _send(wire.Ready(wire.START_ID, bool(agent.wants_forced), list(loaded.agent_class.games)))
        return agent
    except BotError as error:
        reason = str(error)
    except BaseException as error:
        reason = _where(error, main) if start.info is None else short_trace()
    _send(wire.Failed(wire.START_ID, Ending.STARTUP.value, printable(reason)))
    os._exit(3)


def remember_lines(path: str, source: bytes) -> None:
    """Let a traceback show lines of the bot's main file, which cannot be opened any more when the bot plays."""
    if path in linecache.cache:  # its template has seen to it
        return
    text = source.decode("utf-8", "replace")
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)


def _acted(agent: Agent[Any], start: wire.Start, ask: wire.Ask) -> wire.Reply:
    """The bot's choice as a message; a message too if it fails."""
    assert start.info is not None
    try:
        game = games.load(start.info.game)
        view = game.view(
            game,
            game.from_bytes(ask.state),
            ask.seat,
            codes=ask.codes,
            events=lambda: ask.events,
            clock=Clock(ask.move, ask.bank, ask.start),
        )
        action = agent.act(view)
        if isinstance(action, str) and len(action) < wire.TEXT:
            return wire.Action(ask.id, action.encode("utf-8", "backslashreplace").decode(), view.is_timed)
        if isinstance(action, str):
            return wire.Action(ask.id, action[: wire.TEXT].encode("ascii", "backslashreplace").decode()[: wire.TEXT])
        if isinstance(action, int) and not isinstance(action, bool):
            return wire.Action(ask.id, int(action) if action.bit_length() < 64 else "a huge number", view.is_timed)
        reason = f"a reply is one of the legal texts or its index, not {type(action).__name__}"
        return wire.Failed(ask.id, Ending.MALFORMED.value, printable(reason))
    except MemoryError:
        return wire.Failed(ask.id, Ending.MEMORY.value, "the bot ran out of its memory")
    except BaseException:
        return wire.Failed(ask.id, Ending.CRASH.value, printable(short_trace()))


def _ended(agent: Agent[Any], end: wire.End) -> wire.Reply:
    try:
        agent.end(end.result)
    except BaseException:  # what a bot does now can change nothing
        return wire.Done(end.id)
    return wire.Done(end.id)


def _where(error: BaseException, main: str) -> str:
    """An error raised while importing a bot, in one line."""
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.endswith(main):
            line = trace.tb_lineno
        trace = trace.tb_next
    place = f"line {line}: " if line else ""
    return f"{main}: {place}{type(error).__name__}: {error}"


def _read_message() -> bytes:
    """The next message. Ends the process if the worker is gone."""
    (length,) = wire.HEADER.unpack(_read(wire.HEADER.size))
    return _read(length)


def _read(count: int) -> bytes:
    data = os.read(SOCKET, count)
    while len(data) < count:
        more = os.read(SOCKET, count - len(data))
        if not more:
            os._exit(0)
        data += more
    return data


def _send(message: wire.Reply) -> None:
    data = wire.frame(message)
    while data:
        data = data[os.write(SOCKET, data) :]
