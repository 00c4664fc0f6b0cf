"""The functions that a graphics card runs, run by this processor with a lane for each table: the same bytes as without lanes.

On a card the same comparison is `arena bench env --device cuda --check`.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from arena.errors import ConfigError
from arena.learning.compiled import lanes, layout
from arena.learning.episodes import episode_record
from arena.learning.gymnasium import MatchesOnCard, environment_id
from arena.learning.rivals import Batch
from arena.learning.tables import IllegalChoice, Tables
from helpers.lanes import ProcessorLanes
from helpers.learning import GAMES
from learning.test_learners_threads import choices, last_legal, setups, shown

CALLABLES: dict[str, Any] = {"last_legal": last_legal}


def compare(
    game: str,
    tables: int,
    steps: int,
    *,
    rivals: Any = (),
    learners: Any = None,
    lanes_of: type[ProcessorLanes] = ProcessorLanes,
    **settings: Any,
) -> Tables:
    """Play the same choices with lanes and without; gives the tables with lanes."""
    known = [CALLABLES.get(rival, rival) for rival in rivals]
    plain, laned = (
        Tables(game, tables, rivals=known, learners=learners, seed=3, **settings, **where)
        for where in ({}, {"device": lanes_of()})
    )
    plain.reset()
    laned.reset()
    rng = np.random.default_rng(5)
    for step in range(steps):
        for place, (expected, found) in enumerate(zip(shown(plain), shown(laned), strict=True)):
            assert expected.tobytes() == np.ascontiguousarray(found).tobytes(), (step, place)
        assert plain.positions()[1].tobytes() == np.ascontiguousarray(laned.positions()[1]).tobytes(), step
        chosen = choices(plain.mask, rng)
        plain.step(chosen)
        laned.step(chosen)
    return laned


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_lanes_play_as_tables_without_them(game: str) -> None:
    """At all numbers of seats that the tests know, a variant, one table, two, and 1,024."""
    for seats, options in setups(game):
        common: dict[str, Any] = {"seats": seats, "options": options}
        compare(game, 1, 400, learners=range(seats), action_features=True, **common)
        rivals = ["policy", "random", "last_legal"]
        compare(game, 2, 300, rivals=rivals[: min(2, seats - 1)], reward="score", episode="round", **common)
        compare(game, 1024, 40, rivals=["policy"], action_features=True, autoreset="next_step", **common)
        compare(game, 5, 200, rivals=rivals[:-seats:-1], logs=True, autoreset="off", **common)


def test_lanes_play_as_tables_without_them_in_plain_python() -> None:
    """All that tables can be asked for, at a few tables of one game: the compiler takes as long as the rest of the tests."""
    checks = """
