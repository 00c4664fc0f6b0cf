"""Making a room ready for a command."""

from rich.console import Console

from arena.game import Game, load
from arena.schedule.warmup import warm_rooms


def ready(name: str) -> Game:
    """The room of a game, its rules compiled; says so where that takes a while. Raises ConfigError for an unknown name."""
    game = load(name)
    warm_rooms([name], Console(stderr=True, highlight=False).print)
    return game
