"""`arena submit BOT`: check a bot, then keep it as the next version of its name."""

from pathlib import Path
from typing import Annotated

import typer

from arena.agent.submissions import ALL, PREFIX, Submissions
from arena.cli.shared.formats import Format, page_of
from arena.cli.verbs.check import REFUSED, checked, named
from arena.config import RESULTS, check_name
from arena.errors import ConfigError
from arena.report.terminal.bot_check import print_bot_check


def submit(
    bot: Annotated[Path, typer.Argument(help="The bot's file or folder.")],
    name: Annotated[str | None, typer.Option(help="Its name in tournaments; default: the file's or folder's.")] = None,
    out: Annotated[Path, typer.Option(help="Folder of the results, which holds the submitted bots too.")] = RESULTS,
) -> int:
    """Check a bot and, if it may enter, store it for configs as submitted:NAME; returns 1 if it may not."""
    chosen = name or named(bot)
    check_name(chosen, f"{bot}: --name gives it another name" if name is None else "--name")
    if chosen == ALL:
        raise ConfigError(f"--name: {PREFIX}{ALL} means all bots, so none has that name")
    if bot.is_symlink():
        raise ConfigError(f"{bot}: a link; give the bot itself")
    found, files = checked(bot, [])
    with page_of(Format.TABLE) as page:
        print_bot_check(found, page)
    if files is None or not found.may_enter:
        typer.echo("not submitted")
        return REFUSED
    store = Submissions(out)
    kept, is_new = store.submit(chosen, files, tuple(game.game for game in found.games))
    newest = store.versions(chosen)[-1]
    if is_new:
        typer.echo(f"submitted as {chosen}, version {kept.version}")
    else:
        typer.echo(f"not submitted again: these files are version {kept.version} of {chosen}")
    if newest.version == kept.version:
        typer.echo(f"in configs: {PREFIX}{chosen}, this version for good: {kept.reference}")
    else:
        typer.echo(f"in configs: {kept.reference}; {PREFIX}{chosen} is version {newest.version}")
    return 0
