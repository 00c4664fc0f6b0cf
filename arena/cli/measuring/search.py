"""Speed of the compiled search, measured: what `arena bench search` prints. Medians of CPU time unless said otherwise."""

import importlib.util
import itertools
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import msgspec

from arena import games, search
from arena.cli.bench.engine import OPEN_SPIEL_GAMES
from arena.engine.game import Game, States
from arena.search import Findings, Settings

ITERATIONS = 1000  # of a measured decision, as in OpenSpiel's figures
SECONDS = 2.0  # of CPU for each figure, each position's fastest run counts: after a rest a machine is slow at first
POSITIONS = 12  # with at least two legal actions, spread over the first rounds of random matches
OPEN_SPIEL_POSITIONS = 4  # its gin rummy takes nearly a second for each
SPACING = 7  # decisions between them
SEATS = 3  # or the fewest that a game has
BUDGETS = (0.002, 0.01, 0.05)  # CPU seconds of a decision; what Python does around it takes about 0.0001
BUDGET_RUNS = 5  # of each position with each budget: now and then the machine takes a run's time for something else
TOLERANCE = 0.05  # share of its budget that a search may take more
THREADS = 2
THREAD_ITERATIONS = 20_000
THREAD_RUNS = 5


class SearchSpeed(msgspec.Struct, frozen=True):
    """Decisions of information-set Monte Carlo tree search, one core."""

    game: str
    seats: int
    rollout: str
    simulations_per_second: float
    decisions_per_second: float
    """Inside simulations, in the tree and below it."""
    decisions_per_simulation: float


class SearchCost(msgspec.Struct, frozen=True):
    """What else a search costs in one game."""

    game: str
    first_decision_s: float
    """A new process with a warm cache: CPU seconds from its start to the end of its first searches, two simulations of each
    method."""
    import_s: float
    """The part of it that goes before the search: Python, numpy, numba, the game."""
    overdraft: float
    """Taken beyond a time budget of 2, 10 or 50 ms, as a share of it: the median of a position's runs, of the worst one."""
    overdrawn: float
    """Share of all those runs that took over 5 % more than their budget."""
    speedup: float
    """Simulations per second of wall time on two threads, in ratio to one."""


def search_speeds(name: str) -> list[SearchSpeed]:
    """Simulations in one game, with uniform rollouts and with the game's own."""
    game = games.load(name)
    search.warm(game)
    seats = _seats(game)
    views = list(itertools.islice(positions(game, seats), POSITIONS))
    return [_speed(game, seats, views, rollout) for rollout in ("uniform", "policy")]


def search_cost(name: str) -> SearchCost:
    """The first decision, time budgets and threads in one game."""
    game = games.load(name)
    search.warm(game)
    views = list(itertools.islice(positions(game, _seats(game)), POSITIONS))
    total, before = _first_decision(name)
    return SearchCost(name, total, before, *_overdraft(game, views), _speedup(game, views[0]))


def open_spiel_searches() -> list[SearchSpeed]:
    """OpenSpiel's ISMCTSBot in C++ with uniform rollouts; empty where the extra `bench` is not installed.

    Each game in a process of its own, at the first choice of each deal: at some later positions of hearts version 2.0.2 ends
    its process (segmentation fault in `step`). A game that does so is left out.
    """
    if importlib.util.find_spec("pyspiel") is None:
        return []
    code = f"import sys; from {__name__} import open_spiel_speed; sys.stdout.buffer.write(open_spiel_speed(sys.argv[1]))"
    runs = [subprocess.run([sys.executable, "-c", code, name], capture_output=True, check=False) for name in OPEN_SPIEL_GAMES]
    return [msgspec.json.decode(run.stdout, type=SearchSpeed) for run in runs if run.returncode == 0]


def open_spiel_speed(name: str) -> bytes:
    """The figures of one of its games, as JSON."""
    import pyspiel

    return msgspec.json.encode(_open_spiel(pyspiel.load_game(name), name))


def _seats(game: Game) -> int:
    return SEATS if SEATS in game.seats else game.seats[0]


Position = tuple[States, int, list[int]]
"""What a seat sees, the seat, its legal actions."""


def positions(game: Game, seats: int) -> Iterator[Position]:
    """Decisions with at least two legal actions, spread over the first rounds of random matches; always the same ones."""
    engine, chance = game.engine, random.Random(7)
    for deal in itertools.count():
        states = game.deal(seats, game.resolve_options({}, seats), deal)
        for number in itertools.count():
            codes, seat = game.legal_list(states), engine.current_seat(states)
            if number % SPACING == 0 and len(codes) > 1:
                yield game.observed(states, seat), seat, codes
            engine.step(states, chance.choice(codes))
            if engine.is_round_over(states):
                break


