"""`arena report [NAME]`: a tournament as one page of HTML that works offline."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared.boards import find_folder
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import ArchiveOrName, Out
from arena.cli.shared.printing import error_console, news_on, plain_text, say
from arena.disk import write_whole
from arena.errors import ConfigError, nearest
from arena.reports.table import LANGUAGES
from arena.results.manifest import read_manifest
from arena.results_folder import RESULTS

REPORT_FILE = "report.html"


def report(
    name: ArchiveOrName = None,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help=f"File to write. Default: {REPORT_FILE} in the tournament's folder."),
    ] = None,
    language: Annotated[
        str, typer.Option("--language", metavar="LANGUAGE", help=f"Language of the page: {' or '.join(LANGUAGES)}.")
    ] = LANGUAGES[0],
    out: Out = RESULTS,
) -> int:
    """Write a tournament as one page of HTML that works offline.

    The page shows ranking, history, head-to-head, costs, seats, faults and replays.
    """
    if out.suffix == ".html":
        raise ConfigError(f"--out {out}: --out is the folder of all results; the file to write is --to {out}")
    if language not in LANGUAGES:
        raise ConfigError(f"--language {language}: no such language; {nearest(language, LANGUAGES)}")
    folder = find_folder(out, name)
    target = folder / REPORT_FILE if to is None else to
    if target.is_dir():
        raise ConfigError(f"--to {target}: is a folder; name a file, like {target / REPORT_FILE}")
    if not target.parent.is_dir():
        raise ConfigError(f"--to {target}: no folder {target.parent}")
    from arena import games  # only now: rules, drawing and templates take most of the start, and --help does without
    from arena.reports.pages.words import Words
    from arena.reports.report import html
    from arena.reports.report import report as document
    from arena.tournament.workers.compiling import warm_games

    console = error_console()
    known = read_manifest(folder)
    if known.finished:  # only then there are replays
        played = {entry.get("game") for entry in known.entries}
        warm_games({game: () for game in games.names() if game in played}, news_on(console))
    with console.status("reading") as status:
        word = Words(language)
        text = html(document(folder, word, lambda news: status.update(plain_text(news))), word)
        write_whole(target, text.encode())
    say(f"{target}: {len(text) / 1e6:.1f} MB")
    return DONE
