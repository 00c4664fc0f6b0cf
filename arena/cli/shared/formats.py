"""Forms of output that several commands share: tables, Markdown, JSON, CSV."""

import contextlib
import os
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import typer
from rich.console import Console

from arena.records import Rating
from arena.report.selection.boards import chosen_pools
from arena.report.terminal.board import board_csv, board_json, print_board
from arena.report.terminal.page import ConsolePage, MarkdownPage, Page
from arena.store.manifest import Manifest

PIPE_WIDTH = 120  # columns of a table that goes into a file or a pipe, unless COLUMNS says otherwise


class Format(StrEnum):
    """How to print."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "md"


@contextlib.contextmanager
def page_of(format: Format) -> Iterator[Page]:
    """A page on standard output that is printed as it is written, or, as Markdown, when it is complete."""
    if format is Format.MARKDOWN:
        page = MarkdownPage()
        yield page
        typer.echo(page.text.rstrip("\n"))
        return
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    yield ConsolePage(console)


def show(manifest: Manifest, ratings: list[Rating], format: Format, *, choice: str | None = None, **settings: Any) -> None:
    """Print ratings in a format. `settings`: of `print_board`."""
    if format in (Format.TABLE, Format.MARKDOWN):
        with page_of(format) as page:
            print_board(manifest, ratings, page, choice=choice, **settings)
        return
    if choice is not None:
        pools = chosen_pools(manifest, ratings, choice)
        ratings = [rating for rating in ratings if rating.pool in pools]
    typer.echo(board_json(ratings) if format is Format.JSON else board_csv(ratings).rstrip("\n"))
