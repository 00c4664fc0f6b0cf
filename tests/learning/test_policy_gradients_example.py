"""The example of policy gradients: it learns, twice the same, and the bot that it writes chooses as its network does."""

import argparse
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from arena.agent import Agent, StartInfo
from arena.match.single_match import play_match
from arena.records import Ending
from helpers.learning import COMPILED
from helpers.paths import EXAMPLES

FOLDER = EXAMPLES / "policy_gradients"
TABLE = {"game": COMPILED, "seats": 2, "episode": "match"}


def module_of(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"policy_gradients_{path.parent.name}_{path.stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def example() -> Iterator[ModuleType]:
    """The example, with fewer tables and units than it has."""
    module = module_of(FOLDER / "learn.py")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"TABLES": 128, "HIDDEN": 16, "STEPS": 16}.items():
            patch.setattr(module, name, value)
        yield module


def settings(example: ModuleType, **given: Any) -> argparse.Namespace:
    return argparse.Namespace(**example.SETTINGS | TABLE | {"reward": "places", "generations": 2} | given)


@pytest.fixture(scope="module")
def network(example: ModuleType) -> Any:
    return example.learn(settings(example, generations=12), report=100)


def test_a_network_that_has_learnt_beats_random_play_and_one_that_has_not(example: ModuleType, network: Any) -> None:
    before = example.learn(settings(example, generations=0))
    shares = [example.share_beaten(each, TABLE, "random", episodes=256) for each in (before, network)]
    assert shares[1] > 0.75 > shares[0] + 0.05, shares


def test_the_same_seed_gives_the_same_network_and_another_seed_another(example: ModuleType) -> None:
    first, again, other = (example.learn(settings(example, seed=seed)).weights for seed in (1, 1, 2))
    assert all((weight == again[name]).all() for name, weight in first.items())
    assert (first["out"] != other["out"]).any()


def test_a_step_goes_down_the_slope_of_what_was_gained(example: ModuleType) -> None:
    """One choice of two actions, of which the one that was chosen brought more or less than expected, again and again."""
    for gain in (1.0, -1.0):
        rng = np.random.default_rng(1)
        network = example.Network(3, 2, rng)
        network.weights["out"] = rng.standard_normal(len(network.weights["out"])).astype(np.float32)
        asked = rng.random((4, 3), np.float32), rng.random((8, 2), np.float32), np.full(4, 2)
        begins = np.arange(0, 8, 2)
        before = network.ask(*asked)[0][begins]
        gains, wanted = np.full(4, gain, np.float32), np.array([1.0, 1.0, np.nan, 1.0], np.float32)
        for _ in range(20):
            network.learn(example.Step(*asked, begins, begins, before, gains, wanted), 1.0)
        after, worth, *_ = network.ask(*asked)
        assert np.add.reduceat(after, begins) == pytest.approx(1.0)
        assert ((after[begins] - before) * gain > 0).all()
        assert (worth > 0).all()  # the judge expected 0


def test_the_bot_chooses_what_the_network_chooses(
    example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, network: Any
) -> None:
    example.export(network, COMPILED, tmp_path / "learnt")
    player = module_of(tmp_path / "learnt" / "__init__.py").Learnt
    agreed = []

    class Watched(Agent):
        def start(self, info: StartInfo) -> None:
            self.learnt = player()

        def act(self, view: Any) -> str:
            found: str = self.learnt.act(view)
            rows = view.action_features()
            chances = network.ask(view.features()[None], rows, np.array([len(rows)]))[0]
            agreed.append(found == view.legal[int(chances.argmax())])
            return found

    for seed in range(3):
        record = play_match(COMPILED, [Watched, Watched], seed=seed)
        assert {seat.ending for seat in record.seats} == {Ending.PLAYED}
    assert len(agreed) > 30 and all(agreed)


def test_the_bot_refuses_another_encoding(example: ModuleType, network: Any, tmp_path: Path) -> None:
    example.export(network, COMPILED, tmp_path / "learnt")
    with np.load(tmp_path / "learnt" / "weights.npz") as stored:
        weights = dict(stored) | {"encoding": np.array("another")}
    np.savez(tmp_path / "learnt" / "weights.npz", **weights)
    player = module_of(tmp_path / "learnt" / "__init__.py").Learnt
    record = play_match(COMPILED, [player, player], seed=1)
    assert record.seats[0].ending is not Ending.PLAYED


def test_what_choices_are_worth_is_what_their_seats_get_in_the_end(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Later choices count in full, and the judge expects nothing yet. Not known where a seat neither chooses again nor ends."""
    monkeypatch.setattr(example, "TRACE", 1.0)
    monkeypatch.setattr(example, "STEPS", 64)
    play = example.SelfPlay(**TABLE, tables=8, seed=1, action_features=True)
    network = example.Network(play.features.shape[1], play.action_features.shape[2], np.random.default_rng(1))
    told: list[tuple[Any, ...]] = []
    step = play.step

    def told_step(indices: Any) -> None:
        seats = play.seat.copy()
        step(indices)
        told.append((seats, play.seat_rewards.copy(), play.terminated.copy()))

    monkeypatch.setattr(play, "step", told_step)
    steps = example.play_generation(play, network, np.random.default_rng(1))[::-1]
    for table in range(8):
        for at, (seats, *_) in enumerate(told):
            seat = seats[table]
            end = next((later for later in range(at, 64) if told[later][2][table]), None)
            is_met_again = play.seat[table] == seat or any(later[0][table] == seat for later in told[at + 1 :])
            if end is not None:
                assert steps[at].wanted[table] == pytest.approx(told[end][1][table, seat], abs=1e-5)
            else:
                assert (
                    steps[at].wanted[table] == pytest.approx(0.0, abs=1e-5)
                    if is_met_again
                    else np.isnan(steps[at].wanted[table])
                )
    assert sum(ended.any() for _, _, ended in told) > 5
