"""`arena join`: the bot's side of `/remote/socket`. It connects again by itself, and leaves cleanly."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.frames import CloseCode
from websockets.sync.client import ClientConnection, connect

from arena.agent import BotFiles
from arena.errors import ArenaError, BotError, ConfigError, one_line, printable
from arena.match import protocol
from arena.records import Ending
from arena.server.joining.address import UNKNOWN_TOKEN, ServerAddress
from arena.server.joining.players import BotFailed, Player, is_program, player_for
from arena.server.remote.messages import Crash, Join, Joined, Leave, Result

PATH = "/remote/socket"
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds before the first attempt to connect again, and before later ones at most: the wait doubles each time."""
MOST_FAILURES = 5
"""Matches in a row in which the bot has failed, after which it leaves."""
_LAST_TRIES = 6  # to come back to a match that goes on, once it is time to leave
_LOOK = 0.25  # seconds: how often somebody looks whether it is time to leave
_SECONDS_TO_OPEN = 10.0
ASKS_AFTER = 20.0
"""Seconds of silence after which the bot asks whether the server is there, and for which it waits for the answer."""
_UNHEARD = logging.Logger("arena join", logging.CRITICAL + 1)  # the library's own words; what is lost is said here
_LONGEST = 1 << 20  # bytes of a message
_FOR_GOOD = 4000  # from here on a closing code says that trying again is no use
_AGAIN = 4429  # but for this one: somebody else has to go first

_Message = Joined | Result | protocol.Start | protocol.Act | protocol.End
_DECODER: Any = msgspec.json.Decoder(_Message)


