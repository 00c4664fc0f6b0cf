"""Search for good decisions in compiled code, written once for all rooms: bots reach it by `view.search(...)`.

tree.py is the memory, simulation.py one simulation, run.py a whole search as one compiled call; here is the door to them.
A search starts from what a seat sees, so it cannot use what is hidden, and with a number of iterations the same view gives
the same answer anywhere.
"""

import threading
import time
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from arena.contract import Numbers
from arena.errors import ConfigError, nearest
from arena.game import Game, States
from arena.rng import derive, seed_words
from arena.search import simulation
from arena.search.run import FLAT, ISMCTS, PIMC, bind_search
from arena.search.tree import new_tree

__all__ = ["Choice", "Findings", "Settings", "bind_search", "search", "warm"]

METHODS = {"ismcts": ISMCTS, "pimc": PIMC, "flat": FLAT}
ROLLOUTS = ("policy", "uniform")
SELECTIONS = ("ucb", "regret")
NODES = 1 << 16  # of one tree, where the number of iterations does not need fewer: 64 bytes each with its slots
NODES_PER_ITERATION = 2  # a simulation seldom makes more: its choice, and what came of it
MIXING = 0.1  # of regret matching: how often a choice is tried for its own sake
PURE = 0.2  # shares below this part of the largest one are noise (S. Ganzfried, T. Sandholm, K. Waugh 2012, "purification")
_CLOSE = 1e-12


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a search is asked to do. At least one of `iterations` and `time` is needed."""

    iterations: int | None = None
    """Simulations, for each thread its part of them. Such a search can be repeated exactly."""
    time: float | None = None
    """CPU seconds; where both are given, what ends first. The seat's row is then marked as not reproducible."""
    method: str = "ismcts"
    """`ismcts`: one tree over all worlds; `pimc`: a tree for each of some worlds, as if all cards lay open; `flat`: no tree,
    every action in the same worlds against the same chance."""
    rollout: str = "policy"
    """How a simulation goes on below the tree: `policy`, the room's quick play; or `uniform`, any legal action."""
    evaluate: int | None = None
    """Decisions after which a rollout is cut and the position is judged as it stands; 0: never; None: the room's own number."""
    selection: str | None = None
    """For simultaneous choices: `ucb` or `regret`; None: what suits the room."""
    exploration: float = 0.7
    """Width of the confidence bounds, in standard deviations of the rewards."""
    world_iterations: int = 100
    """`pimc`: simulations in each world."""
    nodes: int = NODES
    """The most nodes of a tree; when they are used up the search goes on without new ones."""
    threads: int = 1
    """Searches side by side, each with a tree of its own, added up; one after the other where threads are not allowed."""
    seed: int = 0
    """Another seed is another search of the same position."""

    def __post_init__(self) -> None:
        """Raise ConfigError for what makes no sense."""
        for name, known in (("method", (*METHODS,)), ("rollout", ROLLOUTS), ("selection", (None, *SELECTIONS))):
            if getattr(self, name) not in known:
                words = [word for word in known if word is not None]
                raise ConfigError(f"search: {name}: no {getattr(self, name)!r}; {nearest(str(getattr(self, name)), words)}")
        if self.iterations is None and self.time is None:
            raise ConfigError("search: give iterations=... or time=...")
        for name in ("iterations", "time", "world_iterations", "nodes", "threads"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigError(f"search: {name}: more than 0 is needed, not {value!r}")


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
        self, game: Game, observed: States, codes: list[int], results: Numbers, counters: Any, asked: Settings
    ) -> None:
        """`results`: a row of visits, sum of rewards and sum of shares for each of `codes`."""
        self._game, self._observed, self._codes, self._results = game, observed, codes, results
        self._asked = asked
        self.simulations = int(counters[simulation.DONE])
        """How many were played."""
        self.decisions = int(counters[simulation.DECISIONS])
        """In all simulations together."""
        self.nodes = int(counters[simulation.USED])
        """Of all trees together."""

    @cached_property
    def shares(self) -> list[float]:
        """How often each action is to be played; they add up to 1."""
        shares = self._results[:, simulation.SHARE]
        weights = shares if shares.sum() > _CLOSE else self._results[:, simulation.VISITS]
        return [float(share) for share in np.maximum(weights, 0.0) / max(_CLOSE, np.maximum(weights, 0.0).sum())]

    @cached_property
    def values(self) -> list[float]:
        """Mean reward of each action; minus infinity for one that was never tried."""
        visits, sums = self._results[:, simulation.VISITS], self._results[:, simulation.VALUE]
        return [float(total / count) if count else -np.inf for total, count in zip(sums, visits)]

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """All legal actions in canonical order."""
        texts = self._game.text.action_texts(self._observed[0], self._codes)
        visits = self._results[:, simulation.VISITS]
        rows = zip(texts, visits, self.values, self.shares)
        return tuple(Choice(text, int(count), value, share) for text, count, value, share in rows)

    @cached_property
    def best_code(self) -> int:
        """The action to play: by visits (`flat`: by value); of a mixed strategy, one that is drawn by its shares."""
        if self._results[:, simulation.SHARE].sum() > _CLOSE:
            draw = Random(derive(self._observed.tobytes(), "draw", self._asked.seed))
            shares = [share if share >= PURE * max(self.shares) else 0.0 for share in self.shares]
            return draw.choices(self._codes, shares)[0]
        rank: list[tuple[float, float]]
        if self._asked.method == "flat":
            rank = [(value, 0.0) for value in self.values]
        else:
            rank = list(zip(self._results[:, simulation.VISITS].tolist(), self.values))
        return self._codes[max(range(len(rank)), key=rank.__getitem__)]

    @cached_property
    def best(self) -> str:
        """The text of the action to play."""
        return self._game.text.action_texts(self._observed[0], [self.best_code])[0]


