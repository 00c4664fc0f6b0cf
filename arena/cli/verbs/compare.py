"""`arena compare CONFIG`: is the first candidate better than the second? The exit code answers, too.

With `chain` in the config: is each bot better than the one before it?
"""

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arena.cli.shared.formats import Format, page_of
from arena.cli.shared.running import INTERRUPTED, ConfigPath, on_screen, play, with_run_options
from arena.errors import ConfigError
from arena.formats.comparison import Comparison
from arena.report.terminal.page import Column, fitting
from arena.tournament.chain import Step, StepResult, read_steps, run_steps
from arena.tournament.session import Settings

BETTER, NOT_BETTER, NOT_DECIDED = 0, 1, 3  # exit codes; 2 is a user's mistake
EXIT_OF = {"better": BETTER, "worse": NOT_BETTER, "equal": NOT_BETTER, "open": NOT_DECIDED}


class Form(StrEnum):
    """How to print."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "md"


@with_run_options
def compare(
    config: ConfigPath, settings: Settings, format: Annotated[Form, typer.Option(help="How to print.")] = Form.TEXT
) -> int:
    """Is the first candidate better? Plays until that is sure. Exit code 0: yes, 1: no, 3: not decided, 2: a mistake.

    With a `chain` in the config: is each bot of it better than the one before? Exit code 0: all are.
    """
    steps = read_steps(config, settings)
    if steps:
        return _chain(config, settings, steps, format)
    if format is Form.MARKDOWN:
        raise ConfigError("--format md: of a chain of comparisons; this config asks about two candidates")
    results = play("compare", config, settings)
    if results is None:
        return INTERRUPTED
    course = results.course
    assert isinstance(course, Comparison)
    evidence = course.evidence()
    if format is Form.JSON:
        answer = {
            "candidates": course.names,
            "verdict": evidence[0].verdict,
            "outcome": course.outcome,
            "matches": results.manifest.played,
            "evidence": evidence,
            "results_sha256": results.manifest.results_sha256,
        }
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(answer), indent=2).decode() + "\n")
    else:
        for line in (*(course.line(found) for found in evidence), course.outcome):
            typer.echo(line)
    return EXIT_OF[evidence[0].verdict]


def _chain(config: Path, settings: Settings, steps: Sequence[Step], format: Form) -> int:
    """Play the steps, and print one table."""
    results = on_screen("compare", config, settings, lambda settings, screen: list(run_steps(steps, settings, screen)))
    if results is None:
        return INTERRUPTED
    if format is Form.JSON:
        answer = [
            {
                "better": result.step.better, "than": result.step.than, "asked": result.step.share,
                "verdict": result.evidence.verdict, "outcome": result.outcome, "share": result.shares[0],
                "low": result.shares[1], "high": result.shares[2], "deals": result.evidence.deals, "matches": result.matches,
                "cpu_minutes": result.cpu_minutes,
            }
            for result in results
        ]  # fmt: skip
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(answer), indent=2).decode() + "\n")
    else:
        with page_of(Format.MARKDOWN if format is Form.MARKDOWN else Format.TABLE) as page:
            page.table(fitting(_columns(results), page.width), [""] * len(results))
    codes = {EXIT_OF[result.evidence.verdict] for result in results}
    return NOT_BETTER if NOT_BETTER in codes else NOT_DECIDED if NOT_DECIDED in codes else BETTER


def _columns(results: Sequence[StepResult]) -> list[Column]:
    return [
        Column("bot", [result.step.better for result in results], justify="left"),
        Column("against", [result.step.than for result in results], justify="left"),
        Column("finishes before it", [_share(*result.shares) for result in results]),
        Column("better?", [_verdict(result) for result in results], justify="left"),
        Column("deals", [f"{result.evidence.deals:,}" for result in results]),
        Column("matches", [f"{result.matches:,}" for result in results], 1),
        Column("CPU min", [f"{result.cpu_minutes:.1f}" for result in results], 2),
    ]


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