@dataclass
class Joining:
    """A bot that plays at one or several tables of a server."""

    server: ServerAddress
    bot: BotFiles | None
    """The bot; None: `player` makes what plays."""
    name: str
    games: Sequence[str]
    wants_forced: bool
    say: Callable[[str], None]
    tables: int = 1
    player: Callable[[], Player] | None = None
    """Makes what plays the next match, in place of a bot; it is sent what the seat sees as a bot in Python is."""
    stopping: threading.Event = field(default_factory=threading.Event)
    """Set: play the matches that go on to their ends, begin no other, and leave."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _matches: int = 0
    _failures: int = 0  # in a row
    _is_known: bool = False
    _is_away: bool = False
    _errors: list[ArenaError] = field(default_factory=list)
    _seats: list["_Table"] = field(default_factory=list)

    def play(self) -> None:
        """Play until `stopping` is set.

        Raises ConfigError if the server cannot be reached at first or lets nobody in, BotError for a bot that always fails.
        """
        first = self._opened()  # here, so that what is wrong is said once
        self._seats = [_Table(self, first if number == 0 else None) for number in range(self.tables)]
        threads = [threading.Thread(target=self._run, args=(seat,), daemon=True) for seat in self._seats]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(_LOOK)
        if self._errors:
            raise self._errors[0]

    def leave(self) -> None:
        """Leave at once: matches that go on are forfeited."""
        self.stopping.set()
        for seat in self._seats:
            seat.leave()

    @property
    def wants_state(self) -> bool:
        """Whether what plays runs arena itself, and wants the bytes of the state as the seat sees it."""
        return self.bot is None or not is_program(self.bot)

    def new_player(self) -> Player:
        """What plays the next match."""
        if self.player is not None:
            return self.player()
        assert self.bot is not None
        return player_for(self.bot, self.say)

    def _run(self, table: "_Table") -> None:
        try:
            table.play()
        except ConfigError as error:
            self._errors.append(error)
            self.stopping.set()

    def _opened(self) -> ClientConnection:
        """A connection. Raises ConfigError for one that will never come about, and OSError for one that may later."""
        try:
            return self._connected()
        except (OSError, InvalidHandshake, EOFError) as error:
            reason = getattr(error, "strerror", None) or one_line(str(error)) or type(error).__name__
            raise ConfigError(f"{self.server.url}: no server answers there: {printable(reason)}") from None

    def _connected(self) -> ClientConnection:
        try:
            return connect(
                self.server.url.replace("http", "ws", 1) + PATH,
                additional_headers={"Authorization": f"Bearer {self.server.token}"},
                compression=None,
                max_size=_LONGEST,
                open_timeout=_SECONDS_TO_OPEN,
                ping_interval=ASKS_AFTER,
                ping_timeout=ASKS_AFTER,
                close_timeout=1.0,
                proxy=None,
                logger=_UNHEARD,
            )
        except InvalidURI:
            raise ConfigError(f"{self.server.url}: no address of a server, such as http://127.0.0.1:8000") from None
        except InvalidStatus as error:
            why = _WHY.get(error.response.status_code)
            if why is None:
                raise
            raise ConfigError(f"{self.server.url}: {why}") from None

    def told(self, result: Result) -> None:
        """Tell the user what came of a match."""
        with self._lock:
            self._matches += 1
            number = self._matches
        if result.match is not None:
            self._count_failures(result)
        others = ", ".join(name for seat, name in enumerate(result.names) if seat != result.seat)
        if result.match is None:
            self.say(f"match {number}: {result.game} against {printable(others)}: void, it does not count")
            return
        ending = "" if result.ending in (None, "played") else f" ({result.ending})"
        count = "1 match" if result.matches == 1 else f"{result.matches} matches"
        rating = "" if result.rating is None else f"; rating {result.rating:.1f} after {count}"
        self.say(
            f"match {number}: {result.game} against {printable(others)}: place {result.place} of {len(result.names)}"
            f"{ending}{rating}\n  {self.server.url}/m/{result.match}"
        )

    def arrived(self, name: str) -> None:
        """Tell the user, once for all tables, that the bot is here, or that it is here again."""
        with self._lock:
            is_known, was_away = self._is_known, self._is_away
            self._is_known, self._is_away = True, False
        if not is_known:
            at = "" if self.tables == 1 else f" at {self.tables} tables"
            self.say(f"{printable(name)} is here{at}, and plays {', '.join(self.games)}; Ctrl-C to leave")
        elif was_away:
            self.say("connected again")

    def lost(self, why: str) -> None:
        """Tell the user, once for all tables, that the connection is lost."""
        with self._lock:
            was_away, self._is_away = self._is_away, True
        if not was_away:
            self.say(f"the connection is lost{': ' + printable(why) if why else ''}; trying again")

    def _count_failures(self, result: Result) -> None:
        """Leave with a bot that fails in every match: it would only take the time of others."""
        with self._lock:
            self._failures = 0 if result.ending in (None, Ending.PLAYED) else self._failures + 1
            is_enough = self._failures >= MOST_FAILURES and not self.stopping.is_set()
        if is_enough:
            self._errors.append(
                BotError(f"{self.name} has failed in {MOST_FAILURES} matches in a row, so it leaves; mend it, and join again")
            )
            self.stopping.set()


_WHY = {
    401: UNKNOWN_TOKEN,
    403: "this token may not join a bot: an author's or an organiser's is needed, with the scope send",
    404: "there is no socket for remote bots; is this a server of arena, and a new one?",
    421: "the server does not answer to this name; use the address that it printed",
}


class _Table:
    """The bot at one table."""

    def __init__(self, joining: Joining, first: ClientConnection | None) -> None:
        self._joining, self._first = joining, first
        self._key = ""
        self._player: Player | None = None
        self._last: tuple[int, str] | None = None  # the id of the last question, and what was answered
        self._has_joined = False
        self._plays = False
        self._line: ClientConnection | None = None

    def leave(self) -> None:
        """Tell the server that the bot leaves for good."""
        if self._line is not None:
            with contextlib.suppress(ConnectionClosed, OSError):
                self._line.send(_text(Leave()))

    def play(self) -> None:
        """Play until it is time to leave. Raises ConfigError if the server does not let the bot in any more."""
        wait, patience = FIRST_WAIT, _LAST_TRIES
        try:
            while not self._joining.stopping.is_set() or self._plays:
                try:
                    with self._first or self._joining._connected() as line:
                        self._first, self._has_joined, self._line = None, False, line
                        try:
                            if self._serve(line):
                                return
                        finally:
                            if self._has_joined:
                                wait = FIRST_WAIT
                except ConnectionClosed as closed:
                    code, why = (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd is not None else (0, _lost(closed))
                    if code >= _FOR_GOOD and code != _AGAIN:
                        raise ConfigError(f"{self._joining.server.url}: {printable(why)}") from None
                    self._joining.lost(why)
                except (OSError, InvalidHandshake, EOFError):
                    pass
                if self._joining.stopping.wait(wait):
                    patience -= 1
                    if not self._plays or not patience:
                        return
                    time.sleep(wait)
                wait = min(LONGEST_WAIT, 2 * wait)
        finally:
            self._drop()

    def _serve(self, line: ClientConnection) -> bool:
        """Take part until the connection is lost; True: the bot has left for good."""
        joining = self._joining
        line.send(_text(Join(
            bot=joining.name, games=list(joining.games), wants_forced=joining.wants_forced,
            wants_state=joining.wants_state, key=self._key,
        )))  # fmt: skip
        while True:
            if joining.stopping.is_set() and not self._plays and self._has_joined:
                line.send(_text(Leave()))
                return True
            try:
                text = line.recv(timeout=_LOOK)
            except TimeoutError:
                continue
            if isinstance(text, str):
                self._take(line, text)

    def _take(self, line: ClientConnection, text: str) -> None:
        try:
            message = _DECODER.decode(text)
        except msgspec.DecodeError:
            raise ConfigError(f"{self._joining.server.url}: the server speaks another version of the protocol") from None
        match message:
            case Joined(name=name, key=key, playing=playing):
                self._joining.arrived(name)
                self._key, self._has_joined, self._plays = key, True, playing
                if not playing:
                    self._drop()
            case protocol.Start() | protocol.Act():
                self._answer(line, message, text)
            case protocol.End():
                if self._player is not None:
                    self._player.end(message, text)
                self._drop()
            case Result():
                self._plays = False
                self._drop()
                self._joining.told(message)

    def _answer(self, line: ClientConnection, message: protocol.Start | protocol.Act, text: str) -> None:
        if self._last is not None and self._last[0] == message.id:  # asked again after the connection was lost
            line.send(self._last[1])
            return
        try:
            if isinstance(message, protocol.Start):
                self._drop()
                self._plays = True
                self._player = self._joining.new_player()
                answer = self._player.start(message, text)
            elif self._player is None:
                answer = _text(Crash())
            else:
                answer = self._player.act(message, text)
        except BotFailed as failure:
            self._joining.say(f"the bot has failed:\n{failure}" if "\n" in str(failure) else f"the bot has failed: {failure}")
            self._drop()
            answer = _text(Crash())
        self._last = (message.id, answer)
        line.send(answer)

    def _drop(self) -> None:
        if self._player is not None:
            self._player.close()
            self._player = None


def _lost(closed: ConnectionClosed) -> str:
    """Why a connection that the server did not close is lost."""
    return "the server does not answer" if closed.sent is not None and closed.sent.code == CloseCode.INTERNAL_ERROR else ""


def _text(message: msgspec.Struct) -> str:
    return msgspec.json.encode(message).decode()
