"""What `arena check` and `arena submit` share: the check of a bot."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from arena import games
from arena.agent import BotFiles
from arena.agent.files import read_unparsed
from arena.agent.loading import HOUSE, find_bot
from arena.agent.submissions import PREFIX
from arena.cli.shared.printing import error_console, news_on, plain_text
from arena.errors import ArenaError, BotError, ConfigError, nearest
from arena.match import HostTrouble
from arena.match.sandbox import PROCESS
from arena.tournament.bot_check import examined
from arena.tournament.check_report import BotCheck


def checked(
    bot: str,
    chosen: list[str],
    seed: int | None = None,
    *,
    results: Path,
    params: Mapping[str, Any] = MappingProxyType({}),
    may_ask: bool = False,
) -> tuple[BotCheck, BotFiles | None]:
    """The report on a bot, and its files as they play, or None if they are no bot.

    `bot`: its path or name; `chosen`: the only games to check, empty for all that the bot plays; `seed`: see check_bot;
    `results`: the folder with the submitted bots.

    Raises ConfigError for a path or a game that does not exist, StoreError for an unknown submitted bot, and ArenaError if the
    machine failed.
    """
    for name in chosen:
        if name not in games.names():
            raise ConfigError(f'--game: no game "{name}"; {nearest(name, games.names())}')
    check_exists(bot)
    if bot.startswith(HOUSE):
        find_bot(bot, results)  # a name of ours that is wrong is no bot that is refused
    try:
        with error_console().status("checking") as status:
            return examined(
                lambda: find_bot(bot, results, read=read_unparsed), Path(bot).stem, chosen=chosen, params=params, seed=seed,
                may_ask=may_ask, least=PROCESS, building=lambda text: status.update(plain_text(text)),
                say=lambda text: status.update(plain_text(f"checking {text}")), news=news_on(status.console),
            )  # fmt: skip
    except HostTrouble as trouble:
        raise ArenaError(f"{bot}: the machine failed the check, not the bot: {trouble}; try again when it is idle") from None


def check_exists(bot: str) -> None:
    """Raise ConfigError for the path of a bot where nothing is: that is no bot that is refused."""
    if not bot.startswith((HOUSE, PREFIX)) and not Path(bot).exists():
        raise ConfigError(f"{bot}: no such bot: {Path(bot).absolute()} does not exist")


def name_of(bot: str, results: Path) -> str:
    """The name of a bot that is given none: its file's or folder's, also if it is no bot at all. Raises StoreError."""
    try:
        return find_bot(bot, results, read=read_unparsed).name
    except BotError:
        if bot.startswith(HOUSE):
            raise
        return Path(bot).stem


def report_object(found: BotCheck) -> dict[str, object]:
    """The report as plain data, the verdict first."""
    whole: dict[str, object] = msgspec.to_builtins(found)
    return {"may_enter": found.may_enter, **whole}
