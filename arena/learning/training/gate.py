"""Is one search better than another? Duplicate rounds or matches in all rotations, and a betting test on their scores."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from arena import search
from arena.engine.contract import Numbers
from arena.engine.game import Game, States
from arena.engine.net import KINDS, POLICY
from arena.learning.training.selfplay import Table, worth_of
from arena.search import Settings
from arena.tournament.formats.betting import BettingTest, Verdict

ERROR = 0.05  # a wrong verdict has at most this probability
DIFFERENCE = 0.04  # as a difference of shares: closer than this does not matter


class Player(Protocol):
    """A way to choose."""

    def choose(self, states: States, seat: int, codes: list[int]) -> int:
        """The code of an action for `seat`, which is to choose among `codes`."""
        ...


@dataclass(frozen=True)
class Searcher:
    """A search in a game, with the networks that the game then has."""

    game: Game
    asked: Settings

    def choose(self, states: States, seat: int, codes: list[int]) -> int:
        """The best action of the search."""
        return search.search(self.game, self.game.observed(states, seat), seat, codes, self.asked).best_code


@dataclass(frozen=True)
class Imitator:
    """The likeliest action of the policy that a game has learnt."""

    game: Game

    def choose(self, states: States, seat: int, codes: list[int]) -> int:
        """The action with the highest logit."""
        seats = self.game.seats_at(states)
        self.game.check_policy(seats)
        observed, encoding = self.game.observed(states, seat), self.game.encoding
        rows = encoding.action_features(observed, seat, codes)
        logits = self.game.nets.at(seats).nets[KINDS[POLICY]].preferences(encoding.features(observed, seat), rows)
        return codes[int(np.argmax(logits))]


@dataclass(frozen=True)
class Gate:
    """What a gate found."""

    deals: int
    share: float
    """The share of its rivals that the first player finishes before, a tie counting half: an estimate for a test that stops."""
    low: float
    high: float
    verdict: Verdict

    @property
    def is_passed(self) -> bool:
        """Whether the first player is surely better."""
        return self.verdict is Verdict.ABOVE

    def document(self) -> dict[str, Any]:
        """What notes tell of it."""
        return {"deals": self.deals, "share": self.share, "low": self.low, "high": self.high, "verdict": self.verdict.value}


def judged_gate(scores: Iterable[float], deals: int) -> Gate:
    """Take scores of new deals until the betting test is sure, at most so many."""
    test = BettingTest(ERROR, DIFFERENCE)
    taken: list[float] = []
    for score in scores:
        taken.append(score)
        if len(taken) == deals or test.verdict(np.array(taken)) is not Verdict.OPEN:
            break
    numbers = np.array(taken)
    low, high = test.interval(numbers)
    return Gate(len(taken), _share(test.estimate(numbers)), _share(low), _share(high), test.verdict(numbers))


def deal_score(first: Player, second: Player, table: Table, seed: int, *, episode: str = "round") -> float:
    """Return how the first player does on one deal, from -1 to 1: the mean over its seats of rivals behind less rivals ahead.

    It plays each seat once, the second player all others. `episode`: what is played, a `round` or a whole `match`.
    """
    scores = []
    for own in range(table.seats):
        players = [first if seat == own else second for seat in range(table.seats)]
        worth = episode_worth(players, table, seed, episode=episode)
        others = np.delete(worth, own)
        scores.append(float(np.mean(np.sign(worth[own] - others))))
    return float(np.mean(scores))


def pool_score(first: Player, second: Player, stranger: Player, table: Table, seed: int, *, episode: str = "round") -> float:
    """Return how much better the first player does than the second one where a stranger plays all other seats, from -1 to 1."""
    mine, other = (deal_score(player, stranger, table, seed, episode=episode) for player in (first, second))
    return (mine - other) / 2.0


def episode_worth(players: Sequence[Player], table: Table, seed: int, *, episode: str = "round") -> Numbers:
    """Return what the first round of a deal brings to each seat; of a `match`, less its place."""
    game, engine = table.game, table.game.engine
    is_match = episode == "match"
    is_over, play = (engine.is_terminal, engine.advance) if is_match else (engine.is_round_over, engine.step)
    states = game.deal(table.seats, table.options, seed)
    while not is_over(states):
        codes = game.legal_list(states)
        seat = engine.current_seat(states)
        play(states, codes[0] if len(codes) == 1 else players[seat].choose(states, seat, codes))
    return -np.array(game.final(states, table.seats)[1], np.float64) if is_match else worth_of(table, states)


def _share(difference: float) -> float:
    return (1.0 + difference) / 2.0
