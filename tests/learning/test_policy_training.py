"""The training of a policy: it goes on where it was stopped, in one way, and says what is wrong with what it is given."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from arena.cli.main import main
from arena.cli.verbs.train import _policy_sizes
from arena.errors import ConfigError
from arena.games import load
from arena.learning.tables import Tables
from arena.learning.training.generations import AMONG, OF_POLICY
from arena.learning.training.policy import checkpoint, training
from arena.learning.training.policy import tables as seated
from arena.learning.training.policy.acceptance import is_kept
from arena.learning.training.policy.network import Shape, Weights
from arena.learning.training.policy.training import Plan, TrainedPolicy, train_policy
from arena.learning.training.watching import Watcher
from helpers.learning import COMPILED

PARTS = 4
PLAN = Plan(seats=(2,), decisions=PARTS * 1024, deals=2)


@pytest.fixture(scope="module", autouse=True)
def _little_play() -> object:
    with pytest.MonkeyPatch.context() as patch:
        for module in (training, seated):
            patch.setattr(module, "DECISIONS", 512)
        patch.setattr(training, "UPDATES", 2)
        patch.setattr(training, "WARM", 8)
        patch.setattr(training, "REPORTS", 0)  # searches as rivals would have to be compiled
        yield


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> TrainedPolicy:
    """A training that nobody stopped."""
    return train_policy(COMPILED, tmp_path_factory.mktemp("whole"), PLAN, seed=5)


class Stopping(Watcher):
    """Is interrupted after some parts."""

    def __init__(self, parts: int) -> None:
        self._left = parts

    def advance(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt


def test_a_training_that_was_stopped_finds_what_one_that_was_not_finds(trained: TrainedPolicy, tmp_path: Path) -> None:
    for parts in (1, 3):
        with pytest.raises(KeyboardInterrupt):
            train_policy(COMPILED, tmp_path, PLAN, seed=5, watcher=Stopping(parts))
    again = train_policy(COMPILED, tmp_path, PLAN, seed=5)
    assert checkpoint_of(tmp_path) == checkpoint_of(trained.folder)
    assert again.note.generations == trained.note.generations


def test_any_number_of_threads_finds_the_same_and_another_seed_does_not(trained: TrainedPolicy, tmp_path: Path) -> None:
    train_policy(COMPILED, tmp_path / "two", PLAN, seed=5, threads=2)
    train_policy(COMPILED, tmp_path / "other", PLAN, seed=6)
    assert checkpoint_of(tmp_path / "two") == checkpoint_of(trained.folder) != checkpoint_of(tmp_path / "other")


def test_where_each_round_is_an_episode_matches_go_on_after_a_stop_and_are_what_tests_play(tmp_path: Path) -> None:
    plan = structs.replace(PLAN, episode="each_round", decisions=2048, deals=1)
    whole = train_policy(COMPILED, tmp_path / "whole", plan, seed=5)
    with pytest.raises(KeyboardInterrupt):
        train_policy(COMPILED, tmp_path / "stopped", plan, seed=5, watcher=Stopping(1))
    again = train_policy(COMPILED, tmp_path / "stopped", plan, seed=5)
    assert checkpoint_of(again.folder) == checkpoint_of(whole.folder)
    assert {gate["episode"] for gate in whole.note.generations[0]["gates"]} == {"match"}


def test_the_note_of_a_training_names_what_was_not_usual() -> None:
    plan = structs.replace(PLAN, episode="each_round", gae_lambda=0.99, deals=40)
    assert _policy_sizes(plan) == "--seats 2 --decisions 4096 --episode each_round --gae-lambda 0.99"


def checkpoint_of(folder: Path) -> dict[str, bytes]:
    with np.load(folder / checkpoint.FILE) as stored:
        return {name: stored[name].tobytes() for name in stored.files}


def test_tables_go_on_from_positions_that_they_gave() -> None:
    tables = Tables(COMPILED, 8, rivals=["policy"], seed=3, action_features=True)
    tables.reset()
    rng = np.random.default_rng(1)
    play(tables, rng, 5)
    positions, was = tables.positions(), tables.features.copy()
    first = play(tables, np.random.default_rng(2), 20)
    other = Tables(COMPILED, 8, rivals=["policy"], seed=4, action_features=True)
    other.reset()
    other.put_back(*positions)
    assert (other.features == was).all() and play(other, np.random.default_rng(2), 20) == first
    with pytest.raises(ConfigError, match="positions: of 8 tables; there are 2"):
        Tables(COMPILED, 2, rivals=["policy"]).put_back(*positions)


def play(tables: Tables, rng: np.random.Generator, steps: int) -> list[Any]:
    found = []
    for _ in range(steps):
        noise = np.where(tables.mask, rng.random(tables.mask.shape), -1.0)
        tables.step(noise.argmax(axis=1))
        found.append((tables.features.tobytes(), tables.action_features[:, 0].tobytes(), tables.seat_rewards.tolist()))
    return found


def test_a_folder_of_another_training_is_refused(trained: TrainedPolicy) -> None:
    with pytest.raises(ConfigError, match=r"holds another training \(differs in seed\); name another --out"):
        train_policy(COMPILED, trained.folder, PLAN, seed=6)


def test_a_damaged_checkpoint_is_refused(trained: TrainedPolicy, tmp_path: Path) -> None:
    for file in trained.folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes()[:2000] if file.name == checkpoint.FILE else file.read_bytes())
    with pytest.raises(ConfigError, match=rf"{re.escape(checkpoint.FILE)}: damaged or not ours; name another --out"):
        train_policy(COMPILED, tmp_path, PLAN, seed=5)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--seats", "3"], "naga"),
        (["--seats", "two"], "--seats: 'two' is no number of seats; give one, or some with commas, such as 2,3"),
        (["--reward", "score s"], "--reward: no 'score s'"),
        (["--episode", "game"], "--episode: no 'game'"),
        (["--rounds", "30"], "--rounds goes with the method generations"),
        (["--decisions", "0"], "--decisions: with the method policy at least 1"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_a_line(
    options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["train", "naga", "--method", "policy", "--out", str(tmp_path / "out"), *options])
    error = capsys.readouterr().err
    assert code == 2 and said in error and "Traceback" not in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_options_of_the_method_policy_are_refused_without_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "naga", "--seats", "2", "--out", str(tmp_path / "out")]) == 2
    assert "--seats goes with --method policy" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("verdicts", "kept"),
    [(("above", "open"), True), (("open", "near"), True), (("below", "open"), False), (("above", "below"), False)],
)
def test_a_policy_is_kept_where_no_gate_says_that_it_is_worse(verdicts: tuple[str, str], kept: bool) -> None:
    gates = [{"seats": 2, "of": of, "verdict": verdict} for of, verdict in zip((OF_POLICY, AMONG), verdicts)]
    others = [{"seats": 3, "of": OF_POLICY, "verdict": "below"}]
    assert is_kept(gates + others, 2) == kept and not is_kept(gates + others, 3)


def test_strangers_sit_at_their_share_of_the_tables() -> None:
    shape = Shape(load(COMPILED).encoding.size, load(COMPILED).encoding.action_size, 4, 2)
    weights = Weights(shape, np.zeros(shape.size, np.float32))
    groups = seated.groups_of(load(COMPILED), (2,), weights, strangers=0.75, episode="round", reward="score")
    tables = [len(group.play.tables) for group in groups]
    assert tables == [2, 2, 4, 4, 4] and [group.past is not None for group in groups] == [False, False, True, False, False]
    assert sum(group.steps * count for group, count in zip(groups, tables)) == seated.DECISIONS
