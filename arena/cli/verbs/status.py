"""`arena status [NAME]`: how far tournaments are, and the command that resumes each."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import typer

from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, Out
from arena.cli.shared.printing import Format, duration_text, note, rate_text, show
from arena.errors import StoreError, nearest
from arena.records import Ending
from arena.reports.terminal import Page
from arena.results.status import Status, read_status
from arena.results_folder import RESULTS
from arena.tournament.archive.folder import ARCHIVE, chosen, tournaments


def status(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Name of a tournament. Default: all tournaments.")] = None,
    format: FormatOption = Format.TABLE,
    out: Out = RESULTS,
) -> int:
    """Show how far tournaments are and the commands that resume them.

    Prints matches done and left, endings, rate and time left. It can run beside a tournament and does not disturb it.
    """
    folders = tournaments(out)
    if name == ARCHIVE:
        raise StoreError("the archive is never played: it gathers tournaments that are over; `arena archive` lists them")
    if name is not None:
        known = {folder.relative_to(out).as_posix(): folder for folder in folders}
        folders = chosen(name, known)
        if not folders:
            raise StoreError(f"{out}: no tournament {name!r}; {nearest(name, known)}")
    found: list[Status] = []
    lines: list[str] = []
    for folder in folders:
        try:
            found.append(msgspec.structs.replace(read_status(folder), name=folder.relative_to(out).as_posix()))
            lines += status_lines(found[-1])
        except StoreError as error:
            if name is not None and len(folders) == 1:
                raise
            if format.is_for_people:
                lines.append(f"{folder.relative_to(out).as_posix()}: {error}")  # the others can be read all the same
            else:
                note(f"{folder.name}: {error}")

    def write(page: Page) -> None:
        for line in lines:
            page.line(line)

    rows = [_row(one) for one in found]
    show(format, write, rows, rows, columns=tuple(rows[0]) if rows else ())
    return DONE


def _row(found: Status) -> dict[str, Any]:
    """A tournament as plain data."""
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return {"name": plain.pop("name"), "state": _state(found), **plain, "left": found.left, "seconds_left": found.seconds_left}


def _state(found: Status) -> str:
    if found.is_finished:
        return "finished"
    return "stopped" if found.process is None else "running" if found.total else "starting"


def status_lines(found: Status) -> Iterator[str]:
    """A tournament in a few lines."""
    is_running = found.process is not None
    if not found.total:
        yield f"{found.name}: " + (f"starting (process {found.process})" if is_running else "stopped before its first match")
        yield from _way_on(found)
        return
    state = f"running (process {found.process})" if _state(found) == "running" else _state(found)
    share = found.done / found.total if found.total else 1.0
    parts = [f"{found.done:,} of {found.total:,} matches ({share:.0%})", f"{found.left:,} left"]
    if found.rate:
        parts.append(rate_text(found.rate))
    if found.seconds_left is not None and found.left:
        parts.append(f"about {duration_text(found.seconds_left)} to go")
    yield f"{found.name}: {state}, {', '.join(parts)}"
    endings = [f"{ending.value} {found.endings[ending]:,}" for ending in Ending if found.endings.get(ending)]
    if endings:
        yield f"  seats by ending: {', '.join(endings)}" + (f"; void matches: {found.void:,}" if found.void else "")
    if found.trouble.failed_attempts:
        attempts = f"{found.trouble.failed_attempts:,} attempts at matches failed and were made again"
        yield f"  host faults: {found.trouble.lost_chunks:,} chunks lost with their workers; {attempts}"
    yield from _way_on(found)


def _way_on(found: Status) -> Iterator[str]:
    """Yield how a stopped run goes on."""
    if found.process is None and not found.is_finished:
        yield f"  goes on with: {found.command or 'the same command or call that started it'}"
