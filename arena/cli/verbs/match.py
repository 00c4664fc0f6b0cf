"""`arena match GAME BOT BOT ...`: play one match and print who won."""

from contextlib import ExitStack
from typing import Annotated

import msgspec
import typer

from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.games import files_of, ready, warn
from arena.cli.shared.options import BotParams, FormatOption, GameName, MatchSeed, Out, RuleOptions, parse_params
from arena.cli.shared.printing import Format, note, say_all, show
from arena.engine.game import Game
from arena.engine.options import parse_options
from arena.errors import ArenaError, ConfigError
from arena.match import HostTrouble, MatchSetup, Seat, play
from arena.match.holder import with_all_compiled
from arena.match.sandbox import LockError, Supervisor
from arena.match.single_match import Named, agree, bot_seat, named
from arena.records import MatchRecord
from arena.reports.replay import replay_lines, result_lines
from arena.reports.terminal import Page
from arena.results_folder import RESULTS


def match(
    game: GameName,
    bots: Annotated[
        list[str],
        typer.Argument(metavar="BOT...", help="Files or folders of the bots, house:NAME or submitted:NAME, in seat order."),
    ],
    seed: MatchSeed = None,
    option: RuleOptions = None,
    param: BotParams = None,
    locked: Annotated[bool, typer.Option("--locked", help="Lock the bots in, as tournaments do with untrusted bots.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Show every decision, with all cards open.")] = False,
    format: FormatOption = Format.TABLE,
    out: Out = RESULTS,
) -> int:
    """Play one match between bots.

    Nothing is stored. The same seed gives the same match, if the bots draw all their random numbers from the seed.
    """
    if watch and format is not Format.TABLE:
        raise ConfigError(f"--format {format}: --watch prints text; leave one of them out")
    params = parse_params(param or [], len(bots))
    entered = [named(bot, out, own, is_trusted=not locked, say=note) for bot, own in zip(bots, params)]
    loaded = ready(game, files_of(entered))
    setup = agree(game, [bot.name for bot in entered], seed=seed, options=parse_options(option or []))
    warn(loaded, len(bots), setup.options)
    with ExitStack() as opened:
        supervisor = opened.enter_context(Supervisor([game])) if locked else None
        try:
            record = with_all_compiled(lambda: _played(loaded, setup, entered, supervisor), supervisor, note)
        except (LockError, HostTrouble) as trouble:
            if isinstance(trouble, HostTrouble) and entered[trouble.seat].asks_model:
                raise ArenaError(f"a model could not be asked: {trouble}") from None
            raise ArenaError(
                f"the bots could not be locked in: {trouble}; `arena doctor` shows what this machine offers"
            ) from None
    if watch:
        say_all(replay_lines(loaded, record, setup.options, setup.deal_seed))
        return DONE

    def write(page: Page) -> None:
        for line in result_lines(record):
            page.line(line)

    rows = [{"seat": number, **msgspec.to_builtins(seat)} for number, seat in enumerate(record.seats)]
    show(format, write, record, rows)
    return DONE


def _played(game: Game, setup: MatchSetup, bots: list[Named], supervisor: Supervisor | None) -> MatchRecord:
    with ExitStack() as opened:
        seats: list[Seat] = [
            opened.enter_context(bot_seat(bot, bot_seed, supervisor=supervisor)) for bot, bot_seed in zip(bots, setup.bot_seeds)
        ]
        return play(game, setup, seats)
