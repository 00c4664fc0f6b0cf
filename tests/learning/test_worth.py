"""A policy that learns by play alone: repeatable, without weights for what never differs, kept by a gate of its own."""

from pathlib import Path

import pytest

from arena.engine.net import Net
from arena.engine.net_files import read_nets
from arena.games import load
from arena.learning.training import worth
from arena.learning.training.generations import Plan, train
from arena.learning.training.selfplay import default_table
from arena.learning.training.watching import Watcher
from helpers.learning import TRAINED

PART = 2_048


@pytest.fixture(scope="module", autouse=True)
def _short_parts() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worth, "PART", PART)
        yield


@pytest.fixture(scope="module")
def policy() -> Net:
    return worth.played_policy(default_table(load(TRAINED)), 3 * PART - 1, 5, Watcher())[0]


def test_the_same_seed_gives_the_same_policy(policy: Net) -> None:
    table = default_table(load(TRAINED))
    again, losses = worth.played_policy(table, 3 * PART, 5, Watcher())
    other, _ = worth.played_policy(table, 3 * PART, 6, Watcher())
    assert again.numbers().tobytes() == policy.numbers().tobytes() != other.numbers().tobytes()
    assert 0.0 < losses["policy_error"] < 4.0 and losses["policy_spread"] > 0.0 and policy.high > 0.0


def test_what_never_differs_at_the_table_has_no_weights(policy: Net) -> None:
    encoding = load(TRAINED).encoding
    assert policy.weights.shape == (encoding.size + encoding.action_size, worth.HIDDEN)
    is_silent = (policy.weights == 0.0).all(axis=1)
    assert is_silent.any() and not is_silent.all()  # of seats and options that are not played


def test_a_training_may_let_its_first_generation_learn_a_policy_by_play(tmp_path: Path) -> None:
    plan = Plan(generations=1, positions=1_000, deals=2, networks=("policy",), decisions=2 * PART)
    found = train(TRAINED, tmp_path, plan, seed=3)
    (first,) = found.note.generations
    assert [gate["against"] for gate in first["gates"]] == ["a search of 20 iterations"]
    assert set(read_nets(tmp_path / "generation-0").nets) == {"policy"} and "policy_error" in first["losses"]
    assert (set(found.nets.nets) == {"policy"}) == first["accepted"] == (first["gates"][0]["verdict"] != "below")
