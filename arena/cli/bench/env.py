"""`arena bench env`: steps of learning environments per second: ours, and those of pgx and PettingZoo in the same run.

All figures are CPU time of one core, but for those of self-play in several threads, which are wall time as well. Everything is
measured in turns, so that what slows the machine down slows all of it.
"""

import math
import os
import random
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import typer
from numpy.typing import NDArray

from arena import games
from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.games import all_ready
from arena.cli.shared.options import FormatOption, OnlyGames
from arena.cli.shared.printing import Format, note, show, write_table
from arena.engine.readiness import ENCODING
from arena.errors import ConfigError
from arena.reports.terminal import Page
from arena.search.settings import MOST_THREADS
from arena.tournament.workers.processes import available_cpus

REPEATS = 5
SECONDS = 0.4  # of CPU time per repeat
STEPS = 100_000  # of a comparison of a card with the processor
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

Run: TypeAlias = Callable[[float], "Spent"]
"""Steps an environment for about so many CPU seconds."""


class Spent(NamedTuple):
    """What some steps took."""

    steps: int
    cpu: float
    """CPU seconds of all threads."""
    wall: float | None = None
    """Seconds of wall time, where they are told."""


class Subject(NamedTuple):
    """An environment to measure."""

    form: str
    environment: str
    seats: int
    run: Run
    threads: int = 1


class StepSpeed(msgspec.Struct, frozen=True):
    """How fast one environment is stepped; observations, masks and new episodes are included."""

    form: str
    """How it is stepped: `tables`, `self-play`, `features`, `make_vec`, `make` or `AEC`."""
    environment: str
    """A game of ours, or the library and its environment."""
    seats: int
    steps_per_second: float
    """Choices that are asked for and played, per CPU second of all threads together; those of rivals in between are not
    counted. The median of the measurements."""
    times: float | None = None
    """How many times as fast as the other library's environment; None if there is none, or it is not installed."""
    threads: int = 1
    """How many threads share the tables out."""
    wall_steps_per_second: float | None = None
    """The same per second of wall time, for `self-play` alone. The best of the measurements: other work only slows it."""
    speedup: float | None = None
    """How many times as many that is as in one thread; None where it is not measured."""


def step_speeds(names: Sequence[str], seconds: float = SECONDS, repeats: int = REPEATS) -> list[StepSpeed]:
    """The speeds of some games in all forms whose libraries are installed, and of what stands beside them."""
    subjects = [subject for name in names for subject in _ours(name)]
    with suppress(ImportError):
        subjects += [Subject(MANY, name, seats, _pgx(name)) for name, seats in PGX.items()]
    with suppress(ImportError):
        subjects.append(Subject(AGENTS, LEDUC, 2, _leduc_holdem()))
    taken: list[list[Spent]] = [[] for _ in subjects]
    for _ in range(repeats):
        for found, subject in zip(taken, subjects):
            found.append(subject.run(seconds))
    rates = [statistics.median(spent.steps / spent.cpu for spent in found) for found in taken]
    walls = [max((spent.steps / spent.wall for spent in found if spent.wall), default=None) for found in taken]
    others = {subject.environment: rate for subject, rate in zip(subjects, rates) if subject.environment in (*PGX, LEDUC)}
    alone = {one.environment: wall for one, wall in zip(subjects, walls) if one.form == SELF_PLAY and one.threads == 1}
    return [
        StepSpeed(
            form, name, seats, rate, _times(rate, others.get(RULERS.get(form, "")) if name not in others else None),
            threads, wall, _times(wall, alone.get(name)),
        )
        for (form, name, seats, _run, threads), rate, wall in zip(subjects, rates, walls)
    ]  # fmt: skip


def thread_counts(cpus: int) -> list[int]:
    """The numbers of threads to measure: one, and doubled up to as many as there are CPUs and may be threads."""
    most = min(cpus, MOST_THREADS)
    return sorted({most, *(1 << power for power in range(most.bit_length()))})


def _times(speed: float | None, ruler: float | None) -> float | None:
    return None if speed is None or ruler is None else speed / ruler


def _ours(name: str) -> list[Subject]:
    """All forms of one game at its smallest table."""
    from arena.learning.selfplay import SelfPlay
    from arena.learning.tables import Tables

    seats = games.load(name).seats[0]
    tables = Tables(name, TABLES, seed=1)
    tables.reset()
    found = [Subject(MANY, name, seats, _many(tables, tables.step))]
    for threads in thread_counts(available_cpus()):
        play = SelfPlay(name, TABLES, seed=1, threads=threads)
        found.append(Subject(SELF_PLAY, name, seats, _many(play, play.step, tells_wall=True), threads))
    full = SelfPlay(name, TABLES, seed=1, action_features=True)
    found.append(Subject(FEATURES, name, seats, _many(full, full.step)))
    with suppress(ImportError):
        found += [Subject(VECTOR, name, seats, _vector(name)), Subject(SINGLE, name, seats, _single(name))]
    with suppress(ImportError):
        from arena.learning.pettingzoo import env

        found.append(Subject(AGENTS, name, seats, _agents(env(name))))
    return found


