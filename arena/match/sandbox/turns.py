"""Whose turn it is: bots that nobody asks anything must not take the CPU from the one that is asked.

A program may have many threads, and a bot in Python may send its reply and compute on. Both are charged for it at their next
decision. That does not help a rival who is late meanwhile, so they are stopped as soon as a rival's decision takes long. Where
people think between the decisions, nobody is late and nothing is charged for hours: there they are stopped at once.
"""

from arena.match.sandbox.child import Child


class Turns:
    """The children of a worker that wait to be asked."""

    def __init__(self, *, stops_at_once: bool = False) -> None:
        """`stops_at_once`: whether a child is stopped as soon as it has replied."""
        self._stops_at_once = stops_at_once
        self._resting: set[Child] = set()

    def rest(self, child: Child) -> None:
        """The child has replied: until `ask` it has nothing to do."""
        self._resting.add(child)
        if self._stops_at_once:
            child.pause()

    def ask(self, child: Child) -> None:
        """The child is asked again: let it run."""
        self._resting.discard(child)
        child.resume()

    def remove(self, child: Child) -> None:
        """Forget a child that is ended."""
        self._resting.discard(child)

    def pause_others(self) -> None:
        """Stop all children that have nothing to do, until they are asked."""
        for child in self._resting:
            child.pause()
