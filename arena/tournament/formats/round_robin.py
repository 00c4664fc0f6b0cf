"""`format: round_robin`: all tables of the field, or a balanced sample of them (balance.py).

sample: 2   # on every deal, twice as many tables as there are bots; without it all combinations
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from arena.errors import ConfigError
from arena.ratings.settings import RatingSettings
from arena.tournament.formats.balance import base_tables, has_repeats, ring_meetings
from arena.tournament.formats.format import Asked, Format, Seating
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.schedule import FixedSchedule, Schedule
from arena.tournament.formats.tables import Combinations, Table, Tables, orders_text, require


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
        """How often the bots meet in the game at `place`, over all its deals, in words."""
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
        """How often the pairs that meet least and most sit at one table, over all deals."""
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


FORMAT = RoundRobin
