"""What plays tables, as they know it."""

from typing import Any, Protocol, SupportsInt

from numpy.typing import NDArray

from arena.engine.contract import Features
from arena.learning.arrays import Arrays
from arena.learning.compiled.layout import Masks


class Playing(Protocol):
    """The arrays of some tables, and what plays them: this processor, or a card."""

    arrays: Arrays
    """All arrays of the tables."""

    @property
    def features(self) -> Features:
        """[2 * tables, features]: what learners get."""
        ...

    @property
    def truncated(self) -> Masks:
        """[tables]: False everywhere."""
        ...

    def choose(self, indices: Any) -> None:
        """Take the learners' choices, one for each table."""
        ...

    def run(self, task: int) -> int:
        """Do a task at all tables, and ask whom they wait for. Gives 0, or -1 - the first table with an illegal choice."""
        ...

    def step_one(self, index: SupportsInt) -> int:
        """Play the choice at the only table; gives what `run` gives."""
        ...

    def read(self, array: Any) -> NDArray[Any]:
        """An array, or a part of one, in the memory of this process: itself if it lies there, else a copy."""
        ...

    def write(self, array: Any, values: NDArray[Any]) -> None:
        """Overwrite all of one of the arrays; `values` may be what `read` gave, changed."""
        ...
