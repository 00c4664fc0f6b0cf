"""Who is told how far long work is: a training, or the search for a best response."""


class Watcher:
    """Is told how far the work is; does nothing with it."""

    def say(self, text: str) -> None:
        """Something was found."""

    def begin(self, what: str, total: int) -> None:
        """A part of the work of so many steps begins."""

    def advance(self) -> None:
        """A step is done."""
