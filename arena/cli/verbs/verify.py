"""`arena verify`: checked cases and traces against the rules of this hall."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from arena.conformance.traces import verify_file

FAILED = 1  # exit code


def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON Lines: cases, traces.", show_default=False)],
) -> int:
    """Check every case and trace of the files; prints each mismatch, then how many passed and failed."""
    counts = {True: 0, False: 0}

    def report() -> Iterator[str]:
        for file in files:
            for checked in verify_file(file):
                counts[not checked.problems] += 1
                yield from checked.problems
        yield f"{counts[True]} passed, {counts[False]} failed"

    for line in report():
        print(line)
    return FAILED if counts[False] else 0
