"""`arena bench search`: simulations per second, and what else a search costs."""

from collections.abc import Sequence

from arena.cli.measuring.search import ITERATIONS, SearchCost, SearchSpeed, open_spiel_searches, search_cost, search_speeds
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.games import all_ready
from arena.cli.shared.options import FormatOption, OnlyGames
from arena.cli.shared.printing import Format, note, refuse_csv, show, write_table
from arena.reports.terminal import Page
from arena.search import METHODS


def search(game: OnlyGames = None, format: FormatOption = Format.TABLE) -> int:
    """Measure simulations per second and time budgets of the search.

    On one core, in CPU time; on two threads, in wall time. OpenSpiel's figures stand beside ours if the extra `bench` is
    installed.
    """
    refuse_csv(format, "this result")
    speeds: list[SearchSpeed] = []
    costs: list[SearchCost] = []
    for name in all_ready(game, METHODS):
        note(f"{name} ...")
        speeds += search_speeds(name)
        costs.append(search_cost(name))
    note("open_spiel ...")
    speeds += open_spiel_searches()
    show(format, lambda page: _write(page, speeds, costs), {"search": speeds, "rooms": costs})
    if not any(speed.game.startswith("open_spiel") for speed in speeds):
        note("(OpenSpiel's figures beside ours: install the extra `bench`)")
    return DONE


def _write(page: Page, speeds: Sequence[SearchSpeed], costs: Sequence[SearchCost]) -> None:
    write_table(
        page, f"Information-set tree search, {ITERATIONS:,} simulations a decision, one core",
        ("game", "rollouts", "seats", "simulations/s", "decisions/s", "per simulation"),
        [
            (
                speed.game, speed.rollout, str(speed.seats), f"{speed.simulations_per_second:,.0f}",
                f"{speed.decisions_per_second / 1e6:.2f} M", f"{speed.decisions_per_simulation:.1f}",
            )
            for speed in speeds
        ],
        names=2,
    )  # fmt: skip
    page.say("")
    write_table(
        page, "What a search costs (CPU time; threads: wall time)",
        ("game", "first decision s", "before it s", "most over time", "runs over 5 %", "two threads"),
        [
            (
                cost.game, f"{cost.first_decision_s:.2f}", f"{cost.import_s:.2f}", f"{100 * cost.overdraft:.1f} %",
                f"{100 * cost.overdrawn:.1f} %", f"{cost.speedup:.2f} times",
            )
            for cost in costs
        ],
    )  # fmt: skip
