"""What somebody wants of stored matches: which decisions, and with what beside them."""

from collections.abc import Iterable

import msgspec

from arena.errors import ConfigError, nearest
from arena.records import MatchRecord
from arena.results.schema import SeatTotals
from arena.tournament.formats.plan import Plan


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Which decisions a dataset holds; empty filters leave nothing out."""

    pools: tuple[str, ...] = ()
    """The names of the games or rating pools whose matches it holds."""
    bots: tuple[str, ...] = ()
    """The names of the bots whose decisions it holds."""
    with_action_features: bool = False
    """Whether each decision has the features of its legal actions, too."""
    with_trajectories: bool = False
    """Whether OpenSpiel's trajectories of the matches stand beside the decisions."""

    def check(self, plans: Iterable[Plan]) -> None:
        """Raise ConfigError for a game, pool or bot that none of the tournaments has."""
        found = list(plans)
        entries = [entry for plan in found for entry in plan.entries]
        known = {
            "--game": (self.pools, {name for entry in entries for name in (entry.game, entry.pool)}, "game or pool"),
            "--bot": (self.bots, {bot.name for plan in found for bot in plan.contestants}, "bot"),
        }
        for option, (wanted, there, what) in known.items():
            for name in wanted:
                if name not in there:
                    raise ConfigError(f"{option} {name}: no such {what} in these results; {nearest(name, sorted(there))}")

    def games(self, plan: Plan) -> list[str]:
        """The games of a plan that are wanted, by name."""
        return sorted({entry.game for entry in plan.entries if self._wants_pool(entry.game, entry.pool)})

    def decisions(self, plan: Plan, totals: Iterable[SeatTotals]) -> int:
        """How many decisions of a tournament are wanted, by the sums over its rows; void matches have none."""
        pools = {entry.pool for entry in plan.entries if self._wants_pool(entry.game, entry.pool)}
        return sum(total.decisions for total in totals if total.pool in pools and self.wants(total.bot))

    def has(self, record: MatchRecord) -> bool:
        """Return whether a match has decisions that are wanted; a void one has none."""
        if record.is_void or not self._wants_pool(record.game, record.pool):
            return False
        return any(self.wants(seat.bot) for seat in record.seats)

    def wants(self, bot: str) -> bool:
        """Return whether the decisions of a bot are wanted."""
        return not self.bots or bot in self.bots

    def _wants_pool(self, game: str, pool: str) -> bool:
        return not self.pools or game in self.pools or pool in self.pools
