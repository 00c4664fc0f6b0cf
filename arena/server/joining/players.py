"""What plays for a joined bot on this machine: a bot in Python in this process, or the program of a command bot."""

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from arena import games
from arena.agent import Agent, BotFiles, EndInfo, LoadedBot, StartInfo, unpack
from arena.agent.agent import plain_action
from arena.errors import BotError, trace_below
from arena.match import protocol
from arena.match.sandbox import find_program
from arena.server.table_process.programs import ActWithState
from arena.tournament.workers.compiling import needs_at, warm_games

PATIENCE = 30.0
"""Seconds beyond the clock after which a program that does not answer is ended: the server has given up on it by then."""
_FAREWELL = 1.0


class BotFailed(Exception):
    """The bot has failed in this match: what its author should see."""


class Player(Protocol):
    """Plays one match."""

    def start(self, message: protocol.Start, line: str) -> str:
        """The answer to the first message; `line` is its text. Raises BotFailed."""

    def act(self, message: protocol.Act, line: str) -> str:
        """The answer to a decision. Raises BotFailed."""

    def end(self, message: protocol.End, line: str) -> None:
        """The match is over."""

    def close(self) -> None:
        """Leave nothing behind."""


def is_program(bot: BotFiles) -> bool:
    """Return whether a bot is a program that speaks the protocol by itself."""
    return bot.command is not None


def player_for(bot: BotFiles, say: Callable[[str], None]) -> Player:
    """A player for the next match. `say`: is told what the user should know, such as that rules are compiled."""
    return _Program(bot) if is_program(bot) else _InPython(bot, say)


class _InPython:
    """A bot in Python, with the view that it would have on the server."""

    def __init__(self, bot: BotFiles, say: Callable[[str], None]) -> None:
        self._bot, self._say = bot, say
        self._loaded: LoadedBot | None = None
        self._agent: Agent[Any] | None = None
        self._game: Any = None
        self._seat = 0

    def start(self, message: protocol.Start, line: str) -> str:
        try:
            warm_games(needs_at(message.game, [(self._bot, {})]), self._say)
            self._game, self._seat = games.load(message.game), message.seat
            self._loaded = LoadedBot(self._bot)
            self._agent = agent = self._loaded.agent_class()
            agent._seed = int(message.seed, 16)
            agent.params = {}
            agent.start(StartInfo(message.game, dict(message.options), message.seats, message.seat, message.clock))
        except BotError as error:
            raise BotFailed(str(error)) from None
        except Exception as error:
            raise BotFailed(trace_below(error)) from None
        return _text(protocol.Ready(id=message.id, ok=True))

    def act(self, message: protocol.Act, line: str) -> str:
        asked = msgspec.json.decode(line, type=ActWithState)
        assert self._agent is not None
        try:
            observed = self._game.from_bytes(asked.state)
            texts = self._game.text.action_texts(observed[0], asked.codes)
        except Exception:
            texts = []
        if list(texts) != list(asked.legal):
            raise BotFailed("the server plays by other rules than this arena: install the version that the server has")
        try:
            view = self._game.view(
                self._game, observed, self._seat, codes=asked.codes, clock=asked.clock,
                events=lambda: [(seat, text) for seat, text in asked.events],
            )  # fmt: skip
            action = plain_action(self._agent.act(view))
        except Exception as error:
            raise BotFailed(trace_below(error)) from None
        if type(action) is not str and type(action) is not int:
            raise BotFailed(f"act returned {action!r}: it returns one of view.legal, or its index")
        return msgspec.json.encode({"id": message.id, "action": action}).decode()

    def end(self, message: protocol.End, line: str) -> None:
        assert self._agent is not None
        try:
            self._agent.end(EndInfo(list(message.places), list(message.scores)))
        except Exception as error:
            self._say(f"the bot has failed after the end of a match:\n{trace_below(error)}")

    def close(self) -> None:
        if self._loaded is not None:
            self._loaded.close()
            self._loaded = None


class _Program:
    """The program of a command bot: lines go through as they are."""

    def __init__(self, bot: BotFiles) -> None:
        assert bot.command is not None
        folder = unpack(bot)
        program = find_program(bot.command, folder)
        self._process = subprocess.Popen(
            [str(program.path), *bot.command.command[1:]], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._seconds = 0.0
        threading.Thread(target=self._read, daemon=True).start()

    def start(self, message: protocol.Start, line: str) -> str:
        self._seconds = message.clock.start
        return self._answered(line.encode())

    def act(self, message: protocol.Act, line: str) -> str:
        self._seconds = message.clock.move + message.clock.bank
        return self._answered(line.encode())

    def end(self, message: protocol.End, line: str) -> None:
        with contextlib.suppress(OSError):
            self._write(line.encode())

    def close(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_FAREWELL)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _answered(self, line: bytes) -> str:
        try:
            self._write(line)
            found = self._lines.get(timeout=self._seconds + PATIENCE)
        except (OSError, queue.Empty):
            found = b""
        if not found.endswith(b"\n"):
            code = self._process.poll()
            raise BotFailed("its program does not answer" if code is None else f"its program ended with exit code {code}")
        return found[:-1].decode("utf-8", "replace")

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(protocol.MESSAGE_BYTES + 1):
            self._lines.put(line)
        self._lines.put(b"")


def _text(message: msgspec.Struct) -> str:
    return msgspec.json.encode(message).decode()
