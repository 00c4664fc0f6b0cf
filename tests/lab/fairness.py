"""How fair Nertz is in real time: who wins the race for a place in the middle, with hands and networks of different speed.

People who play by a script sit at tables in virtual time: the rules, the referee, and what collects the clicks of a tick are
the real ones. Each sees the cards after the delay of the network, takes a moment to react, and the click takes the delay again.
A *contested slot* is a place in the middle for which two people or more have clicked when one of them gets it.
"""

import heapq
import math
import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations, count
from typing import Any

import msgspec

from arena import games
from arena.agent.view import View
from arena.engine.options import OptionValue
from arena.match import play
from arena.server.people.store import person_as_player, sit_down
from arena.server.table_process.broadcaster import Adviser, Broadcaster
from arena.server.table_process.input_queue import InputQueue, PersonSeat
from arena.server.table_process.messages import Act, Ask, FromTable, ToTable
from arena.server.table_process.ticks import Ticks

GAME = "nertz"
TITLE = "Nertz in real time"
TICK_MS = 250
DELAYS_MS = (0, 0, 75, 75, 150, 150)
"""The delay of each seat's network, one way: two seats have the same."""
SLOTS = 20_000
REACTION = (0.1, 0.6)
"""Seconds from what a person sees to the click: the least and the most."""
_OPTIONS: dict[str, OptionValue] = {"latency": "declared", "delays": 0, "max_rounds": 1}
_TO_THE_MIDDLE = "found"
_ACE = "A"  # always finds a place
_ORDER = ("call", "nertz found", "waste found", "work found", "nertz work", "waste work", "flip")
_HELD = 1.001  # so many times as long as it should be


class Duel(msgspec.Struct, frozen=True, kw_only=True):
    """Two seats with the same delay: the contested slots for which both had clicked, and that one of them got."""

    delay_ms: int
    seats: tuple[int, int]
    won: tuple[int, int]
    deviation: float
    """How far the wins of the first are from a half, in standard deviations."""


class Races(msgspec.Struct, frozen=True, kw_only=True):
    """The contested slots of some matches, and which seats got them."""

    slots: int
    """How many slots were contested."""
    won: list[int]
    """How many slots each seat got."""
    expected: list[float]
    """How many slots each seat would get if all of those who have clicked were equally likely to get it."""
    duels: list[Duel]
    ticks: int
    ticks_held: int
    """Ticks that were longer than they should be."""


def races(slots: int = SLOTS, delays_ms: Sequence[int] = DELAYS_MS, *, seed: int = 1) -> Races:
    """Play matches until so many slots were contested. `delays_ms`: of each seat's network, one way."""
    tally = _Tally(delays_ms)
    for number in count():
        if tally.slots >= slots:
            break
        _play(delays_ms, seed * 1_000_003 + number, tally)
    duels = [
        Duel(delay_ms=delays_ms[pair[0]], seats=pair, won=(won[0], won[1]), deviation=_deviation(*won))
        for pair, won in sorted(tally.duels.items())
    ]
    return Races(
        slots=tally.slots, won=tally.won, expected=[round(number, 1) for number in tally.expected], duels=duels,
        ticks=tally.ticks, ticks_held=tally.held,
    )  # fmt: skip


def _deviation(first: int, second: int) -> float:
    return round((first - second) / math.sqrt(max(1, first + second)), 2)


class _Tally:
    """What was counted so far."""

    def __init__(self, delays_ms: Sequence[int]) -> None:
        self.slots = self.ticks = self.held = 0
        self.won = [0] * len(delays_ms)
        self.expected = [0.0] * len(delays_ms)
        pairs = combinations(range(len(delays_ms)), 2)
        self.duels = {(one, other): [0, 0] for one, other in pairs if delays_ms[one] == delays_ms[other]}

    def add(self, winner: int, rivals: set[int]) -> None:
        """Somebody got a slot for which all rivals had clicked, the winner one of them."""
        self.slots += 1
        self.won[winner] += 1
        for seat in rivals:
            self.expected[seat] += 1 / len(rivals)
        for pair, won in self.duels.items():
            if winner in pair and rivals.issuperset(pair):
                won[pair.index(winner)] += 1


