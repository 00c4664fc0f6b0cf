"""A policy that learns by play alone: a network that says what each legal action is worth, by what its seat knows.

Deep Monte Carlo (D. Zha et al., "DouZero: Mastering DouDizhu with Self-Play Deep Reinforcement Learning", ICML 2021): all seats
choose what the network likes best, some choices at random, and it learns what each choice brought. The first tenth is rollout
play, so that it begins with what there is to be better than. A decision takes a few microseconds.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from arena.engine import jit
from arena.engine.contract import Features, Numbers
from arena.engine.game import Game
from arena.engine.net import Net
from arena.engine.rng import seed_fast, seed_words
from arena.learning.training.compiled import value_play
from arena.learning.training.networks import Adam
from arena.learning.training.selfplay import Table, seed_of
from arena.learning.training.watching import Watcher

HIDDEN = 48
BATCH = 512  # decisions of a step
FAR = 0.9  # how far ahead counts what a choice brought (compiled/value_play.py): less far is less luck, and more of `evaluate`
RATE = 0.002  # of the first step; what choices bring is mostly luck
PART = 60_000  # decisions between two changes of the players
ROLLOUTS = 0.1  # share of the parts that are rollout play
FIRST_WHIM, WHIM, LAST_WHIM = 0.1, 0.06, 0.01  # shares of random choices: in rollout play, then falling in a straight line
SHARPNESS = 8.0  # of what a policy says: a worth of a standard deviation is so many times as likely, as a logarithm
FARTHEST = 4.0  # standard deviations: what brought more or less than that counts as so much


def played_policy(table: Table, decisions: int, seed: int, watcher: Watcher) -> tuple[Net, dict[str, float]]:
    """A policy that has learnt from so many decisions, rounded up to whole parts; and how it did in the last part.

    Its logits are worths, in units of `high` on the scale of the game's `evaluate`; only differences count.
    """
    game = table.game
    known, width = game.encoding.size, game.encoding.size + game.encoding.action_size
    parts = -(-decisions // PART)
    chance = np.random.default_rng(seed)
    weights = [
        (chance.standard_normal((width, HIDDEN)) * np.sqrt(4.0 / width)).astype(np.float32),
        np.zeros(HIDDEN, np.float32),
        (chance.standard_normal(HIDDEN) * np.sqrt(0.1 / HIDDEN)).astype(np.float32),
        np.zeros(1, np.float32),
    ]
    adam = Adam(weights, parts * (PART // BATCH), RATE)
    inputs, brought = np.zeros((PART, width), np.float32), np.zeros(PART)
    is_used, scale, loss, spread = np.zeros(width, bool), 0.0, 0.0, 0.0
    watcher.begin("play of the policy", parts)
    for part in range(parts):
        by_net, left = part >= ROLLOUTS * parts, 1.0 - part / parts
        whim = LAST_WHIM + (WHIM - LAST_WHIM) * left if by_net else FIRST_WHIM
        written = _play(table, _net(weights, 1.0, known), by_net, whim, seed_of(seed, "part", part), known, inputs, brought)
        scale = scale or float(brought[:written].std()) or 1.0
        wanted = np.clip(brought[:written] / scale, -FARTHEST, FARTHEST).astype(np.float32)
        is_used |= inputs[:written].any(axis=0)
        order = chance.permutation(written)
        errors = [
            _learn(weights, adam, inputs[which], wanted[which])
            for which in np.array_split(order[: written // BATCH * BATCH], max(1, written // BATCH))
        ]
        loss, spread = float(np.mean(errors)), float(wanted.var())
        watcher.advance()
    weights[0][~is_used] = 0.0  # what is always the same at this table: files of zeros are short
    weights[2] *= np.float32(SHARPNESS)
    weights[3] *= np.float32(SHARPNESS)
    return _net(weights, scale / SHARPNESS, known), {"policy_error": loss, "policy_spread": spread}


def _net(weights: list[Features], scale: float, known: int) -> Net:
    return Net(weights[0], weights[1], weights[2], float(weights[3][0]), 0.0, scale, row=len(weights[0]) - known)


def _learn(weights: list[Features], adam: Adam, inputs: Features, wanted: Features) -> float:
    """A step towards what came of some choices; gives the mean squared error before it."""
    first, bias, out, end = weights
    reached = inputs @ first + bias
    active = np.maximum(reached, np.float32(0.0))
    away = active @ out + end - wanted
    error = away / np.float32(len(wanted))
    back = (error[:, None] * out) * (reached > 0)
    adam.step([inputs.T @ back, back.sum(axis=0), active.T @ error, error.sum(keepdims=True)])
    return float(np.mean(away * away))


def _play(table: Table, net: Net, by_net: bool, whim: float, seed: int, known: int, inputs: Features, brought: Numbers) -> int:
    """Fill the rows with decisions; gives how many are of whole rounds."""
    game = table.game
    rng = np.zeros(4, np.int64)
    seed_fast(rng, seed_words(seed))
    rows = np.zeros((game.rules.MAX_ACTIONS, inputs.shape[1] - known), np.float32)
    return _entry(game)(
        np.zeros(2, game.rules.STATE), table.seats, game.options_vector(table.options), rng, game.new_actions(), game.constants,
        net.numbers(), by_net, whim, FAR, np.zeros(known, np.float32), rows, inputs, brought,
    )  # fmt: skip


@cache
def _entry(game: Game) -> Callable[..., int]:
    return jit.bind(value_play.play, jit.learning_of(game.package))
