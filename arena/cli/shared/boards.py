"""What commands that show a leaderboard share: which folder is meant, and the board in any form."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from arena.cli.shared.printing import Format, note, show
from arena.disk import is_there
from arena.errors import StoreError, nearest
from arena.ratings.settings import headline_model
from arena.records import Rating
from arena.reports.board import SPREADSHEET, chosen_pools, ratings_by, spreadsheet_rows
from arena.reports.printed import print_board
from arena.reports.terminal import Page
from arena.results.manifest import MANIFEST_FILE, Manifest
from arena.results.schema import SeatTotals, StoredCall
from arena.tournament.archive.folder import (
    ARCHIVE,
    FINAL,
    check_place,
    chosen,
    finished_or_stopped,
    is_archive,
    is_rated,
    parts,
)


def find_folder(out: Path, name: str | None) -> Path:
    """The folder of the tournament `name`, of the newest one, or of the archive, which is rated if need be.

    The name of a tuning means its last comparison. Raises StoreError.
    """
    if name == ARCHIVE:
        return _archive(out)
    stored = {folder.name: folder / MANIFEST_FILE for folder in finished_or_stopped(out)}
    if not stored and (name is None or not parts(out)):
        raise StoreError(f"{out}: no tournament there; play one with: arena tournament CONFIG")
    if name is None:
        return max(stored.values(), key=lambda path: path.stat().st_mtime_ns).parent
    inside = {part.relative_to(out).as_posix(): part for part in parts(out) if is_there(part / MANIFEST_FILE)}
    known = {**{other: path.parent for other, path in stored.items()}, **inside}
    found = chosen(name, known)
    if not found:
        raise StoreError(f"{out}: no tournament {name!r}; {nearest(name, [*known, ARCHIVE])}")
    if len(found) == 1:
        return found[0]
    if f"{name}/{FINAL}" in inside:
        return inside[f"{name}/{FINAL}"]
    names = ", ".join(folder.relative_to(out).as_posix() for folder in found)
    raise StoreError(f"{out}: {name!r} is several tournaments; name one of them: {names}")


def _archive(out: Path) -> Path:
    folder = out / ARCHIVE
    check_place(folder)
    if not is_archive(folder):
        raise StoreError(
            f"{folder}: the archive is empty; every tournament enters it when it ends, older ones by: arena archive"
        )
    if not is_rated(folder):
        from arena.tournament.archive.adding import rate_archive

        rate_archive(folder, note)
    return folder


def show_board(
    manifest: Manifest,
    ratings: list[Rating],
    format: Format,
    *,
    choice: str | None = None,
    totals: Iterable[SeatTotals] = (),
    calls: Sequence[StoredCall] = (),
    model: str | None = None,
    title: str | None = None,
) -> None:
    """Print a leaderboard. Raises ConfigError for an unknown `choice`.

    `choice` is a pool or a game, to see it alone; `totals` adds faults by kind and CPU times to the table, `calls` a table of
    language models; without `model` people and spreadsheets are shown the headline's model, and JSON has all; `title` replaces
    the first line of the table.
    """
    ranking = model or headline_model(manifest.config)
    chosen = ratings if model is None else ratings_by(model, ratings)
    if choice is not None:
        pools = chosen_pools(manifest, chosen, choice)
        chosen = [rating for rating in chosen if rating.pool in pools]

    def write(page: Page) -> None:
        print_board(manifest, ratings, page, choice=choice, totals=totals, calls=calls, model=ranking, title=title)

    ranked = ratings_by(ranking, chosen)
    sheet = spreadsheet_rows(ranked, chosen_pools(manifest, ratings_by(ranking, ratings), choice))
    show(format, write, chosen, sheet, columns=SPREADSHEET)
