"""What playing cost a bot in a pool, and how its matches ended: sums over totals, for boards and reports."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from arena.ratings.settings import OVERALL
from arena.records import Ending, Rating
from arena.results.schema import SeatTotals


@dataclass
class BotCosts:
    """The CPU time and the endings of one bot in one pool."""

    endings: dict[Ending, int] = field(default_factory=dict)
    """How many of its matches ended in each way."""
    medians: list[float] = field(default_factory=list)
    """Median CPU time of a decision in ms, by pool, over matches with the most frequent ending."""
    worst: float = 0.0
    """The CPU time of the slowest decision; ms."""
    decisions: int = 0
    cpu_ms: float = 0.0
    """The CPU time of all decisions; ms."""

    @property
    def median(self) -> float:
        """The median CPU time of a decision, the mean over pools; ms, 0 without a decision."""
        return sum(self.medians) / len(self.medians) if self.medians else 0.0

    @property
    def mean(self) -> float:
        """The mean CPU time of a decision; ms, 0 without a decision."""
        return self.cpu_ms / self.decisions if self.decisions else 0.0

    @property
    def faults(self) -> str:
        """The bot's faults by kind, such as `crash 2, timeout 1`; empty without any."""
        return ", ".join(f"{ending.value} {count}" for ending, count in self.endings.items() if ending.blame == "bot")


Costs = Mapping[tuple[str, str, int], BotCosts]
"""The costs by pool, bot and version; in the overall pool every pool counts the same."""


def add_up(totals: Iterable[SeatTotals]) -> Costs:
    """The costs of all bots in all pools, and in the overall pool."""
    costs: dict[tuple[str, str, int], BotCosts] = {}
    most: dict[tuple[str, str, int], SeatTotals] = {}
    for total in totals:
        key = (total.pool, total.bot, total.bot_version)
        if key not in most or total.seats > most[key].seats:
            most[key] = total
        for pool in (total.pool, OVERALL):
            cost = costs.setdefault((pool, *key[1:]), BotCosts())
            cost.worst = max(cost.worst, total.cpu_ms_worst)
            cost.endings[total.ending] = cost.endings.get(total.ending, 0) + total.seats
            cost.decisions += total.decisions
            cost.cpu_ms += total.cpu_ms
    for (pool, bot, version), total in most.items():
        if total.decisions:
            costs[pool, bot, version].medians.append(total.cpu_ms_median)
            costs[OVERALL, bot, version].medians.append(total.cpu_ms_median)
    return costs


def costs_of(costs: Costs, rating: Rating) -> BotCosts:
    """The costs of a rating's bot in the rating's pool."""
    return costs.get((rating.pool, rating.bot, rating.bot_version)) or BotCosts()


def milliseconds(number: float) -> str:
    """A time in milliseconds for people; `-` for 0.

    >>> milliseconds(0.0214), milliseconds(1234.56), milliseconds(0.0)
    ('0.021', '1,234.6', '-')
    """
    return "-" if not number else f"{number:.3f}" if number < 1 else f"{number:,.1f}"
