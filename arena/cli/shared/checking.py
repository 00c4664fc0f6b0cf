"""What `arena check` and `arena submit` share: the check of a bot."""

from pathlib import Path

import msgspec

from arena import games
from arena.admission.bot_check import BotCheck, check_bot, refused
from arena.agent import BotFiles, bot_name, read_bot
from arena.cli.shared.printing import error_console, news_on, plain_text
from arena.errors import ArenaError, BotError, ConfigError, nearest
from arena.match import HostTrouble
from arena.workers.warmup import warm_rooms


def checked(path: Path, chosen: list[str], seed: int | None = None) -> tuple[BotCheck, BotFiles | None]:
    """The report on a bot, and its files as they were read, or None if they are no bot.

    `chosen`: the only games to check, empty for all that the bot plays; `seed`: see check_bot.
    Raises ConfigError for a path or a game that does not exist, and ArenaError if the machine failed.
    """
    for name in chosen:
        if name not in games.names():
            raise ConfigError(f'--game: no game "{name}"; {nearest(name, games.names())}')
    if not path.exists():
        raise ConfigError(f"{path}: no such bot: {path.absolute()} does not exist")
    try:
        files = read_bot(path)
    except BotError as error:
        return refused(path.stem, str(error)), None
    try:
        with error_console().status("checking") as status:
            news = news_on(status.console)
            found = check_bot(
                bot_name(path), files, chosen=chosen, seed=seed, prepare=lambda needs: warm_rooms(needs, news),
                say=lambda text: status.update(plain_text(f"checking {text}")), news=news,
            )  # fmt: skip
        return found, files
    except HostTrouble as trouble:
        raise ArenaError(f"{path}: the machine failed the check, not the bot: {trouble}; try again when it is idle") from None


def name_of(path: Path) -> str:
    """The name of a bot that is given none: its file's or folder's, also if it is no bot at all."""
    try:
        return bot_name(path)
    except BotError:
        return path.stem


def report_object(found: BotCheck) -> dict[str, object]:
    """The report as plain data, the verdict first."""
    whole: dict[str, object] = msgspec.to_builtins(found)
    return {"may_enter": found.may_enter, **whole}
