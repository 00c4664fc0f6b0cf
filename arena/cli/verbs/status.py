"""`arena status [NAME]`: how far tournaments are, and the command that goes on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared.durations import duration_text, rate_text
from arena.errors import StoreError, nearest
from arena.records import Ending
from arena.store.manifest import HALL
from arena.store.status import Status, read_status, tournaments


def status(
    name: Annotated[str | None, typer.Argument(help="The tournament; left out: all of them.")] = None,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("leaderboards"),
) -> int:
    """Print what is done and left, endings, rate, time left, and the command that goes on; disturbs no run."""
    folders = tournaments(out)
    if name == HALL:
        raise StoreError("the hall is never played: it gathers tournaments that are over; `arena hall` lists them")
    if name is not None:
        known = {folder.name: folder for folder in folders}
        if name not in known:
            raise StoreError(f"{out}: no tournament {name!r}; {nearest(name, known)}")
        folders = [known[name]]
    for folder in folders:
        try:
            lines = list(status_lines(read_status(folder)))
        except StoreError as error:
            if name is not None:
                raise
            lines = [f"{folder.name}: {error}"]  # the others can be read all the same
        for line in lines:
            typer.echo(line)
    return 0


def status_lines(found: Status) -> Iterator[str]:
    """A tournament in a few lines."""
    is_running = found.process is not None
    state = "finished" if found.is_finished else f"running (process {found.process})" if is_running else "stopped"
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
        yield f"  the hall's trouble: {found.trouble.lost_chunks:,} chunks lost with their workers; {attempts}"
    if found.command is not None and not is_running:
        yield f"  goes on with: {found.command}"
    elif not is_running and not found.is_finished:
        yield "  goes on with: the same command or call that started it"
