"""`arena hall`: what the lasting hall holds; finished tournaments that are not in it yet enter it."""

from datetime import UTC
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared.formats import Format, page_of
from arena.errors import StoreError
from arena.report.terminal.page import Column, fitting
from arena.store.manifest import FILE, HALL, is_hall, read_manifest


def hall(
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Folders of tournaments to add, from anywhere; left out: all of the results.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("leaderboards"),
) -> int:
    """Add finished tournaments to the hall, and list what is in it; `arena leaderboard hall` shows its board."""
    from arena.hall import folder as halls  # only now: pyarrow takes most of the start, and --help does without

    place = out / HALL
    halls.check_place(place)
    for folder in folders or sorted(path.parent for path in out.glob(f"*/{FILE}") if not is_hall(path.parent)):
        try:
            if not folders and not read_manifest(folder).finished:
                typer.echo(f"{folder.name}: not finished; it enters the hall when it ends")
                continue
            if halls.add(place, folder.resolve()) is not None:
                typer.echo(f"{folder.name}: added")
        except StoreError as error:
            if folders:
                raise
            typer.echo(f"{folder.name}: not added: {error}", err=True)  # the others can be added all the same
    if not is_hall(place):
        raise StoreError(f"{out}: no finished tournament there; play one with: arena tournament CONFIG")
    parts = halls.counted(halls.entries(place))
    columns = [
        Column("started (UTC)", [f"{part.entry.started.astimezone(UTC):%Y-%m-%d %H:%M:%S}" for part in parts], 0, "left"),
        Column("tournament", [part.entry.manifest.name for part in parts], 0, "left"),
        Column("matches", [f"{part.entry.manifest.played:,}" for part in parts], 0),
        Column("rows", [f"{part.stored:,}" for part in parts], 0),
        Column("that count", [f"{part.rows:,}" for part in parts], 0),
        Column("folder", [part.entry.folder.name for part in parts], 1, "left"),
    ]
    with page_of(Format.TABLE) as page:
        page.say(f"{place}: tournaments: {len(parts)}; rows that count: {sum(part.rows for part in parts):,}", "bold")
        page.table(fitting(columns, page.width, "tournament"), [""] * len(parts))
        if any(part.rows < part.stored for part in parts):
            page.say("rows of matches that an earlier tournament has too (same seed) count there alone", "dim")
    return 0
