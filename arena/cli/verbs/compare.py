"""`arena compare CONFIG`: is the first candidate better than the second? The exit code answers, too.

With `chain` in the config: is each bot better than the one before it?
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from arena.cli.shared.exit_codes import DONE, INTERRUPTED, NO, OPEN
from arena.cli.shared.options import ConfigPath, FormatOption
from arena.cli.shared.printing import Format, show
from arena.cli.shared.running import on_screen, play, with_run_options
from arena.reports.table import Column, Row, Table
from arena.reports.terminal import Page
from arena.tournament.chain import Step, StepResult, read_steps, run_steps
from arena.tournament.formats.compare import comparison_of, share_of
from arena.tournament.session import Settings

EXIT_OF = {"better": DONE, "worse": NO, "equal": NO, "open": OPEN}
"""Exit code of each verdict."""


@with_run_options
def compare(config: ConfigPath, settings: Settings, format: FormatOption = Format.TABLE) -> int:
    """Play until it is certain whether one bot is better than another.

    The config names the two bots, or a `chain`: is each bot of it better than the one before? Exit code 0: yes, 1: no, 3: not
    decided.
    """
    steps = read_steps(config, settings)
    if steps:
        return _chain(config, settings, steps, format)
    results = play("compare", config, settings)
    if results is None:
        return INTERRUPTED
    schedule = comparison_of(results.schedule)
    evidence = schedule.evidence()
    answer = {
        "candidates": schedule.names, "verdict": evidence[0].verdict, "outcome": schedule.outcome,
        "matches": results.manifest.played, "evidence": evidence, "results_sha256": results.manifest.results_sha256,
    }  # fmt: skip
    first, second = schedule.names
    rows = [{"first": first, "second": second, **msgspec.to_builtins(found)} for found in evidence]

    def write(page: Page) -> None:
        for line in (*(schedule.line(found) for found in evidence), schedule.outcome):
            page.line(line or "")

    show(format, write, answer, rows)
    return EXIT_OF[evidence[0].verdict]


def _chain(config: Path, settings: Settings, steps: Sequence[Step], format: Format) -> int:
    """Play the steps, and print one table."""
    results = on_screen("compare", config, settings, lambda settings, screen: list(run_steps(steps, settings, screen)))
    if results is None:
        return INTERRUPTED
    answer = [_row(result) for result in results]

    def write(page: Page) -> None:
        page.table(_table(results))
        if any(result.evidence.is_drawn for result in results):
            page.say("stopped as soon as they were sure: estimates are drawn towards the share asked for, as means lie beyond")

    show(format, write, answer, answer)
    codes = {EXIT_OF[result.evidence.verdict] for result in results}
    return NO if NO in codes else OPEN if OPEN in codes else DONE


def _row(result: StepResult) -> dict[str, Any]:
    """A step as plain data."""
    estimate, low, high = result.shares
    share = share_of(result.evidence.difference or 0.0)
    return {
        "better": result.step.better, "than": result.step.than, "asked": result.step.share,
        "verdict": result.evidence.verdict, "outcome": result.outcome, "share": share, "estimate": estimate,
        "low": low, "high": high, "deals": result.evidence.deals, "matches": result.matches, "cpu_minutes": result.cpu_minutes,
        "ms_per_decision": result.ms_per_decision,
    }  # fmt: skip


def _table(results: Sequence[StepResult]) -> Table:
    columns = [
        Column("bot", is_name=True), Column("against"), Column("finishes before it", ">"), Column("better?"),
        Column("deals", ","), Column("matches", ",", dropped=1), Column("ms/move", ".3g", dropped=3),
        Column("CPU min", ".1f", dropped=2),
    ]  # fmt: skip
    rows: list[Row] = [
        [
            one.step.better, one.step.than, _share(*one.shares), _verdict(one), one.evidence.deals, one.matches,
            one.ms_per_decision, one.cpu_minutes,
        ]
        for one in results
    ]  # fmt: skip
    return Table(columns, rows)


def _share(share: float, low: float, high: float) -> str:
    return f"{share:.1%} ({100 * low:.1f} to {100 * high:.1f})"


def _verdict(result: StepResult) -> str:
    asked = f"{result.step.share:.0%}"
    texts = {
        "better": f"yes, above {asked}",
        "worse": f"no, below {asked}",
        "equal": f"not separated ({asked})",
        "open": f"not separated ({asked})",
    }
    return texts[result.evidence.verdict]
