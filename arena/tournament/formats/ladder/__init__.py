"""`format: ladder`: a rating list that goes on, run after run.

    ladder: {sigma: 1.0, separable: true, matches: 2000}   # when a run of it ends

A ladder's plan is its stages, which grow in number. Every leg (a run that added something) has a key of its own, published when
the leg is over. All keys are fixed by the first commitment, so nobody can choose the deals to come, and nobody can
tell them from those that were. What the plan holds and what is remembered between runs is in state.py, what is decided in
schedule.py, what the rows say of each bot in look.py.
"""

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from arena.errors import ConfigError
from arena.match.seeds import LONG_CHAIN_KEYS
from arena.ratings.match_luck import combined
from arena.ratings.models import MODEL
from arena.ratings.settings import RatingSettings
from arena.results.journal import Journal
from arena.tournament.formats.format import Asked, EntrySize, Format
from arena.tournament.formats.ladder.schedule import LadderSchedule
from arena.tournament.formats.ladder.state import LadderPlan, Leg, Rules, go_on, read_ladder
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.schedule import FormatState, Schedule
from arena.tournament.formats.tables import orders_text


class LadderConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key `ladder` of a config: when a run ends."""

    sigma: float | None = 1.0
    """The run ends when no bot's sigma is above this in any pool; null if sigma does not matter."""
    separable: bool = True
    """Whether the run ends only when all neighbours of all pools are separable."""
    matches: int = 2_000
    """The run ends when it has played this many matches; a later run may play as many again."""


class Ladder(LadderPlan, frozen=True, tag="ladder"):
    """A rating list that goes on."""

    KEYS: ClassVar[Mapping[str, Any]] = {"ladder": LadderConfig}
    VERB = "ladder"
    MAY_END_EARLY = True

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

    def schedule(self, plan: Plan, settings: RatingSettings) -> Schedule:
        """The schedule that chooses the most informative tables, stage by stage."""
        return LadderSchedule(plan, settings)

    def begin(self, plan: Plan, journal: Journal, *, has_matches: bool) -> tuple[Plan, FormatState | None]:
        """The ladder's plan with all that was before, and its state."""
        return go_on(plan, read_ladder(journal) if has_matches else None, journal)

    def most_matches(self, plan: Plan) -> int:
        """The most matches that this run plays."""
        return self.legs[-1].matches

    def size_text(self, plan: Plan) -> str:
        """Return how many matches a run plays, in words."""
        return f"{super().size_text(plan)} in this run"

    def entry_size(self, plan: Plan, place: int) -> EntrySize:
        """Tables and matches of a game are chosen on the way."""
        return EntrySize(None, plan.entries[place].deals, None)

    def balance_text(self, plan: Plan, place: int) -> str:
        """Return how the tables of a game come about, in words."""
        return f"tables are chosen stage by stage; {orders_text(has_all=plan.has_all)}"


def of_contest(base: Format, owners: tuple[str, ...], rules: Rules) -> Format:
    """The ladder of a contest, before its first leg. `base`: as its bounds were read; `owners`: of each bot of the field."""
    assert isinstance(base, Ladder)
    leg = msgspec.structs.replace(base.legs[0], field=tuple(range(len(owners))), rules=rules, luck=UNSET)
    return Ladder((leg,), owners=owners, chain=LONG_CHAIN_KEYS)


FORMAT = Ladder
