"""What the plan of a ladder holds: its legs, the rules of a contest, how a leg was ended. What is decided lies elsewhere."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from arena.errors import nearest
from arena.match.seeds import CHAIN_KEYS
from arena.ratings.models import MODEL, MODELS
from arena.tournament.formats.staged import Staged
from arena.tournament.formats.stages import Stage


class Rules(msgspec.Struct, frozen=True):
    """What the ladder of a contest heeds beside its bounds. A ladder that is played from a config has none of it."""

    weights: tuple[float, ...]
    """How many matches each entry gets, beside the weights of the others, while several have tables to play."""
    version_deals: int
    """A new version first plays against the one before it, so many deals, unless it is clear earlier which is better."""
    thresholds: tuple[str, ...] = ()
    """Names of the bots that are thresholds of marks."""
    mark_deals: int = 0
    """Deals that every other bot plays where a threshold plays, before it is settled: who stops when an interval looks clear
    finds differences between equal bots."""
    stage_matches: int = 1_000
    """A stage has no more matches than these, but at least a table."""
    own_deals: bool | UnsetType = UNSET
    """False: `mark_deals` are deals that a bot plays without others of its owner, as no others count for its mark."""


class Closed(msgspec.Struct, frozen=True):
    """How a leg was ended from outside."""

    why: str
    before_stage: int
    """The stage after its last one."""
    unplayed: tuple[tuple[int, int], ...] = ()
    """Matches of its last stage that were not played then, and never are: the first and the one behind the last of each gap."""


class Leg(msgspec.Struct, frozen=True):
    """A part of a ladder that was played under the same settings with the same field."""

    first_stage: int
    field: tuple[int, ...]
    """The contestants that take part, as places among all that the ladder ever had."""
    sigma: float | None
    """The leg ends when no sigma is above this; None if sigma does not matter."""
    separable: bool
    """Whether the leg ends only when all neighbours are separable."""
    matches: int
    """The leg ends when this many matches are played."""
    skipped: tuple[int, ...] = ()
    """Matches of the leg before that were not played when this one began; they never are."""
    rules: Rules | UnsetType = UNSET
    """What the ladder of a contest heeds; a plan without it reads as it always did."""
    closed: Closed | UnsetType = UNSET
    """How it was ended from outside, if it was."""
    model: str | UnsetType = UNSET
    """The model by which tables are chosen, and by which the leg ends; without it `trueskill`, as in older ladders."""
    luck: str | UnsetType = UNSET
    """The hash of the estimates by which luck is taken out of what both go by; without it, it is not."""

    def __post_init__(self) -> None:
        """Raise ValueError for a model that there is not."""
        if self.rating_model not in MODELS:
            raise ValueError(f"no rating model {self.rating_model!r}; {nearest(self.rating_model, MODELS)}")

    @property
    def rating_model(self) -> str:
        """The name of that model."""
        return MODEL if self.model is UNSET else self.model

    def unplayed(self) -> Iterator[int]:
        """The matches that this leg says are never played."""
        yield from self.skipped
        for first, last in () if self.closed is UNSET else self.closed.unplayed:
            yield from range(first, last)


class LadderPlan(Staged, frozen=True):
    """What the plan of a ladder holds: its legs, each with a key of its own, and the stages in them."""

    legs: tuple[Leg, ...] = ()
    stages: tuple[Stage, ...] = ()
    owners: tuple[str, ...] | UnsetType = UNSET
    """The owner of each contestant of a contest; empty for those of the organiser, who may sit with anybody."""
    chain: int | UnsetType = UNSET
    """How many keys its chain has, if not as many as a ladder that is played from a config."""

    @property
    def uses_luck(self) -> bool:
        """Whether one of its legs goes without luck."""
        return any(leg.luck is not UNSET for leg in self.legs)

    def lasting(self, document: dict[str, Any]) -> dict[str, Any]:
        """The plan's document without the ladder's bots, legs and stages, which change from run to run."""
        return {**document, "contestants": [], "format": {"name": self.name()}}

    @property
    def links(self) -> int:
        """How many legs there are: each has a key of its own."""
        return len(self.legs)

    @property
    def most_links(self) -> int:
        """How many legs there can be."""
        return CHAIN_KEYS if self.chain is UNSET else self.chain

    def link_of(self, index: int) -> int:
        """The leg that match `index` belongs to."""
        if not self.legs:
            return 0
        stage = bisect_right(self.stages, index, key=lambda stage: stage.first_index) - 1
        number = self.stages[max(0, stage)].number if self.stages else 0
        return max(0, bisect_right(self.legs, number, key=lambda leg: leg.first_stage) - 1)
