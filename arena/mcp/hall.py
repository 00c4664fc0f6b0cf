"""An agent's seat at a hall elsewhere, by the door that `arena join` takes: the server there is the referee, by its own clock.

What the server sends to a bot in Python becomes what a table here would say to the seat, so such a match is told as any other.
"""

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

import msgspec

from arena import games
from arena.agent.view import View
from arena.errors import ArenaError, one_line
from arena.match import protocol
from arena.mcp.sessions import Match, Matches
from arena.mcp.telling import Teller
from arena.records import Ending
from arena.reports.pages.frames import Event
from arena.server.joining.address import ServerAddress
from arena.server.joining.client import Joining
from arena.server.joining.players import BotFailed
from arena.server.remote.messages import Result
from arena.server.table_process.broadcaster import known_cards, prospects, refusals, task
from arena.server.table_process.messages import (
    Act,
    Ask,
    Broken,
    Compiling,
    Envelope,
    Frame,
    FromTable,
    Over,
    Ready,
    Setup,
    Stored,
    ToSeat,
    ToTable,
)
from arena.server.table_process.programs import ActWithState
from arena.tournament.workers.compiling import warm_games

_SLACK = 1.0  # seconds beyond the clock after which the server has given up on the seat


@dataclass(frozen=True)
class Hall:
    """A hall elsewhere."""

    server: ServerAddress
    name: str
    """The name of the agent there, behind that of its account."""

    def sit_down(self, game: str, language: str, matches: Matches) -> Match:
        """Take a seat for one match, which begins when the hall finds somebody to play with. Raises Refused for too many."""
        seat = HallSeat(self, game)
        setup = Setup(game=game, seats=[], results="")
        match = matches.begin(setup, 0, language, is_rated=True, line=seat)
        match.place = self.server.url
        seat.match = match
        return match


@dataclass
class HallSeat:
    """The line to a hall for one match, as Line is to a table here."""

    hall: Hall
    game: str
    match: Match | None = None
    _actions: "SimpleQueue[str]" = field(default_factory=SimpleQueue)
    _tell: Callable[[FromTable], object] = lambda message: None
    _joining: "_JoiningOnce | None" = None

    async def run(self, setup: Setup, hear: Callable[[FromTable], Awaitable[None] | None]) -> int:
        """Join, play one match, and leave."""
        loop = asyncio.get_running_loop()

        def tell(message: FromTable) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: the server ends
                loop.call_soon_threadsafe(hear, message)

        self._tell = tell
        self._joining = joining = _JoiningOnce(
            self.hall.server, None, self.hall.name, [self.game], False, lambda text: None, player=lambda: _AgentPlayer(self)
        )
        joining.seat = self
        done = asyncio.Event()

        def play() -> None:
            self._play(joining)
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(done.set)

        threading.Thread(target=play, name="at a hall", daemon=True).start()  # whose connection no end of ours waits for
        try:
            await done.wait()
        finally:
            self.end()
        return 0

    def send(self, message: ToTable) -> None:
        """Pass the agent's action on; hints are for matches here."""
        if isinstance(message, Act):
            self._actions.put(message.action)

    def end(self) -> None:
        """Leave at once: a match that goes on is forfeited."""
        self._actions.put("")
        if self._joining is not None:
            threading.Thread(target=self._joining.leave, name="leaving a hall", daemon=True).start()

    def tell(self, message: FromTable) -> None:
        """Tell the agent's match something; may be called by any thread."""
        self._tell(message)

    def began(self, seats: int, seat: int) -> None:
        """The match begins: from now on it is known who sits where, and no other is to follow."""
        assert self.match is not None and self._joining is not None
        before = self.match.teller
        self.match.teller = Teller(self.game, seats, seat, before.match, before.language)
        self._joining.stopping.set()

    def action(self, seconds: float) -> str:
        """The agent's next action. Raises BotFailed where there is none in time, or the agent has left."""
        try:
            found = self._actions.get(timeout=seconds)
        except Empty:
            found = ""
        if not found:
            raise BotFailed("the agent did not answer in time")
        return found

    def _compiling(self, text: str) -> None:
        self._tell(Compiling())

    def _play(self, joining: "_JoiningOnce") -> None:
        try:
            warm_games({self.game: ()}, self._compiling)
            joining.play()
        except ArenaError as error:
            self._tell(Broken(error=one_line(str(error))))


class _JoiningOnce(Joining):
    """Joins for one match."""

    seat: HallSeat

    def told(self, result: Result) -> None:
        """Tell the agent that its match is over, and how."""
        if result.match is None:
            self.seat.tell(Broken(error="the hall could not finish the match; it is void and does not count"))
            return
        assert self.seat.match is not None
        ending = "" if result.ending in (None, Ending.PLAYED) else f", {result.ending}"
        rating = "" if result.rating is None else f"; rating there {result.rating:.1f} after {result.matches} matches"
        self.seat.match.outcome = f"place {result.place} of {len(result.names)}{ending}{rating}"
        self.seat.tell(Stored(match_id=result.match))


class _AgentPlayer:
    """Plays the match of a hall by what an agent says; implements joining.players.Player."""

    def __init__(self, seat: HallSeat) -> None:
        self._line = seat
        self._game = games.load(seat.game)
        self._seat = 0
        self._number = 0

    def start(self, message: protocol.Start, line: str) -> str:
        """Take part."""
        self._seat = message.seat
        self._line.began(message.seats, message.seat)
        self._line.tell(Ready(options=dict(message.options)))
        return msgspec.json.encode(protocol.Ready(id=message.id, ok=True)).decode()

    def act(self, message: protocol.Act, line: str) -> str:
        """Show the agent what its seat sees, and wait for its action."""
        asked = msgspec.json.decode(line, type=ActWithState)
        view = self._view(asked)
        events = [Event(self._number + number, seat, text) for number, (seat, text) in enumerate(asked.events)]
        self._number += len(events)
        text = self._game.text.describe(view.state, self._seat)
        self._say(Frame(number=asked.id, events=events, position=dict(asked.position), text=text, choosing=[self._seat]))
        self._say(
            Ask(
                decision=asked.id, legal=list(asked.legal), since=events, refusals=refusals(view), known=known_cards(view),
                task=task(view), prospects=dict(prospects(view)),
            )
        )  # fmt: skip
        action = self._line.action(asked.clock.move + asked.clock.bank + _SLACK)
        return msgspec.json.encode({"id": asked.id, "action": action}).decode()

    def end(self, message: protocol.End, line: str) -> None:
        """Tell the places."""
        self._say(Over(match_id="", places=list(message.places), scores=list(message.scores)))

    def close(self) -> None:
        """Do nothing: there is no program."""

    def _view(self, asked: ActWithState) -> View:
        """The view of the decision. Raises BotFailed where the server plays by other rules."""
        try:
            observed = self._game.from_bytes(asked.state)
            texts: list[Any] = list(self._game.text.action_texts(observed[0], asked.codes))
        except Exception:
            texts = []
        if texts != list(asked.legal):
            raise BotFailed("the server plays by other rules than this arena: install the version that the server has")
        events = [(seat, text) for seat, text in asked.events]
        found: View = self._game.view(
            self._game, observed, self._seat, codes=asked.codes, clock=asked.clock, events=lambda: events
        )
        return found

    def _say(self, message: ToSeat) -> None:
        self._line.tell(Envelope(seat=self._seat, message=message))
