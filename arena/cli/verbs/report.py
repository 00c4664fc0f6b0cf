"""`arena report [NAME]`: a tournament as one page of HTML that works offline."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from arena.cli.verbs.leaderboard import find_folder
from arena.errors import ConfigError, StoreError
from arena.store.manifest import read_manifest

FILE = "report.html"


def report(
    name: Annotated[str | None, typer.Argument(help="The tournament, or hall; left out: the newest tournament.")] = None,
    out: Annotated[Path | None, typer.Option(help=f"The file to write; default: {FILE} in the tournament's folder.")] = None,
    results: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("leaderboards"),
) -> int:
    """Write a page with ranking, history, head-to-head, costs, seats, replays; open it in any browser, online or not."""
    folder = find_folder(results, name)
    target = folder / FILE if out is None else out
    if target.is_dir():
        raise ConfigError(f"--out {target}: is a folder; name a file, like {target / FILE}")
    if not target.parent.is_dir():
        raise ConfigError(f"--out {target}: no folder {target.parent}")
    from arena import games  # only now: rules, drawing and templates take most of the start, and --help does without
    from arena.report.html.page import html
    from arena.report.html.report import report as document
    from arena.workers.warmup import warm_rooms

    console = Console(stderr=True, highlight=False)
    known = read_manifest(folder)
    if known.finished:  # only then there are replays
        played = {entry.get("game") for entry in known.entries}
        warm_rooms([game for game in games.names() if game in played], console.print)
    with console.status("reading") as status:
        text = html(document(folder, lambda news: status.update(news)))
        _write(target, text)
    typer.echo(f"{target}: {len(text) / 1e6:.1f} MB")
    return 0


def _write(target: Path, text: str) -> None:
    """In one step: a browser never sees half a page."""
    temporary = target.with_name(f"{target.name}.new")
    try:
        temporary.write_text(text, "utf-8")
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StoreError(f"{target}: cannot be written: {error.strerror}") from None
