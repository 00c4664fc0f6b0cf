"""`arena match GAME BOT BOT ...`: play one match and print who won."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arena.agent import bot_name
from arena.agent.naming import named_bot
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, GameName, MatchSeed, RuleOptions
from arena.cli.shared.printing import Format, note, say_all, show
from arena.cli.shared.rooms import readable, ready, warn
from arena.engine.options import parse_options
from arena.engine.room import Game
from arena.errors import ArenaError, ConfigError
from arena.match import HostTrouble, MatchSetup, Seat, play
from arena.records import MatchRecord
from arena.report.selection.replay import replay_lines, result_lines
from arena.report.terminal.page import Page
from arena.seats.retry import with_all_compiled
from arena.seats.sandbox import Keeper, LockError
from arena.seats.single_match import agree, bot_seat


def match(
    game: GameName,
    bots: Annotated[
        list[Path],
        typer.Argument(
            metavar="BOT...",
            parser=named_bot,
            help="Files or folders of the bots, or house:NAME for house bots, in seat order.",
        ),
    ],
    seed: MatchSeed = None,
    option: RuleOptions = None,
    locked: Annotated[bool, typer.Option("--locked", help="Lock the bots in, as tournaments do with untrusted bots.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Show every decision, with all cards open.")] = False,
    format: FormatOption = Format.TABLE,
) -> int:
    """Play one match between bots.

    Nothing is stored. The same seed gives the same match, if the bots draw all their random numbers from the seed.
    """
    if watch and format is not Format.TABLE:
        raise ConfigError(f"--format {format}: --watch prints text; leave one of them out")
    room = ready(game, readable(bots))
    setup = agree(game, [bot_name(bot) for bot in bots], seed=seed, options=parse_options(option or []))
    warn(room, len(bots), setup.options)
    with ExitStack() as opened:
        keeper = opened.enter_context(Keeper([game])) if locked else None
        try:
            record = with_all_compiled(lambda: _played(room, setup, bots, keeper), keeper, note)
        except (LockError, HostTrouble) as trouble:
            raise ArenaError(
                f"the bots could not be locked in: {trouble}; `arena doctor` shows what this machine offers"
            ) from None
    if watch:
        say_all(replay_lines(room, record, setup.options, setup.deal_seed))
        return DONE

    def write(page: Page) -> None:
        for line in result_lines(record):
            page.line(line)

    rows = [{"seat": number, **msgspec.to_builtins(seat)} for number, seat in enumerate(record.seats)]
    show(format, write, record, rows)
    return DONE


def _played(room: Game, setup: MatchSetup, bots: list[Path], keeper: Keeper | None) -> MatchRecord:
    with ExitStack() as opened:
        seats: list[Seat] = [
            opened.enter_context(bot_seat(bot, bot_seed, keeper=keeper)) for bot, bot_seed in zip(bots, setup.bot_seeds)
        ]
        return play(room, setup, seats)
