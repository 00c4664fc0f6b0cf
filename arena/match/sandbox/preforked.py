"""Seats that are forked before anybody needs them: they lock themselves in, and wait to be told of a match.

So seats of a table start together, and those of the next match while this one is played. A spare seat is like any other one at
that moment: it knows no match, and no line of its bot has run.
"""

import contextlib
from collections import defaultdict, deque

from arena.match.sandbox import wire
from arena.match.sandbox.child import Child, Trouble
from arena.match.sandbox.forker import Begun, Forker


class PreforkedWorkers:
    """The spare seats of all bots of a worker."""

    def __init__(self) -> None:
        self._waiting: defaultdict[wire.Bot, deque[Begun]] = defaultdict(deque)

    @property
    def bots(self) -> list[wire.Bot]:
        """The bots that have spare seats."""
        return [bot for bot, waiting in self._waiting.items() if waiting]

    def take(self, bot: wire.Bot, template: Forker) -> Child:
        """A seat of a bot: one that waits, or a new one. Raises Trouble (host)."""
        waiting = self._waiting[bot]
        while waiting:
            child = template.finish(waiting.popleft())
            if not child.has_ended():  # else it was killed before anybody had a use for it: nobody's fault, and nobody's loss
                return child
            _end(child, template)
        return template.spawn()

    def keep(self, bot: wire.Bot, template: Forker, count: int) -> None:
        """Have so many spare seats of a bot, no more and no less."""
        waiting = self._waiting[bot]
        with contextlib.suppress(Trouble):  # it shows again when a seat is taken
            while len(waiting) > count:
                _end(template.finish(waiting.pop()), template)
            while len(waiting) < count:
                waiting.append(template.begin())

    def forget(self, bot: wire.Bot) -> None:
        """The template of a bot has ended, and its seats with it."""
        for begun in self._waiting.pop(bot, ()):
            if begun.child is not None:
                begun.child.close()


def _end(child: Child, template: Forker) -> None:
    child.close()
    template.drop(child.pid)
