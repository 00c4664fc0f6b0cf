"""`arena invite NAMES.txt`: join links for people, whether a server is open or not."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
import typer

from arena import userfiles
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, Out
from arena.cli.shared.printing import Format, note, show
from arena.cli.shared.web import LOOPBACK, PORT
from arena.errors import ConfigError
from arena.reports.pages.words import filled, server_words
from arena.reports.table import LANGUAGES, Column, Table
from arena.reports.terminal import Page, has_room
from arena.results.accounts import TERMINAL, Accounts, Invited, join_link
from arena.results.site_file import Role, SiteFile
from arena.results_folder import RESULTS
from arena.server.people.invitations import VALUES, BadList, invite_listed

LONGEST_FILE = 1_000_000
"""Bytes of a list of names."""
_USUAL = f"http://{LOOPBACK}:{PORT}"


class JoinLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link that lets a person in, once."""

    name: str
    role: str
    link: str
    new: bool
    """Whether the account was made now; if not, the link replaces its token when it is used."""


def invite(
    names: Annotated[
        Path, typer.Argument(metavar="NAMES.txt", help="File with a name on each line; what follows a # is a comment.")
    ],
    role: Annotated[
        Role, typer.Option("--role", metavar="ROLE", help="Role of new accounts: author, guest or organiser.")
    ] = Role.AUTHOR,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="Address of the server as people reach it.")] = _USUAL,
    format: FormatOption = Format.TABLE,
    out: Out = RESULTS,
) -> int:
    """Make join links for people, who need no password.

    Each link works once and gives the person a token. A name that has an account keeps it, with its role; the new link
    replaces its token when it is used. Links are printed here and kept nowhere. Of a list with mistakes nobody is invited.
    """
    server = _server(url)
    text = _read(names)
    file = SiteFile(out)
    try:
        invited = invite_listed(Accounts(file), TERMINAL, text, role)
    except BadList as error:
        raise ConfigError(f"{names}: nobody was invited:\n" + "\n".join(map(_said, error.lines))) from None
    finally:
        file.close()
    links = [_link(one, server) for one in invited]
    show(format, lambda page: _print(links, page), links, links, columns=JoinLink.__struct_fields__)
    if kept := [one.name for one in links if not one.new]:
        note(f"{len(kept)} of them had an account, which keeps its role: {', '.join(kept)}; an older link of theirs ends")
    if url == _USUAL:
        note(f"the links lead to {_USUAL}, which only this machine reaches; name another address with --url")
    return DONE


def _server(url: str) -> str:
    """The address of the server without a slash at its end. Raises ConfigError."""
    try:
        found = urlsplit(url)
        is_address = found.scheme in ("http", "https") and bool(found.hostname) and found.path in ("", "/")
        is_address = is_address and not found.query and not found.fragment and "@" not in found.netloc and url.isprintable()
    except ValueError:
        is_address = False
    if not is_address or " " in url:
        raise ConfigError(f"--url {url}: no address of a server; name one such as https://arena.example.org")
    return url.rstrip("/")


def _read(path: Path) -> str:
    try:
        return userfiles.read_text(path, LONGEST_FILE)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}; a list of names has one name on each line") from None


def _said(line: tuple[int, str, str]) -> str:
    number, name, why = line
    return f"line {number}: {name!r}: {filled(server_words(LANGUAGES[0])[why], VALUES)}"


def _link(one: Invited, server: str) -> JoinLink:
    return JoinLink(name=one.account.name, role=one.account.role, link=join_link(server, one.code), new=one.is_new)


def _print(links: Sequence[JoinLink], page: Page) -> None:
    """Print a line for each person, or two where the links would be cut."""
    links_table = Table(
        [Column("name"), Column("role"), Column("join link")], [[one.name, one.role, one.link] for one in links]
    )
    if has_room(links_table, page.width):
        page.table(links_table)
        return
    for one in links:
        page.line(f"{one.name} ({one.role})")
        page.line(f"  {one.link}")
