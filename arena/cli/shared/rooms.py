"""Making a room ready for a command."""

from collections.abc import Mapping, Sequence

from arena import games
from arena.cli.shared.printing import note
from arena.engine.options import OptionValue
from arena.engine.room import Game
from arena.workers.warmup import warm_rooms


def ready(name: str) -> Game:
    """The room of a game, its rules compiled; says so where that takes a while. Raises ConfigError for an unknown name."""
    game = games.load(name)
    warm_rooms([name], note)
    return game


def all_ready(chosen: Sequence[str] | None) -> list[str]:
    """Names of the chosen games, or of all of them, with their rules compiled. Raises ConfigError for an unknown name."""
    names = list(chosen or games.names())
    for name in names:
        games.load(name)  # an unknown name is refused before anything is compiled
    warm_rooms(names, note)
    return names


def warn(game: Game, seats: int, resolved: Mapping[str, OptionValue]) -> None:
    """Print a warning for each rule option that is allowed but probably a mistake."""
    for warning in game.option_warnings(seats, resolved):
        note(f"warning: {warning}")
