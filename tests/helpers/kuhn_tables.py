"""Tables of Kuhn poker in plain numpy, as a policy that learns plays at them: nothing has to be compiled for them.

Three cards, a stake of one chip, one bet of one chip (H. Kuhn, "A simplified two-person poker", 1950). Best play brings the
seat that begins -1/18 of a chip.
"""

from types import SimpleNamespace

import numpy as np

VALUE = -1.0 / 18.0
CARDS, LINES = 3, 4
PASS, BET = 0, 1
OPENING, PASSED, BETTED, ANSWERED = range(LINES)
"""What was said before: nothing; a pass; a bet; a pass and then a bet."""


class KuhnTables:
    """Some tables, each dealt anew when its hand is over."""

    seats = 2
    encoding = SimpleNamespace(codes=None)

    def __init__(self, count: int, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self.cards, self.line = np.zeros((count, 2), np.int64), np.zeros(count, np.int64)
        self.features = np.zeros((count, CARDS * LINES), np.float32)
        self.action_features = np.tile(np.eye(2, dtype=np.float32), (count, 1, 1))
        self.counts, self.actions = np.full(count, 2), np.tile(np.arange(2), (count, 1))
        self.terminated, self.seat_rewards = np.zeros(count, np.bool_), np.zeros((count, 2))
        self._deal(np.ones(count, np.bool_))

    def __len__(self) -> int:
        return len(self.line)

    @property
    def seat(self) -> np.ndarray:
        """[tables]: the seat that is to choose."""
        seat: np.ndarray = ((self.line == PASSED) | (self.line == BETTED)).astype(np.int64)
        return seat

    def step(self, chosen: np.ndarray) -> None:
        """Play a choice at each table."""
        bets, line = chosen == BET, self.line
        answers = (line == BETTED) | (line == ANSWERED)
        over = answers | ((line == PASSED) & ~bets)
        winner = np.where(answers & ~bets, 1 - self.seat, self.cards.argmax(axis=1))  # who passes after a bet gives up
        stake = np.where(answers & bets, 2.0, 1.0)
        self.seat_rewards[:] = 0.0
        self.seat_rewards[over] = np.where(np.arange(2) == winner[:, None], stake[:, None], -stake[:, None])[over]
        self.terminated[:] = over
        self.line = np.where(line == OPENING, np.where(bets, BETTED, PASSED), ANSWERED)
        self._deal(over)

    def _deal(self, which: np.ndarray) -> None:
        self.cards[which] = self._rng.permuted(np.tile(np.arange(CARDS), (len(self), 1)), axis=1)[which, :2]
        self.line[which] = OPENING
        self.features[:] = np.eye(CARDS * LINES)[LINES * self.cards[np.arange(len(self)), self.seat] + self.line]
