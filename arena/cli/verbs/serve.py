"""`arena serve [FOLDER]`: all results in the browser, filling while tournaments are played."""

import contextlib
import os
import secrets
import socket
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.printing import note, say
from arena.cli.shared.web import need_web
from arena.errors import ConfigError
from arena.results_folder import RESULTS, RESULTS_VARIABLE, nearest_results

LOOPBACK = "127.0.0.1"
PORT = 8000
_REDIRECT = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={url}">'


def serve(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="FOLDER",
            help=f"Folder of all results. Default: ${RESULTS_VARIABLE}, else the nearest leaderboards/ here or above.",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Address to listen at; 0.0.0.0 for all of this machine.")
    ] = LOOPBACK,
    port: Annotated[int, typer.Option("--port", metavar="N", help="Port to listen at; 0 for any free one.")] = PORT,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the browser.")] = False,
) -> int:
    """Show all results in the browser, live while tournaments are played.

    Prints an address with a secret token and opens it. Results are only read. Ctrl-C ends it.
    """
    need_web("arena serve")
    out = _chosen(folder)
    from arena.site.app import application  # only now: --help does without
    from arena.site.guard import rules_for
    from arena.site.server import listener, run

    with listener(host, port) as place, contextlib.ExitStack() as opened:
        token = secrets.token_urlsafe(32)
        url = f"http://{_reached(host)}:{place.getsockname()[1]}/login#token={token}"
        app = application(out, token=token, rules=rules_for(host))
        say(f"The hall of {out} is open: {url}")
        if host not in (LOOPBACK, "::1", "localhost"):
            note(f"anybody who reaches {host} and has the token can look at it; the connection is not encrypted")
        note("Ctrl-C closes it")
        if not no_browser and _has_screen():
            opened.enter_context(_browser(url))
        run(app, place)
    return DONE


def _chosen(folder: Path | None) -> Path:
    """The results folder. Raises ConfigError for one that was named and is none."""
    if folder is None and RESULTS_VARIABLE not in os.environ:
        nearest = nearest_results()
        if nearest != RESULTS:
            note(f"results in {nearest}")
        return nearest
    named = folder if folder is not None else Path(os.environ[RESULTS_VARIABLE])
    if not named.is_dir():
        raise ConfigError(f"{named}: no such folder; name the folder of all results, such as {RESULTS}")
    return named


def _reached(host: str) -> str:
    """The host as a browser on this machine reaches it."""
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _has_screen() -> bool:
    """Whether a browser has somewhere to open; in a terminal alone, one in text would take its place."""
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextlib.contextmanager
def _browser(url: str) -> Iterator[None]:
    """Open the browser with a file that leads on to the address: all users see command lines, and the token in it is secret."""
    with tempfile.TemporaryDirectory(prefix="arena-serve-") as folder:
        page = Path(folder) / "open.html"
        page.touch(0o600)
        page.write_text(_REDIRECT.format(url=url), "utf-8")
        webbrowser.open(page.as_uri())
        yield
