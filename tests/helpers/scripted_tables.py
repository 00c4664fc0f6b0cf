"""Live tables in this process: people who choose by a script, in a time of their own."""

import heapq
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from arena.records import MatchRecord
from arena.server.table_process.arranging import Arranged, BotSeats, arrange
from arena.server.table_process.broadcaster import Adviser
from arena.server.table_process.messages import Act, Ask, Envelope, FromTable, SeatPlan, Setup, ToTable
from arena.server.table_process.process import play_table

Reaction = tuple[float, ToTable]
"""Seconds until a message is at the table, and the message."""

OPTIONS: dict[str, dict[str, Any]] = {
    "naga": {"series": "first_to:1"},
    "nertz": {"max_rounds": 2, "tick_limit": 40},
    "yaniv": {"limit": 20},
}
"""Options that make a match of a game short."""
SEATS = {"naga": 2, "hisatsu": 3, "nanatoridori": 3, "nertz": 3, "yaniv": 3}


@dataclass
class ScriptedServer:
    """The server of a table, with people who react to what they are told, and its time; implements Inbox."""

    react: Callable[[FromTable], Iterable[Reaction]]
    sent: list[FromTable] = field(default_factory=list)
    """All that the table said."""
    time: float = 0.0
    _coming: list[tuple[float, int, ToTable]] = field(default_factory=list)
    _numbers: count = field(default_factory=count)  # type: ignore[type-arg]

    def send(self, message: FromTable) -> None:
        """The table says something."""
        self.sent.append(message)
        for seconds, answer in self.react(message):
            self.say(answer, seconds)

    def say(self, message: ToTable, seconds: float = 0.0) -> None:
        """Something will be at the table after so many seconds."""
        heapq.heappush(self._coming, (self.time + seconds, next(self._numbers), message))

    def now(self) -> float:
        """The time, by the script's clock."""
        return self.time

    def take(self, seconds: float | None) -> ToTable | None:
        """The next message that comes in time; the clock goes on until then."""
        if seconds is None:
            assert self._coming, "the table waits, and nobody will say anything"
        elif not self._coming or self._coming[0][0] > self.time + seconds:
            self.time += seconds
            return None
        at, _, message = heapq.heappop(self._coming)
        self.time = max(self.time, at)
        return message

    def of(self, seat: int, kind: type[Any]) -> list[Any]:
        """The messages of one kind for the browsers of a seat."""
        return [
            one.message for one in self.sent if isinstance(one, Envelope) and one.seat == seat and isinstance(one.message, kind)
        ]


def at_random(seed: int) -> Callable[[FromTable], list[Reaction]]:
    """People who play any legal action at once."""
    rng = random.Random(seed)

    def react(message: FromTable) -> list[Reaction]:
        if isinstance(message, Envelope) and isinstance(message.message, Ask):
            ask = message.message
            return [(0.0, Act(seat=message.seat, decision=ask.decision, action=rng.choice(ask.legal)))]
        return []

    return react


def setup(game: str, seats: Iterable[str | None], options: Mapping[str, Any] | None = None, **more: Any) -> Setup:
    """A table: on each seat a bot, or a person for None."""
    plans = [
        SeatPlan(name=f"person {seat}", person=True) if bot is None else SeatPlan(name=f"bot {seat}", bot=bot)
        for seat, bot in enumerate(seats)
    ]
    return Setup(game=game, seats=plans, options=dict(options or OPTIONS.get(game, {})), results="nowhere", **more)


def played(asked: Setup, server: ScriptedServer, search: Mapping[str, Any] | None = None) -> tuple[Arranged, MatchRecord]:
    """Play a table to its end. `search`: the settings of hints."""
    table = arrange(asked)
    with BotSeats(table) as seats:
        adviser = Adviser(server.send, search or {"iterations": 20})
        return table, play_table(table, seats, server, server.send, adviser, asked.tick_ms)
