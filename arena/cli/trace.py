"""`arena trace`: random matches as JSON Lines, for people and for programs that check the rules."""

import json
import os
import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from arena.errors import ConfigError
from arena.game import load
from arena.options import OptionValue
from arena.traces import trace_lines


def trace(
    game: Annotated[str, typer.Argument(help="The game.", show_default=False)],
    seats: Annotated[
        int | None, typer.Option(help="Number of seats; left out: the fewest.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(help="Fixes the deals and the choices; the next match takes the next seed.")] = 0,
    option: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="A rule option; may be repeated.")
    ] = None,
    matches: Annotated[int, typer.Option(min=1, help="Traces to print, each with its header.")] = 1,
) -> int:
    """Play uniformly random legal actions and print every position, legal list and action as JSON Lines."""
    room = load(game)
    count = room.seats[0] if seats is None else seats
    room.check_seats(count)
    options = room.resolve_options(parse_options(option or []), count)
    print_lines(line for match in range(matches) for line in trace_lines(room, count, options, seed + match))
    return 0


def parse_options(words: Iterable[str]) -> dict[str, OptionValue]:
    """`KEY=VALUE` words as rule options; a value is true, false, a whole number, a JSON list or else a text.

    >>> parse_options(["majority=clinch", "moon_duplicate=false", "decks=2"])
    {'majority': 'clinch', 'moon_duplicate': False, 'decks': 2}
    """
    options: dict[str, OptionValue] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not key or not equals:
            raise ConfigError(f"--option {word}: KEY=VALUE is needed")
        if key in options:
            raise ConfigError(f"--option {word}: {key} is given twice")
        options[key] = _value(text)
    return options


def print_lines(lines: Iterable[str]) -> None:
    """Print until the end, or until the reader has closed the pipe (`| head`): then the rest is not wanted."""
    try:
        for line in lines:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for Python's own flush at exit


def _value(text: str) -> OptionValue:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | list) else text
