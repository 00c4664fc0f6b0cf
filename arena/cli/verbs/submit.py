"""`arena submit BOT`: check a bot, then keep it as the next version of its name."""

from pathlib import Path
from typing import Annotated

import typer

from arena.admission.check_report import BotCheck
from arena.agent import BotFiles
from arena.agent.submissions import ALL, PREFIX, Submissions
from arena.cli.shared.checking import checked, name_of, report_object
from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.options import BotText, FormatOption, Out
from arena.cli.shared.printing import Format, show
from arena.config import check_name
from arena.errors import ConfigError
from arena.report.terminal.bot_check import print_bot_check
from arena.report.terminal.page import Page
from arena.results_folder import RESULTS


def submit(
    bot: BotText,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the bot in tournaments. Default: its file's or folder's."),
    ] = None,
    as_new: Annotated[
        bool, typer.Option("--as-new", help="Make files that are an older version of the bot its newest version again.")
    ] = False,
    format: FormatOption = Format.TABLE,
    out: Out = RESULTS,
) -> int:
    """Check a bot and store it as the next version of its name.

    Configs name it submitted:NAME, or submitted:NAME@2 for one version. Exit code 0: it is stored, 1: it may not enter.
    """
    chosen = name or name_of(bot, out)
    check_name(chosen, f"{bot}: --name gives it another name" if name is None else "--name")
    if chosen == ALL:
        raise ConfigError(f"--name: {PREFIX}{ALL} means all bots, so none has that name")
    if Path(bot).is_symlink():
        raise ConfigError(f"{bot}: a link; give the bot itself")
    found, files = checked(bot, [], results=out)
    if files is None or not found.may_enter:
        entry, lines = _refused(chosen, found)
    else:
        entry, lines = _stored(chosen, found, files, Submissions(out), as_new=as_new)

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


def _stored(
    name: str, found: BotCheck, files: BotFiles, store: Submissions, *, as_new: bool
) -> tuple[dict[str, object], list[str]]:
    """Store the bot; the outcome as data and in words."""
    kept, is_new = store.submit(name, files, tuple(game.game for game in found.games), as_new=as_new)
    newest = store.versions(name)[-1]
    entry = {
        "submitted": True, "is_new": is_new, "name": name, "version": kept.version, "reference": kept.reference,
        "sha256": kept.sha256,
    }  # fmt: skip
    if is_new:
        first = f"submitted as {name}, version {kept.version}"
    else:
        first = f"not submitted again: these files are version {kept.version} of {name}"
    if newest.version == kept.version:
        return entry, [first, f"in configs: {PREFIX}{name}, this version for good: {kept.reference}"]
    return entry, [
        first,
        f"in configs: {kept.reference}; {PREFIX}{name} is version {newest.version}",
        "to make these files its newest version again: arena submit BOT --as-new",
    ]
