"""What searches of one seat remember from decision to decision."""

from arena.search.tree import Nodes, Slots, take_tree


class Memory:
    """The trees of one seat's searches in one match: each search goes on from what the one before found out.

    What a search then finds depends on those before it, so two seats need two memories. Only `ismcts` uses a memory.
    """

    def __init__(self) -> None:
        """Start with nothing remembered."""
        self._trees: list[tuple[Nodes, Slots, int]] = []
        self._asked: object = None

    def trees(self, asked: object, threads: int, capacity: int) -> list[tuple[Nodes, Slots, int]]:
        """For each thread its nodes, slots and number of nodes in use; empty trees if `asked` differs from the last search."""
        if asked != self._asked or len(self._trees) != threads or len(self._trees[0][0]) != capacity:
            self._asked = asked
            self._trees = [(*take_tree(capacity), 1) for _ in range(threads)]
        return self._trees

    def keep(self, used: list[int]) -> None:
        """Note how many nodes of each thread's tree are in use."""
        self._trees = [(nodes, slots, count) for (nodes, slots, _), count in zip(self._trees, used)]
