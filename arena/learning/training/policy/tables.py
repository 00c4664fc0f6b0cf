"""The tables at which a policy learns: at each number of seats some where it plays all of them, and some among strangers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena.engine.game import Game
from arena.learning.rivals import Rival
from arena.learning.tables import Tables
from arena.learning.training.policy.network import Weights
from arena.learning.training.policy.play import Play, Snapshot

DECISIONS = 32_768  # of all tables together, between two changes of the policy
HALVES = 2  # of the tables where it plays all seats: each is played in a thread of its own
STEPS, MORE_STEPS = 32, 128  # decisions at each table; where many sit at a table, a seat's next decision comes later
FEW = 3  # seats
STRANGERS = ("policy", "random")
"""Whom it meets beside itself as it was: the game's rollout policy, and any legal action."""


class Group(NamedTuple):
    """Some tables with the same seats and rivals."""

    seats: int
    play: Play
    steps: int
    """Decisions at each table between two changes of the policy."""
    past: Snapshot | None
    """The policy as it was, where it is the rival."""

    def player(self, weights: Weights) -> Snapshot:
        """Somebody who plays by these weights at these tables."""
        return Snapshot(self.play.tables.encoding.codes, weights, greedy=False)


def groups_of(game: Game, seats: Sequence[int], past: Weights, *, strangers: float, episode: str, reward: str) -> list[Group]:
    """All tables. `past`: the policy as it was, which is one of the strangers; `strangers`: their share of the tables."""
    found = []
    for count in seats:
        steps = STEPS if count <= FEW else MORE_STEPS
        tables = DECISIONS // (steps * len(seats))
        earlier = Snapshot(game.encoding.codes, past, greedy=False)
        rivals: tuple[Rival, ...] = (earlier, *STRANGERS)
        among = round(strangers * tables / len(rivals))
        own = max(1, (tables - among * len(rivals)) // HALVES)
        kinds: list[tuple[int, Rival | None]] = [(own, None)] * HALVES + [(among, rival) for rival in rivals if among]
        for number, rival in kinds:
            was = earlier if rival is not None and rival not in STRANGERS else None
            made = Tables(
                game.name, number, seats=count, learners=[*range(count)] if rival is None else None,
                rivals=() if rival is None else [rival], episode=episode, reward=reward,
                action_features=True,
            )  # fmt: skip
            play = Play(made, by_score=reward == "score")
            found.append(Group(count, play, steps, was))
    return found


def share_beaten(game: Game, weights: Weights, rival: str, *, seats: int, episode: str, deals: int, seed: int) -> float:
    """The share of rivals that the likeliest actions finish before, a tie counting half, at tables with one kind of rival.

    `seed`: of the deals.
    """
    tables = Tables(
        game.name, deals, seats=seats, rivals=[rival], episode=episode, seed=seed, autoreset="off", action_features=True
    )
    tables.reset()
    player = Snapshot(tables.encoding.codes, weights, greedy=True)
    total = np.zeros(deals)
    while (tables.counts > 0).any():
        tables.step(player.at(tables))
        total += tables.rewards
    return float((1.0 + total.mean()) / 2.0)
