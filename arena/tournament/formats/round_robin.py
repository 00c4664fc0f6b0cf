"""`format: round_robin`: all tables of the field, or a balanced sample of them.

sample: 2   # on every deal, twice as many tables as there are bots; without it all combinations

In a balanced sample every pair of bots meets equally often, within one, without playing all combinations: cyclic designs (R. C.
Bose, "On the construction of balanced incomplete block designs", Annals of Eugenics 9, 1939). The bots stand in a ring, and a
base table is turned through all its places. Each bot then sits at as many tables as there are seats, and all pairs that stand
equally far apart meet equally often. So only the distances inside the base tables have to be evened out, over all deals
together: by annealing (S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated annealing", Science 220,
1983), one place of one base table after the other.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

import msgspec

from arena.engine import rng
from arena.errors import ConfigError
from arena.ratings.settings import RatingSettings
from arena.tournament.formats.format import Asked, Format, Seating
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.schedule import FixedSchedule, Schedule
from arena.tournament.formats.tables import Combinations, Table, Tables, ordered_sample, orders_text, require

TRIES = 100  # at a base table that is not there yet
STEPS = 60_000  # at most; most samples are even after some hundreds
WARMEST, COLDEST = 3.0, 0.15  # temperatures, in squares of meetings
_KEY = b"arena balanced tables"  # public: who meets whom is no secret


class RoundRobin(Format, frozen=True, tag="round_robin"):
    """All tables of the field, or a balanced sample of them."""

    KEYS: ClassVar[Mapping[str, Any]] = {"sample": int}

    sample: int | None = None
    """How many tables a deal has for each bot; None for all combinations."""

    @classmethod
    def read(cls, asked: Asked) -> Format:
        """The format with the settings of a config. Raises ConfigError that names the key."""
        sample = asked.settings.get("sample")
        if sample is not None and sample < 1:
            raise ConfigError(f"sample: at least 1, not {sample}")
        return cls(sample)

    def check(self, plan: Plan) -> None:
        """Raise ValueError for a sample that no config gives."""
        if self.sample is not None and self.sample < 1:
            raise ValueError(f"sample: at least 1, not {self.sample}")

    def tables(self, seating: Seating) -> Tables:
        """All tables, or the balanced sample. Raises ConfigError if there are too few bots, or if no sample is balanced."""
        field, seats, deals = seating.field, seating.seats, seating.deals
        require(len(field), seats, f"{seats} seats need as many bots that play it")
        if self.sample is None or math.comb(len(field), seats) <= self.sample * len(field):
            return Combinations(field, seats)
        sample = Sample(field, seats, deals, self.sample)
        if not sample.is_balanced:
            wider = (Sample(field, seats, more, self.sample) for more in (*range(deals + 1, deals + 9), *range(1, deals)))
            possible = next((f"with deals: {other.deals} it can" for other in wider if other.is_balanced), "leave it out")
            raise ConfigError(
                f"sample: {self.sample}: {len(field)} bots at {seats} seats cannot be balanced within one over {deals} "
                f"deals, without playing a match twice; {possible}"
            )
        return sample

    def schedule(self, plan: Plan, settings: RatingSettings) -> Schedule:
        """The whole plan, whatever happens."""
        return FixedSchedule(plan)

    def notes(self, plan: Plan) -> list[str]:
        """A line for each entry of which a balanced sample of all tables is played."""
        lines = []
        for entry, tables in zip(plan.entries, plan.tables):
            if isinstance(tables, Sample):
                least, most = tables.meetings()
                lines.append(
                    f"{entry.pool}: a balanced sample: {tables.per_deal:,} tables a deal; over all {entry.deals:,} deals each "
                    f"bot sits at {tables.sittings:,} tables, and each pair meets at {_range(least, most)}"
                )
        return lines

    def balance_text(self, plan: Plan, place: int) -> str:
        """Return how often the bots meet in the game at `place`, over all its deals, in words."""
        entry, tables, seats = plan.entries[place], plan.tables[place], orders_text(has_all=plan.has_all)
        if isinstance(tables, Sample):
            least, most = tables.meetings()
            often = f"{least:,}" if least == most else f"{least:,} to {most:,}"
            return f"a balanced sample; each bot sits at {tables.sittings:,} tables, each pair meets at {often}; {seats}"
        pairs = math.comb(len(plan.field(entry)) - 2, entry.seats - 2) * entry.deals
        return f"all tables; each pair meets at {pairs:,}; {seats}"

    def trial(self) -> Format:
        """A round robin of all tables: a sample would be balanced only over all deals together."""
        return RoundRobin()


class Sample(msgspec.Struct, frozen=True, dict=True):
    """A balanced sample: every pair meets equally often, within one, over all deals together."""

    field: Sequence[int]
    seats: int
    deals: int
    turns: int
    """Base tables per deal, each turned through the whole field."""

    @property
    def per_deal(self) -> int:
        """Every bot sits at `turns` times `seats` of them."""
        return self.turns * len(self.field)

    @property
    def sittings(self) -> int:
        """At how many tables each bot sits, over all deals."""
        return self.turns * self.seats * self.deals

    def table(self, deal: int, number: int) -> Table:
        """Table `number` of a deal: a base table, turned."""
        base, turn = divmod(number, len(self.field))
        places = self._base_tables[deal * self.turns + base]
        return tuple(self.field[(place + turn) % len(self.field)] for place in places)

    def meetings(self) -> tuple[int, int]:
        """Return how often the pairs that meet least and most sit at one table, over all deals."""
        return ring_meetings(len(self.field), self._base_tables)

    @property
    def is_balanced(self) -> bool:
        """Whether every pair meets equally often, within one, and no table is played twice on a deal."""
        least, most = self.meetings()
        return most - least <= 1 and not has_repeats(len(self.field), self._base_tables, self.turns)

    @property
    def _base_tables(self) -> tuple[Table, ...]:
        return base_tables(len(self.field), self.seats, self.deals * self.turns, self.turns)


def _range(least: int, most: int) -> str:
    return f"{least:,}" if least == most else f"{least:,} or {most:,}" if most == least + 1 else f"{least:,} to {most:,}"


@cache
def base_tables(bots: int, seats: int, count: int, together: int = 1) -> tuple[tuple[int, ...], ...]:
    """`count` base tables, each of `seats` different places of a ring of `bots`, the distances in them as even as found.

    A pure function of its arguments. At turn t of a base table sit the bots (place + t) modulo `bots`. Each `together` of them
    are for one deal: where that can be, no two of their turns are the same table.
    """
    stream = rng.seed_words(rng.derive(_KEY, bots, seats, count))
    rng.seed_fast(stream, stream.copy())
    tables: list[list[int]] = []
    for place in range(count):
        tables.append(ordered_sample(bots, seats, stream))
        for _ in range(TRIES):
            if not _is_repeated(bots, tables, place, together):
                break
            tables[place] = ordered_sample(bots, seats, stream)
    # by distance: one turned pair is met from both ends where it stands opposite
    worth = [0, *(2 if 2 * apart == bots else 1 for apart in range(1, bots // 2 + 1))]
    met = [0] * len(worth)
    for table in tables:
        for one, other in itertools.combinations(table, 2):
            apart = _apart(one, other, bots)
            met[apart] += worth[apart]
    if not bots > seats > 1:
        return tuple(map(tuple, tables))
    for step in range(STEPS):
        if step % 64 == 0 and max(met[1:]) - min(met[1:]) <= 1:
            break
        temperature = WARMEST * (COLDEST / WARMEST) ** (step / STEPS)
        number = rng.below(stream, count)
        table = tables[number]
        place, new = rng.below(stream, seats), rng.below(stream, bots)
        if new in table:
            continue
        changes: dict[int, int] = {}
        for other in (other for other in table if other != table[place]):
            for apart, sign in ((_apart(table[place], other, bots), -1), (_apart(new, other, bots), 1)):
                changes[apart] = changes.get(apart, 0) + sign * worth[apart]
        # squares of all pairs' meetings; of the opposite pairs there are half as many
        rise = sum(more * (more + 2 * met[apart]) / worth[apart] for apart, more in changes.items())
        if rise <= 0 or rng.below(stream, 1 << 30) < math.exp(-rise / temperature) * (1 << 30):
            old, table[place] = table[place], new
            if _is_repeated(bots, tables, number, together):
                table[place] = old
                continue
            for apart, more in changes.items():
                met[apart] += more
    return tuple(map(tuple, tables))


def has_repeats(bots: int, tables: Sequence[Sequence[int]], together: int) -> bool:
    """Return whether a deal has the same table twice, so that matches of it would be played twice."""
    return any(_is_repeated(bots, tables, place, together) for place in range(len(tables)))


def _is_repeated(bots: int, tables: Sequence[Sequence[int]], place: int, together: int) -> bool:
    """Return whether a base table comes to lie on itself or on another one of its deal before it has been turned all round."""
    turned = {frozenset((one + turn) % bots for one in tables[place]) for turn in range(bots)}
    first = place - place % together
    others = (set(tables[other]) for other in range(first, min(first + together, len(tables))) if other != place)
    return len(turned) < bots or any(other in turned for other in others)


def ring_meetings(bots: int, tables: Iterable[Sequence[int]]) -> tuple[int, int]:
    """Return how often the pairs that meet least and most sit at one of these base tables, each turned through all places."""
    met = [0] * (bots // 2 + 1)
    for table in tables:
        for one, other in itertools.combinations(table, 2):
            apart = _apart(one, other, bots)
            met[apart] += 2 if 2 * apart == bots else 1
    return min(met[1:]), max(met[1:])


def _apart(one: int, other: int, bots: int) -> int:
    """Distance in the ring."""
    return min((one - other) % bots, (other - one) % bots)


FORMAT = RoundRobin
