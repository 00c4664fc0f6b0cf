"""Search for good decisions in compiled code, written once for all rooms: bots reach it by `view.search(...)`.

tree.py is the memory, selection.py how choices are made in it, simulation.py one simulation, halving.py which first choices are
still tried, run.py a whole search as one compiled call; here is the door to them.
A search starts from what a seat sees, so it cannot use what is hidden, and with a number of iterations the same view gives
the same answer anywhere.
"""

import threading
import time
from dataclasses import dataclass, replace
from functools import cache, cached_property
from random import Random
from typing import Any

import numpy as np

from arena.engine.contract import Numbers
from arena.engine.rng import Words, derive, seed_words
from arena.engine.room import Game, States
from arena.errors import ConfigError, nearest
from arena.search.run import STATES, bind_search
from arena.search.settings import METHODS, Settings, check_number, settings_of
from arena.search.tree import Nodes, Slots, give_back, take_tree
from arena.search.workspace import (
    BEGAN,
    BY_HALVING,
    BY_POLICY,
    BY_REGRET,
    CHOICES,
    DECISIONS,
    DEPTH,
    DONE,
    EXPANSION,
    EXPLORATION,
    HABIT,
    METHOD,
    MIXING,
    NANOSECONDS,
    NEVER,
    OBSERVER,
    PER_WORLD,
    PRIOR,
    PRIOR_VALUE,
    REMEMBER,
    RIVAL,
    SHARE,
    SIMULATIONS,
    USED,
    VALUE,
    VISITS,
    workspace_type,
)

__all__ = ["Choice", "Findings", "Memory", "Settings", "bind_search", "search", "settings_of", "warm"]

REGRET_MIXING = 0.1  # of regret matching: how often a choice is tried for its own sake
PURE = 0.2  # shares below this part of the largest one are noise (S. Ganzfried, T. Sandholm, K. Waugh 2012, "purification")
_CLOSE = 1e-12


@dataclass(frozen=True)
class Choice:
    """One legal action, and what the search found out about it."""

    action: str
    visits: int
    """Simulations that began with it."""
    value: float
    """Mean reward of the own seat, on the room's scale (`evaluate` in its rollout.py); higher is better."""
    share: float
    """How often it is to be played: of all shares together, 1. For simultaneous choices a mixed strategy, else by visits."""


class Findings:
    """What a search found: the choices in the order of the legal list, and the best one."""

    def __init__(
        self, game: Game, observed: States, codes: list[int], results: Numbers, counters: Any, asked: Settings, prior: float
    ) -> None:
        """`results`: a row for each of `codes`, see workspace.py."""
        self._game, self._observed, self._codes, self._results = game, observed, codes, results
        self._asked, self._prior = asked, prior
        self.simulations = int(counters[DONE])
        """How many were played."""
        self.decisions = int(counters[DECISIONS])
        """In all simulations together."""
        self.nodes = int(counters[USED])
        """Of the trees of all threads together; for `pimc` of the last worlds."""
        self.thread_seconds = 0.0
        """CPU time of threads beside the one that asked."""

    @cached_property
    def shares(self) -> list[float]:
        """How often each action is to be played; they add up to 1."""
        shares = self._results[:, SHARE]
        weights = shares if shares.sum() > _CLOSE else self._results[:, VISITS]
        return [float(share) for share in np.maximum(weights, 0.0) / max(_CLOSE, np.maximum(weights, 0.0).sum())]

    @cached_property
    def values(self) -> list[float]:
        """Mean reward of each action; minus infinity for one that was never tried."""
        visits, sums = self._results[:, VISITS], self._results[:, VALUE]
        return [float(total / count) if count else -np.inf for total, count in zip(sums, visits)]

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """All legal actions in canonical order."""
        texts = self._game.text.action_texts(self._observed[0], self._codes)
        visits = self._results[:, VISITS]
        rows = zip(texts, visits, self.values, self.shares)
        return tuple(Choice(text, int(count), value, share) for text, count, value, share in rows)

    @cached_property
    def best_code(self) -> int:
        """The action to play: by value where choices were tried side by side, else by visits; of a mixed strategy, one that is
        drawn by its shares.
        """
        if self._results[:, SHARE].sum() > _CLOSE:
            draw = Random(derive(self._observed.tobytes(), "draw", self._asked.seed))
            shares = [share if share >= PURE * max(self.shares) else 0.0 for share in self.shares]
            return draw.choices(self._codes, shares)[0]
        rank: list[tuple[float, float]]
        if self._asked.method == "flat":
            rank = [(value, 0.0) for value in self._expected]
        elif self._results[:, RIVAL].any():
            rank = list(zip(self._results[:, RIVAL].tolist(), self._expected))
        else:
            rank = list(zip(self._results[:, VISITS].tolist(), self.values))
        return self._codes[max(range(len(rank)), key=rank.__getitem__)]

    @property
    def _expected(self) -> list[float]:
        """The values, and what the choices looked like counted as some visits more."""
        visits, sums = self._results[:, VISITS], self._results[:, VALUE]
        looks = self._results[:, PRIOR_VALUE]
        level = (sums - visits * looks).sum() / max(1.0, visits.sum())
        expected = (sums + self._prior * (level + looks)) / np.maximum(_CLOSE, visits + self._prior)
        return [float(value) if count or self._prior else -np.inf for value, count in zip(expected, visits)]

    @cached_property
    def best(self) -> str:
        """The text of the action to play."""
        return self._game.text.action_texts(self._observed[0], [self.best_code])[0]


