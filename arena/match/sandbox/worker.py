"""A child of a template, or of the zygote: locks itself in, then runs one bot for one match.

The untrusted code runs in the same process.
"""

import linecache
import os
import random
import signal
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol

import msgspec
import numpy as np

from arena import games
from arena.agent import Agent, BlankModule, EndInfo, LoadedBot, StartInfo
from arena.agent.agent import plain_action
from arena.agent.view import Notes, View, checked_notes, notes_on
from arena.engine.game import Game
from arena.engine.readiness import Part, absent_parts
from arena.errors import BotError, printable, short_trace, without_places
from arena.match.sandbox import clocks, kernel, namespaces, own_memory, program, wire
from arena.match.sandbox.lockdown import Cell, lock
from arena.records import Clock, Ending

SOCKET, OUTPUT = program.SOCKET, 1
_NOT_STARTED = 3  # exit code
_AT_ONCE = 1 << 13  # bytes to read: nearly all messages come by one call
_REHEARSALS = 20  # Python specialises code that has run so often
_OURS = "rehearsal.py"
_SOURCE = b"""
from arena.agent import Agent

class Rehearsal(Agent):
    def act(self, view):
        for name, found in vars(type(view)).items():
            if not callable(found) and not name.startswith("_"):
                getattr(view, name)
        return view.legal[0] if view.events is not None else 0
"""
_ENVIRONMENT = {"PATH": "/nonexistent", "HOME": "/nonexistent", "LANG": "C.UTF-8"}


@dataclass(frozen=True)
class Prepared:
    """What a template has ready for the seats that it forks."""

    role: "_Role"
    lock: kernel.Calls
    """All that locks a seat in."""
    socket: Any
    """Has to be set before: the descriptor of the socket to the worker."""
    output: Any
    """Has to be set before: the descriptor that takes what the bot prints."""


def from_zygote(cell: Cell, socket: int, output: int, *of_command: int) -> None:
    """A seat without a template. Never returns.

    `socket`: to the worker; `output`: takes what the bot prints; `of_command`: see launch.arrange.
    """
    if of_command:
        program.number_descriptors(socket, output, *of_command)
        program.run_program(cell, wire.decode_bot(_read_message()), lambda: _send(wire.Locked(wire.START_ID)))
    _arrange(socket, output)
    kernel.call("close_range", SOCKET + 1, 0xFFFF_FFFF, 0)
    forget_environment()
    open_output()
    bot = wire.decode_bot(_read_message())
    own_memory.make_own(cell.pieces)
    clocks.seal(cell.clock)
    folder = Path(lock(cell, bot.folder, bot.limits, channel=SOCKET))
    _Role(bot.main, folder, None).play()


def prepare(cell: Cell, bot: wire.Bot, blank: BlankModule | None, files: namespaces.Files | None) -> Prepared:
    """Record what will lock the seats of a bot in. `files`: what is in the bot's folder, if that is known."""
    socket, output = kernel.later(), kernel.later()
    with kernel.recording() as calls:
        _arrange(socket, output)
        folder = lock(cell, bot.folder, bot.limits, files=files, channel=SOCKET)
    return Prepared(_Role(bot.main, Path(folder), blank), calls, socket, output)


def from_template(prepared: Prepared, socket: int, output: int) -> NoReturn:
    """A seat forked by a template; see `from_zygote`."""
    prepared.socket.value, prepared.output.value = socket, output
    prepared.lock.make()
    prepared.role.play()


def _arrange(socket: Any, output: Any) -> None:
    """Number the descriptors: 1 and 2 what is printed, 3 the worker. None of the given ones has these numbers yet."""
    kernel.call_this_process("arena seat")
    for number, target in ((output, 1), (output, 2), (socket, SOCKET)):
        kernel.call("dup3", number, target, 0)
    kernel.call("setsid")


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


class _Acts(Protocol):
    """What chooses an action."""

    def act(self, view: Any, /) -> object:
        """The choice."""
        ...


