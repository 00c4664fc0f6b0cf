"""Making a game ready for a command."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from arena import games
from arena.agent import BotFiles
from arena.cli.shared.printing import note
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.match.single_match import Named
from arena.tournament.workers.compiling import needs_at, warm_games


def ready(name: str, bots: Iterable[tuple[BotFiles, Mapping[str, Any]]] = ()) -> Game:
    """The game of a game, its rules compiled, and what these bots ask for; says so where that takes a while.

    `bots`: with their parameters. Raises ConfigError for an unknown name.
    """
    game = games.load(name)
    warm_games(needs_at(name, bots), note)
    return game


def all_ready(chosen: Sequence[str] | None, parts: Collection[str] = ()) -> list[str]:
    """Names of the chosen games, or of all of them, with their rules and these parts compiled.

    Raises ConfigError for an unknown name.
    """
    names = list(chosen or games.names())
    for name in names:
        games.load(name)  # an unknown name is refused before anything is compiled
    warm_games(dict.fromkeys(names, parts), note)
    return names


def warn(game: Game, seats: int, resolved: Mapping[str, OptionValue]) -> None:
    """Print a warning for each rule option that is allowed but probably a mistake."""
    for warning in game.option_warnings(seats, resolved):
        note(f"warning: {warning}")


def files_of(bots: Iterable[Named]) -> Iterator[tuple[BotFiles, Mapping[str, Any]]]:
    """The files of bots with their parameters, for `ready`."""
    for bot in bots:
        if isinstance(bot.bot, BotFiles):
            yield bot.bot, bot.params
