"""`format: swiss`: rounds, in each of which those meet who have done equally well so far, and nobody meets the same bot twice.

    format: swiss
    swiss: {rounds: 5}
    deals: 4           # every table of a round plays so many new deals, each in every rotation

Every game of a config is paired on its own; all of them play the same number of rounds. Before each round, from the rows of all
rounds before it:

- *Score* of a bot: over all its matches, the share of the rivals that it finished before, a shared place counting half. It is
  a mean, so a round that a bot sits out neither adds nor takes away. Who has no match yet stands at one half.
- *Sitting out*: where the field does not divide by the seats, the rest sits out. It is taken from those who have sat out least
  often so far, the lowest score first. So all bots sit out equally often, within one, and nobody twice before everybody once.
- *Tables*: the fewest pairs possible that have met before; of the pairings that are left, the highest score meets the nearest
  ones, then the highest of the others theirs, and so on. Equal scores, and the first round, are ordered by lot; the lots are
  public and the same for everybody who pairs again.
- A bot that is retired is not paired any more.

The pairing is a search with a bound of its own (`MOST_STEPS`): it finds the fewest rematches wherever the search ends before
that, which the tests hold against all pairings of small fields; in a large field that has nearly run out of new rivals it is
the best pairing found. Source of the idea: J. Müller, Zürich 1895; FIDE Handbook C.04, whose colours and floats are not
needed here, as every deal is played from every seat.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import msgspec

from arena.engine import rng
from arena.errors import ConfigError
from arena.ratings.settings import RatingSettings
from arena.records import MatchRecord, Outcome
from arena.tournament.formats.format import Asked, EntrySize, Format, Staged
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.schedule import Schedule, StagedSchedule
from arena.tournament.formats.tables import Stage, Table, orders_text, require, shuffled

MOST_STEPS = 50_000  # of the search for a pairing: about a tenth of a second
SHOWN = 3  # bots in the news of a round
_KEY = b"arena swiss"  # public: lots are no secret

Pair = frozenset[int]


class SwissConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key `swiss` of a config."""

    rounds: int = 5


class Swiss(Staged, frozen=True, tag="swiss"):
    """Rounds in which those meet who have done equally well."""

    KEYS: ClassVar[Mapping[str, Any]] = {"swiss": SwissConfig}

    rounds: int
    stages: tuple[Stage, ...] = ()
    """The tables of each round."""

    @classmethod
    def read(cls, asked: Asked) -> Format:
        """The format with the settings of a config. Raises ConfigError that names the key."""
        settings = asked.settings.get("swiss") or SwissConfig()
        if settings.rounds < 1:
            raise ConfigError(f"swiss.rounds: at least 1, not {settings.rounds}")
        return cls(settings.rounds)

    def check(self, plan: Plan) -> None:
        """Raise ValueError for stored rounds that nobody pairs so: too many, or with a bot at two tables of a game."""
        super().check(plan)
        if len(self.stages) > self.rounds:
            raise ValueError("stages: more of them than rounds")
        for number, stage in enumerate(self.stages):
            seated = [(place, bot) for place, table in stage.tables for bot in table]
            if len(set(seated)) != len(seated):
                raise ValueError(f"stages[{number}]: a bot sits at two tables")

    def schedule(self, plan: Plan, settings: RatingSettings) -> Schedule:
        """Pairs each round when the one before it is over."""
        return SwissSchedule(plan, self.rounds)

    def most_matches(self, plan: Plan) -> int:
        """The matches of all rounds. Raises ConfigError where a game has too few bots."""
        for place, entry in enumerate(plan.entries):
            there, text = len(plan.field(entry)), f"games[{place}]: {entry.game}: {entry.seats} seats"
            require(there, entry.seats, f"{text} need as many bots that play it")
        return self.rounds * matches_of_round(plan, set())

    def size_text(self, plan: Plan) -> str:
        """Return how many matches a run plays, in words."""
        return f"{_count(self.rounds, 'round')}, {super().size_text(plan)}"

    def entry_size(self, plan: Plan, place: int) -> EntrySize:
        """Return how much is played of the game at `place`: every round has deals of its own."""
        entry = plan.entries[place]
        tables = len(plan.field(entry)) // entry.seats
        return EntrySize(tables, self.rounds * entry.deals, self.rounds * tables * plan.matches_at(place))

    def balance_text(self, plan: Plan, place: int) -> str:
        """Return how the bots meet in the game at `place`, in words."""
        entry = plan.entries[place]
        bots = len(plan.field(entry))
        tables, rest = divmod(bots, entry.seats)
        sits = "sits" if rest == 1 else "sit"
        out = f"; {rest} of {bots} bots {sits} out each round, all equally often within one" if rest else ""
        each = f"{_count(self.rounds, 'round')} of {_count(tables, 'table')} on {_count(entry.deals, 'deal')} each"
        return f"{each}{out}; paired by score, without rematches where possible; {orders_text(has_all=plan.has_all)}"


