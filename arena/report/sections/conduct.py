"""How bots behaved: endings, time per decision, strength per cost."""

from arena.records import Ending
from arena.report.costs import BotCosts, costs_of, milliseconds
from arena.report.document import Block, Cell, Column, Plot, Section, Table
from arena.report.evidence import PoolEvidence, of
from arena.report.plots import Plotter, Point

MOST_NAMES = 12  # in the plane; of more bots only those that no cheaper bot beats are named


def endings(evidence: PoolEvidence, _: Plotter) -> Section | None:
    """How each bot's matches ended, by kind."""
    costs = _costs(evidence)
    kinds = [ending for ending in Ending if any(ending in cost.endings for cost in costs.values())]
    if not kinds:
        return None
    columns = [Column("bot", is_number=False), *(Column(kind.value, meaning=_MEANINGS.get(kind, "")) for kind in kinds)]
    rows = [
        [Cell(of(rating)), *(Cell(f"{count:,}" if count else "", count) for count in _counts(costs[number], kinds))]
        for number, rating in enumerate(evidence.ratings)
    ]
    faults = sum(rating.faults for rating in evidence.ratings)
    lead = "Matches by how they ended for the bot. " + (
        "Everything but `played` and `host` is the bot's own fault: it forfeits, and the others lose nothing."
        if faults
        else "Nobody made a fault."
    )
    return Section("Endings", lead, [Table(f"Endings in {evidence.pool}", columns, rows)])


def decision_time(evidence: PoolEvidence, plotter: Plotter) -> Section | None:
    """CPU time of decisions, and what strength it buys."""
    costs = _costs(evidence)
    if not any(cost.decisions for cost in costs.values()):
        return None
    columns = [
        Column("bot", is_number=False), Column("rating"), Column("median ms", meaning="the middle of its matches' medians"),
        Column("mean ms"), Column("worst ms", meaning="the slowest decision of all"), Column("decisions"),
        Column("CPU s", meaning="of all decisions"),
    ]  # fmt: skip
    rows = [
        [
            Cell(of(rating)), Cell(f"{rating.rating:.2f}", rating.rating), _time(cost.median), _time(cost.mean),
            _time(cost.worst), Cell(f"{cost.decisions:,}", cost.decisions), Cell(f"{cost.cpu_ms / 1000:,.1f}", cost.cpu_ms),
        ]
        for rating, cost in ((rating, costs[number]) for number, rating in enumerate(evidence.ratings))
    ]  # fmt: skip
    blocks: list[Block] = [Table(f"Time per decision in {evidence.pool}", columns, rows)]
    points = [
        Point(of(rating), costs[number].mean, rating.mu, rating.low, rating.high)
        for number, rating in enumerate(evidence.ratings)
        if rating.matches and costs[number].mean > 0
    ]
    if len(points) > 1:
        frontier = [all(other.x > point.x or other.y <= point.y for other in points) for point in points]
        named = [True] * len(points) if len(points) <= MOST_NAMES else frontier
        svg = plotter.plane(
            points, "CPU ms per decision (mean, logarithmic)", "mu with 95 % interval",
            f"Strength over CPU time per decision in {evidence.pool}; the table has the numbers", named,
        )  # fmt: skip
        best = ", ".join(point.name for point, is_best in zip(points, frontier) if is_best)
        blocks.append(Plot(svg, f"Strength per cost: left is cheap, up is strong. No cheaper bot is as strong as: {best}."))
    lead = "CPU time of the bot's own process or code, as measured on the machines that played; it differs from run to run."
    return Section("Time and cost", lead, blocks)


def _costs(evidence: PoolEvidence) -> dict[int, BotCosts]:
    """By place in the ratings."""
    return {number: costs_of(evidence.hall.costs, rating) for number, rating in enumerate(evidence.ratings)}


def _counts(cost: BotCosts, kinds: list[Ending]) -> list[int]:
    return [cost.endings.get(kind, 0) for kind in kinds]


def _time(value: float) -> Cell:
    return Cell(milliseconds(value), value)


_MEANINGS = {
    Ending.PLAYED: "played to the end", Ending.ILLEGAL: "an action that is not legal",
    Ending.MALFORMED: "an answer that cannot be read, or is too long", Ending.PROTOCOL: "an answer to nothing that was asked",
    Ending.TIMEOUT: "over its time", Ending.MEMORY: "over its memory", Ending.OUTPUT: "wrote too much",
    Ending.CRASH: "its process died", Ending.STARTUP: "did not become ready",
    Ending.HOST: "the hall failed: the match is void, and not rated",
}  # fmt: skip