from learning.test_card_lanes import compare
compare("naga", 2, 12, learners=[0, 1], action_features=True)
compare("naga", 3, 12, rivals=["last_legal"], logs=True)
compare("yaniv", 1, 10, seats=3, rivals=["random", "last_legal"], reward="score", episode="round", autoreset="next_step")
"""
    tests = Path(__file__).parents[1]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(tests)}
    done = subprocess.run(
        [sys.executable, "-c", checks], env=environment, capture_output=True, text=True, check=False, cwd=tests.parent
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert not done.stderr


def small(
    monkeypatch: pytest.MonkeyPatch, game: str = "naga", tables: int = 3, **settings: Any
) -> tuple[Tables, ProcessorLanes]:
    """Tables with lanes whose `advance_lane` does nothing: nobody plays, and nothing is compiled."""
    device = ProcessorLanes()
    monkeypatch.setattr(device, "prepare", lambda source: (source.name, lambda *_: None))
    return Tables(game, tables, device=device, **settings), device


def test_a_step_waits_for_nothing_but_where_somebody_has_to_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def waits(**settings: Any) -> int:
        tables, device = small(monkeypatch, **settings)
        before = device.reads
        tables.step(np.zeros(3, np.int64))
        return device.reads - before

    assert waits() == waits(rivals=["policy"]) == waits(feature_type="uint8") == 0
    assert waits(rivals=[last_legal]) > 0 and waits(logs=True) > 0 and waits(illegal="raise") > 0


def test_a_kernel_is_made_without_what_nobody_at_the_tables_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    def ran(**settings: Any) -> str:
        tables, device = small(monkeypatch, **settings)
        tables.step(np.zeros(3, np.int64))
        return device.ran[0]

    assert ran() == "advance_lane-rollout_action=first_action-action_features=no_rows"
    assert ran(rivals=["policy"], action_features=True) == "advance_lane"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rivals": ["search:20"]}, "rivals: search:20 cannot sit at tables on a card; random, policy and callables can"),
        (
            {"rivals": ["house:naga_greedy"]},
            "rivals: naga_greedy cannot sit at tables on a card; random, policy and callables can",
        ),
        ({"threads": 2}, "threads: on a card every table has a lane of its own; leave threads out"),
        ({"feature_type": "float64"}, "feature_type: no 'float64'; did you mean \"float16\"?"),
        ({"device": "gpu"}, "device: no 'gpu'; give cpu, cuda, or cuda:N for another card than the first"),
        ({"device": "cpu", "feature_type": "uint8"}, "feature_type: only with device='cuda'"),
        ({"device": "cpu", "stream": 7}, "stream: only with device='cuda'"),
    ],
)
def test_what_a_card_cannot_do_is_refused_in_a_line(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as error:
        Tables("naga", 3, **{"device": ProcessorLanes(), **settings})
    assert said in str(error.value) and "\n" not in str(error.value)


def test_features_become_bytes_between_the_bounds_of_their_planes_and_halves() -> None:
    device, rows = ProcessorLanes(), 3
    lows, highs = np.array([0, -1, -0.5], np.float32), np.array([1, 1, 2], np.float32)
    features = np.asfortranarray(
        np.array([[0, -1, -0.5], [1, 1, 2], [0.5, 0, 0.25], [0.1, 0.7, 1.9]] * 2, np.float32)[: 2 * rows]
    )
    kept: dict[str, Any] = {"features": features, "lows": lows, "scales": np.float32(255) / (highs - lows)}
    for lane, kind in ((lanes.bytes_lane, np.uint8), (lanes.halves_lane, np.float16)):
        small_ones = device.zeros(features.shape, kind)
        places = np.zeros((len(lanes.LANE_ORDER), 4), np.int64)
        for name, array in {**kept, "small": small_ones}.items():
            places[lanes.LANE_ORDER.index(name), : 1 + array.ndim] = array.ctypes.data, *array.shape
        for table in range(rows):
            lane(np.zeros(rows), places, 1, table)
        exact = (features - lows) / (highs - lows) * 255 if kind is np.uint8 else features
        assert np.abs(small_ones - exact).max() <= (0.5 if kind is np.uint8 else 1e-3)
    assert (small_ones == features.astype(np.float16)).all()


def test_tables_where_no_learner_ever_has_a_choice_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lane cannot raise it: it leaves how many episodes it passed over."""
    tables, _ = small(monkeypatch)
    tables.reset()
    empty = tables.playing.arrays.books[:, layout.EMPTY]
    empty[1] = layout.MOST_EMPTY
    tables.reset()
    empty[1] += 1
    with pytest.raises(RuntimeError, match=f"^{layout.NO_CHOICE}$"):
        tables.reset()


@pytest.mark.slow
def test_an_illegal_choice_raises_where_that_is_asked_for_and_no_table_has_played() -> None:
    tables = Tables("naga", 4, learners=[0, 1], illegal="raise", device=ProcessorLanes())
    tables.reset()
    before = tables.positions()
    with pytest.raises(IllegalChoice, match=r"^table 2: index 99 is not legal; legal: "):
        tables.step(np.array([0, 0, 99, 99]))
    assert all(kept.tobytes() == now.tobytes() for kept, now in zip(before, tables.positions()))


@pytest.mark.slow
def test_a_callable_that_answers_with_no_legal_action_is_named() -> None:
    def wrong(batch: Batch) -> Any:
        return np.full(len(batch.counts), 77)

    tables = Tables("naga", 4, rivals=[wrong], device=ProcessorLanes())
    with pytest.raises(ConfigError, match=r"^rivals\[0\]: index 77 in row \d is not legal; see the batch's mask$"):
        tables.reset()
        tables.step(tables.mask.argmax(axis=1))


@pytest.mark.slow
def test_tables_with_lanes_go_on_from_positions() -> None:
    tables = compare("yaniv", 6, 30, rivals=["random"])
    states, books = tables.positions()
    chosen = np.array(tables.mask.argmax(axis=1))
    tables.step(chosen)
    after = tables.positions()
    tables.put_back(states, books)
    tables.step(chosen)
    assert all(one.tobytes() == other.tobytes() for one, other in zip(after, tables.positions()))


@pytest.mark.slow
def test_an_episode_of_lanes_is_a_match_that_the_referee_plays_again(tmp_path: Path) -> None:
    env: Any = gymnasium.make_vec(environment_id("naga"), 5, device=ProcessorLanes(), logs=True)
    assert isinstance(env, MatchesOnCard)
    env.reset(seed=4)
    rng, ended = np.random.default_rng(1), np.zeros(5, bool)
    while not ended.any():
        mask = env.tables.mask
        ended = env.step((rng.random(mask.shape) * mask).argmax(axis=1))[2].copy()
    table = int(ended.argmax())
    record = episode_record(env.tables, table)
    assert [seat.place for seat in record.seats] == env.tables.final_places[table].tolist()
    assert env.keep_episode(tmp_path, table)
