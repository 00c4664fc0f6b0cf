"""`arena archive`: what the archive holds; finished tournaments that are not in it yet enter it."""

from collections.abc import Sequence
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, Out
from arena.cli.shared.printing import Format, note, say, show
from arena.errors import StoreError
from arena.reports.columns import MATCHES, TOURNAMENT
from arena.reports.table import Column, Row, Table
from arena.reports.terminal import Page
from arena.results.manifest import read_manifest
from arena.results_folder import RESULTS
from arena.tournament.archive.folder import ARCHIVE, check_place, entries, finished_or_stopped, is_archive

if TYPE_CHECKING:
    from arena.tournament.archive.rows import Part


def archive(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FOLDER...", help="Folders of tournaments to add, from anywhere. Default: all tournaments of the results."
        ),
    ] = None,
    format: FormatOption = Format.TABLE,
    out: Out = RESULTS,
) -> int:
    """Add finished tournaments to the archive and list its tournaments.

    `arena leaderboard archive` prints its leaderboard.
    """
    from arena.tournament.archive.adding import (
        add_to_archive,  # only now: pyarrow takes most of the start, and --help does without
    )
    from arena.tournament.archive.rows import counted

    place = out / ARCHIVE
    check_place(place)
    tell = say if format.is_for_people else note
    for folder in folders or finished_or_stopped(out):
        try:
            if not folders and not read_manifest(folder).finished:
                tell(f"{folder.name}: not finished; it enters the archive when it ends")
                continue
            if add_to_archive(place, folder.resolve()) is not None:
                tell(f"{folder.name}: added")
        except StoreError as error:
            if folders:
                raise
            note(f"{folder.name}: not added: {error}")  # the others can be added all the same
    if not is_archive(place):
        raise StoreError(f"{out}: no finished tournament there; play one with: arena tournament CONFIG")
    parts = counted(entries(place))
    rows = [
        {
            "started": part.entry.started.astimezone(UTC).isoformat(), "tournament": part.entry.manifest.name,
            "matches": part.entry.manifest.played, "rows": part.stored, "counted_rows": part.rows,
            "folder": part.entry.folder.name,
        }
        for part in parts
    ]  # fmt: skip
    show(format, lambda page: _write(page, place, parts), rows, rows)
    return DONE


def _write(page: Page, place: Path, parts: "Sequence[Part]") -> None:
    columns = [
        Column("started (UTC)"), TOURNAMENT.but(is_name=True), MATCHES.but(dropped=0), Column("rows", ","),
        Column("that count", ","), Column("folder", dropped=1),
    ]  # fmt: skip
    rows: list[Row] = [
        [
            f"{part.entry.started.astimezone(UTC):%Y-%m-%d %H:%M:%S}", part.entry.manifest.name, part.entry.manifest.played,
            part.stored, part.rows, part.entry.folder.name,
        ]
        for part in parts
    ]  # fmt: skip
    page.say(f"{place}: tournaments: {len(parts)}; rows that count: {sum(part.rows for part in parts):,}", "bold")
    page.table(Table(columns, rows))
    if any(part.rows < part.stored for part in parts):
        page.say("rows of matches that an earlier tournament has too (same seed) count there alone", "dim")
