"""What the plan of a ladder holds (its legs, the rules of a contest, how a leg was ended), and what is kept between its runs.

That is a value in the journal, written before it is acted on.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from arena.errors import StoreError, nearest
from arena.match.seeds import CHAIN_KEYS, LONG_CHAIN_KEYS, newest_key
from arena.ratings.models import MODEL, find_model, models
from arena.results.journal import Journal
from arena.tournament.formats.format import Staged, are_places
from arena.tournament.formats.plan import Contestant, Plan
from arena.tournament.formats.tables import Stage

_NAME = "ladder"


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
        if find_model(self.rating_model) is None:
            raise ValueError(f"no rating model {self.rating_model!r}; {nearest(self.rating_model, models())}")

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

    def check(self, plan: Plan) -> None:
        """Raise ValueError where a stored ladder names what its plan does not have, or its legs are not in order."""
        super().check(plan)
        if not 1 <= len(self.legs) <= self.most_links <= LONG_CHAIN_KEYS:
            raise ValueError("legs: a ladder has at least one, and no more than its chain has keys")
        if self.owners is not UNSET and len(self.owners) != len(plan.contestants):
            raise ValueError("owners: not one for each contestant")
        last = len(self.stages)
        for number, leg in reversed(list(enumerate(self.legs))):
            end, gaps = (last, ()) if leg.closed is UNSET else (leg.closed.before_stage, leg.closed.unplayed)
            if not 0 <= leg.first_stage <= end <= last or not are_places(leg.field, len(plan.contestants)):
                raise ValueError(f"legs[{number}]: stages or contestants that the plan does not have")
            weights = None if leg.rules is UNSET else leg.rules.weights
            if weights is not None and (len(weights) != len(plan.entries) or not all(0 < one < math.inf for one in weights)):
                raise ValueError(f"legs[{number}]: weights: a number above 0 for each game is needed")
            edges = [0, *(edge for index in leg.skipped for edge in (index, index + 1)), *chain.from_iterable(gaps), len(plan)]
            if edges != sorted(edges):
                raise ValueError(f"legs[{number}]: matches that the plan does not have, or not in order")
            last = leg.first_stage
        if last:
            raise ValueError("legs[0]: the first stage is of no leg")

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


class StoredLadder(msgspec.Struct, frozen=True, kw_only=True):
    """A ladder between two runs; implements schedule.FormatState."""

    contestants: tuple[Contestant, ...]
    """All contestants that the ladder ever had, in the order of their arrival."""
    legs: tuple[Leg, ...]
    stages: tuple[Stage, ...]
    last_key: bytes
    """The key of the last possible leg, from which the keys of all legs follow (seeds.newest_key)."""
    has_ended: bool = False
    """Whether the newest leg is over."""
    owners: tuple[str, ...] | UnsetType = UNSET
    """The owner of each contestant of a contest."""
    chain: Annotated[int, msgspec.Meta(ge=1, le=LONG_CHAIN_KEYS)] | UnsetType = UNSET
    """How many keys the chain has, if that is not as usual."""

    def values(self) -> Mapping[str, bytes]:
        """The state as the journal stores it."""
        return {_NAME: msgspec.json.encode(self)}

    def after(self, plan: Plan, *, has_ended: bool = False) -> "StoredLadder":
        """The state with what the plan has now. `has_ended`: whether this run is over."""
        assert isinstance(plan.format, LadderPlan)
        return msgspec.structs.replace(
            self, contestants=plan.contestants, legs=plan.format.legs, stages=plan.format.stages, has_ended=has_ended,
            owners=plan.format.owners,
        )  # fmt: skip

    def closed(self, plan: Plan, why: str, journal: Journal) -> Plan:
        """The plan with its newest leg ended from outside: what is open of its last stage is never played."""
        assert isinstance(plan.format, LadderPlan)
        ladder = plan.format
        closed = Closed(why, len(ladder.stages), _gaps(_open(plan, ladder.stages, journal)))
        legs = (*ladder.legs[:-1], msgspec.structs.replace(ladder.legs[-1], closed=closed))
        return msgspec.structs.replace(plan, format=msgspec.structs.replace(ladder, legs=legs))


def read_ladder(journal: Journal) -> StoredLadder | None:
    """The state of the ladder in a journal; None before its first run."""
    return journal.read_meta(_NAME, StoredLadder)


def go_on(plan: Plan, state: StoredLadder | None, journal: Journal) -> tuple[Plan, StoredLadder]:
    """The ladder's plan with all that was before, and a leg for this run if the newest one cannot go on.

    `plan`: by the config alone, its key being that of the last possible leg. A bot whose file or parameters have changed is
    a new version. Raises StoreError after too many legs.
    """
    assert isinstance(plan.format, LadderPlan)
    (wanted,) = plan.format.legs
    if state is None:
        state = StoredLadder(contestants=(), legs=(), stages=(), last_key=plan.key, chain=plan.format.chain)
    contestants = list(state.contestants)
    owners = ("",) * len(plan.contestants) if plan.format.owners is UNSET else plan.format.owners
    field = tuple(_enter(one, contestants, is_numbered=bool(owner)) for one, owner in zip(plan.contestants, owners))
    wanted = msgspec.structs.replace(wanted, first_stage=len(state.stages), field=field)
    if wanted.luck is not UNSET and any(leg.luck not in (UNSET, wanted.luck) for leg in state.legs):
        raise StoreError(
            f"{journal.path}: the ladder goes without luck by other estimates than those of this version, which could not "
            f"check it; go on with ratings: {{luck: false}}, or start another one"
        )
    legs, newest = state.legs, state.legs[-1] if state.legs else None
    ladder = msgspec.structs.replace(
        plan.format,
        legs=legs,
        stages=state.stages,
        owners=_owners(plan.format, state, field, len(contestants)),
        chain=state.chain,
    )
    if newest is None or state.has_ended or _terms(newest) != _terms(wanted):
        if newest is not None and newest.rules is not UNSET and newest.first_stage == len(state.stages) and not state.has_ended:
            legs, skipped = legs[:-1], newest.skipped  # nothing was played in it, and its key is secret yet
        else:
            skipped = _unplayed(plan, state, journal)
        if len(legs) == ladder.most_links:
            raise StoreError(
                f"{journal.path}: a ladder has at most {ladder.most_links:,} runs that add something; start another one"
            )
        legs = (*legs, msgspec.structs.replace(wanted, skipped=skipped))
    key = newest_key(state.last_key, len(legs), ladder.most_links)
    ladder = msgspec.structs.replace(ladder, legs=legs)
    continued = msgspec.structs.replace(plan, contestants=tuple(contestants), format=ladder, key=key)
    return continued, state.after(continued)


def _owners(
    ladder: LadderPlan, state: StoredLadder, field: tuple[int, ...], contestants: int
) -> tuple[str, ...] | UnsetType:  # fmt: skip
    """The owners of all contestants. Whoever has one keeps it: the tables of before were chosen by it."""
    if ladder.owners is UNSET:
        return state.owners
    known = () if state.owners is UNSET else state.owners
    wanted = dict(zip(field, ladder.owners))
    return tuple(known[place] if place < len(known) else wanted.get(place, "") for place in range(contestants))


def _enter(contestant: Contestant, known: list[Contestant], *, is_numbered: bool) -> int:
    """The contestant's place among all that there ever were; a new one is added.

    `is_numbered`: its version is that of its author, who may go back to older files; else the files alone tell versions apart.
    """
    for place, other in enumerate(known):
        is_same = (other.identity, other.games) == (contestant.identity, contestant.games)
        if is_same and (not is_numbered or other.version == contestant.version):
            known[place] = msgspec.structs.replace(other, trusted=contestant.trusted)
            return place
    earlier = [other.version for other in known if other.name == contestant.name]
    version = max([contestant.version, *(version + 1 for version in earlier)])
    known.append(msgspec.structs.replace(contestant, version=version))
    return len(known) - 1


def _terms(leg: Leg) -> tuple[object, ...]:
    return leg.field, leg.sigma, leg.separable, leg.matches, leg.rules, leg.rating_model, leg.luck


def _unplayed(plan: Plan, state: StoredLadder, journal: Journal) -> tuple[int, ...]:
    """The matches that the newest leg has left open: only of its last stage."""
    if state.legs and state.legs[-1].closed is not UNSET:  # it says so itself
        return ()
    return _open(plan, state.stages, journal)


def _open(plan: Plan, stages: tuple[Stage, ...], journal: Journal) -> tuple[int, ...]:
    """The matches of the last stage that are not stored."""
    if not stages:
        return ()
    stage = stages[-1]
    size = sum(plan.matches_at(place) for place, _ in stage.tables if 0 <= place < len(plan.entries))
    played = {index for index in journal.indices() if index >= stage.first_index}
    return tuple(index for index in range(stage.first_index, stage.first_index + size) if index not in played)


def _gaps(indices: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Ascending indices as gaps: the first and the one behind the last of each."""
    gaps: list[tuple[int, int]] = []
    for index in indices:
        if gaps and gaps[-1][1] == index:
            gaps[-1] = (gaps[-1][0], index + 1)
        else:
            gaps.append((index, index + 1))
    return tuple(gaps)
