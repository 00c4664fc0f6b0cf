"""The tables of `arena bench search`."""

import sys
from collections.abc import Sequence

import msgspec
from rich.console import Console
from rich.table import Table

from arena.bench.search import ITERATIONS, SearchCost, SearchSpeed, open_spiel_searches, search_cost, search_speeds


def print_search(names: Sequence[str], *, json: bool) -> int:
    """Simulations per second, OpenSpiel's beside ours; then what else a search costs."""
    progress = Console(stderr=True, highlight=False)
    speeds: list[SearchSpeed] = []
    costs: list[SearchCost] = []
    for name in names:
        progress.print(f"{name} ...")
        speeds += search_speeds(name)
        costs.append(search_cost(name))
    progress.print("open_spiel ...")
    speeds += open_spiel_searches()
    if json:
        figures = {"search": speeds, "rooms": costs}
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(figures), indent=2).decode() + "\n")
        return 0
    output = Console(highlight=False)
    output.print(_speed_table(speeds))
    output.print(_cost_table(costs))
    if not any(speed.game.startswith("open_spiel") for speed in speeds):
        progress.print("(OpenSpiel's figures beside ours: install the extra `bench`)")
    return 0


def _speed_table(speeds: list[SearchSpeed]) -> Table:
    headings = ("seats", "rollouts", "simulations/s", "decisions/s", "per simulation")
    table = _table(f"Information-set tree search, {ITERATIONS:,} simulations a decision, one core", headings)
    for speed in speeds:
        rates = (f"{speed.simulations_per_second:,.0f}", f"{speed.decisions_per_second / 1e6:.2f} M")
        table.add_row(speed.game, str(speed.seats), speed.rollout, *rates, f"{speed.decisions_per_simulation:.1f}")
    return table


def _cost_table(costs: list[SearchCost]) -> Table:
    headings = ("first decision s", "before it s", "most over time", "runs over 5 %", "two threads")
    table = _table("\nWhat a search costs (CPU time; threads: wall time)", headings)
    for cost in costs:
        first = (f"{cost.first_decision_s:.2f}", f"{cost.import_s:.2f}")
        budgets = (f"{100 * cost.overdraft:.1f} %", f"{100 * cost.overdrawn:.1f} %")
        table.add_row(cost.game, *first, *budgets, f"{cost.speedup:.2f} times")
    return table


def _table(title: str, headings: tuple[str, ...]) -> Table:
    table = Table("game", title=title, title_justify="left", box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="right")
    return table
