"""`arena check BOT`: may it enter, how fast is it, and what went wrong where it may not."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from arena import games
from arena.admission.bot_check import BotCheck, check_bot, refused
from arena.agent import BotFiles, bot_name, read_bot
from arena.cli.shared.formats import Format, page_of
from arena.errors import ArenaError, BotError, ConfigError, nearest
from arena.match import HostTrouble
from arena.report.terminal.bot_check import print_bot_check
from arena.workers.warmup import warm_rooms

REFUSED = 1


def check(
    bot: Annotated[Path, typer.Argument(help="The bot's file or folder.")],
    game: Annotated[list[str] | None, typer.Option(help="Only this game; repeatable. Default: all that it claims.")] = None,
    json: Annotated[bool, typer.Option("--json", help="The whole report for programs.")] = False,
) -> int:
    """Play a bot, locked in, through its games against bots of this house; returns 1 if it may not enter."""
    found, _ = checked(bot, game or [])
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(report_object(found)), indent=2).decode())
    else:
        with page_of(Format.TABLE) as page:
            print_bot_check(found, page)
    return 0 if found.may_enter else REFUSED


def checked(path: Path, chosen: list[str]) -> tuple[BotCheck, BotFiles | None]:
    """The report, and the files as they were read (None: they are no bot). Raises ConfigError for no path and no game."""
    for name in chosen:
        if name not in games.names():
            raise ConfigError(f'--game: no game "{name}"; {nearest(name, games.names())}')
    if not path.exists():
        raise ConfigError(f"{path}: no such bot: {path.absolute()} does not exist")
    try:
        files = read_bot(path)
    except BotError as error:
        return refused(path.stem, str(error)), None
    console = Console(stderr=True, highlight=False)
    try:
        with console.status("checking") as status:
            found = check_bot(
                bot_name(path), files, chosen=chosen, prepare=lambda names: warm_rooms(names, console.print),
                say=lambda text: status.update(f"checking {text}"),
            )  # fmt: skip
        return found, files
    except HostTrouble as trouble:
        raise ArenaError(f"{path}: the machine failed the check, not the bot: {trouble}; try again when it is idle") from None


def named(path: Path) -> str:
    """What a bot is called where nobody gives it a name; its file's name also where it is no bot at all."""
    try:
        return bot_name(path)
    except BotError:
        return path.stem


def report_object(found: BotCheck) -> dict[str, object]:
    """The report as plain data."""
    whole: dict[str, object] = msgspec.to_builtins(found)
    return {"may_enter": found.may_enter, **whole}