class _People:
    """People who play by a script, and their time; implements Inbox."""

    def __init__(self, delays_ms: Sequence[int], seed: int, tally: _Tally) -> None:
        self.time = 0.0
        self._delays = [delay / 1000 for delay in delays_ms]
        self._rng = random.Random(seed)
        self._tally = tally
        self._coming: list[tuple[float, int, Act]] = []
        self._numbers = count()
        self._busy = [0.0] * len(delays_ms)  # until when a click is on its way
        self._wanted: dict[int, str] = {}  # the card that each seat has clicked for, until it is known what came of it
        self._tick = -1
        self._since = 0.0

    def now(self) -> float:
        """Seconds, by the script's clock."""
        return self.time

    def take(self, seconds: float | None) -> ToTable | None:
        """The next click that arrives within so many seconds."""
        assert seconds is not None, "a tick waits for somebody"
        if not self._coming or self._coming[0][0] > self.time + seconds:
            self.time += seconds
            return None
        at, _, click = heapq.heappop(self._coming)
        self.time = max(self.time, at)
        return click

    def see(self, seat: int, view: Any, decision: int) -> None:
        """A person's turn to look at a new tick."""
        if view.tick != self._tick:
            self._begin_tick(view)
        if self.time < self._busy[seat]:
            return
        self._wanted.pop(seat, None)
        kinds: dict[str, list[str]] = defaultdict(list)
        for action in view.legal:
            kinds[" ".join(word for word in action.split() if not word.isdigit())].append(action)
        chosen = next((kinds[kind][0] for kind in _ORDER if kind in kinds), None)
        if chosen is None:
            return
        if chosen.endswith(_TO_THE_MIDDLE):
            self._wanted[seat] = _card(view, chosen)
        arrives = self.time + 2 * self._delays[seat] + self._rng.uniform(*REACTION)
        self._busy[seat] = arrives
        heapq.heappush(self._coming, (arrives, next(self._numbers), Act(seat=seat, decision=decision, action=chosen)))

    def _begin_tick(self, view: Any) -> None:
        """Count the slots that were filled in the tick before."""
        if self._tick >= 0:
            self._tally.ticks += 1
            self._tally.held += self.time - self._since > _HELD * TICK_MS / 1000 and view.tick > 1
            winners: dict[str, list[int]] = defaultdict(list)
            for seat, move in enumerate(view.moves):
                if move is not None and move.endswith(_TO_THE_MIDDLE) and seat not in view.failed and seat in self._wanted:
                    winners[self._wanted[seat]].append(seat)
            for card, those in winners.items():
                rivals = {seat for seat, wanted in self._wanted.items() if wanted == card}
                if len(those) == 1 and len(rivals) > 1 and not card.endswith(_ACE):
                    self._tally.add(those[0], rivals)
        self._tick, self._since = view.tick, self.time


class _Eyes(Broadcaster):
    """Shows the people what they see as it is, without making frames of it."""

    def __init__(self, people: _People, ticks: Ticks, *given: Any) -> None:
        super().__init__(*given)
        self._people = people
        self._clock = ticks
        self._decisions = 0
        self._has_dealt = False

    def begin(self) -> None:
        """Give people time to look at their cards."""
        if not self._has_dealt:
            self._has_dealt = True
            self._clock.begin_round()

    def played(self, action: int) -> None:
        """Count the decisions."""
        self._decisions += 1

    def ask(self, seat: int, view: View) -> Ask:
        """Show a tick to a person."""
        self.begin()
        self._people.see(seat, view, self._decisions)
        return Ask(decision=self._decisions, legal=view.legal, since=[])


def _play(delays_ms: Sequence[int], seed: int, tally: _Tally) -> None:
    seats = len(delays_ms)
    setup, _ = sit_down(GAME, [person_as_player(str(seat)) for seat in range(seats)], seed=seed, options=_OPTIONS)
    game, people = games.load(GAME), _People(delays_ms, seed, tally)
    ticks = Ticks(people, TICK_MS)
    states = game.deal(seats, setup.options, setup.deal_seed)
    eyes = _Eyes(people, ticks, game, setup.options, states, [], _say_nothing, ticks)
    desk = InputQueue(people, eyes, Adviser(_say_nothing), ticks)
    for seat in range(seats):
        desk.add(seat, _nobody)
    play(game, setup, [PersonSeat(desk, seat) for seat in range(seats)], observer=eyes.played)


def _card(view: Any, action: str) -> str:
    """The card that a move would lay in the middle."""
    own, words = view.own, action.split()
    top = {"nertz": own.nertz_top, "waste": own.waste_top}
    return str(own.work[int(words[1])][-1] if words[0] == "work" else top[words[0]])


def _say_nothing(_: FromTable) -> None:
    """Nobody listens to the table."""


def _nobody() -> Any:
    """No bot takes over here."""
    raise AssertionError("nobody leaves")