class SwissSchedule(StagedSchedule):
    """The schedule of a Swiss tournament: a stage is a round."""

    def __init__(self, plan: Plan, rounds: int) -> None:
        """`plan`: with the rounds that are paired already, if any."""
        super().__init__(plan)
        self._rounds = rounds
        self._standings = [Standing(plan.field(entry)) for entry in plan.entries]
        self._places = {(bot.name, bot.version): place for place, bot in enumerate(plan.contestants)}

    def segments(self) -> Iterator[tuple[int, int]]:
        """The segments of the tournament, one for each round."""
        for first, last in super().segments():
            for place, table in self.plan.format.stages[self.number].tables:
                self._standings[place].seat(table)
            yield first, last

    def add(self, record: MatchRecord | Outcome) -> None:
        """Take in the next match; a void one, and one of no round that was paired here (a false folder's), scores nothing."""
        super().add(record)
        if not record.is_void and record.index < len(self.plan):
            bots = [self._places[seat.bot, seat.bot_version] for seat in record.seats]
            seats = [(seat.unit, seat.place) for seat in record.seats]
            self._standings[self.plan.entry_of(record.index)].score(bots, seats)

    def pass_checkpoint(self) -> list[str]:
        """Retire who has to go; returns a line for each, and one for each game with those who lead it."""
        retired = super().pass_checkpoint()
        return [*retired, *(self._line(place) for place in sorted({place for place, _ in self._tables()}))]

    def total(self) -> int | None:
        """The matches of all rounds that are paired, and of the others with the field as it is now."""
        left = 0 if self.outcome else self._rounds - len(self.plan.format.stages)
        return len(self.plan) + left * matches_of_round(self.plan, self.retired)

    def decide(self) -> tuple[list[tuple[int, Table]], str | None]:
        """The tables of the next round; none after the last one."""
        if self.number == self._rounds:
            return [], None
        tables = [(place, table) for place in range(len(self.plan.entries)) for table in self._paired(place)]
        return tables, None if tables else f"too few bots are left for round {self.number + 1} of {self._rounds}"

    def _paired(self, place: int) -> list[Table]:
        """The tables of one game in the next round; none where too few bots are left."""
        standing, seats = self._standings[place], self.plan.entries[place].seats
        active = [bot for bot in standing.bots if bot not in self.retired]
        ranked = standing.ranked(active, lambda bot: rng.derive(_KEY, "rank", self.number, place, bot))
        tables = pair(ranked, seats, standing.sat, standing.met)
        return [shuffled(t, rng.derive(_KEY, "seats", self.number, place, n)) for n, t in enumerate(tables)]

    def _tables(self) -> Sequence[tuple[int, Table]]:
        return self.plan.format.stages[self.number].tables

    def _line(self, place: int) -> str:
        standing = self._standings[place]
        best = standing.ranked(standing.bots, lambda bot: bot)[:SHOWN]
        names = ", ".join(f"{self.plan.contestants[bot].name} {float(standing.of(bot)):.2f}" for bot in best)
        return f"{self.plan.entries[place].pool}: round {self.number + 1} of {self._rounds} is over; in front: {names}"


