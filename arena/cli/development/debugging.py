"""`arena dev --debug`: a bot under a debugger, in this process, without a lock and without a clock.

The bot's module is executed under the path of its own file, so that an editor finds its breakpoints there.
"""

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path

import msgspec

from arena import games
from arena.agent import BotFiles
from arena.agent.loading import LoadedBot
from arena.agent.saves import Saves
from arena.audit.capsule import Capsule, bring_back, read_capsule
from arena.cli.development.lines import Lines
from arena.cli.shared.games import ready
from arena.errors import ArenaError, ConfigError, without_output
from arena.match import Seat, play
from arena.match.choose import open_seat
from arena.match.in_process import InProcessSeat
from arena.match.single_match import UNHURRIED, agree
from arena.reports.checks import print_rerun
from arena.reports.replay import result_lines
from arena.tournament.bot_check import rivals

HOST, PORT = "127.0.0.1", 5678
"""The address at which debuggers of Python listen by custom."""
LOOK_SECONDS = 0.1


def wait_for_editor(lines: Lines, port: int = PORT) -> None:
    """Listen, and wait until an editor has attached; at once where a debugger has started this program.

    Raises ConfigError without debugpy, and for a port that is taken.
    """
    if "pydevd" in sys.modules:  # the debugger of PyCharm, and what VS Code starts programs with
        return
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # it warns of Python's own frozen modules
    try:
        import debugpy
    except ImportError:
        raise ConfigError("--debug: needs debugpy: pip install 'arena-hall[debug]'") from None
    try:
        debugpy.listen((HOST, port))
    except (OSError, RuntimeError) as error:
        raise ConfigError(f"--debug: no debugger can listen on {HOST}:{port}: {error}") from None
    lines.say(f"waiting for an editor to attach to {HOST}:{port}")
    debugpy.wait_for_client()
    lines.say("attached; a breakpoint in the bot's file stops there")


def debug(
    bot: Path, name: str, failed: Capsule | None, game: str | None, saves: Saves, lines: Lines, wait: Callable[[float], object]
) -> None:
    """Bring the bot to the decision where it failed, or let it play a match; again after each save, until KeyboardInterrupt.

    `failed`: the capsule of that decision; None: a match of `game` is played, by default of the first one that the bot plays.
    """
    seed = 0
    while True:
        saved = saves.look()
        if saved is None:
            wait(LOOK_SECONDS)
        elif saved.files is None:
            lines.say(saved.trouble)
        else:
            seed += 1
            try:
                if failed is not None:
                    _bring_back(bot, saved.files, failed, lines)
                else:
                    _match(bot, name, saved.files, game, seed, lines)
                lines.say("done; a save does it again, Ctrl-C ends")
            except ArenaError as error:
                lines.say(str(error))


def last_fault(file: Path, files: BotFiles) -> Capsule | None:
    """The decision in a capsule's file, if it is these files that failed there; else None."""
    try:
        found = read_capsule(file)
    except ConfigError:  # there is none, or one of another version
        return None
    return found if found.bot_sha256 == files.sha256 else None


def _bring_back(bot: Path, files: BotFiles, failed: Capsule, lines: Lines) -> None:
    where = "its start" if failed.decision < 0 else f"decision {failed.decision}"
    lines.say(f"{failed.game}, seat {failed.seat} of {failed.seats}: to {where}, where it failed ({failed.ending})")
    game = ready(failed.game, [(files, {})])
    unhurried = msgspec.structs.replace(failed, clock=UNHURRIED)
    with _seat(bot, files, int(failed.seed, 16)) as seat:
        rerun = bring_back(game, unhurried, seat)
    print_rerun(failed, rerun, lines.page())


def _match(bot: Path, name: str, files: BotFiles, game: str | None, seed: int, lines: Lines) -> None:
    with LoadedBot(files) as loaded:
        claims = list(loaded.agent_class.games) or games.names()
    if game is not None and game not in claims:
        raise ConfigError(f"--game: it plays {', '.join(claims)}, not {game}")
    loaded_game = ready(game or claims[0], [(files, {})])
    others = list(rivals(loaded_game.name).items())
    table = [others[seat % len(others)] for seat in range(1, loaded_game.seats[0])]
    setup = agree(loaded_game.name, [name, *(rival for rival, _ in table)], seed=seed, clock=UNHURRIED)
    lines.say(f"a match of {loaded_game.name}, seed {seed}: seat 0, against {', '.join(rival for rival, _ in table)}")
    with ExitStack() as opened:
        seats: list[Seat] = [opened.enter_context(_seat(bot, files, setup.bot_seeds[0]))]
        seats += (opened.enter_context(_rival(rival, own)) for (_, rival), own in zip(table, setup.bot_seeds[1:]))
        record = play(loaded_game, setup, seats)
    for line in result_lines(record):
        lines.page().line(without_output(line))


def _seat(bot: Path, files: BotFiles, seed: int) -> InProcessSeat:
    folder = (bot if bot.is_dir() else bot.parent).resolve()
    return InProcessSeat(partial(LoadedBot, files, folder), seed, {}, heeds_ctrl_c=True)


def _rival(bot: BotFiles, seed: int) -> AbstractContextManager[Seat]:
    return open_seat(bot, seed=seed, params={})
