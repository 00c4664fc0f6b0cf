"""Threads that share tables out: the same bytes in any number of them, errors when all have ended, nothing left behind."""

import gc
import hashlib
import signal
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

from arena import games
from arena.engine.options import OptionValue
from arena.engine.random_tables import variants
from arena.errors import ConfigError
from arena.learning.gymnasium import OneMatch, environment_id
from arena.learning.rivals import Batch
from arena.learning.selfplay import SelfPlay
from arena.learning.tables import Tables
from arena.learning.threads import Threads
from helpers.learning import GAMES

STEPS = 200
TABLES = 11  # so that no number of threads but one shares them out evenly
COUNTS = (2, 3, 7)
FEW = 5  # tables, of which there are fewer than threads
ILLEGAL = 0.002  # share of choices


def setups(name: str) -> list[tuple[int, dict[str, OptionValue]]]:
    """The fewest, some and the most seats of a game with its default options, and the fewest with a variant."""
    game = games.load(name)
    counts = sorted({game.seats[0], game.seats[len(game.seats) // 2], game.seats[-1]})
    others = (options for options in variants(game, game.seats[0]) if game.ms_per_tick(options) is None)
    usual = game.resolve_options({}, game.seats[0])
    variant = next(options for options in others if options != usual)
    return [*((seats, {}) for seats in counts), (game.seats[0], variant)]


def choices(mask: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """An action for each table, nearly always a legal one."""
    legal = np.asarray((rng.random(mask.shape) * mask).argmax(axis=1), np.int64)
    return np.where(rng.random(len(mask)) < ILLEGAL, mask.argmin(axis=1), legal)


def shown(tables: Tables) -> Iterable[NDArray[Any]]:
    """All that tables hold after a step."""
    return (
        tables.states, tables.features, tables.final_features, tables.action_features, tables.mask, tables.actions,
        tables.counts, tables.seat, tables.rewards, tables.seat_rewards, tables.terminated, tables.final_places,
        tables.final_scores, tables.final_illegal,
    )  # fmt: skip


def digest(mask: Callable[[], Any], step: Callable[[Any], Iterable[Any]]) -> tuple[bytes, int]:
    """Play by seeded choices. Gives a hash of all that was shown, and how many tables had an episode end in a step."""
    rng, found, ended = np.random.default_rng(4), hashlib.blake2b(), 0
    for _ in range(STEPS):
        for array in step(choices(mask(), rng)):
            found.update(array.tobytes())
            ended += int(array.sum()) if array.dtype == np.bool_ and array.ndim == 1 else 0
    return found.digest(), ended


def last_legal(batch: Batch) -> Any:
    """A snapshot that always takes the last legal action."""
    return batch.mask.shape[1] - 1 - batch.mask[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize("name", GAMES)
def test_self_play_shows_the_same_bytes_in_any_number_of_threads(name: str) -> None:
    def played(threads: int, tables: int, **asked: Any) -> tuple[bytes, int]:
        play = SelfPlay(name, tables, seed=6, action_features=True, threads=threads, **asked)

        def step(chosen: NDArray[np.int64]) -> Iterable[NDArray[Any]]:
            play.step(chosen)
            return shown(play.tables)

        return digest(lambda: play.mask, step)

    for seats, options in setups(name):
        alone = played(1, TABLES, seats=seats, options=options)
        assert alone[1]
        assert all(played(count, TABLES, seats=seats, options=options) == alone for count in COUNTS)
        few = played(1, FEW, seats=seats, options=options, snapshots={1: last_legal})
        assert played(7, FEW, seats=seats, options=options, snapshots={1: last_legal}) == few


@pytest.mark.parametrize("name", GAMES)
def test_environments_of_make_vec_show_the_same_bytes_in_any_number_of_threads(name: str) -> None:
    def played(threads: int, tables: int, **asked: Any) -> tuple[bytes, int]:
        env: Any = gymnasium.make_vec(environment_id(name), num_envs=tables, action_features=True, threads=threads, **asked)
        _, infos = env.reset(seed=6)

        def step(chosen: NDArray[np.int64]) -> Iterable[NDArray[Any]]:
            nonlocal infos
            observation, rewards, terminated, truncated, infos = env.step(chosen)
            own = (observation, rewards, terminated, truncated, infos["action_mask"], infos["action_features"])
            return (*own, *shown(env.unwrapped.tables))

        return digest(lambda: infos["action_mask"], step)

    for rival in ("random", "policy"):
        for seats, options in setups(name):
            alone = played(1, TABLES, seats=seats, options=options, rivals=[rival])
            assert alone[1]
            assert all(played(count, TABLES, seats=seats, options=options, rivals=[rival]) == alone for count in COUNTS)
            few = played(1, FEW, seats=seats, options=options, rivals=[rival])
            assert played(7, FEW, seats=seats, options=options, rivals=[rival]) == few


def test_a_wrong_number_of_threads_is_refused_in_one_line() -> None:
    for wrong in (0, 65, 2.0, "2", None):
        with pytest.raises(ConfigError) as raised:
            gymnasium.make_vec("arena/Naga-v0", num_envs=4, threads=wrong)
        assert str(raised.value) == f"threads: a whole number from 1 to 64 is needed, not {wrong!r}"
    with pytest.raises(ConfigError, match=r"^threads: only environments of make_vec have several tables to share out$"):
        OneMatch("naga", threads=2)


def test_calls_run_at_once_each_in_a_thread_of_its_own() -> None:
    threads: Threads[int] = Threads(3)
    together = threading.Barrier(3, timeout=60)  # passed only if three are there at once

    def met() -> int:
        together.wait()
        return threading.get_ident()

    first = threads.run([met] * 3)
    assert len(set(first)) == 3 and first[0] == threading.get_ident()
    assert threads.run([met] * 3) == first
    assert threads.run([threading.get_ident]) == first[:1] and threads.run([]) == []


def test_an_error_is_raised_when_all_calls_have_ended() -> None:
    threads: Threads[None] = Threads(3)
    done: list[str] = []
    may_end = threading.Event()

    def fail() -> None:
        may_end.set()
        raise ValueError("this one")

    def end() -> None:
        assert may_end.wait(60)
        done.append("ended")

    for calls in ([fail, end, end], [end, fail, end]):
        done.clear()
        may_end.clear()
        with pytest.raises(ValueError, match="this one"):
            threads.run(calls)
        assert done == ["ended", "ended"]


def test_calls_after_an_interrupt_get_their_own_results() -> None:
    threads: Threads[str] = Threads(2)
    may_end = threading.Event()

    def interrupting() -> str:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # it waits for this call
        may_end.wait(2)
        return "of the call that was interrupted"

    with pytest.raises(KeyboardInterrupt):
        threads.run([lambda: "own", interrupting])
    may_end.set()
    assert threads.run([lambda: "own", lambda: "next"]) == ["own", "next"]


def test_threads_end_with_the_tables() -> None:
    before = set(threading.enumerate())
    tables = Tables("naga", 8, rivals=["search:4"], threads=3)
    tables.reset()
    started = set(threading.enumerate()) - before
    assert len(started) == 4  # two that play, two that search
    del tables
    gc.collect()
    until = time.monotonic() + 60
    while any(thread.is_alive() for thread in started) and time.monotonic() < until:
        for thread in started:
            thread.join(60)
    assert not any(thread.is_alive() for thread in started)
