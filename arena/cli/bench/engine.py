"""`arena bench engine`: measure random play in compiled code, and what a game costs its callers. Figures are medians of CPU
time, for this machine; never a test.
"""

import itertools
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from arena import cache, games
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.games import all_ready
from arena.cli.shared.options import FormatOption, OnlyGames
from arena.cli.shared.printing import Format, note, refuse_csv, show, write_table
from arena.engine.entries import COUNT_SHIFT
from arena.engine.game import Game
from arena.engine.readiness import SAMPLING, require
from arena.engine.rng import seed_words
from arena.reports.terminal import Page
from arena.tournament.workers import compiling

REPEATS = 7
PLAY_SECONDS = 0.3  # per repeat
PYTHON_DECISIONS = 20_000
OPEN_SPIEL_GAMES = ("hearts", "oh_hell", "gin_rummy")


class PlaySpeed(msgspec.Struct, frozen=True):
    """Random play at one table, default options, one core."""

    game: str
    seats: int
    decisions_per_second: float
    """Inside compiled code, deals included; OpenSpiel's inside C++."""
    decisions_per_match: float
    forced_share: float | None = None
    """Share of decisions with one legal action, for which no message is sent; None if they were not counted."""


class GameCost(msgspec.Struct, frozen=True):
    """What one game costs its callers."""

    game: str
    python_decision_us: float
    """Legal list, step and current seat, called from Python, at the smallest table."""
    clone_ns: float
    """Copying a state as bytes, from Python."""
    state_bytes: int
    cold_cpu_s: float
    """A process that compiles the whole game into an empty cache."""
    warm_cpu_s: float
    """A process that loads and calls all of it from the cache."""


def game_speeds(name: str) -> list[PlaySpeed]:
    """Random play of one game at its smallest table, at 3 seats and at its largest table."""
    game = games.load(name)
    games.warm(game)
    require(games.part(game, SAMPLING))
    tables = sorted({game.seats[0], game.seats[-1], *({3} & set(game.seats))})
    return [PlaySpeed(name, seats, *_random_play(game, seats), _forced_share(game, seats)) for seats in tables]


def game_cost(name: str) -> GameCost:
    """Return what calls from Python, copies and compiling cost in one game."""
    game = games.load(name)
    games.warm(game)
    with tempfile.TemporaryDirectory() as empty:
        cold, warm = (_compile_seconds(name, empty) for _ in range(2))
    return GameCost(
        game=name,
        python_decision_us=1e6 * _from_python(game, game.seats[0]),
        clone_ns=1e9 * _clone(game),
        state_bytes=game.rules.STATE.itemsize,
        cold_cpu_s=cold,
        warm_cpu_s=warm,
    )


def open_spiel_speeds() -> list[PlaySpeed]:
    """OpenSpiel's random play by its C++ game loop and C++ uniform bots; empty where the extra `bench` is not installed."""
    try:
        import pyspiel
    except ImportError:
        return []
    return [_open_spiel(pyspiel.load_game(name), name) for name in OPEN_SPIEL_GAMES]


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


def _forced_share(game: Game, seats: int) -> float:
    """The share of decisions with one legal action, in random matches."""
    engine, chance, out = game.engine, random.Random(7), game.new_actions()
    options = game.resolve_options({}, seats)
    decisions = forced = 0
    for seed in itertools.count():
        states = game.deal(seats, options, seed)
        while not engine.is_terminal(states):
            count = engine.legal_actions(states, out)
            decisions += 1
            forced += count == 1
            engine.advance(states, int(out[chance.randrange(count)]))
        if decisions >= PYTHON_DECISIONS:
            break
    return forced / decisions


def _open_spiel(game: Any, name: str) -> PlaySpeed:
    import pyspiel

    length = statistics.mean(_open_spiel_length(game, random.Random(seed)) for seed in range(20))
    seats = game.num_players()
    serial = itertools.count()

    def play() -> int:
        began, matches = time.process_time(), 0
        while time.process_time() - began < PLAY_SECONDS:
            seed = next(serial)
            bots = [pyspiel.make_uniform_random_bot(seat, seed * seats + seat) for seat in range(seats)]
            pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
            matches += 1
        return matches

    return PlaySpeed(f"open_spiel {name}", seats, length / _median_seconds(play), length)


def _open_spiel_length(game: Any, chance: random.Random) -> int:
    """Decisions of one random match, the cards not counted."""
    state, decisions = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes())
            state.apply_action(chance.choices(actions, weights)[0])
        else:
            state.apply_action(chance.choice(state.legal_actions()))
            decisions += 1
    return decisions


def _compile_seconds(name: str, folder: str) -> float:
    """CPU seconds of a process that makes a game ready with its cache in `folder`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, cache.VARIABLE: folder}
    parts = (compiling.RULES, *games.PARTS)
    subprocess.run([sys.executable, *_WARM_UP, name, *parts], env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


_WARM_UP = ("-m", compiling.__name__)


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
            count = engine.legal_actions(states, out)
            while count:
                action = int(out[choices[decisions & 0xFFFF] % count])
                count = engine.follow(states, 0, 0, action, out) >> COUNT_SHIFT
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


def engine(game: OnlyGames = None, format: FormatOption = Format.TABLE) -> int:
    """Measure random play, copies and compile times of each game.

    On one core, in CPU time. OpenSpiel's figures stand beside ours if the extra `bench` is installed.
    """
    refuse_csv(format, "this result")
    names = all_ready(game, [SAMPLING])
    plays = [speed for name in names for speed in game_speeds(name)] + open_spiel_speeds()
    costs = [game_cost(name) for name in names]
    show(format, lambda page: _write(page, plays, costs), {"random_play": plays, "rooms": costs})
    if not any(play.game.startswith("open_spiel") for play in plays):
        note("(OpenSpiel's figures beside ours: install the extra `bench`)")
    return DONE


def _write(page: Page, plays: Sequence[PlaySpeed], costs: Sequence[GameCost]) -> None:
    write_table(
        page, "Random play in compiled code, one core",
        ("game", "seats", "decisions/s", "decisions/match", "forced, not sent"),
        [
            (
                play.game, str(play.seats), f"{play.decisions_per_second / 1e6:.2f} M", f"{play.decisions_per_match:.1f}",
                "-" if play.forced_share is None else f"{100 * play.forced_share:.1f} %",
            )
            for play in plays
        ],
    )  # fmt: skip
    page.say("")
    write_table(
        page, "What a game costs",
        ("game", "decision from Python us", "clone ns", "state bytes", "compile s", "load s"),
        [
            (
                cost.game, f"{cost.python_decision_us:.2f}", f"{cost.clone_ns:.0f}", str(cost.state_bytes),
                f"{cost.cold_cpu_s:.1f}", f"{cost.warm_cpu_s:.1f}",
            )
            for cost in costs
        ],
    )  # fmt: skip
