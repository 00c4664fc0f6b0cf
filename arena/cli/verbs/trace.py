"""`arena trace`: random matches as JSON Lines, for people and for programs that check the rules."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared.rooms import ready, warn
from arena.conformance.traces import trace_lines
from arena.engine.options import parse_options


def trace(
    game: Annotated[str, typer.Argument(help="The game.", show_default=False)],
    seats: Annotated[int | None, typer.Option(help="Number of seats; left out: the fewest.", show_default=False)] = None,
    seed: Annotated[int, typer.Option(help="Fixes the deals and the choices; the next match takes the next seed.")] = 0,
    option: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="A rule option; may be repeated.")] = None,
    matches: Annotated[int, typer.Option(min=1, help="Traces to print, each with its header.")] = 1,
) -> int:
    """Play uniformly random legal actions and print every position, legal list and action as JSON Lines."""
    room = ready(game)
    count = room.seats[0] if seats is None else seats
    room.check_seats(count)
    options = room.read_options(parse_options(option or []), count, (Path(),))
    warn(room, count, options)
    for match in range(matches):
        for line in trace_lines(room, count, options, seed + match):
            print(line)
    return 0
