"""Watches which lines of a table of the rules a rival uses: it looks its cards up there (rival.py)."""

import random

import numpy as np

from arena.agent import Agent, StartInfo, View
from arena.cli.measuring.channel_bots.processor import LINE, Processor
from arena.cli.measuring.channel_bots.rival import LINES, table
from arena.games.naga.state import CARDS

WATCHED = 3  # decisions: later ones are about other cards
_PAGE = 4096
_WAYS = 8  # lines that the first cache of a core holds of those with one place in a page


class Watcher(Agent[View]):
    """Prints at its first decisions how likely it is that the rival has used each card since the last one."""

    games = ("naga",)
    wants_forced = True
    _processor: Processor | None = None
    _decisions = 0

    def start(self, info: StartInfo) -> None:
        """Choose the lines of each card, and get at the processor, in the way that the params say."""
        try:
            self._processor = Processor(has_code=self.params["has_code"])
        except OSError as error:
            print("refused:", error)
            return
        lines = [table().ctypes.data + LINES * LINE * card for card in range(len(CARDS))]
        if self.params["primes"]:
            self._own = np.ones((_WAYS + 1) * _PAGE, np.uint8)
            first = -(-self._own.ctypes.data // _PAGE) * _PAGE
            self._lines = [[first + way * _PAGE + line % _PAGE for way in range(_WAYS)] for line in lines]
        else:
            self._lines = [[line] for line in lines]
        self._look()

    def act(self, view: View) -> str:
        """Print what was seen, and play anything."""
        self._decisions += 1
        took = self._look() if self._decisions <= WATCHED else None
        if took is not None:
            print("seen:", *[f"{seconds:.9g}" for seconds in (took if self.params["primes"] else -took)])
        return view.legal[0]

    def _look(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]] | None":
        """Return how long the lines of each card took. Afterwards the caches hold none of them or, if they are primed, all."""
        if self._processor is None:
            return None
        cards = list(range(len(CARDS)))
        random.shuffle(cards)
        took = np.zeros(len(CARDS))
        for card in cards:
            took[card] = self._processor.total(self._lines[card])
        lines = [line for of_card in self._lines for line in of_card]
        if self.params["primes"]:
            self._processor.load(lines)
        else:
            self._processor.forget(lines)
        return took