def matches_of_round(plan: Plan, retired: set[int]) -> int:
    """Return how many matches a round has, without the bots that are retired."""
    fields = [[bot for bot in plan.field(entry) if bot not in retired] for entry in plan.entries]
    tables = [len(bots) // entry.seats for entry, bots in zip(plan.entries, fields)]
    return sum(count * plan.matches_at(place) for place, count in enumerate(tables))


@dataclass
class Standing:
    """What the rounds of one game have said so far; bots by their place in the field."""

    bots: Sequence[int]
    sat: Counter[int] = field(default_factory=Counter)
    """The number of rounds in which each bot sat at a table."""
    met: Counter[Pair] = field(default_factory=Counter)
    """The number of rounds in which each pair sat at one table."""
    _points: Counter[int] = field(default_factory=Counter)
    """Twice the rivals behind which a bot did not finish, a shared place counting once."""
    _most: Counter[int] = field(default_factory=Counter)
    """The points that were possible."""

    def seat(self, table: Table) -> None:
        """Take in a table of the round that begins."""
        self.sat.update(table)
        self.met.update(map(frozenset, itertools.combinations(table, 2)))

    def score(self, bots: Sequence[int], seats: Sequence[tuple[int, int]]) -> None:
        """Take in a match. `seats`: unit and place of each of the bots."""
        for bot, (unit, place) in zip(bots, seats):
            rivals = [other for of, other in seats if of != unit]
            self._points[bot] += sum((place < other) + (place <= other) for other in rivals)
            self._most[bot] += 2 * len(rivals)

    def of(self, bot: int) -> Fraction:
        """The score of a bot, from 0 to 1."""
        return Fraction(self._points[bot], self._most[bot]) if self._most[bot] else Fraction(1, 2)

    def ranked(self, bots: Iterable[int], lot: Callable[[int], int]) -> list[int]:
        """The bots by score, the best first; equal scores by lot."""
        return sorted(bots, key=lambda bot: (-self.of(bot), lot(bot)))


def pair(ranked: Sequence[int], seats: int, sat: Mapping[int, int], met: Mapping[Pair, int]) -> list[list[int]]:
    """The tables of a round, the highest first; none where fewer bots are left than a table has seats.

    `ranked`: the bots, the best first. `sat`: how often each has sat at a table. `met`: how often each pair has met.
    """
    best: tuple[int, list[list[int]]] | None = None
    steps = MOST_STEPS
    least = min((met.get(frozenset(two), 0) for two in itertools.combinations(ranked, 2)), default=0)
    for resting in _resting(ranked, len(ranked) % seats, sat):
        search = _Search([bot for bot in ranked if bot not in resting], seats, met, least, steps)
        found = search.run()
        steps -= search.steps
        if best is None or found[0] < best[0]:
            best = found
        if search.is_least(best[0]) or steps <= 0:
            break
    assert best is not None
    return best[1]


def _resting(ranked: Sequence[int], count: int, sat: Mapping[int, int]) -> Iterator[set[int]]:
    """The choices of bots that sit out: those who have sat out least often; the lowest scores first."""
    if count == 0 or len(ranked) == count:
        yield set(ranked[:count])
        return
    by_turn = sorted(ranked, key=lambda bot: (-sat.get(bot, 0), -ranked.index(bot)))
    last = sat.get(by_turn[count - 1], 0)
    forced = {bot for bot in by_turn if sat.get(bot, 0) > last}
    level = [bot for bot in by_turn if sat.get(bot, 0) == last]
    for chosen in itertools.combinations(level, count - len(forced)):
        yield forced | set(chosen)


class _Search:
    """Branch and bound over all pairings of some bots; a bot is meant by its rank, from 0.

    The bots are seated one after the other: the best free one opens a table, then the others of the table follow by rank, first
    of all those who meet the fewest old rivals there.
    """

    def __init__(self, bots: Sequence[int], seats: int, met: Mapping[Pair, int], least: int, most_steps: int) -> None:
        """`least`: no pair has met less often."""
        self._bots, self._seats, self._most_steps = bots, seats, most_steps
        self._met = [[met.get(frozenset((one, other)), 0) - least for other in bots] for one in bots]
        self._offset = least * len(bots) * (seats - 1) // 2
        self.steps = 0

    def is_least(self, rematches: int) -> bool:
        """Return whether no pairing can have fewer."""
        return rematches <= self._offset

    def run(self) -> tuple[int, list[list[int]]]:
        """Return how often those who now meet have met before, in sum over the pairs; and the tables."""
        count = len(self._bots)
        best, most = list(range(count)), float("inf")
        seated: list[int] = []
        costs = [0]  # after each seat
        choices = [self._choices(seated)] if count else []
        while choices:
            found = next(choices[-1], None)
            if found is None or costs[-1] + found[0] >= most:  # choices come by cost: those behind it are no better
                choices.pop()
                if seated:
                    seated.pop()
                    costs.pop()
                continue
            self.steps += 1
            seated.append(found[1])
            costs.append(costs[-1] + found[0])
            if len(seated) < count:
                choices.append(self._choices(seated))
                if self.steps > self._most_steps and most < float("inf"):
                    break
                continue
            best, most = list(seated), costs[-1]
            if most == 0:
                break
            seated.pop()
            costs.pop()
        tables = [best[first : first + self._seats] for first in range(0, count, self._seats)]
        rematches = sum(self._met[one][other] for table in tables for one, other in itertools.combinations(table, 2))
        return rematches + self._offset, [[self._bots[rank] for rank in table] for table in tables]

    def _choices(self, seated: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The bots that may sit down next, each with its cost: the cheapest first, of equals the best."""
        taken = set(seated)
        free = [rank for rank in range(len(self._bots)) if rank not in taken]
        at_table = len(seated) % self._seats
        if at_table == 0:
            return iter([(0, free[0])])
        table = seated[-at_table:]
        later = [rank for rank in free if rank > table[-1]]
        possible = later[: len(later) - (self._seats - at_table - 1)]  # so many have to follow
        return iter(sorted((sum(self._met[rank][other] for other in table), rank) for rank in possible))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


FORMAT = Swiss
