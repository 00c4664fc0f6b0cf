"""Settings, stored fields and words of `format: ladder`.

    ladder: {sigma: 1.0, separable: true, matches: 2000}   # when a run of it ends

A ladder's plan is its stages, which grow in number. Every leg (a run that added something) has a key of its own, published when
the leg is over. All keys are fixed by the first commitment (seeds.py), so nobody can choose the deals to come, and nobody can
tell them from those that were.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from arena.errors import ConfigError, nearest
from arena.formats.course import Book, Course
from arena.formats.format import Asked, EntrySize, Format
from arena.formats.plan import Plan
from arena.formats.staged import Staged
from arena.formats.stages import Stage
from arena.formats.tables import orders_text
from arena.luck.values import combined
from arena.ratings.models import MODEL, MODELS
from arena.ratings.settings import RatingSettings
from arena.seeds import CHAIN_KEYS, LONG_CHAIN_KEYS
from arena.store.journal import Journal


class LadderConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key `ladder` of a config: when a run ends."""

    sigma: float | None = 1.0
    """The run ends when no bot's sigma is above this in any pool; null if sigma does not matter."""
    separable: bool = True
    """Whether the run ends only when all neighbours of all pools are separable."""
    matches: int = 2_000
    """The run ends when it has played this many matches; a later run may play as many again."""


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


class Ladder(Staged, frozen=True, tag="ladder"):
    """A rating list that goes on."""

    KEYS: ClassVar[Mapping[str, Any]] = {"ladder": LadderConfig}
    VERB = "ladder"
    MAY_END_EARLY = True

    legs: tuple[Leg, ...] = ()
    stages: tuple[Stage, ...] = ()
    owners: tuple[str, ...] | UnsetType = UNSET
    """The owner of each contestant of a contest; empty for those of the organiser, who may sit with anybody."""
    chain: int | UnsetType = UNSET
    """How many keys its chain has, if not as many as a ladder that is played from a config."""

    @classmethod
    def read(cls, asked: Asked) -> Format:
        """The format with the settings of a config. Raises ConfigError that names the key."""
        settings = asked.settings.get("ladder") or LadderConfig()
        if settings.sigma is not None and not (math.isfinite(settings.sigma) and settings.sigma > 0):
            raise ConfigError(f"ladder.sigma: a positive number of TrueSkill points, or null, not {settings.sigma}")
        if settings.matches < 1:
            raise ConfigError(f"ladder.matches: at least 1, not {settings.matches}")
        field = tuple(range(len(asked.bots)))
        model = UNSET if asked.model == MODEL else asked.model
        luck: str | UnsetType = UNSET
        if asked.takes_luck_out:
            luck = combined(asked.games) or UNSET
        return cls((Leg(0, field, settings.sigma, settings.separable, settings.matches, model=model, luck=luck),))

    @property
    def uses_luck(self) -> bool:
        """Whether one of its legs goes without luck."""
        return any(leg.luck is not UNSET for leg in self.legs)

    def course(self, plan: Plan, settings: RatingSettings) -> Course:
        """The course that chooses the most informative tables, stage by stage."""
        from arena.formats.ladder.course import LadderCourse  # only now: it is made of a ladder

        return LadderCourse(plan, settings)

    def begin(self, plan: Plan, journal: Journal, *, has_matches: bool) -> tuple[Plan, Book | None]:
        """The ladder's plan with all that was before, and its book."""
        from arena.formats.ladder.book import go_on, read_book  # only now: it is made of a ladder

        return go_on(plan, read_book(journal) if has_matches else None, journal)

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

    def most_matches(self, plan: Plan) -> int:
        """The most matches that this run plays."""
        return self.legs[-1].matches

    def size_text(self, plan: Plan) -> str:
        """How many matches a run plays, in words."""
        return f"{super().size_text(plan)} in this run"

    def entry_size(self, plan: Plan, place: int) -> EntrySize:
        """Tables and matches of a game are chosen on the way."""
        return EntrySize(None, plan.entries[place].deals, None)

    def balance_text(self, plan: Plan, place: int) -> str:
        """How the tables of a game come about, in words."""
        return f"tables are chosen stage by stage; {orders_text(has_all=plan.has_all)}"


def of_contest(base: Format, owners: tuple[str, ...], rules: Rules) -> Format:
    """The ladder of a contest, before its first leg. `base`: as its bounds were read; `owners`: of each bot of the field."""
    assert isinstance(base, Ladder)
    leg = msgspec.structs.replace(base.legs[0], field=tuple(range(len(owners))), rules=rules, luck=UNSET)
    return Ladder((leg,), owners=owners, chain=LONG_CHAIN_KEYS)
