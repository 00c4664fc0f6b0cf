"""`arena match GAME BOT BOT ...`: play one match and print who won."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from arena.agent import bot_name
from arena.cli.shared.rooms import ready, warn
from arena.engine.options import parse_options
from arena.errors import ArenaError
from arena.match import HostTrouble, Seat, play
from arena.report.selection.replay import replay_lines, result_lines
from arena.seats.sandbox import Keeper, LockError
from arena.seats.single_match import agree, bot_seat


def match(
    game: Annotated[str, typer.Argument(help="The game.")],
    bots: Annotated[list[Path], typer.Argument(help="Bot files or folders in seat order.")],
    seed: Annotated[int | None, typer.Option(help="Fixes the cards and the bots' randomness.")] = None,
    option: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="A rule option; repeatable.")] = None,
    locked: Annotated[bool, typer.Option("--locked", help="Lock the bots in, as a tournament does with strangers'.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Show every decision, with all cards open.")] = False,
) -> int:
    """Play one match of the given bots."""
    console = Console(highlight=False, soft_wrap=True)
    room = ready(game)
    setup = agree(game, [bot_name(bot) for bot in bots], seed=seed, options=parse_options(option or []))
    warn(room, len(bots), setup.options)
    with ExitStack() as opened:
        keeper = opened.enter_context(Keeper([game])) if locked else None
        seats: list[Seat] = [
            opened.enter_context(bot_seat(bot, bot_seed, keeper=keeper)) for bot, bot_seed in zip(bots, setup.bot_seeds)
        ]
        try:
            record = play(room, setup, seats)
        except (LockError, HostTrouble) as trouble:
            raise ArenaError(
                f"the bots could not be locked in: {trouble}; `arena doctor` shows what this machine offers"
            ) from None
    shown = replay_lines(room, record, setup.options, setup.deal_seed) if watch else result_lines(record)
    for line in shown:
        console.print(line, markup=False)
    return 0
