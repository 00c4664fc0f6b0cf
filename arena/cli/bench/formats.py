"""`arena bench formats`: error rates of `compare`, and the matches that `compare` and `ladder` save."""

from collections.abc import Sequence

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
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption
from arena.cli.shared.printing import Format, note, refuse_csv, show
from arena.cli.shared.tables import write_table
from arena.report.terminal.page import Page
from arena.shipped import house_folder
from arena.workers.warmup import warm_rooms

BOTS = house_folder("bots")
MATCHES = (2, 8)  # of a simulated deal: two seats; four seats, exchanged


def formats(format: FormatOption = Format.TABLE) -> int:
    """Measure error rates of compare, and the matches that compare and ladder save.

    Takes some minutes.
    """
    refuse_csv(format, "this result")
    warm_rooms({"naga": ()}, note)
    note(f"simulating {len(MEANS) * len(MATCHES) * SIMULATED_RUNS:,} comparisons ...")
    tests = [
        simulated(mean, matches=matches, spread=0.2, error=ERROR, difference=DIFFERENCE, runs=SIMULATED_RUNS, most=MOST_DEALS)
        for matches in MATCHES
        for mean in MEANS
    ]
    bank = Bank(BOTS, note)
    note(f"drawing {2 * DRAWS} tournaments of each kind from them ...")
    saved = savings(bank)
    show(format, lambda page: _write(page, tests, saved), {"tests": tests, "savings": saved})
    return DONE


def _write(page: Page, tests: Sequence[SimulatedTest], saved: Sequence[Saving]) -> None:
    page.say(
        f"compare, simulated: {SIMULATED_RUNS:,} runs each, error {ERROR:g}, difference {DIFFERENCE:g}, at most {MOST_DEALS:,} "
        f"deals. Plain test: deals of a test of fixed size with the same error rate that finds the difference 19 times in 20."
    )
    page.say("")
    write_table(
        page, "Error rates of compare",
        ("matches/deal", "true difference", "wrong", "open", "mean deals", "plain test"),
        [
            (
                str(test.matches), f"{test.mean:g}", f"{test.wrong:.1%}", f"{test.open:.1%}", f"{test.mean_deals:,.0f}",
                "-" if test.fixed_deals is None else f"{test.fixed_deals:,.0f}",
            )
            for test in tests
        ],
    )  # fmt: skip
    page.say("")
    write_table(
        page, f"Matches to the same end, naga, {DRAWS} tournaments of each kind drawn from one bank",
        ("question", "rotations", "round robin", "adaptive", "saved", "unfinished"),
        [
            (
                saving.question, "yes" if saving.has_rotations else "no", f"{saving.round_robin:,.0f}",
                f"{saving.adaptive:,.0f}", f"{1 - saving.adaptive / saving.round_robin:.0%}", str(saving.unfinished or ""),
            )
            for saving in saved
        ],
    )  # fmt: skip
