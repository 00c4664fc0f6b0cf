"""The kernels of a graphics card, as NVIDIA's compiler gets them, run by this processor: the same bytes as without a card.

What they are made into for a card is not tried here, but by `arena bench env --device cuda --check` on one.
"""

from typing import Any

import numpy as np
import pytest

from arena import games
from arena.engine import jit
from arena.learning.compiled import lanes
from arena.learning.compiled.layout import STEP
from arena.learning.on_device import OnDevice
from arena.learning.tables import Tables
from helpers.lanes import ProcessorLanes
from learning.test_card_lanes import compare
from learning.test_learners_threads import setups

pytest.importorskip("numba_cuda", reason="needs the extra cuda")
from helpers.kernel_lanes import KernelLanes  # needs the extra, too

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not jit.ENABLED, reason="compiles"),
    pytest.mark.filterwarnings("default"),  # numba-cuda's own
]


@pytest.mark.parametrize("game", games.names())
def test_kernels_play_as_tables_without_a_card(game: str) -> None:
    """At all numbers of seats that the tests know, and in a variant: the smaller kernel, the whole one, and callables."""
    for seats, options in setups(game):
        common: dict[str, Any] = {"seats": seats, "options": options, "lanes_of": KernelLanes}
        small = compare(game, 3, 400, learners=range(seats), **common)
        assert np.asarray(small.final_places).any()  # an episode ended
        rivals = ["policy", "random", "last_legal"][: min(3, seats - 1)]
        whole: dict[str, Any] = {"rivals": rivals, "action_features": True, **common}
        compare(game, 70, 60, reward="score", episode="round", **whole)
        compare(game, 200, 60, autoreset="next_step", **whole)
        compare(game, 5, 200, logs=True, autoreset="off", **{**whole, "rivals": ["policy", "last_legal"][: seats - 1]})


def played(device: ProcessorLanes, feature_type: str) -> Tables:
    """Tables that have played a few steps on a device, by what its lanes choose."""
    tables = Tables("naga", 7, learners=[0, 1], device=device, feature_type=feature_type)
    tables.reset()
    assert isinstance(tables.playing, OnDevice)
    for turn in range(20):
        tables.playing.run_lane(lanes.choose_lane, turn)
        tables.playing.run(STEP)
    return tables


@pytest.mark.parametrize("feature_type", ["float16", "uint8"])
def test_kernels_choose_and_write_smaller_features_as_lanes_do(feature_type: str) -> None:
    expected, found = (played(device, feature_type) for device in (ProcessorLanes(), KernelLanes()))
    assert expected.features.dtype == feature_type and expected.features.any()
    for name in ("features", "final_features", "states", "counts", "actions"):
        assert getattr(expected, name).tobytes() == getattr(found, name).tobytes(), name


@pytest.mark.parametrize("game", games.names())
def test_kernels_play_at_random_as_the_rules_called_from_python(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def states(device: ProcessorLanes) -> bytes:
        tables = Tables(game, 3, device=device)
        assert isinstance(tables.playing, OnDevice)
        tables.playing.run_lane(lanes.random_lane, 80)
        return bytes(tables.states.tobytes())

    found, rules = states(KernelLanes()), games.load(game).rules
    for name in ("deal", "is_round_over", "is_terminal", "legal_actions", "next_round", "step"):
        monkeypatch.setattr(lanes, name, getattr(rules, name))
    assert found == states(ProcessorLanes()) != bytes(len(found))
