"""A policy that learns by matches is tested by matches: played to their ends, and told apart by their places."""

from collections.abc import Callable

import numpy as np
import pytest

from arena.engine.contract import States
from arena.engine.net import Net
from arena.games import load
from arena.learning.training.gate import deal_score, episode_worth
from arena.learning.training.policy import acceptance
from arena.learning.training.selfplay import Table
from arena.learning.training.watching import Watcher
from helpers.learning import COMPILED, SHORT

GAME = "yaniv"  # its matches have many rounds
DEALS = range(20)


class Counting:
    """Chooses by a function of how many actions are legal; implements Player."""

    def __init__(self, place: Callable[[int], int]) -> None:
        self._place = place
        self.asked = 0

    def choose(self, states: States, seat: int, codes: list[int]) -> int:
        self.asked += 1
        return codes[self._place(len(codes))]


@pytest.fixture(scope="module")
def table() -> Table:
    game = load(GAME)
    return Table(game, 2, game.resolve_options(SHORT[GAME], 2))


def wild(seed: int) -> Counting:
    rng = np.random.default_rng(seed)
    return Counting(lambda count: int(rng.integers(count)))


def test_a_match_goes_on_after_its_first_round_and_brings_places(table: Table) -> None:
    asked = {"round": 0, "match": 0}
    for deal in DEALS:
        for episode in asked:
            players = [wild(1), wild(2)]
            worth = episode_worth(players, table, deal, episode=episode)
            asked[episode] += sum(player.asked for player in players)
        assert sorted(worth) in ([-2.0, -1.0], [-1.0, -1.0])
    assert 1.5 * asked["round"] < asked["match"] < 2.5 * asked["round"]  # these matches have two rounds at most


def test_nobody_finishes_matches_before_itself(table: Table) -> None:
    first, last = Counting(lambda count: 0), Counting(lambda count: count - 1)
    for player in (first, last):
        assert all(deal_score(player, player, table, deal, episode="match") == 0.0 for deal in DEALS)
    scores = [deal_score(first, last, table, deal, episode="match") for deal in DEALS]
    assert scores == [-deal_score(last, first, table, deal, episode="match") for deal in DEALS] and np.any(scores)


@pytest.mark.parametrize("episode", ["round", "match"])
def test_both_gates_of_a_policy_play_what_it_learnt_by(episode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    played = []

    def scores(name: str) -> Callable[..., float]:
        def score(*_: object, episode: str) -> float:
            played.append((name, episode))
            return 0.0

        return score

    for name in ("deal_score", "pool_score"):
        monkeypatch.setattr(acceptance, name, scores(name))
    game = load(COMPILED)
    size = game.encoding.size + game.encoding.action_size
    net = Net(
        np.zeros((size, 1), np.float32), np.zeros(1, np.float32), np.zeros(1, np.float32), 0.0, row=game.encoding.action_size
    )
    gates = acceptance.gates_of(game, net, (2,), episode=episode, deals=3, seed=1, watcher=Watcher())
    assert played == [("deal_score", episode)] * 3 + [("pool_score", episode)] * 3
    assert [gate["episode"] for gate in gates] == [episode, episode]
