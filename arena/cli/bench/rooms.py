"""The games that a bench topic is to measure."""

from collections.abc import Sequence

from arena import games
from arena.cli.shared.printing import note
from arena.workers.warmup import warm_rooms


def warmed(chosen: Sequence[str] | None) -> list[str]:
    """Names of the chosen games, or of all of them, with their rules compiled. Raises ConfigError for an unknown name."""
    names = list(chosen or games.names())
    for name in names:
        games.load(name)
    warm_rooms(names, note)
    return names
