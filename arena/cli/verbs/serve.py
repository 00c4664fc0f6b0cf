"""`arena serve [FOLDER]`: all results in the browser, filling while tournaments are played, and tables to play at."""

import contextlib
import os
import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cache import cache_root
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import Workers
from arena.cli.shared.printing import note, say
from arena.cli.shared.web import LOCAL, LOOPBACK, PORT, browser_at, has_screen, need_web
from arena.errors import ConfigError
from arena.results_folder import RESULTS, RESULTS_VARIABLE, nearest_results, umask_of
from arena.tournament.workers.processes import check_workers

if TYPE_CHECKING:
    from arena.server.sign_in.settings import SignIn


def serve(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="FOLDER",
            help=f"Folder of all results. Default: ${RESULTS_VARIABLE}, else the nearest leaderboards/ here or above.",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            "--host", metavar="ADDRESS", help="Address to listen at; 0.0.0.0 for all of this machine, unix:FILE for a file."
        ),
    ] = LOOPBACK,
    port: Annotated[int, typer.Option("--port", metavar="N", help="Port to listen at; 0 for any free one.")] = PORT,
    behind_proxy: Annotated[
        str | None,
        typer.Option(
            "--behind-proxy",
            metavar="URL",
            help="Public address of a proxy on this machine, such as https://arena.example.org.",
        ),
    ] = None,
    sign_in: Annotated[
        Path | None,
        typer.Option("--sign-in", metavar="FILE.yaml", help="Believe the proxy who asks, by a header that the file names."),
    ] = None,
    contest: Annotated[
        Path | None,
        typer.Option("--contest", metavar="FILE.yaml", help="Hold a contest: take submissions, and play its ladder."),
    ] = None,
    workers: Workers = None,
    address: Annotated[
        str | None,
        typer.Option("--address", metavar="HOST:PORT", help="A running Ray cluster that plays the ladder of the contest."),
    ] = None,
    metrics_port: Annotated[
        int | None,
        typer.Option("--metrics-port", metavar="N", help="Tell Prometheus how the server is at this port, without a token."),
    ] = None,
    metrics_host: Annotated[str, typer.Option("--metrics-host", metavar="ADDRESS", help="Address of that port.")] = LOOPBACK,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the browser.")] = False,
) -> int:
    """Show all results in the browser, live while tournaments are played, and let people play.

    Prints an address with a secret token and opens it. Tournaments are only read; matches of people are stored. Ctrl-C ends it.
    """
    need_web("arena serve")
    out = _chosen(folder, is_made=contest is not None)
    cache_root()  # whose programs locked bots have to reach, as another user
    os.umask(umask_of(out))  # of all that the server and its children write
    from arena.server.app import application  # only now: --help does without
    from arena.server.guard import public_address, rules_for
    from arena.server.metrics.page import PATH, MetricsPage
    from arena.server.metrics.requests import RequestCounts
    from arena.server.running_contest.running import RunningContest
    from arena.server.server import UNIX, listener, run, socket_file
    from arena.server.sign_in.header import FILE
    from arena.server.sign_in.settings import read_sign_in

    file = Path(host.removeprefix(UNIX)) if host.startswith(UNIX) else None
    signing = None if sign_in is None else read_sign_in(sign_in)
    _check_proxied(behind_proxy, file, signing)
    proxies = (FILE,) if file is not None else () if signing is None else tuple(signing.proxies)
    public = None if behind_proxy is None else public_address(behind_proxy, host, proxies)
    check_workers(workers)
    if contest is None and (workers is not None or address is not None):
        raise ConfigError("--workers, --address: of the ladder of a contest; name its file with --contest")
    held = None if contest is None else RunningContest(contest, out, address=address, workers=workers)
    with listener(host, port) if file is None else socket_file(file) as place, contextlib.ExitStack() as opened:
        if file is not None:
            opened.callback(file.unlink, missing_ok=True)
        token = secrets.token_urlsafe(32)
        own = host if file is not None else f"http://{_reached(host)}:{place.getsockname()[1]}"
        url = f"{public or own}/login#token={token}"
        if signing is not None:  # the token is for who comes past the proxy
            url = f"{own}/login#token={token}" if signing.tokens and file is None else str(public)
        counts = None if metrics_port is None else RequestCounts()
        app = application(out, token=token, rules=rules_for(host, public), contest=held, counts=counts, sign_in=signing)
        beside = None
        if counts is not None and metrics_port is not None:
            scraped = opened.enter_context(listener(metrics_host, metrics_port, "--metrics-"))
            beside = (MetricsPage(app.state.server, counts), scraped)
        say(f"The server of {out} is open: {url}")
        if held is not None:
            note(f"it holds the contest {held.contest.name}, whose ladder goes on by itself: {held.folder}")
        if public is not None:
            note(f"the proxy finds it at {own}")
        elif host not in LOCAL:
            note(f"anybody who reaches {host} and has the token can look at it; the connection is not encrypted")
            note("others play along without the token: open a table with other people on the page Play, and send them its link")
        if beside is not None:
            note(f"its metrics are at http://{_reached(metrics_host)}:{beside[1].getsockname()[1]}{PATH}")
        note("Ctrl-C closes it")
        if not no_browser and has_screen():
            opened.enter_context(browser_at(url))
        run(app, place, beside=beside)
        if held is not None:
            note(f"closed; what was played and sent is in {out}, and the same command goes on from there")
    return DONE


def _check_proxied(behind_proxy: str | None, file: Path | None, sign_in: "SignIn | None") -> None:
    """Raise ConfigError for what needs a proxy where none is named, and for addresses of one that comes by a file."""
    if behind_proxy is None and (sign_in is not None or file is not None):
        what = "--sign-in" if sign_in is not None else "--host unix:FILE"
        raise ConfigError(f"{what}: a proxy is needed before the server; name its address with --behind-proxy")
    if file is not None and sign_in is not None and sign_in.proxies:
        raise ConfigError("proxies: at a file there are no addresses, and whoever may open it is believed; leave the key out")


def _chosen(folder: Path | None, *, is_made: bool) -> Path:
    """The results folder. Raises ConfigError for one that was named and is none. `is_made`: a new one is made."""
    if folder is None and RESULTS_VARIABLE not in os.environ:
        nearest = nearest_results()
        if nearest != RESULTS:
            note(f"results in {nearest}")
        return nearest
    named = folder if folder is not None else Path(os.environ[RESULTS_VARIABLE])
    if is_made and not named.exists():
        try:
            named.mkdir(parents=True)
        except OSError as error:
            raise ConfigError(f"{named}: cannot be made: {error.strerror}") from None
    if not named.is_dir():
        raise ConfigError(f"{named}: no such folder; name the folder of all results, such as {RESULTS}")
    return named


def _reached(host: str) -> str:
    """The host as browsers reach it: for all addresses of this machine the one that it has in its network."""
    if host in ("0.0.0.0", "::"):
        return _own_address() or socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _own_address() -> str | None:
    """The IPv4 address of this machine in its network; None without a network. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as place:
        try:
            place.connect(("192.0.2.1", 9))  # an address that is reserved for documentation: only the way there is looked up
            found: str = place.getsockname()[0]
        except OSError:
            return None
    return found
