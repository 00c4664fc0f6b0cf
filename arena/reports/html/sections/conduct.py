"""How bots behaved: endings, time per decision, strength per cost."""

from arena.records import Ending
from arena.reports.html.plots import Plotter, Point
from arena.reports.pages.document import Block, Cell, Column, Plot, Section, Table
from arena.reports.selection.costs import milliseconds
from arena.reports.selection.evidence import PoolEvidence

MOST_NAMES = 12  # in the plane; of more bots only those that no cheaper bot beats are named


def endings(evidence: PoolEvidence, _: Plotter) -> Section | None:
    """The section that counts how each bot's matches ended, by kind."""
    costs = evidence.costs
    kinds = [ending for ending in Ending if any(ending in cost.endings for _, _, cost in costs)]
    if not kinds:
        return None
    columns = [Column("bot", is_number=False), *(Column(kind.value, meaning=_MEANINGS.get(kind, "")) for kind in kinds)]
    rows = [[Cell(name), *(_count(cost.endings.get(kind, 0)) for kind in kinds)] for name, _, cost in costs]
    lead = "Matches by how they ended for the bot. " + (
        "Everything but `played` and `host` is the bot's own fault: it forfeits, and the others lose nothing."
        if any(kind.blame == "bot" for kind in kinds)
        else "No bot made a fault."
    )
    return Section("Endings", lead, [Table(f"Endings in {evidence.title}", columns, rows)])


def decision_time(evidence: PoolEvidence, plotter: Plotter) -> Section | None:
    """The section about the CPU time of decisions, and what strength it buys."""
    costs = evidence.costs
    if not any(cost.decisions for _, _, cost in costs):
        return None
    columns = [
        Column("bot", is_number=False), Column("rating"), Column("median ms", meaning="the middle of its matches' medians"),
        Column("mean ms"), Column("worst ms", meaning="the slowest decision of all"), Column("decisions"),
        Column("CPU s", meaning="of all decisions"),
    ]  # fmt: skip
    rows = [
        [
            Cell(name), Cell(f"{rating.rating:.2f}".replace("-", "−"), rating.rating) if rating else Cell("-"),
            _time(cost.median), _time(cost.mean), _time(cost.worst), Cell(f"{cost.decisions:,}", cost.decisions),
            Cell(f"{cost.cpu_ms / 1000:,.1f}", cost.cpu_ms),
        ]
        for name, rating, cost in costs
    ]  # fmt: skip
    lead = "CPU time of the bot's own process or code, as measured on the machines that played; it differs from run to run."
    table = Table(f"Time per decision in {evidence.title}", columns, rows)
    return Section("Time and cost", lead, [table, *_strength_per_cost(evidence, plotter)])


def _strength_per_cost(evidence: PoolEvidence, plotter: Plotter) -> list[Block]:
    points = [
        Point(name, cost.mean, rating.mu, rating.low, rating.high)
        for name, rating, cost in evidence.costs
        if rating is not None and rating.matches and cost.mean > 0
    ]
    if len(points) < 2:
        return []
    frontier = [all(other.x > point.x or other.y <= point.y for other in points) for point in points]
    named = [True] * len(points) if len(points) <= MOST_NAMES else frontier
    svg = plotter.plane(
        points, "CPU ms per decision (mean, logarithmic)", "mu with 95 % interval",
        f"Strength over CPU time per decision in {evidence.title}; the table has the numbers", named,
    )  # fmt: skip
    best = ", ".join(point.name for point, is_best in zip(points, frontier) if is_best)
    return [Plot(svg, f"Strength per cost: left is cheap, up is strong. No cheaper bot is as strong as: {best}.")]


def _count(number: int) -> Cell:
    return Cell(f"{number:,}" if number else "", number)


def _time(value: float) -> Cell:
    return Cell(milliseconds(value), value)


_MEANINGS = {
    Ending.PLAYED: "played to the end", Ending.ILLEGAL: "an action that is not legal",
    Ending.MALFORMED: "an answer that cannot be read, or is too long", Ending.PROTOCOL: "an answer to nothing that was asked",
    Ending.TIMEOUT: "over its time", Ending.MEMORY: "over its memory", Ending.OUTPUT: "wrote too much",
    Ending.CRASH: "its process died", Ending.STARTUP: "did not become ready",
    Ending.HOST: "the host failed: the match is void, and not rated",
}  # fmt: skip
