"""Making a room ready for a command."""

from collections.abc import Mapping

from rich.console import Console

from arena.engine.options import OptionValue
from arena.engine.room import Game
from arena.games import load
from arena.workers.warmup import warm_rooms


def ready(name: str) -> Game:
    """The room of a game, its rules compiled; says so where that takes a while. Raises ConfigError for an unknown name."""
    game = load(name)
    warm_rooms([name], Console(stderr=True, highlight=False).print)
    return game


def warn(game: Game, seats: int, resolved: Mapping[str, OptionValue]) -> None:
    """Say what is allowed but hardly meant."""
    for warning in game.option_warnings(seats, resolved):
        Console(stderr=True, highlight=False, soft_wrap=True).print(f"warning: {warning}", markup=False)
