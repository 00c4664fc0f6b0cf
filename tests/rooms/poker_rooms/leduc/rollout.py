"""Leduc hold'em for searches: what the defaults cannot know. All else is left to arena/engine/defaults.py."""

from arena.engine.jit import jit
from poker_rooms.leduc.state import State


@jit
def private_code(s: State, _seat: int) -> int:
    """The public card: it is turned up between two actions, and no action shows it."""
    return int(s.cards[2]) + 1 if s.street == 2 else 0
