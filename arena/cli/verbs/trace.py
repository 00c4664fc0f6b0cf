"""`arena trace`: random matches as JSON Lines, for people and for programs that check the rules."""

from pathlib import Path
from typing import Annotated

import typer

from arena.audit.laws.traces import trace_lines
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.games import ready, warn
from arena.cli.shared.options import GameName, RuleOptions
from arena.cli.shared.printing import say_all
from arena.engine.options import parse_options


def trace(
    game: GameName,
    seats: Annotated[
        int | None, typer.Option("--seats", metavar="N", help="Number of seats. Default: the fewest that the game allows.")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of the first match; each next match takes the next seed.")
    ] = 0,
    option: RuleOptions = None,
    matches: Annotated[int, typer.Option("--matches", metavar="N", min=1, help="Number of matches.")] = 1,
) -> int:
    """Print random matches as JSON Lines.

    Every position, list of legal actions and action is a line, for people and for other implementations of the rules.
    """
    loaded = ready(game)
    count = loaded.seats[0] if seats is None else seats
    loaded.check_seats(count)
    options = loaded.read_options(parse_options(option or []), count, (Path(),))
    warn(loaded, count, options)
    say_all(line for match in range(matches) for line in trace_lines(loaded, count, options, seed + match))
    return DONE
