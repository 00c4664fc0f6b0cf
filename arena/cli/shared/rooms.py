"""Making a room ready for a command."""

from collections.abc import Mapping

from arena.cli.shared.printing import note
from arena.engine.options import OptionValue
from arena.engine.room import Game
from arena.games import load
from arena.workers.warmup import warm_rooms


def ready(name: str) -> Game:
    """The room of a game, its rules compiled; says so where that takes a while. Raises ConfigError for an unknown name."""
    game = load(name)
    warm_rooms([name], note)
    return game


def warn(game: Game, seats: int, resolved: Mapping[str, OptionValue]) -> None:
    """Print a warning for each rule option that is allowed but probably a mistake."""
    for warning in game.option_warnings(seats, resolved):
        note(f"warning: {warning}")
