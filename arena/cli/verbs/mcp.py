"""`arena mcp`: a Model Context Protocol server, by which programs that use tools play, write bots and look at results."""

import importlib.util
import os
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared.exit_codes import DONE, INTERRUPTED
from arena.cli.shared.options import Out
from arena.cli.shared.printing import complain, note
from arena.cli.shared.web import LOCAL, need_web
from arena.errors import ConfigError, one_line, printable
from arena.results_folder import RESULTS
from arena.tournament.config import check_name


def mcp(
    http: Annotated[
        str | None,
        typer.Option(
            "--http", metavar="ADDRESS:PORT", help="Serve over HTTP, such as 127.0.0.1:8100. Default: stdin and stdout."
        ),
    ] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Name of the agent at the table and in ratings.")
    ] = "agent",
    author: Annotated[
        Path | None,
        typer.Option("--author", metavar="FOLDER", help="Offer the tools of an author, too, for bots in this folder."),
    ] = None,
    submit_to: Annotated[
        str | None,
        typer.Option(
            "--submit-to", metavar="URL", help="With --author: offer to hand bots in at the server there ($ARENA_TOKEN)."
        ),
    ] = None,
    hall: Annotated[
        str | None,
        typer.Option("--hall", metavar="URL", help="Let the agent sit down at the hall there, too ($ARENA_TOKEN)."),
    ] = None,
    out: Out = RESULTS,
) -> int:
    """Let programs that use tools play, write bots and look at results, by the Model Context Protocol.

    Without --http it speaks over stdin and stdout, for the program that has started it. Matches against bots are stored like
    those of people. The page mcp of `arena docs` says how to connect a client.
    """
    need_web("arena mcp")
    need_mcp()
    agent = one_line(printable(name.strip(), 40))
    if not agent:
        raise ConfigError("--name: a name of at least one character is needed")
    if submit_to is not None and author is None:
        raise ConfigError("--submit-to: only with --author, whose bots are handed in")
    if hall is not None:
        check_name(agent, "--name: a hall calls the agent so")
    if author is not None and not author.is_dir():
        raise ConfigError(f"--author: {author}: no such folder")
    address = None if http is None else _address(http)
    from arena.mcp import server  # only now: --help does without
    from arena.mcp.hall import Hall
    from arena.mcp.service import service
    from arena.server.joining.address import server_at
    from arena.server.server import listener

    if submit_to is not None:
        submit_to = server_at(submit_to, None).url
    elsewhere = None if hall is None else Hall(server_at(hall, None), agent)
    folder = None if author is None else author.resolve()
    found = service(out, agent, author=folder, submit_to=submit_to, hall=elsewhere)
    sdk = server.sdk_server(found.toolbox, found.catalogue)
    if address is None:
        try:
            server.serve_stdio(sdk, found.opened())
        except KeyboardInterrupt:
            complain("interrupted")
            os._exit(INTERRUPTED)  # a thread waits for the next line of stdin, and the end of the process would wait for it
        return DONE
    with listener(*address) as place:
        host = f"[{address[0]}]" if ":" in address[0] else address[0]
        note(f"The server is open: http://{host}:{place.getsockname()[1]}{server.PATH}")
        note("Ctrl-C closes it")
        server.serve_http(sdk, found.opened(), place)
    return DONE


def need_mcp() -> None:
    """Raise ConfigError that says what to install, unless it is installed."""
    if importlib.util.find_spec("mcp") is None:
        raise ConfigError("arena mcp needs mcp: pip install 'arena-hall[mcp]', or in a clone: pip install '.[mcp]'")


def _address(text: str) -> tuple[str, int]:
    """The address and port of `--http`. Raises ConfigError."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdecimal() or int(port) > 65_535:
        raise ConfigError(f"--http: {printable(text, 80)}: ADDRESS:PORT is needed, such as 127.0.0.1:8100")
    host = host.removeprefix("[").removesuffix("]")
    if host not in LOCAL:  # the server knows nobody
        raise ConfigError(
            f"--http: {printable(host, 80)}: only this machine may reach it ({', '.join(LOCAL)}); it asks for no token"
        )
    return host, int(port)