def _speed(game: Game, seats: int, views: list[Position], rollout: str) -> SearchSpeed:
    evaluate = 0 if rollout == "uniform" else None  # to the end of the round, as OpenSpiel's go to that of the match
    asked = Settings(iterations=ITERATIONS, rollout=rollout, evaluate=evaluate)
    began = time.thread_time()
    best = [_timed(game, view, asked) for view in views]
    while time.thread_time() < began + SECONDS:
        best = [min(before, _timed(game, view, asked), key=itemgetter(0)) for before, view in zip(best, views)]
    rates = [found.simulations / seconds for seconds, found in best]
    decisions = [found.decisions / seconds for seconds, found in best]
    lengths = [found.decisions / found.simulations for _, found in best]
    median = statistics.median
    return SearchSpeed(game.name, seats, rollout, median(rates), median(decisions), median(lengths))


def _timed(game: Game, view: Position, asked: Settings) -> tuple[float, Findings]:
    """CPU seconds of a search, and what it found."""
    now = time.thread_time()
    found = search.search(game, *view, asked)
    return time.thread_time() - now, found


def _first_decision(name: str) -> tuple[float, float]:
    code = (
        f"import time; from arena import games, search; game = games.load({name!r});"
        "before = time.process_time(); search.warm(game); print(time.process_time(), before)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    total, before = min(tuple(float(word) for word in run.stdout.split()) for run in runs)
    return total, before


def _overdraft(game: Game, views: list[Position]) -> tuple[float, float]:
    """Return how far searches overrun their time: median of the worst position, and share of runs above the tolerance."""
    shares = [[_overrun(game, view, budget) for _ in range(BUDGET_RUNS)] for budget in BUDGETS for view in views]
    every = [share for runs in shares for share in runs]
    return max(statistics.median(runs) for runs in shares), statistics.mean(share > TOLERANCE for share in every)


def _overrun(game: Game, view: Position, budget: float) -> float:
    seconds, _ = _timed(game, view, Settings(time=budget))
    return seconds / budget - 1.0


def _speedup(game: Game, view: Position) -> float:
    """Return how much faster several threads are than one; timed in turns, as the machine's speed may change."""
    asked = {threads: Settings(iterations=THREAD_ITERATIONS * threads, threads=threads) for threads in (1, THREADS)}
    walls = dict.fromkeys(asked, float("inf"))
    for _ in range(THREAD_RUNS):
        for threads, settings in asked.items():
            began = time.perf_counter()
            search.search(game, *view, settings)
            walls[threads] = min(walls[threads], time.perf_counter() - began)
    return THREADS * walls[1] / walls[THREADS]


def _open_spiel(game: Any, name: str) -> SearchSpeed:
    import pyspiel

    chance = random.Random(7)
    final = pyspiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT
    rates, decisions, lengths = [], [], []
    for state in itertools.islice(_open_spiel_states(game, chance), OPEN_SPIEL_POSITIONS):
        bot = pyspiel.ISMCTSBot(3, pyspiel.RandomRolloutEvaluator(1, 5), 2.0, ITERATIONS, -1, final, False, False)
        best = float("inf")
        for _ in range(3):
            began = time.thread_time()
            bot.step(state)
            best = min(best, time.thread_time() - began)
        length = statistics.mean(_open_spiel_length(state.clone(), chance) for _ in range(20))
        rates.append(ITERATIONS / best)
        decisions.append(length * ITERATIONS / best)
        lengths.append(length)
    median = statistics.median
    return SearchSpeed(f"open_spiel {name}", game.num_players(), "uniform", median(rates), median(decisions), median(lengths))


def _open_spiel_states(game: Any, chance: random.Random) -> Iterator[Any]:
    """States with at least two legal actions: with one, ISMCTSBot returns at once without any simulation."""
    while True:
        state = game.new_initial_state()
        while state.is_chance_node() or len(state.legal_actions()) < 2:
            _open_spiel_step(state, chance)
        yield state


def _open_spiel_length(state: Any, chance: random.Random) -> int:
    """Decisions to the end of a random match, the cards not counted."""
    decisions = 0
    while not state.is_terminal():
        decisions += not state.is_chance_node()
        _open_spiel_step(state, chance)
    return decisions


def _open_spiel_step(state: Any, chance: random.Random) -> None:
    if state.is_chance_node():
        actions, weights = zip(*state.chance_outcomes())
        state.apply_action(chance.choices(actions, weights)[0])
    else:
        state.apply_action(chance.choice(state.legal_actions()))
