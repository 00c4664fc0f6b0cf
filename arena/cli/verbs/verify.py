"""`arena verify`: checked cases and traces against the rules as played here."""

from pathlib import Path
from typing import Annotated

import typer

from arena.audit.laws.traces import verify_file
from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.options import FormatOption
from arena.cli.shared.printing import Format, say, show
from arena.reports.terminal import Page


def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON Lines files of cases or traces.")],
    format: FormatOption = Format.TABLE,
) -> int:
    """Check cases and traces against the rules.

    Prints each mismatch, then how many passed and failed. Exit code 0: all passed, 1: some failed.
    """
    passed = failed = 0
    problems: list[str] = []
    for file in files:
        for checked in verify_file(file):
            failed += bool(checked.problems)
            passed += not checked.problems
            if format is Format.TABLE:  # at once: files may be long
                for problem in checked.problems:
                    say(problem)
            else:
                problems += checked.problems

    def write(page: Page) -> None:
        for problem in problems:
            page.line(problem)
        page.line(f"{passed} passed, {failed} failed")

    document = {"passed": passed, "failed": failed, "problems": problems}
    show(format, write, document, [{"problem": problem} for problem in problems], columns=["problem"])
    return NO if failed else DONE
