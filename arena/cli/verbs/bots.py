"""`arena bots`: the submitted bots."""

from pathlib import Path

from arena.agent.submissions import Submissions
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, Out
from arena.cli.shared.printing import Format, note, show
from arena.errors import StoreError
from arena.reports.submitted import Board, SubmittedBot, submitted_bots, submitted_table
from arena.reports.terminal import Page
from arena.results.manifest import MANIFEST_FILE, read_manifest
from arena.results_folder import RESULTS
from arena.tournament.archive.folder import finished_or_stopped


def bots(format: FormatOption = Format.TABLE, out: Out = RESULTS) -> int:
    """List the submitted bots with their last ratings.

    Every version has a line, with its state: not played, played, retired (for its faults), replaced (by a newer
    version), withdrawn or renamed.
    """
    store = Submissions(out)
    versions = [version for name in store.names() for version in store.versions(name)]
    withdrawn = {name: withdrawal for name in store.names() if (withdrawal := store.withdrawal(name)) is not None}
    found = submitted_bots(versions, _boards(out) if versions else [], withdrawn)

    def write(page: Page) -> None:
        if found:
            page.table(submitted_table(found))
        else:
            page.say(f"nothing is submitted yet in {store.folder}; do it with: arena submit BOT")

    show(format, write, found, found, columns=SubmittedBot.__struct_fields__)
    return DONE


def _boards(out: Path) -> list[Board]:
    """The newest first; a folder that cannot be read is left out with a note."""
    from arena.results import parquet  # only now: pyarrow takes most of the start

    stored = [folder / MANIFEST_FILE for folder in finished_or_stopped(out)]
    manifests = sorted(stored, key=lambda path: path.stat().st_mtime_ns, reverse=True)
    boards: list[Board] = []
    for path in manifests:
        try:
            boards.append((read_manifest(path.parent), parquet.read_ratings(path.parent)))
        except StoreError as error:
            note(f"arena: without {path.parent.name}: {error}")
    return boards
