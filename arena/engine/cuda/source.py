"""What a kernel is compiled from: a function of one table, and a game."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arena.engine.game import Game

Lane = Callable[[Any, Any, int, int], None]
"""What a kernel does at one table: the records of all tables, the places of the arrays (a row of address and shape for each,
four numbers), a number that means what the function says, and the number of the table."""


@dataclass(frozen=True)
class Source:
    """What a kernel is compiled from."""

    game: Game
    lane: Lane
    arrays: int
    """How many places there are."""
    instead: tuple[tuple[str, Callable[..., Any]], ...] = ()
    """What takes the place of stubs of contract.py, by their names: a kernel that never needs one is smaller without it."""

    @property
    def name(self) -> str:
        """What the kernel is kept under."""
        return "-".join([self.lane.__name__, *(f"{name}={function.__name__}" for name, function in self.instead)])
