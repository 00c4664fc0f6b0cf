"""`format: gauntlet`: every candidate with every choice of the others; all candidates meet the same ones on the same deals.

candidates: [mine, yours]   # names of bots
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from arena.ratings.settings import RatingSettings
from arena.tournament.formats.format import CANDIDATES, Asked, Format, Seating, are_places, read_candidates
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.schedule import FixedSchedule, Schedule
from arena.tournament.formats.tables import Combinations, Table, Tables, orders_text, require


class Gauntlet(Format, frozen=True, tag="gauntlet"):
    """Candidates against all others."""

    KEYS: ClassVar[Mapping[str, Any]] = CANDIDATES
    COMPARES_PAIRS = True

    candidates: tuple[int, ...]
    """The candidates, as places in the field."""

    @classmethod
    def read(cls, asked: Asked) -> Format:
        """The format with the settings of a config. Raises ConfigError that names the key."""
        return cls(tuple(read_candidates(asked, cls.name())))

    def check(self, plan: Plan) -> None:
        """Raise ValueError for candidates that the plan does not have."""
        if not are_places(self.candidates, len(plan.contestants)):
            raise ValueError("candidates: bots that the plan does not have")

    def tables(self, seating: Seating) -> Tables:
        """Every candidate with every choice of the others. Raises ConfigError where there are too few bots."""
        candidates = [place for place in self.candidates if place in seating.field]
        others = [place for place in seating.field if place not in self.candidates]
        seats = seating.seats
        require(len(candidates), 1, "at least one candidate has to play it")
        require(len(others), seats - 1, f"{seats} seats need {seats - 1} bots that play it beside a candidate")
        return Challenges(candidates, Combinations(others, seats - 1))

    def schedule(self, plan: Plan, settings: RatingSettings) -> Schedule:
        """The whole plan, whatever happens."""
        return FixedSchedule(plan)

    def balance_text(self, plan: Plan, place: int) -> str:
        """Return how often the bots meet in the game at `place`, over all its deals, in words."""
        entry, seats = plan.entries[place], orders_text(has_all=plan.has_all)
        field = plan.field(entry)
        candidates = sum(bot in self.candidates for bot in field)
        rivals = len(field) - candidates
        pairs = math.comb(rivals - 1, entry.seats - 2) * entry.deals
        return f"{candidates} candidates, each meets each of {rivals} others at {pairs:,} tables; {seats}"


class Challenges(msgspec.Struct, frozen=True):
    """Every candidate with every choice of the others."""

    candidates: Sequence[int]
    others: Combinations

    @property
    def per_deal(self) -> int:
        """How many tables a deal has: each candidate with each choice of the others."""
        return len(self.candidates) * self.others.per_deal

    def table(self, deal: int, number: int) -> Table:
        """Table `number` of a deal: the same others for one candidate after the other."""
        choice, candidate = divmod(number, len(self.candidates))
        return (self.candidates[candidate], *self.others.table(deal, choice))


FORMAT = Gauntlet
