"""What a compiled search is told: the settings as numbers, worked out once for a room and copied for each search."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from arena.engine.contract import Numbers
from arena.engine.rng import Words
from arena.engine.room import Game
from arena.search.method import Search, Trees, bind_search
from arena.search.methods import METHODS
from arena.search.settings import SETTINGS_KEPT, Settings
from arena.search.workspace import (
    BY_POLICY,
    BY_REGRET,
    DEPTH,
    EXPANSION,
    EXPLORATION,
    FIRST_MEAN,
    HABIT,
    IN_WORLD,
    MIXING,
    NANOSECONDS,
    NEVER,
    PRIOR,
    SETTINGS,
    TEMPER,
    TRUST,
)

REGRET_MIXING = 0.1  # of regret matching: how often a choice is tried for its own sake


class Task(NamedTuple):
    """What all searches of a room with the same settings have in common. The arrays are only read."""

    search: Search
    trees: Trees
    settings: Words
    """[SETTINGS]: see workspace.py; without the places that differ from search to search."""
    numbers: Numbers
    """[FIRST_MEAN + seats]: no reward seen yet."""
    nodes: int
    """How many nodes a tree of one search needs."""
    is_halving: bool
    """Whether the root's choices go by sequential halving, unless they go by regret."""


@lru_cache(SETTINGS_KEPT)
def task_of(game: Game, asked: Settings) -> Task:
    """The task of searches with these settings. Their constants are no part of it."""
    asked = _filled(game, asked)
    method = METHODS[asked.method]
    return Task(
        bind_search(game.package, method),
        method.trees,
        _settings(asked),
        _numbers(asked, max(game.seats)),
        _nodes(asked, max(game.seats)),
        method.trees is Trees.SHARED and asked.first == "halving",
    )


def _filled(game: Game, asked: Settings) -> Settings:
    """The settings, those left open filled with the room's own. Uniform rollouts use no prior, which goes with the policy."""
    own = game.rollout.DEFAULTS
    if asked.rollout != "policy":
        own = own._replace(prior=0.0, expansion=1, habit=0.0)
    return replace(asked, **{name: value for name, value in own._asdict().items() if getattr(asked, name) is None})


def _nodes(asked: Settings, seats: int) -> int:
    """How many nodes a tree needs: as many as its simulations can add, at most those allowed."""
    trees = METHODS[asked.method].trees
    if trees is Trees.NONE:
        return 1
    simulations = asked.world_iterations if trees is Trees.PER_WORLD else asked.iterations
    if simulations is None or asked.selection == "regret":  # there all choices of a decision join at once
        return asked.nodes
    each = seats + 2  # a choice of each seat, their outcome, what the observer alone has learnt
    return min(asked.nodes, each * simulations + 1)


def _settings(asked: Settings) -> Words:
    out = np.zeros(SETTINGS, np.int64)
    out[IN_WORLD] = asked.world_iterations
    out[DEPTH] = asked.evaluate or NEVER
    out[EXPANSION] = asked.expansion or 0
    out[BY_POLICY] = asked.rollout == "policy"
    out[BY_REGRET] = asked.selection == "regret"
    if asked.time is not None:
        out[NANOSECONDS] = max(1, int(asked.time * 1e9))
    return out


def _numbers(asked: Settings, seats: int) -> Numbers:
    out = np.zeros(FIRST_MEAN + seats)
    out[PRIOR] = asked.prior
    out[HABIT] = asked.habit if METHODS[asked.method].trees is Trees.SHARED else 0.0
    out[EXPLORATION] = asked.exploration
    out[MIXING] = REGRET_MIXING
    out[TEMPER] = asked.temper
    out[TRUST] = asked.trust
    return out