class _Role:
    """What a bot plays in one match, in this process or in one that is forked from it."""

    def __init__(self, main: str, folder: Path, blank: BlankModule | None) -> None:
        """`blank`: the bot's module, if it is made already."""
        self._main = main
        self._folder = folder
        self._blank = blank
        self._start: wire.Start | None = None
        self._asked = wire.START_ID  # the request that the bot works on
        self._absent = ExitStack()
        self._absent.enter_context(absent_parts(self._ask_for))

    def play(self) -> NoReturn:
        """Play the match that the worker tells of, in this process, which is locked in."""
        _send(wire.Locked(wire.START_ID))
        self._start = start = wire.decode_start(_read_message())
        agent, reply = _started(start, self._main, self._folder, self._blank)
        _send(reply)
        if agent is None:
            os._exit(0 if isinstance(reply, wire.Ready) else _NOT_STARTED)
        act = _noted if start.has_listener else _acted
        while True:
            request = wire.decode_request(_read_message())
            self._asked = request.id
            if isinstance(request, wire.Ask):
                _send(act(agent, start, request))
            else:
                _send(_ended(agent, request))

    def _ask_for(self, part: Part) -> None:
        """Tell the worker that the bot needs a part of its game that is not here, and wait to be ended.

        A part of another game stays absent, and calling it fails: nothing is compiled for a game that is not played.
        """
        if self._start is not None and self._start.info is not None and part.game == self._start.info.game:
            _send(wire.Lacking(self._asked, part.name))
            while True:
                _read(1, SOCKET)


def _started(start: wire.Start, main: str, folder: Path, blank: BlankModule | None) -> tuple[Agent[Any] | None, wire.Reply]:
    """The bot's agent, and what the worker is told. None: there is no agent, or there is no need of one."""
    try:
        random.seed(start.seed)
        np.random.seed(int(start.seed, 16) & 0xFFFF_FFFF)
        if blank is None:
            source = (folder / main).read_bytes()
            remember_lines(str(folder / main), source)
            blank = BlankModule(main, source, folder)
        agent_class = LoadedBot.of(blank).agent_class
        games = list(agent_class.games)
        if start.info is None:
            return None, wire.Ready(wire.START_ID, False, games)
        agent = agent_class()
        agent._seed = int(start.seed, 16)
        agent.params = msgspec.json.decode(start.params)
        agent.start(start.info)
        return agent, wire.Ready(wire.START_ID, bool(agent.wants_forced), games)
    except BotError as error:
        reason = str(error)
    except BaseException as error:
        reason = _where(error, main) if start.info is None else short_trace()
    return None, wire.Failed(wire.START_ID, Ending.STARTUP.value, printable(reason))


def rehearse(game: Game) -> None:
    """Do once what a seat does in a match, with a bot of ours, in the process that all seats are forked from.

    They then find what Python keeps of that (looked-up attributes, specialised code), and need not write it each for itself.
    """
    seats = game.seats[0]
    options = game.resolve_options({}, seats)
    states = game.deal(seats, options, 0)
    start = wire.Start(seed="0", params=b"{}", info=StartInfo(game.name, options, seats, 0, Clock(1.0, 1.0)))
    viewer = game.engine.current_seat(states)
    state = game.observed(states, viewer).tobytes()
    ask = wire.Ask(1, state, viewer, game.legal_list(states), [], 1.0, 1.0, 1.0)
    end = wire.End(1, EndInfo([1] * seats, [0] * seats))
    reader, writer = os.pipe()
    with kernel.recording() as calls:
        kernel.call("getpid", kernel.of_own_number())
    for _ in range(_REHEARSALS):
        calls.make()
        _send(wire.Locked(wire.START_ID), writer)
        wire.decode_reply(_read_message(reader))
        _send(start, writer)
        start = wire.decode_start(_read_message(reader))
        blank = BlankModule(_OURS, _SOURCE, Path("/"), "arena_rehearsal")
        agent, reply = _started(start, _OURS, Path("/"), blank)
        assert agent is not None, reply
        for said in (ask, end):
            _send(said, writer)
            request = wire.decode_request(_read_message(reader))
            reply = _acted(agent, start, request) if isinstance(request, wire.Ask) else _ended(agent, request)
            assert not isinstance(reply, wire.Failed), reply
            _send(reply, writer)
            wire.decode_reply(_read_message(reader))
    os.close(reader)
    os.close(writer)
    del sys.modules[blank.name]


