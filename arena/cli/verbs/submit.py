"""`arena submit BOT`: check a bot, then keep it as the next version of its name."""

from pathlib import Path
from typing import Annotated

import typer

from arena.agent.loading import find_bot
from arena.agent.submissions import ALL, PREFIX, Submission, Submissions
from arena.cli.shared.checking import check_exists, checked, name_of, report_object
from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.options import BotText, FormatOption, Out, Token
from arena.cli.shared.printing import Format, show
from arena.cli.shared.remote_server import RemoteServer, sent
from arena.errors import BotError, ConfigError
from arena.match.model_seat import MUST_BE_TRUSTED
from arena.reports.checks import print_bot_check
from arena.reports.terminal import Page
from arena.results_folder import RESULTS
from arena.server.joining.address import server_at
from arena.tournament.bot_check import kept
from arena.tournament.check_report import BotCheck, refused
from arena.tournament.config import check_name


def submit(
    bot: BotText,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the bot in tournaments. Default: its file's or folder's."),
    ] = None,
    as_new: Annotated[
        bool, typer.Option("--as-new", help="Make files that are an older version of the bot its newest version again.")
    ] = False,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="URL", help="Send it to the server at this address, which checks and keeps it."),
    ] = None,
    token: Token = None,
    format: FormatOption = Format.TABLE,
    out: Out = RESULTS,
) -> int:
    """Check a bot and store it as the next version of its name.

    Configs name it submitted:NAME, or submitted:NAME@2 for one version. With --to, the server at that address does both.
    Exit code 0: it is stored, 1: it may not enter.
    """
    chosen = name or name_of(bot, out)
    check_name(chosen, f"{bot}: --name gives it another name" if name is None else "--name")
    if chosen == ALL:
        raise ConfigError(f"--name: {PREFIX}{ALL} means all bots, so none has that name")
    if Path(bot).is_symlink():
        raise ConfigError(f"{bot}: a link; give the bot itself")
    if to is not None:
        return _sent(bot, chosen, RemoteServer(server_at(to, token)), format, out)
    if token is not None:
        raise ConfigError("--token: it is for a server; name the server with --to URL")
    found, files = checked(bot, [], results=out)
    store = Submissions(out)
    submitted = kept(chosen, found, files, store, as_new=as_new)
    entry, lines = _refused(chosen, found) if submitted is None else _stored(chosen, *submitted, store)
    return _shown(found, entry, lines, format)


def _sent(bot: str, name: str, server: RemoteServer, format: Format, out: Path) -> int:
    """Send a bot to a server and show what came of it, as if it had been submitted here."""
    check_exists(bot)
    try:
        files = find_bot(bot, out).files
    except BotError as error:
        found = refused(name, str(error))
        return _shown(found, *_refused(name, found), format)
    if files.model is not None:
        found = refused(name, MUST_BE_TRUSTED)
        return _shown(found, *_refused(name, found), format)
    ended = sent(server, name, files)
    submission, report = ended.submission, ended.report or refused(name, "; ".join(ended.submission.reasons))
    page = {"submission": f"{server.url}/submissions/{submission.id}"}
    if submission.version is None:
        entry, lines = _refused(name, report)
        return _shown(report, entry | page, [*lines, page["submission"]], format)
    entry = {
        "submitted": True, "is_new": submission.is_new, "name": name, "version": submission.version,
        "reference": submission.reference, "sha256": submission.sha256, **page,
    }  # fmt: skip
    first = _first_line(name, submission.version, is_new=bool(submission.is_new))
    return _shown(report, entry, [first, page["submission"]], format)


def _shown(found: BotCheck, entry: dict[str, object], lines: list[str], format: Format) -> int:
    def write(page: Page) -> None:
        print_bot_check(found, page)
        for line in lines:
            page.line(line)

    show(format, write, {**entry, "check": report_object(found)}, [entry])
    return DONE if entry["submitted"] else NO


def _refused(name: str, found: BotCheck) -> tuple[dict[str, object], list[str]]:
    """The outcome as data and in words."""
    entry = {"submitted": False, "is_new": False, "name": name, "version": None, "reference": None, "sha256": found.sha256}
    return entry, ["not submitted"]


def _stored(name: str, kept: Submission, is_new: bool, store: Submissions) -> tuple[dict[str, object], list[str]]:
    """The outcome as data and in words."""
    newest = store.versions(name)[-1]
    entry = {
        "submitted": True, "is_new": is_new, "name": name, "version": kept.version, "reference": kept.reference,
        "sha256": kept.sha256,
    }  # fmt: skip
    first = _first_line(name, kept.version, is_new=is_new)
    if newest.version == kept.version:
        return entry, [first, f"in configs: {PREFIX}{name}, this version for good: {kept.reference}"]
    return entry, [
        first,
        f"in configs: {kept.reference}; {PREFIX}{name} is version {newest.version}",
        "to make these files its newest version again: arena submit BOT --as-new",
    ]


def _first_line(name: str, version: int, *, is_new: bool) -> str:
    if is_new:
        return f"submitted as {name}, version {version}"
    return f"not submitted again: these files are version {version} of {name}"
