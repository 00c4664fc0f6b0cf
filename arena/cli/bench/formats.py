"""`arena bench formats`: error rates of `compare`, and the matches that `compare` and `ladder` save."""

import sys
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from arena.bench.formats import (
    DIFFERENCE,
    DRAWS,
    ERROR,
    MEANS,
    MOST_DEALS,
    SIMULATED_RUNS,
    Bank,
    Saving,
    SimulatedTest,
    savings,
    simulated,
)
from arena.errors import ConfigError
from arena.workers.warmup import warm_rooms

BOTS = Path("bots")
MATCHES = (2, 8)  # of a simulated deal: two seats; four seats, exchanged


def print_formats(*, json: bool) -> int:
    """Simulate, play the bank, draw from it."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if not (BOTS / "naga_planner.py").exists():
        raise ConfigError(f"bench formats: the bots of the house are needed: run it where {BOTS}/ is")
    warm_rooms(["naga"], console.print)
    console.print(f"simulating {len(MEANS) * len(MATCHES) * SIMULATED_RUNS:,} comparisons ...")
    tests = [
        simulated(mean, matches=matches, spread=0.2, error=ERROR, difference=DIFFERENCE, runs=SIMULATED_RUNS, most=MOST_DEALS)
        for matches in MATCHES
        for mean in MEANS
    ]
    bank = Bank(BOTS, console.print)
    console.print(f"drawing {2 * DRAWS} tournaments of each kind from them ...")
    saved = savings(bank)
    if json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode({"tests": tests, "savings": saved}), indent=2).decode() + "\n")
        return 0
    output = Console(highlight=False)
    output.print(_tests_table(tests))
    output.print(_savings_table(saved))
    return 0


def _tests_table(tests: list[SimulatedTest]) -> Table:
    title = (
        f"compare, simulated: {SIMULATED_RUNS:,} runs each, error {ERROR:g}, difference {DIFFERENCE:g}, at most {MOST_DEALS:,} "
        f"deals\nplain test: deals of a test of fixed size with the same error rate that finds the difference 19 times in 20"
    )
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for heading in ("matches/deal", "true difference", "wrong", "open", "mean deals", "plain test"):
        table.add_column(heading, justify="right")
    for test in tests:
        plain = "-" if test.fixed_deals is None else f"{test.fixed_deals:,.0f}"
        table.add_row(
            str(test.matches), f"{test.mean:g}", f"{test.wrong:.1%}", f"{test.open:.1%}", f"{test.mean_deals:,.0f}", plain
        )
    return table


def _savings_table(saved: list[Saving]) -> Table:
    title = f"\nMatches to the same end, naga, {DRAWS} tournaments of each kind drawn from one bank"
    table = Table("question", title=title, title_justify="left", box=None, pad_edge=False)
    for heading in ("rotations", "round robin", "adaptive", "saved", "unfinished"):
        table.add_column(heading, justify="right")
    for saving in saved:
        table.add_row(
            saving.question, "yes" if saving.has_rotations else "no", f"{saving.round_robin:,.0f}", f"{saving.adaptive:,.0f}",
            f"{1 - saving.adaptive / saving.round_robin:.0%}", str(saving.unfinished or ""),
        )  # fmt: skip
    return table
