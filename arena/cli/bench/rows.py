"""`arena bench rows`: writing, rating and showing a tournament of millions of rows, beside what is promised."""

import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from arena.bench.rows import MATCHES, RowsCost, rows_cost
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption
from arena.cli.shared.printing import Format, note, show
from arena.cli.shared.tables import write_table
from arena.engine import jit
from arena.errors import ArenaError, ConfigError
from arena.workers.warmup import warm_rooms

_STEPS = {
    "write": ("make up and write", None),
    "online": ("rate in plan order", 30),
    "batch": ("rate all at once", 300),
    "totals": ("add up for the board", None),
    "board": ("show the board", 1),
}
"""Each step in words, and the seconds promised for 10 million rows; None if nothing is promised."""


def rows(
    matches: Annotated[
        int, typer.Option("--matches", metavar="N", help="Number of matches, each with 4 seats and so 4 rows.")
    ] = MATCHES,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Folder of results in which they are kept. Default: they are deleted."),
    ] = None,
    format: FormatOption = Format.TABLE,
) -> int:
    """Measure storing, rating and showing 10 million result rows.

    Takes 1 GB of disk and some minutes. The matches are made up.
    """
    if matches < 1:
        raise ConfigError(f"--matches: at least 1, not {matches}")
    warm_rooms({}, note, {jit.RATINGS: "arena.ratings"})
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory())) if out is None else out
        try:
            cost = rows_cost(folder, matches, note)
        except subprocess.CalledProcessError as error:
            raise ArenaError(f"a step failed: {error}") from None
    steps = _rows(cost)
    show(
        format,
        lambda page: write_table(
            page,
            f"A tournament of {cost.rows:,} rows: {cost.bytes_a_row:.2f} bytes a row (promised for 10 million: 14; 2,000 MB)",
            ("step", "wall s", "CPU s", "promised s", "peak MB"),
            [
                (_STEPS[step["step"]][0], f"{step['wall_s']:.2f}", f"{step['cpu_s']:.2f}", str(step["promised_s"] or ""),
                 f"{step['peak_mb']:,.0f}")
                for step in steps
            ],
        ),
        cost,
        steps,
    )  # fmt: skip
    return DONE


def _rows(cost: RowsCost) -> list[dict[str, Any]]:
    """A row for each step."""
    return [
        {"step": step, **msgspec.to_builtins(getattr(cost, step)), "promised_s": promised}
        for step, (_, promised) in _STEPS.items()
    ]