def search(game: Game, observed: States, seat: int, codes: list[int], asked: Settings) -> Findings:
    """Search for `seat`, which is to choose among `codes` and sees `observed`. The state is left as it is."""
    began = time.thread_time_ns()
    threads = asked.threads if asked.iterations is None else min(asked.threads, asked.iterations)
    parts = [_Part(game, observed, seat, codes, asked, number, threads) for number in range(threads)]
    started = [part for part in parts[1:] if part.starts()]
    parts[0].run(began)
    for part in parts[1:]:
        if part in started:
            part.thread.join()
        else:
            part.run(time.thread_time_ns())
    results = sum((part.results for part in parts[1:]), parts[0].results)
    counters = sum((part.counters for part in parts[1:]), parts[0].counters)
    return Findings(game, observed, codes, results, counters, asked)


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
        self, game: Game, observed: States, seat: int, codes: list[int], asked: Settings, number: int, threads: int
    ) -> None:
        self._game = game
        self._root = game.from_bytes(observed.tobytes())
        self._rng = seed_words(derive(observed.tobytes(), "search", seat, asked.seed, number))
        self._settings = _settings(game, seat, asked, number, threads)
        self._numbers = np.zeros(simulation.FIRST_MEAN + max(game.seats))
        self._numbers[simulation.EXPLORATION] = asked.exploration
        self._numbers[simulation.MIXING] = MIXING
        capacity = asked.nodes
        if asked.method == "flat":
            capacity = 1
        elif asked.method == "pimc":
            capacity = min(capacity, NODES_PER_ITERATION * asked.world_iterations + 1)
        elif asked.iterations is not None:
            capacity = min(capacity, NODES_PER_ITERATION * asked.iterations + 1)
        self._tree = new_tree(capacity)
        self.results = np.zeros((len(codes), simulation.COLUMNS))
        self.counters = np.zeros(simulation.COUNTERS, np.int64)
        self.thread = threading.Thread(target=lambda: self.run(time.thread_time_ns()))

    def starts(self) -> bool:
        """Whether a thread of its own does it: a locked seat may not start any."""
        try:
            self.thread.start()
        except RuntimeError:
            return False
        return True

    def run(self, began: int) -> None:
        """`began`: CPU time of this thread, in nanoseconds, from which a time budget counts."""
        self._settings[simulation.BEGAN] = began
        kept = simulation.KEPT_CHOICES
        bind_search(self._game.name)(
            self._root,
            self._game.new_states(),
            self._game.new_states(),
            *self._tree,
            np.zeros((simulation.LONGEST_PATH, simulation.PATH_COLUMNS), np.int64),
            np.zeros(kept, np.int64),
            self._game.new_actions(),
            self._game.new_actions(),
            np.zeros(kept),
            np.zeros(max(self._game.seats)),
            self._settings,
            self.counters,
            self._numbers,
            self.results,
            self._rng,
        )


def _settings(game: Game, seat: int, asked: Settings, number: int, threads: int) -> Any:
    settings = np.zeros(simulation.SETTINGS, np.int64)
    depth = game.rollout.DEPTH if asked.evaluate is None else asked.evaluate
    settings[simulation.OBSERVER] = seat
    settings[simulation.METHOD] = METHODS[asked.method]
    settings[simulation.PER_WORLD] = asked.world_iterations if asked.method == "pimc" else 0
    settings[simulation.DEPTH] = depth or -1
    settings[simulation.BY_POLICY] = asked.rollout == "policy"
    settings[simulation.BY_REGRET] = (asked.selection or game.rollout.SIMULTANEOUS) == "regret"
    if asked.iterations is not None:
        settings[simulation.SIMULATIONS] = (asked.iterations + threads - 1 - number) // threads
    if asked.time is not None:
        settings[simulation.NANOSECONDS] = max(1, int(asked.time * 1e9))
    return settings
