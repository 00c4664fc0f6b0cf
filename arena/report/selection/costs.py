"""What playing cost a bot in a pool, and how its matches ended: sums over totals, for boards and reports."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from arena.ratings.settings import OVERALL
from arena.records import Ending, Rating
from arena.store.schema import SeatTotals


@dataclass
class BotCosts:
    """What the rows of one bot in one pool add up to."""

    endings: dict[Ending, int] = field(default_factory=dict)
    """Matches by how they ended for it."""
    medians: list[float] = field(default_factory=list)
    """Of each pool, over its matches with the most frequent ending; ms."""
    worst: float = 0.0
    """ms."""
    decisions: int = 0
    cpu_ms: float = 0.0
    """Of all decisions."""

    @property
    def median(self) -> float:
        """CPU time of the middle decision, every pool counting the same; ms, 0 without a decision."""
        return sum(self.medians) / len(self.medians) if self.medians else 0.0

    @property
    def mean(self) -> float:
        """CPU time of a decision; ms, 0 without a decision."""
        return self.cpu_ms / self.decisions if self.decisions else 0.0

    @property
    def faults(self) -> str:
        """`crash 2, timeout 1`, or nothing."""
        return ", ".join(f"{ending.value} {count}" for ending, count in self.endings.items() if ending.blame == "bot")


Costs = Mapping[tuple[str, str, int], BotCosts]
"""By pool (the overall one too, in which every pool counts the same), bot and version."""


def add_up(totals: Iterable[SeatTotals]) -> Costs:
    """The costs of all bots in all pools."""
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
    """Of the bot of a rating, in the rating's pool."""
    return costs.get((rating.pool, rating.bot, rating.bot_version)) or BotCosts()


def milliseconds(number: float) -> str:
    """A time for people; `-`: none.

    >>> milliseconds(0.0214), milliseconds(1234.56), milliseconds(0.0)
    ('0.021', '1,234.6', '-')
    """
    return "-" if not number else f"{number:.3f}" if number < 1 else f"{number:,.1f}"
