"""Matches as an environment of verifiers: its own rollouts, with a model that a server of this machine plays."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from itertools import islice
from typing import Any

import pytest

from arena.learning.language_models import EVALUATION, EpisodeSettings, Table
from helpers.http_servers import answering
from helpers.learning import COMPILED
from helpers.scripted_models import first, played, said

vf = pytest.importorskip("verifiers.v1", reason="the extra verifiers is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # of libraries below verifiers, too

Messages = list[dict[str, Any]]
SETTINGS: dict[str, Any] = {"game": COMPILED, "rivals": ["random"], "legal": "list"}


@contextmanager
def model(answer: Callable[[Messages], str | int]) -> Iterator[tuple[Any, list[Messages]]]:
    """A model that answers so, a number being the status of a refusal; and what it is asked."""
    asked: list[Messages] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body["messages"])
            found = answer(body["messages"])
            message = {"role": "assistant", "content": found}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            whole = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"], "usage": usage}
            whole["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
            data = json.dumps(whole).encode()
            self.send_response(found if isinstance(found, int) else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    with answering(Handler) as address:
        yield vf.EvalClientConfig(base_url=f"{address}/v1", api_key_var="NO_KEY"), asked


def first_listed(messages: Messages) -> str:
    """The first of the legal actions in the last message."""
    return said(messages[-1]["content"].split("The legal actions:\n")[1].splitlines()[0])


def rollouts(
    answer: Callable[[Messages], str | int], tasks: int = 1, player: dict[str, Any] | None = None, **settings: Any
) -> tuple[list[Any], list[Messages]]:
    """Episodes of the first tasks, and all that the model was asked."""
    config = vf.resolve_env_config({"taskset": {"id": "arena-hall", **SETTINGS, **settings}, "player": player or {}})
    env = vf.load_environment(config)

    async def run(client: Any) -> list[Any]:
        async with env.serving():
            return [
                await env.run_episode(task, vf.ModelContext(model="stub", client=client)) for task in islice(env.taskset, tasks)
            ]

    with model(answer) as (client, asked):
        return asyncio.run(run(client)), asked


def test_a_rollout_is_the_match_that_the_table_deals() -> None:
    episodes, _ = rollouts(first_listed, tasks=2)
    table = Table(EpisodeSettings(game=COMPILED, rivals=("random",)))
    for number, episode in enumerate(episodes):
        same = played(table, number, first)
        (trace,) = episode.traces
        assert episode.ok
        assert trace.rewards["match"].score == same.outcome.rewards[number]
        assert trace.metrics["decisions"] == trace.num_turns == same.legality[number].decisions
        assert trace.metrics["legal_first_try"] == 1.0
        assert trace.metrics["luck"] == same.luck[number]


def test_each_decision_is_asked_alone_with_the_answers_to_it() -> None:
    def wrong_at_first(messages: Messages) -> str:
        return first_listed(messages) if len(messages) > 2 else "I think."

    (episode,), asked = rollouts(wrong_at_first)
    (trace,) = episode.traces
    assert {len(messages) for messages in asked} == {2, 4}
    assert len({messages[0]["content"] for messages in asked}) == 1  # the head is the same throughout
    assert [message["role"] for message in asked[1]] == ["system", "user", "assistant", "user"]
    assert asked[1][1:3] == [asked[0][1], {"role": "assistant", "content": "I think."}]
    assert trace.num_turns == 2 * trace.num_branches == 2 * trace.metrics["decisions"]
    assert trace.metrics["legal_first_try"] == 0.0
    assert trace.metrics["wrong_unparsable"] == trace.metrics["decisions"]


def test_every_seat_that_learns_has_a_trace_with_its_own_reward() -> None:
    (episode,), _ = rollouts(first_listed, learners=[])
    same = played(Table(EpisodeSettings(game=COMPILED, learners=())), 0, first)
    assert {trace.info["arena"]["seat"]: trace.rewards["match"].score for trace in episode.traces} == same.outcome.rewards


def test_a_model_that_reaches_its_limit_loses_by_it() -> None:
    (episode,), _ = rollouts(first_listed, player={"max_turns": 2})
    (trace,) = episode.traces
    assert (trace.stop_condition, trace.rewards["match"].score, trace.metrics["faults"]) == ("max_turns", -1.0, 1.0)


def test_what_fails_at_the_models_server_is_no_fault_of_the_model() -> None:
    (episode,), _ = rollouts(lambda messages: 401)
    (trace,) = episode.traces
    assert not episode.ok
    assert trace.errors
    assert "match" not in trace.rewards


def test_the_evaluation_is_finite_and_training_is_not() -> None:
    for split, bounded in ((EVALUATION, True), ("training", False)):
        taskset = vf.load_environment(
            vf.resolve_env_config({"taskset": {"id": "arena-hall", **SETTINGS, "split": split}})
        ).taskset
        assert taskset.bounded is bounded
    assert len(list(vf.load_environment(vf.resolve_env_config(
        {"taskset": {"id": "arena-hall", **SETTINGS, "split": EVALUATION}}
    )).taskset)) == 400  # fmt: skip


def test_a_model_sees_nothing_that_tells_the_cards() -> None:
    """The number of the episode is in the task; what is sent to the model is the head and what the seat is asked."""
    _, asked = rollouts(first_listed)
    table = Table(EpisodeSettings(game=COMPILED, rivals=("random",), legal="list"))
    episode = table.begin(0)
    assert asked[0][0]["content"] == episode.head
    assert asked[0][1]["content"] == episode.asked[0].prompt
    assert all(message.keys() == {"role", "content"} for messages in asked for message in messages)


def test_settings_that_there_are_not_are_refused() -> None:
    with pytest.raises(ValueError, match="rivls"):
        vf.resolve_env_config({"taskset": {"id": "arena-hall", **SETTINGS, "rivls": []}})
