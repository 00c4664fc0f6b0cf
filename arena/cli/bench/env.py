"""`arena bench env`: steps of learning environments per second: ours, and those of pgx and PettingZoo in the same run.

All figures are CPU time of one core. Everything is measured in turns, so that what slows the machine down slows all of it.
"""

import math
import os
import random
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any, TypeAlias

import msgspec
import numpy as np
import typer
from numpy.typing import NDArray

from arena import games
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.games import all_ready
from arena.cli.shared.options import FormatOption, OnlyGames
from arena.cli.shared.printing import Format, note, show, write_table
from arena.engine.readiness import ENCODING
from arena.errors import ConfigError
from arena.reports.terminal import Page

REPEATS = 5
SECONDS = 0.4  # of CPU time per repeat
TABLES = 1024
"""Tables that are stepped at once."""
MANY, SELF_PLAY, FEATURES, VECTOR, SINGLE, AGENTS = "tables", "self-play", "features", "make_vec", "make", "AEC"
"""The forms: one learner at each of many tables with rivals that play at random; all seats of many tables, without and with the
features of each legal action; Gymnasium's two; PettingZoo's."""
SPARROW, LEDUC = "pgx sparrow_mahjong", "pettingzoo leduc_holdem_v4"
"""What ours is compared with."""
RULERS = {MANY: SPARROW, SELF_PLAY: SPARROW, FEATURES: SPARROW, VECTOR: SPARROW, AGENTS: LEDUC}
"""What each form is compared with."""
PGX = {SPARROW: 3, "pgx leduc_holdem": 2, "pgx kuhn_poker": 2}
"""The games of pgx that stand beside ours, and their seats."""

Run: TypeAlias = Callable[[float], tuple[int, float]]
"""Steps an environment for about so many CPU seconds: how many steps, and in how many CPU seconds."""


class StepSpeed(msgspec.Struct, frozen=True):
    """How fast one environment is stepped; observations, masks and new episodes are included."""

    form: str
    """How it is stepped: `tables`, `self-play`, `features`, `make_vec`, `make` or `AEC`."""
    environment: str
    """A game of ours, or the library and its environment."""
    seats: int
    steps_per_second: float
    """Choices that are asked for and played, per CPU second; those of rivals in between are not counted."""
    times: float | None = None
    """How many times as fast as the other library's environment; None if there is none, or it is not installed."""


def step_speeds(names: Sequence[str], seconds: float = SECONDS, repeats: int = REPEATS) -> list[StepSpeed]:
    """The speeds of some games in all forms whose libraries are installed, and of what stands beside them."""
    subjects = [subject for name in names for subject in _ours(name)]
    with suppress(ImportError):
        subjects += [(MANY, name, seats, _pgx(name)) for name, seats in PGX.items()]
    with suppress(ImportError):
        subjects.append((AGENTS, LEDUC, 2, _leduc_holdem()))
    rates: list[list[float]] = [[] for _ in subjects]
    for _ in range(repeats):
        for found, (_form, _name, _seats, run) in zip(rates, subjects):
            steps, spent = run(seconds)
            found.append(steps / spent)
    speeds = [statistics.median(found) for found in rates]
    others = {name: speed for (_form, name, _seats, _run), speed in zip(subjects, speeds) if name in (*PGX, LEDUC)}
    return [
        StepSpeed(form, name, seats, speed, _times(speed, others.get(RULERS.get(form, "")) if name not in others else None))
        for (form, name, seats, _run), speed in zip(subjects, speeds)
    ]


def _times(speed: float, ruler: float | None) -> float | None:
    return None if ruler is None else speed / ruler


def _ours(name: str) -> list[tuple[str, str, int, Run]]:
    """All forms of one game at its smallest table."""
    from arena.learning.selfplay import SelfPlay
    from arena.learning.tables import Tables

    seats = games.load(name).seats[0]
    tables = Tables(name, TABLES, seed=1)
    tables.reset()
    found: list[tuple[str, str, int, Run]] = [
        (MANY, name, seats, _many(tables, tables.step)),
        (SELF_PLAY, name, seats, _many(play := SelfPlay(name, TABLES, seed=1), play.step)),
        (FEATURES, name, seats, _many(full := SelfPlay(name, TABLES, seed=1, action_features=True), full.step)),
    ]
    with suppress(ImportError):
        found += [(VECTOR, name, seats, _vector(name)), (SINGLE, name, seats, _single(name))]
    with suppress(ImportError):
        from arena.learning.pettingzoo import env

        found.append((AGENTS, name, seats, _agents(env(name))))
    return found


def _many(tables: Any, step: Callable[[Any], object]) -> Run:
    """Steps many tables. Who chooses is not counted."""
    rng = np.random.default_rng(1)

    def run(seconds: float) -> tuple[int, float]:
        steps, spent = 0, 0.0
        while spent < seconds:
            chosen = _legal(tables.mask, rng)
            began = time.process_time()
            step(chosen)
            spent += time.process_time() - began
            steps += len(chosen)
        return steps, spent

    return run