def _many(tables: Any, step: Callable[[Any], object], *, tells_wall: bool = False) -> Run:
    """Steps many tables. Who chooses is not counted."""
    rng = np.random.default_rng(1)

    def run(seconds: float) -> Spent:
        steps, spent, wall = 0, 0.0, 0.0
        while spent < seconds:
            chosen = _legal(tables.mask, rng)
            began, entered = time.process_time(), time.perf_counter()
            step(chosen)
            wall += time.perf_counter() - entered
            spent += time.process_time() - began
            steps += len(chosen)
        return Spent(steps, spent, wall if tells_wall else None)

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

    def run(seconds: float) -> Spent:
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
        return Spent(len(masks), spent - (time.process_time() - began))

    return run


def _agents(env: Any) -> Run:
    """Steps an environment of PettingZoo as its own benchmark does; deals and choices are counted."""
    rng = random.Random(1)
    env.reset(seed=1)

    def run(seconds: float) -> Spent:
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
        return Spent(steps, spent)

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

    def run(seconds: float) -> Spent:
        nonlocal keys, state
        steps, spent = 0, 0.0
        while spent < seconds:
            chosen = _legal(np.asarray(state.legal_action_mask), rng)
            keys = jax.block_until_ready(split(keys[0]))
            began = time.process_time()
            state = jax.block_until_ready(step(state, chosen, keys[1:]))
            spent += time.process_time() - began
            steps += TABLES
        return Spent(steps, spent)

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
    device: Annotated[
        str, typer.Option("--device", metavar="NAME", help="Where the tables are: cpu; or cuda, cuda:N, a graphics card.")
    ] = "cpu",
    check: Annotated[
        bool, typer.Option("--check", help="Compare tables on the card with tables on the processor instead.")
    ] = False,
    steps: Annotated[
        int | None,
        typer.Option("--steps", metavar="N", min=1, help="Of each comparison, at all tables together. Default: 100,000."),
    ] = None,
    format: FormatOption = Format.TABLE,
) -> int:
    """Measure steps of learning environments per second.

    In CPU time, observations, masks and new episodes included; self-play also in several threads, in wall time; on a card in
    wall time. pgx and PettingZoo stand beside ours if the extra `bench` is installed.
    """
    if not 0 < seconds < math.inf:
        raise ConfigError(f"--seconds: more than 0, not {seconds}")
    if steps is not None and not check:
        raise ConfigError("--steps: goes with --check")
    if device != "cpu":
        return _on_card(game, device, seconds, format, (steps or STEPS) if check else None)
    if check:
        raise ConfigError("--check: compares a card with the processor; add --device cuda")
    speeds = step_speeds(all_ready(game, [ENCODING]), seconds)
    show(format, lambda page: _write(page, speeds), {"tables": TABLES, "speeds": speeds}, speeds)
    for name, extra in _MISSING.items():
        if not any(speed.environment == name for speed in speeds):
            note(f"({name} is not installed: pip install 'arena-hall[{extra}]')")
    if not any(speed.form == SINGLE for speed in speeds):
        note("(Gymnasium is not installed: pip install 'arena-hall[rl]')")
    return DONE


def _on_card(game: list[str] | None, device: str, seconds: float, format: Format, checked: int | None) -> int:
    """Measure tables on a card, or compare them with the processor's. `checked`: steps of each comparison."""
    from arena.cli.measuring import card
    from arena.learning.device import device_of

    found = device_of(device, None)  # first: where there is no card, nothing is compiled
    names = all_ready(game, [ENCODING])
    if checked is None:
        speeds = card.card_speeds(names, found, seconds, note)
        show(format, lambda page: card.write_speeds(page, found.name, speeds), {"card": found.name, "speeds": speeds}, speeds)
        if not any(one.environment.startswith("pgx") for one in speeds):
            note("(pgx with JAX for cards is not installed: pip install 'arena-hall[bench]' 'jax[cuda12]')")
        return DONE
    checks = list(card.checks(names, found, checked, note))
    show(format, lambda page: card.write_checks(page, checks), {"card": found.name, "checks": checks}, checks)
    return NO if any(one.difference for one in checks) else DONE


def _write(page: Page, speeds: Sequence[StepSpeed]) -> None:
    write_table(
        page, f"Steps per CPU second; {TABLES:,} tables at once in all forms but {SINGLE} and {AGENTS}",
        ("form", "environment", "seats", "threads", "steps/s", "us/step", "times as fast", "by the wall clock", "speed-up"),
        [
            (
                speed.form, speed.environment, str(speed.seats), str(speed.threads), f"{speed.steps_per_second:,.0f}",
                f"{1e6 / speed.steps_per_second:.2f}", "-" if speed.times is None else f"{speed.times:.1f}",
                "-" if speed.wall_steps_per_second is None else f"{speed.wall_steps_per_second:,.0f}",
                "-" if speed.speedup is None else f"{speed.speedup:.2f}",
            )
            for speed in speeds
        ],
        names=2,
    )  # fmt: skip
    page.say("")
    page.say(f"`times as fast`: as {RULERS[MANY]} by its own vectorised step, or as {RULERS[AGENTS]}, in this run.")
    page.say("`by the wall clock`: steps per second of wall time, the best of the measurements; `speed-up`: over one thread.")
