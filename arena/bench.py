"""Speed, measured: what `arena bench` prints. Figures are medians of CPU time, for this machine; never a test."""

import statistics
import time
from collections.abc import Callable

import msgspec
import numpy as np

from arena import game as games
from arena.game import Game
from arena.rng import seed_words

REPEATS = 7
PLAY_SECONDS = 0.3  # per repeat
PYTHON_DECISIONS = 20_000


class EngineSpeed(msgspec.Struct, frozen=True):
    """One room at one number of seats, default options."""

    game: str
    seats: int
    decisions_per_second: float
    """Random play inside compiled code, deals included, one core."""
    decisions_per_match: float
    python_decision_us: float
    """Legal list, step and current seat, called from Python."""
    clone_ns: float
    """Copying a state as bytes, from Python."""
    state_bytes: int


def engine_speed(name: str) -> EngineSpeed:
    """Measure one room at its smallest table."""
    game = games.load(name)
    games.warm(game)
    seats = game.seats[0]
    rate, length = _random_play(game, seats)
    return EngineSpeed(
        game=name,
        seats=seats,
        decisions_per_second=rate,
        decisions_per_match=length,
        python_decision_us=1e6 * _from_python(game, seats),
        clone_ns=1e9 * _clone(game),
        state_bytes=game.rules.STATE.itemsize,
    )


def _random_play(game: Game, seats: int) -> tuple[float, float]:
    """Decisions per CPU second, and per match."""
    options = game.options_vector(game.resolve_options({}, seats))
    states, rng, out = game.new_states(), seed_words(7), game.new_actions()
    matches, first = 64, 1
    rates: list[float] = []
    lengths: list[float] = []
    while len(rates) < REPEATS:
        began = time.process_time()
        decisions = game.engine.play_many(states, seats, options, first, matches, rng, out)
        seconds = time.process_time() - began
        first += matches
        if seconds < PLAY_SECONDS:
            matches *= 2
            continue
        rates.append(decisions / seconds)
        lengths.append(decisions / matches)
    return statistics.median(rates), statistics.median(lengths)


def _from_python(game: Game, seats: int) -> float:
    """CPU seconds per decision of a match that Python drives, random choice not counted."""
    engine, out, states = game.engine, game.new_actions(), game.new_states()
    options, seed = game.options_vector(game.resolve_options({}, seats)), seed_words(7)
    choices = np.random.default_rng(7).integers(0, 1 << 30, 1 << 16).tolist()

    def play() -> int:
        decisions, deal = 0, 0
        while decisions < PYTHON_DECISIONS:
            deal += 1
            seed[3] = deal
            engine.deal(states, seats, options, seed)
            while count := engine.legal_actions(states, out):
                engine.current_seat(states)
                engine.advance(states, int(out[choices[decisions & 0xFFFF] % count]))
                decisions += 1
        return decisions

    return _median_seconds(play)


def _clone(game: Game) -> float:
    source = game.new_states().view(np.uint8)
    copy = game.new_states().view(np.uint8)

    def clone() -> int:
        for _ in range(PYTHON_DECISIONS):
            copy[:] = source
        return PYTHON_DECISIONS

    return _median_seconds(clone)


def _median_seconds(run: Callable[[], int]) -> float:
    """CPU seconds per unit; `run` returns how many units it did."""
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        units = run()
        times.append((time.process_time() - began) / units)
    return statistics.median(times)
