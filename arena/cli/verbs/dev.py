"""`arena dev BOT`: watch a bot's files, and check and compare each version that is saved."""

import contextlib
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from arena import games
from arena.agent import read_bot
from arena.agent.kept_versions import KeptVersions
from arena.agent.loading import find_bot
from arena.agent.saves import Saves
from arena.cli.development.comparing import Side
from arena.cli.development.debugging import debug as run_debugger
from arena.cli.development.debugging import last_fault, wait_for_editor
from arena.cli.development.faults import FAULT_FILE
from arena.cli.development.first_matches import Checker
from arena.cli.development.keys import keys_of_terminal
from arena.cli.development.lines import Lines
from arena.cli.development.session import OtherBot, Session
from arena.cli.shared.checking import check_exists
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import OnlyGames, Out
from arena.cli.shared.printing import note, output_console
from arena.errors import BotError, ConfigError, nearest
from arena.match.builds import built
from arena.match.holder import Holder
from arena.match.sandbox import PROCESS
from arena.match.seeds import new_key
from arena.names import may_be_given
from arena.records import DEFAULT_LIMITS
from arena.results_folder import RESULTS
from arena.tournament.check_report import CLOCK

OTHERWISE = "bot"
"""What a bot is called here whose file has a name that no bot may have."""


def dev(
    bot: Annotated[Path, typer.Argument(metavar="BOT", help="File or folder of the bot.")],
    game: OnlyGames = None,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="BOT", help="Compare with this bot, not with the version that was kept last."),
    ] = None,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Let an editor's debugger attach, and play without lock and clock where it failed last."),
    ] = False,
    out: Out = RESULTS,
) -> int:
    """Check and compare a bot each time it is saved.

    A saved version plays a few matches, locked in as in a tournament. If they show no fault, it is compared with the version
    that was kept last, on new deals each time, until it is certain which one is better. The first version is kept, then each
    one that is surely better, and by Enter the present one. Kept versions stay in the folder kept/ of the results.
    """
    chosen = game or []
    for name in chosen:
        if name not in games.names():
            raise ConfigError(f'--game: no game "{name}"; {nearest(name, games.names())}')
    check_exists(str(bot))
    lines = Lines(output_console())
    _require_code(bot)
    name = bot.stem if may_be_given(bot.stem) else OTHERWISE
    kept = KeptVersions(out, name)
    if debug:
        _debug(bot, name, chosen, kept, lines)
        return DONE
    other = None if against is None else _other(against, out)
    lines.say(f"watching {bot} (Enter keeps, Ctrl-C ends)")
    with ExitStack() as opened:
        opened.enter_context(contextlib.suppress(KeyboardInterrupt))
        keys = opened.enter_context(keys_of_terminal())
        checker = opened.enter_context(Checker(name, chosen, lines.say))
        Session(bot, name, checker, kept, Saves(bot), lines, keys, new_key(), time.sleep, other).run()
    lines.clear()
    lines.say(f"stopped; the kept versions are in {kept.folder}" if kept.folder.exists() else "stopped; nothing was kept")
    return DONE


def _require_code(bot: Path) -> None:
    """Raise ConfigError for a language model, of which each question may cost. What is no bot yet may become one."""
    with contextlib.suppress(BotError):
        if read_bot(bot).model is not None:
            raise ConfigError(f"{bot}: a language model: each save would ask it again; arena check plays one match")


def _other(text: str, results: Path) -> OtherBot:
    """The bot that a text names, with the games that it plays. Raises BotError and StoreError."""
    found = find_bot(text, results)
    if found.files.model is not None:
        raise ConfigError(f"--against {text}: a language model, which would be asked at each save")
    files = built(found.files, found.name, least=PROCESS, say=note, every=10.0).files
    with Holder((), limits=DEFAULT_LIMITS) as holder:
        profile = holder.profile(files, CLOCK.start)
    if profile.error is not None:
        raise BotError(f"--against {text}: {profile.error}")
    name = found.name if may_be_given(found.name) else "other"
    return OtherBot(Side(name, files), list(profile.games) or games.names())


def _debug(bot: Path, name: str, chosen: list[str], kept: KeptVersions, lines: Lines) -> None:
    """Let a debugger attach, and play until Ctrl-C."""
    if len(chosen) > 1:
        raise ConfigError("--game: one game with --debug, which plays one match")
    files = read_bot(bot)
    if files.command is not None:
        raise ConfigError("--debug: for bots in Python; the debugger of another language starts the program itself")
    failed = last_fault(kept.folder / FAULT_FILE, files)
    try:
        wait_for_editor(lines)
        run_debugger(bot, name, failed, chosen[0] if chosen else None, Saves(bot), lines, time.sleep)
    except KeyboardInterrupt:
        lines.say("stopped")
