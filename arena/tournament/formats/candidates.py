"""The key `candidates` of a config: the bots that a tournament is about."""

from arena.errors import ConfigError, nearest
from arena.tournament.formats.format import Asked

KEY = {"candidates": list[str]}
"""The key and its type, as `Format.KEYS` of a format with candidates lists it."""


def read_candidates(asked: Asked, format: str) -> list[int]:
    """The candidates by their place among the bots. Raises ConfigError where none is named, or one that is no bot."""
    names = asked.settings.get("candidates")
    if not names:
        raise ConfigError(f"candidates: this key is needed for format: {format}, with names of bots")
    for place, name in enumerate(names):
        if name not in asked.bots:
            raise ConfigError(f'candidates[{place}]: no bot is called "{name}"; {nearest(name, asked.bots)}')
        if name in names[:place]:
            raise ConfigError(f'candidates[{place}]: "{name}" is there twice')
    return [asked.bots.index(name) for name in names]
