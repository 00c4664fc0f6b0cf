"""`arena match GAME BOT BOT ...`: play one match and print who won."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from arena.cli.rooms import ready
from arena.exhibition import agree, bot_seat
from arena.match import play
from arena.options import parse_options
from arena.report.replay import replay_lines, result_lines


def match(
    game: Annotated[str, typer.Argument(help="The game.")],
    bots: Annotated[list[Path], typer.Argument(help="Bot files or folders in seat order.")],
    seed: Annotated[int | None, typer.Option(help="Fixes the cards and the bots' randomness.")] = None,
    option: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="A rule option; repeatable.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show every decision, with all cards open.")] = False,
) -> int:
    """Play one match of the given bots."""
    console = Console(highlight=False, soft_wrap=True)
    room = ready(game)
    setup = agree(game, [bot.stem for bot in bots], seed=seed, options=parse_options(option or []))
    with ExitStack() as opened:
        seats = [opened.enter_context(bot_seat(bot, bot_seed)) for bot, bot_seed in zip(bots, setup.bot_seeds)]
        record = play(room, setup, seats)
    shown = replay_lines(room, record, setup.options, setup.deal_seed) if watch else result_lines(record)
    for line in shown:
        console.print(line, markup=False)
    return 0
