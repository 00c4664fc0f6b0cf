"""`arena bots`: the submitted bots."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arena.agent.submissions import Submissions
from arena.cli.shared.formats import Format, page_of
from arena.config import RESULTS
from arena.errors import StoreError
from arena.report.selection.submitted import Board, submitted_bots
from arena.report.terminal.submitted import print_submitted_bots
from arena.store.manifest import FILE, is_hall, read_manifest


def bots(
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    out: Annotated[Path, typer.Option(help="Folder of the results, which holds the submitted bots too.")] = RESULTS,
) -> int:
    """List the submitted bots, all versions, with what became of them and their last rating."""
    store = Submissions(out)
    versions = [version for name in store.names() for version in store.versions(name)]
    found = submitted_bots(versions, _boards(out) if versions else [])
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    elif found:
        with page_of(Format.TABLE) as page:
            print_submitted_bots(found, page)
    else:
        typer.echo(f"nothing is submitted yet in {store.folder}; do it with: arena submit BOT")
    return 0


def _boards(out: Path) -> list[Board]:
    """Newest first; what cannot be read is another command's business."""
    from arena.store import parquet  # only now: pyarrow takes most of the start

    stored = [path for path in out.glob(f"*/{FILE}") if not is_hall(path.parent)]
    manifests = sorted(stored, key=lambda path: path.stat().st_mtime_ns, reverse=True)
    boards: list[Board] = []
    for path in manifests:
        try:
            boards.append((read_manifest(path.parent), parquet.read_ratings(path.parent)))
        except StoreError as error:
            typer.echo(f"arena: without {path.parent.name}: {error}", err=True)
    return boards
