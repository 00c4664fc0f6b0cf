"""`arena leaderboard [NAME]`: the ratings of a tournament, as a table, JSON or CSV."""

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from arena.errors import StoreError, nearest
from arena.records import Rating
from arena.report.board import board_csv, board_json, chosen_pools, print_board
from arena.store import manifest as manifests
from arena.store.manifest import Manifest
from arena.store.schema import SeatTotals

PIPE_WIDTH = 120  # columns of a table that goes into a file or a pipe, unless COLUMNS says otherwise


class Format(StrEnum):
    """How to print."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def leaderboard(
    name: Annotated[str | None, typer.Argument(help="The tournament; left out: the newest.")] = None,
    game: Annotated[str | None, typer.Option(help="Only this game or rating pool; `overall`: the mean of all.")] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.TABLE,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("leaderboards"),
) -> int:
    """Print who leads: overall, then game by game."""
    from arena.store import parquet  # only now: pyarrow takes most of the start, and --help does without

    folder = find_folder(out, name)
    manifest = manifests.read_manifest(folder)
    ratings = parquet.read_ratings(folder)
    totals: list[SeatTotals] = []
    if format is Format.TABLE:
        try:
            totals = parquet.read_totals(folder)
        except StoreError as error:  # the ratings are there all the same
            typer.echo(f"arena: without CPU times and kinds of faults: {error}", err=True)
    show(manifest, ratings, format, console(), choice=game, totals=totals)
    return 0


def console() -> Console:
    """Standard output; wide where it is not a terminal."""
    made = Console()
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPE_WIDTH
    return made


def show(
    manifest: Manifest, ratings: list[Rating], format: Format, target: Console, *, choice: str | None = None, **settings: Any
) -> None:
    """Print ratings in a format. `settings`: of `print_board`."""
    if format is Format.TABLE:
        print_board(manifest, ratings, target, choice=choice, **settings)
        return
    if choice is not None:
        pools = chosen_pools(manifest, ratings, choice)
        ratings = [rating for rating in ratings if rating.pool in pools]
    typer.echo(board_json(ratings) if format is Format.JSON else board_csv(ratings).rstrip("\n"))


def find_folder(out: Path, name: str | None) -> Path:
    """The folder of the tournament `name`, or of the one whose manifest is newest. Raises StoreError."""
    stored = {path.parent.name: path for path in out.glob(f"*/{manifests.FILE}")}
    if not stored:
        raise StoreError(f"{out}: no tournament there; play one with: arena tournament CONFIG")
    if name is None:
        return max(stored.values(), key=lambda path: path.stat().st_mtime_ns).parent
    if name not in stored:
        raise StoreError(f"{out}: no tournament {name!r}; {nearest(name, stored)}")
    return out / name