def remember_lines(path: str, source: bytes) -> None:
    """Let a traceback show lines of the bot's main file, which cannot be opened any more when the bot plays."""
    text = source.decode("utf-8", "replace")
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)


def _acted(agent: _Acts, start: wire.Start, ask: wire.Ask) -> wire.Reply:
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
        action = plain_action(agent.act(view))
        if isinstance(action, str) and len(action) < wire.TEXT:
            return wire.Action(ask.id, action.encode("utf-8", "backslashreplace").decode(), view.is_timed)
        if isinstance(action, str):
            return wire.Action(ask.id, action[: wire.TEXT].encode("ascii", "backslashreplace").decode()[: wire.TEXT])
        if type(action) is int:
            return wire.Action(ask.id, action if action.bit_length() < 64 else "a huge number", view.is_timed)
        reason = f"a reply is one of the legal texts or its index, not {type(action).__name__}"
        return wire.Failed(ask.id, Ending.MALFORMED.value, printable(reason))
    except MemoryError:
        return wire.Failed(ask.id, Ending.MEMORY.value, "the bot ran out of its memory")
    except BaseException:
        return wire.Failed(ask.id, Ending.CRASH.value, printable(short_trace()))


def _noted(agent: Agent[Any], start: wire.Start, ask: wire.Ask) -> wire.Reply:
    """The bot's choice as a message, with what it noted before it chose or failed."""
    listening = _Listening(agent)
    reply = _acted(listening, start, ask)
    assert isinstance(reply, wire.Action | wire.Failed)
    notes = Notes() if listening.view is None else checked_notes(notes_on(listening.view))
    return wire.Noted(ask.id, reply, notes)


class _Listening:
    """A bot's agent, and the view that it was given last."""

    def __init__(self, agent: Agent[Any]) -> None:
        self.view: View | None = None
        self._agent = agent

    def act(self, view: View) -> object:
        """Let the bot choose."""
        self.view = view
        return self._agent.act(view)


def _ended(agent: Agent[Any], end: wire.End) -> wire.Reply:
    try:
        agent.end(end.result)
    except BaseException:  # what a bot does now can change nothing; its author may want to know
        return wire.Failed(end.id, Ending.CRASH.value, printable(short_trace()))
    return wire.Done(end.id)


def _where(error: BaseException, main: str) -> str:
    """An error raised while importing a bot, in one line."""
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.endswith(main):
            line = trace.tb_lineno
        trace = trace.tb_next
    place = f"line {line}: " if line else ""
    return without_places(f"{main}: {place}{type(error).__name__}: {error}")


def _read_message(channel: int = SOCKET) -> bytes:
    """The next message; nobody sends another one before it is answered. Ends the process if the worker is gone."""
    data = _read(wire.HEADER.size, channel)
    (length,) = wire.HEADER.unpack_from(data)
    end = wire.HEADER.size + length
    if len(data) < end:
        data += _read(end - len(data), channel)
    assert len(data) == end, "one message at a time"
    return data[wire.HEADER.size :]


def _read(least: int, channel: int) -> bytes:
    """The next bytes, as many as there are: at least so many."""
    data = os.read(channel, max(least, _AT_ONCE))
    while len(data) < least:
        more = os.read(channel, _AT_ONCE)
        if not more:
            os._exit(0)
        data += more
    return data


def _send(message: msgspec.Struct, channel: int = SOCKET) -> None:
    data = wire.frame(message)
    while data:
        data = data[os.write(channel, data) :]
