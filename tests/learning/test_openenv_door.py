"""Matches as an environment of OpenEnv: its own client against a server of ours, over a socket."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from arena.errors import ConfigError
from arena.learning.language_models import EVALUATION, TRAINING, EpisodeSettings, Table
from helpers.learning import COMPILED
from helpers.scripted_models import first, played, said

pytest.importorskip("openenv", reason="the extra openenv is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # of libraries below OpenEnv's, too

PATIENCE = 120.0
"""Seconds until the server answers: it compiles what the cache lacks."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "arena.learning.openenv", COMPILED, "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1.0).close()
                break
            except OSError:
                assert server.poll() is None, "the server has ended"
                assert time.monotonic() < deadline, "the server does not answer"
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def client(address: str) -> Any:
    from openenv import GenericEnvClient

    return GenericEnvClient(base_url=address).sync()


def play_out(env: Any, result: Any) -> tuple[Any, float]:
    """Play the first legal action until the episode ends: the last result, and the sum of all rewards."""
    total = 0.0
    while not result.done:
        legal = result.observation["asked"][0]["legal"]
        result = env.step({"text": said(legal[0]), "seat": result.observation["seat"]})
        total += result.reward
    return result, total


SETTINGS: dict[str, Any] = {"rivals": ["random"], "legal": "list"}


def test_a_client_plays_the_match_that_the_table_deals(address: str) -> None:
    with client(address) as env:
        begun = env.reset(seed=5, **SETTINGS)
        assert "RULES" in begun.observation["head"]
        assert begun.observation["seat"] == 1
        ended, total = play_out(env, begun)
        state = env.state()
    same = played(Table(EpisodeSettings(game=COMPILED, rivals=("random",))), 5, first)
    assert ended.observation["places"] == same.outcome.places
    assert total == same.outcome.rewards[1] == ended.observation["rewards"]["1"]
    assert ended.observation["legality"]["1"]["first_try"] == state["step_count"] == same.legality[1].decisions


def test_two_clients_play_at_once(address: str) -> None:
    with client(address) as one, client(address) as other:
        begun = [env.reset(seed=seed, **SETTINGS) for env, seed in ((one, 0), (other, 2))]
        assert begun[0].observation["prompt"] != begun[1].observation["prompt"]
        middle = one.step({"text": said(begun[0].observation["asked"][0]["legal"][0])})
        assert play_out(other, begun[1])[0].done
        assert play_out(one, middle)[0].done


def test_an_answer_that_is_no_action_costs_at_once(address: str) -> None:
    with client(address) as env:
        env.reset(seed=0, rethinks=1, illegal_cost=0.5, **SETTINGS)
        wrong = env.step({"text": "?"})
        assert (wrong.reward, wrong.done, wrong.observation["attempt"], wrong.observation["kind"]) == (
            -0.5,
            False,
            1,
            "unparsable",
        )
        lost = env.step({"text": "?"})
        assert (lost.reward, lost.done, lost.observation["rewards"]) == (-1.5, True, {"0": -2.0})


def test_all_seats_learn_in_one_session(address: str) -> None:
    with client(address) as env:
        result, several = env.reset(seed=0, learners=[], **SETTINGS), 0
        with pytest.raises(RuntimeError, match="seat: say which of 0, 1 answers"):
            while True:
                assert len(result.observation["asked"]) in (1, 2)
                several += len(result.observation["asked"]) > 1
                result = env.step({"text": said(result.observation["asked"][0]["legal"][0])})
        assert several
        ended, _ = play_out(env, result)
        assert sorted(ended.observation["rewards"].values()) == [-1.0, 1.0]


def test_held_out_episodes_are_a_split(address: str) -> None:
    with client(address) as env:
        held_out = env.reset(split=EVALUATION, index=0, **SETTINGS).observation["prompt"]
        trained = env.reset(split=TRAINING, index=0, **SETTINGS).observation["prompt"]
        assert held_out != trained
        with pytest.raises(RuntimeError, match="from 0 to 399"):
            env.reset(split=EVALUATION, index=400)


def test_nothing_that_a_client_gets_tells_the_cards(address: str) -> None:
    number = 987_654_321_012
    table = Table(EpisodeSettings(game=COMPILED, **{**SETTINGS, "rivals": ("random",)}))
    setup = table.begin(number).setup
    secrets = [number, setup.deal_seed, f"{setup.deal_seed:x}", setup.match_id, *setup.bot_seeds, setup.deal]
    with client(address) as env:
        told = json.dumps([env.reset(seed=number, **SETTINGS).observation, env.state()])
    assert [secret for secret in secrets if str(secret) in told] == []


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"rivals": ["/etc/passwd"]}, "rivals: '/etc/passwd' is not one that a client may ask for"),
        ({"rivals": ["house:../../x"]}, "is not one that a client may ask for"),
        ({"rivals": ["submitted:x"]}, "is not one that a client may ask for"),
        ({"game": "nag"}, 'did you mean "naga"'),
        ({"seed": -1}, "seed: -1; the training stream has the episodes from 0 on"),
        ({"split": EVALUATION}, "index: say which episode"),
        ({"split": "test", "index": 0}, "stream: training or evaluation, not 'test'"),
    ],
)
def test_what_a_client_asks_for_wrongly_is_said_and_the_session_lives_on(address: str, asked: dict[str, Any], why: str) -> None:
    with client(address) as env:
        with pytest.raises(RuntimeError, match=why):
            env.reset(**asked)
        assert not env.reset(seed=0).done


def test_a_step_needs_an_episode() -> None:
    from arena.learning.openenv import MatchAction, MatchEnvironment

    with pytest.raises(ConfigError, match="step: no episode goes on; reset first"):
        MatchEnvironment(EpisodeSettings(game=COMPILED)).step(MatchAction(text="?"))


def test_tasks_are_the_episodes_of_a_split() -> None:
    from arena.learning.openenv import MatchEnvironment

    env = MatchEnvironment(EpisodeSettings(game=COMPILED))
    assert [split["name"] for split in env.list_splits()] == [TRAINING, EVALUATION]
    assert env.num_tasks(EVALUATION) == 400
    assert env.get_task(EVALUATION, 399) == {"split": EVALUATION, "index": 399}
    with pytest.raises(IndexError):
        env.get_task(EVALUATION, 400)


def test_a_game_that_there_is_not_is_said_in_a_line() -> None:
    command = [sys.executable, "-m", "arena.learning.openenv", "nag"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, 'game: no game "nag"; did you mean "naga"?')
