"""The example that learns: it does learn, twice the same, and the bot that it writes chooses as its network does."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from arena.agent import Agent, StartInfo
from arena.cli.main import main
from arena.learning.selfplay import SelfPlay
from arena.match.single_match import play_match
from arena.records import Ending
from helpers.paths import EXAMPLES

torch = pytest.importorskip("torch")
FOLDER = EXAMPLES / "deep_monte_carlo"


def module_of(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"deep_monte_carlo_{path.stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for its names
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def example() -> ModuleType:
    return module_of(FOLDER / "learn.py")


@pytest.fixture(scope="module")
def settings(example: ModuleType) -> Any:
    return example.Settings(generations=12, tables=128, hidden=32, batch=256)


@pytest.fixture(scope="module")
def network(example: ModuleType, settings: Any) -> Any:
    return example.learn(settings)


def test_a_network_that_has_learnt_beats_random_play_and_one_that_has_not(
    example: ModuleType, settings: Any, network: Any
) -> None:
    before = example.learn(replace(settings, generations=0))
    rewards = [example.mean_reward(each, settings, "random", episodes=256) for each in (before, network)]
    assert rewards[1] > 0.5 > rewards[0] + 0.2, rewards


def test_the_same_seed_gives_the_same_network_and_another_seed_another(example: ModuleType, settings: Any) -> None:
    short = replace(settings, generations=2)
    first, again, other = (example.learn(each).state_dict() for each in (short, short, replace(short, seed=2)))
    assert all(torch.equal(values, again[name]) for name, values in first.items())
    assert not torch.equal(first["value.weight"], other["value.weight"])


def test_the_bot_chooses_what_the_network_chooses(example: ModuleType, settings: Any, network: Any, tmp_path: Path) -> None:
    example.export(network, settings, tmp_path / "learnt")
    player = module_of(tmp_path / "learnt" / "__init__.py").Learnt
    agreed = []

    class Watched(Agent):
        def start(self, info: StartInfo) -> None:
            self.learnt = player()

        def act(self, view: Any) -> str:
            found: str = self.learnt.act(view)
            rows = torch.from_numpy(view.action_features())
            values = network(torch.from_numpy(view.features())[None], rows, torch.tensor([len(rows)]))
            agreed.append(found == view.legal[int(values.argmax())])
            return found

    for seed in range(3):
        record = play_match("naga", [Watched, Watched], seed=seed)
        assert {seat.ending for seat in record.seats} == {Ending.PLAYED}
    assert len(agreed) > 30
    assert all(agreed)


@pytest.mark.slow
def test_the_bot_may_enter_and_is_kept_under_its_name(
    example: ModuleType, settings: Any, network: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example.export(network, settings, tmp_path / "learnt")
    assert main(["submit", str(tmp_path / "learnt"), "--name", "learnt", "--out", str(tmp_path / "boards")]) == 0
    assert "learnt@1" in capsys.readouterr().out


def test_other_games_are_learnt_by_the_same_file(example: ModuleType) -> None:
    settings = example.Settings(game="yaniv", seats=3, episode="round", generations=1, tables=16, hidden=8)
    weights = example.learn(settings).state_dict()
    assert all(np.isfinite(values.numpy()).all() for values in weights.values())


def test_no_choice_is_forgotten_where_episodes_are_longer_than_a_generation(
    example: ModuleType, settings: Any, network: Any
) -> None:
    short = replace(settings, tables=8, steps=3)
    play = SelfPlay("naga", 8, seed=1, action_features=True)
    rng, pending, counted, won = np.random.default_rng(1), None, 0, 0
    for _ in range(12):
        ended, pending = example.play_generation(play, network, short, rng, pending)
        assert np.isnan(pending.outcomes).all()
        assert set(ended.outcomes.tolist()) <= {-1.0, 1.0}  # a match to the first win has no ties
        counted, won = counted + len(ended.outcomes), won + int((ended.outcomes == 1).sum())
    assert counted + len(pending.outcomes) == 12 * 3 * 8
    assert counted > 12 * 8
    assert 0.3 < won / counted < 0.7