def _vector(name: str) -> Run:
    """Steps Gymnasium's environment of many tables."""
    from arena.learning.gymnasium import ManyMatches

    env = ManyMatches(name, TABLES, copy=False)
    env.reset(seed=1)
    return _many(env.tables, env.step)


def _single(name: str) -> Run:
    """Steps Gymnasium's environment of one table; new deals are counted, what it takes to choose is not."""
    from arena.learning.gymnasium import OneMatch

    env, rng = OneMatch(name), random.Random(1)
    _, info = env.reset(seed=1)
    mask: NDArray[Any] = info["action_mask"]

    def run(seconds: float) -> tuple[int, float]:
        nonlocal mask
        masks: list[NDArray[Any]] = []
        spent, began = 0.0, time.process_time()
        while spent < seconds:
            for _ in range(200):
                masks.append(mask)
                _, _, is_over, _, info = env.step(_one_legal(mask, rng))
                if is_over:
                    _, info = env.reset()
                mask = info["action_mask"]
            spent += time.process_time() - began
            began = time.process_time()
        for each in masks:
            _one_legal(each, rng)
        return len(masks), spent - (time.process_time() - began)

    return run


def _agents(env: Any) -> Run:
    """Steps an environment of PettingZoo as its own benchmark does; deals and choices are counted."""
    rng = random.Random(1)
    env.reset(seed=1)

    def run(seconds: float) -> tuple[int, float]:
        steps, began = 0, time.process_time()
        while (spent := time.process_time() - began) < seconds:
            env.reset()
            for _agent in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                env.step(_one_legal(observation["action_mask"], rng))
                steps += 1
        return steps, spent

    return run


def _leduc_holdem() -> Run:
    """PettingZoo's Leduc hold'em. Raises ImportError where it, or RLCard below it, is missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the name under which all versions have it
        from pettingzoo.classic import leduc_holdem_v4

        return _agents(leduc_holdem_v4.env())


def _pgx(name: str) -> Run:
    """A game of pgx: its vectorised step with its own autoreset, on one core. Raises ImportError without pgx."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env, rng = pgx.make(name.removeprefix("pgx ")), np.random.default_rng(1)
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    split = jax.jit(lambda key: jax.random.split(key, TABLES + 1))
    keys = split(jax.random.PRNGKey(1))
    state = jax.jit(jax.vmap(env.init))(keys[1:])

    def run(seconds: float) -> tuple[int, float]:
        nonlocal keys, state
        steps, spent = 0, 0.0
        while spent < seconds:
            chosen = _legal(np.asarray(state.legal_action_mask), rng)
            keys = jax.block_until_ready(split(keys[0]))
            began = time.process_time()
            state = jax.block_until_ready(step(state, chosen, keys[1:]))
            spent += time.process_time() - began
            steps += TABLES
        return steps, spent

    run(1e-9)  # compiles
    return run


def _legal(mask: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """A legal action for each row, drawn at random."""
    return np.asarray((rng.random(mask.shape, np.float32) * mask + mask).argmax(axis=1), np.int64)


def _one_legal(mask: NDArray[Any], rng: random.Random) -> int:
    """A legal action, drawn at random."""
    legal = mask.nonzero()[0]
    return int(legal[int(rng.random() * len(legal))])


_MISSING = {SPARROW: "bench", LEDUC: "bench"}
"""The extra with each environment of another library."""


def env(
    game: OnlyGames = None,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="CPU seconds of each of the measurements whose median is shown.")
    ] = SECONDS,
    format: FormatOption = Format.TABLE,
) -> int:
    """Measure steps of learning environments per second on one core.

    In CPU time, observations, masks and new episodes included. pgx and PettingZoo stand beside ours if the extra `bench` is
    installed.
    """
    if not 0 < seconds < math.inf:
        raise ConfigError(f"--seconds: more than 0, not {seconds}")
    speeds = step_speeds(all_ready(game, [ENCODING]), seconds)
    show(format, lambda page: _write(page, speeds), {"tables": TABLES, "speeds": speeds}, speeds)
    for name, extra in _MISSING.items():
        if not any(speed.environment == name for speed in speeds):
            note(f"({name} is not installed: pip install 'arena-hall[{extra}]')")
    if not any(speed.form == SINGLE for speed in speeds):
        note("(Gymnasium is not installed: pip install 'arena-hall[rl]')")
    return DONE


def _write(page: Page, speeds: Sequence[StepSpeed]) -> None:
    write_table(
        page, f"Steps of one core; {TABLES:,} tables at once in all forms but {SINGLE} and {AGENTS}",
        ("form", "environment", "seats", "steps/s", "us/step", "times as fast"),
        [
            (
                speed.form, speed.environment, str(speed.seats), f"{speed.steps_per_second:,.0f}",
                f"{1e6 / speed.steps_per_second:.2f}", "-" if speed.times is None else f"{speed.times:.1f}",
            )
            for speed in speeds
        ],
        names=2,
    )  # fmt: skip
    page.say("")
    page.say(f"`times as fast`: as {RULERS[MANY]} by its own vectorised step, or as {RULERS[AGENTS]}, in this run.")