class Memory:
    """The trees of one seat's searches in one match: each search goes on from what the one before found out.

    What it then finds depends on the searches before, so two seats need two memories. For `ismcts` only.
    """

    def __init__(self) -> None:
        """Nothing is remembered yet."""
        self._trees: list[tuple[Nodes, Slots, int]] = []
        self._asked: object = None

    def trees(self, asked: object, threads: int, capacity: int) -> list[tuple[Nodes, Slots, int]]:
        """Nodes, slots and how many nodes are in use, for each thread; new ones for another search than the one before."""
        if asked != self._asked or len(self._trees) != threads or len(self._trees[0][0]) != capacity:
            self._asked = asked
            self._trees = [(*take_tree(capacity), 1) for _ in range(threads)]
        return self._trees

    def keep(self, used: list[int]) -> None:
        """Note how many nodes of each tree are in use."""
        self._trees = [(nodes, slots, count) for (nodes, slots, _), count in zip(self._trees, used)]


def search(
    game: Game, observed: States, seat: int, codes: list[int], asked: Settings, memory: Memory | None = None
) -> Findings:
    """Search for `seat`, which is to choose among `codes` and sees `observed`. The state is left as it is."""
    began = time.thread_time_ns()
    constants = _constants(game, asked)
    threads = asked.threads
    if asked.iterations is not None:  # each plays at least one simulation, or all replies in one world
        threads = min(threads, max(1, asked.iterations // (len(codes) if asked.method == "flat" else 1)))
    trees = None
    if memory is not None and asked.method == "ismcts":
        trees = memory.trees(
            (game.name, seat, constants.tobytes(), replace(asked, iterations=1, time=None, seed=0, constants={})),
            threads,
            asked.nodes,
        )
    parts = [
        _Part(game, observed, seat, codes, asked, constants, number, threads, trees[number] if trees else None)
        for number in range(threads)
    ]
    started = [part for part in parts[1:] if part.starts()]
    alone = [part for part in parts if part not in started]
    for part in alone:  # one after the other, each with its part of the time
        part.run(began if part is parts[0] else time.thread_time_ns(), len(alone))
    for part in started:
        part.thread.join()
    if memory is not None and trees is not None:
        memory.keep([int(part.counters[USED]) for part in parts])
    results = sum((part.results for part in parts[1:]), parts[0].results)
    results[:, PRIOR_VALUE] = parts[0].results[:, PRIOR_VALUE]
    counters = sum((part.counters for part in parts[1:]), parts[0].counters)
    found = Findings(game, observed, codes, results, counters, asked, parts[0].prior)
    found.thread_seconds = sum(part.seconds for part in started)
    return found


def warm(game: Game) -> None:
    """Call a room's search once: compiled where the cache lacks it."""
    seats = game.seats[0]
    states = game.deal(seats, game.resolve_options({}, seats), 1)
    seat = game.engine.current_seat(states)
    codes = game.legal_list(states)
    for method in METHODS:
        search(game, game.observed(states, seat), seat, codes, Settings(iterations=2, method=method))


class _Part:
    """What one thread does."""

    def __init__(
        self,
        game: Game,
        observed: States,
        seat: int,
        codes: list[int],
        asked: Settings,
        constants: Numbers,
        number: int,
        threads: int,
        tree: tuple[Nodes, Slots, int] | None = None,
    ) -> None:
        self._game = game
        self._root = game.from_bytes(observed.tobytes())
        self._rng = seed_words(derive(observed.tobytes(), "search", seat, asked.seed, number))
        asked = _filled(game, asked)
        self._work = np.zeros(1, _workspace_type(game))
        workspace = self._work[0]
        _write_settings(workspace.settings, seat, len(codes), asked, number, threads)
        is_mixed = bool(workspace.settings[BY_REGRET]) and game.engine.is_simultaneous(observed)
        workspace.settings[BY_HALVING] = asked.method == "ismcts" and asked.first == "halving" and not is_mixed
        _write_numbers(workspace.numbers, asked)
        self._constants = constants
        self.prior = float(workspace.numbers[PRIOR])
        self.results = workspace.results[: len(codes)]
        self.counters = workspace.counters
        self._capacity, self._kept_tree = _capacity(asked, max(game.seats)), None
        if tree is not None:
            self._kept_tree = tree[:2]
            workspace.counters[USED] = tree[2]
            workspace.settings[REMEMBER] = 1
        self.seconds = 0.0
        """CPU time that it took."""
        self.thread = threading.Thread(target=lambda: self.run(time.thread_time_ns()))

    def starts(self) -> bool:
        """Whether a thread of its own does it: a locked seat may not start any."""
        try:
            self.thread.start()
        except RuntimeError:
            return False
        return True

    def run(self, began: int, sharers: int = 1) -> None:
        """`began`: CPU time of this thread, in nanoseconds, from which a time budget counts; so many share that budget."""
        settings = self._work[0].settings
        settings[BEGAN] = began
        if settings[NANOSECONDS] > 0:
            settings[NANOSECONDS] = max(1, settings[NANOSECONDS] // sharers)
        states = np.concatenate([self._root] * STATES)
        sights = self._work[0].sight.view(np.uint8)[: self._root.nbytes].view(self._root.dtype)
        tree = self._kept_tree or take_tree(self._capacity)
        bind_search(self._game.package)(
            states,
            sights,
            *tree,
            self._work,
            self._game.new_actions(),
            np.zeros(self._game.rules.MAX_ACTIONS),
            self._constants,
            np.zeros(max(self._game.seats)),
            self._rng,
        )
        if not self._kept_tree:
            give_back(*tree)
        self.seconds = (time.thread_time_ns() - began) / 1e9


@cache
def _workspace_type(game: Game) -> np.dtype[Any]:
    return workspace_type(game.rules.STATE.itemsize, game.rules.MAX_ACTIONS, max(game.seats))


def _capacity(asked: Settings, seats: int) -> int:
    """As many nodes as all simulations can make, at most those allowed."""
    simulations = asked.world_iterations if asked.method == "pimc" else asked.iterations
    if asked.method == "flat":
        return 1
    if simulations is None or asked.selection == "regret":  # there all choices of a decision join at once
        return asked.nodes
    each = seats + 2  # a choice of each seat, what came of them, what the observer learnt
    return min(asked.nodes, each * simulations + 1)


def _filled(game: Game, asked: Settings) -> Settings:
    """With the room's own settings where nothing is asked; what looks say goes with the policy that follows them."""
    own = game.rollout.DEFAULTS
    if asked.rollout != "policy":
        own = own._replace(prior=0.0, expansion=1, habit=0.0)
    return replace(asked, **{name: value for name, value in own._asdict().items() if getattr(asked, name) is None})


def _write_settings(out: Words, seat: int, choices: int, asked: Settings, number: int, threads: int) -> None:
    out[OBSERVER] = seat
    out[CHOICES] = choices
    out[METHOD] = METHODS[asked.method]
    out[PER_WORLD] = asked.world_iterations if asked.method == "pimc" else 0
    out[DEPTH] = asked.evaluate or NEVER
    out[EXPANSION] = asked.expansion or 0
    out[BY_POLICY] = asked.rollout == "policy"
    out[BY_REGRET] = asked.selection == "regret"
    if asked.iterations is not None:
        out[SIMULATIONS] = (asked.iterations + threads - 1 - number) // threads
    if asked.time is not None:
        out[NANOSECONDS] = max(1, int(asked.time * 1e9))


def _write_numbers(out: Numbers, asked: Settings) -> None:
    out[PRIOR] = asked.prior
    out[HABIT] = asked.habit if asked.method == "ismcts" else 0.0
    out[EXPLORATION] = asked.exploration
    out[MIXING] = REGRET_MIXING


def _constants(game: Game, asked: Settings) -> Numbers:
    constants = game.constants
    known = {constant.name: (place, constant) for place, constant in enumerate(game.rollout.CONSTANTS)}
    for name, value in asked.constants.items():
        if name not in known:
            raise ConfigError(f'search: constants: {game.name} has no "{name}"; {nearest(str(name), known)}')
        place, constant = known[name]
        check_number(f"constants: {name}", value, constant.low, constant.high)
        constants[place] = value
    return constants
