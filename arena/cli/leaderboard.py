"""`arena leaderboard [NAME]`: the ratings of a tournament, as a table, Markdown, JSON or CSV."""

import contextlib
import os
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from arena.errors import ConfigError, StoreError, nearest
from arena.ratings.settings import BATCH_MODEL, MODEL
from arena.records import Rating
from arena.report.board import board_csv, board_json, chosen_pools, headline_ratings, print_board
from arena.report.page import ConsolePage, MarkdownPage, Page
from arena.store import manifest as manifests
from arena.store.manifest import Manifest
from arena.store.schema import SeatTotals

PIPE_WIDTH = 120  # columns of a table that goes into a file or a pipe, unless COLUMNS says otherwise


class Format(StrEnum):
    """How to print."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "md"


def leaderboard(
    name: Annotated[str | None, typer.Argument(help="The tournament; left out: the newest.")] = None,
    game: Annotated[str | None, typer.Option(help="Only this game or rating pool; `overall`: the mean of all.")] = None,
    model: Annotated[
        str | None, typer.Option(help=f"{MODEL} (the default) or {BATCH_MODEL} (order-free).")
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.TABLE,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("leaderboards"),
) -> int:
    """Print who leads: overall, then game by game."""
    from arena.store import parquet  # only now: pyarrow takes most of the start, and --help does without

    folder = find_folder(out, name)
    manifest = manifests.read_manifest(folder)
    ratings = parquet.read_ratings(folder)
    models = {rating.model for rating in ratings}
    if model is not None and models and model not in models:
        raise ConfigError(f"--model {model}: no such model in {manifest.name}; {nearest(model, models)}")
    totals: list[SeatTotals] = []
    if format in (Format.TABLE, Format.MARKDOWN):
        try:
            totals = parquet.read_totals(folder)
        except StoreError as error:  # the ratings are there all the same
            typer.echo(f"arena: without CPU times and kinds of faults: {error}", err=True)
    elif model is not None:
        ratings = headline_ratings(ratings, model)
    show(manifest, ratings, format, console(), choice=game, totals=totals, model=model or MODEL)
    return 0


def console() -> Console:
    """Standard output; wide where it is not a terminal."""
    made = Console()
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPE_WIDTH
    return made


@contextlib.contextmanager
def page_of(format: Format, target: Console) -> Iterator[Page]:
    """A page that is printed as it is written, or, as Markdown, when it is complete."""
    if format is Format.MARKDOWN:
        page = MarkdownPage()
        yield page
        typer.echo(page.text.rstrip("\n"))
    else:
        yield ConsolePage(target)


def show(
    manifest: Manifest, ratings: list[Rating], format: Format, target: Console, *, choice: str | None = None, **settings: Any
) -> None:
    """Print ratings in a format. `settings`: of `print_board`."""
    if format in (Format.TABLE, Format.MARKDOWN):
        with page_of(format, target) as page:
            print_board(manifest, ratings, page, choice=choice, **settings)
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
