"""The seat of a language model: what it is asked, whose fault is whose, and that nothing is asked twice."""

import json
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena import games
from arena.agent import read_bot
from arena.llm.kept_answers import AnswerFolder
from arena.match import HostTrouble, Seat, play
from arena.match.choose import choose_seat
from arena.match.model_seat import STOPS_AT, ModelSeat
from arena.match.sandbox import Supervisor
from arena.match.single_match import UNHURRIED, agree, bot_seat, named
from arena.records import DEFAULT_LIMITS, Ending, MatchRecord
from helpers.processes import command, processes_below
from helpers.stub_model import Said, StubModel, action, at_random, listed, model_folder, serving

KEY = "sk-a-key-that-nobody-may-see-0123456789"
VARIABLE = "ARENA_TEST_MODEL_KEY"


class Table:
    """A match of Naga with models and random bots."""

    def __init__(self, folder: Path, stub: StubModel, **settings: Any) -> None:
        self.folder, self.stub = folder, stub
        self.settings: dict[str, Any] = {"legal": "list", **settings}
        self.answers: AnswerFolder | None = None
        self.seat: ModelSeat | None = None

    def play(self, game: str = "naga", seats: int = 2, models: int = 1, seed: int = 3, **options: Any) -> MatchRecord:
        setup = agree(game, [f"bot{number}" for number in range(seats)], seed=seed, options=options, clock=UNHURRIED)
        bot = read_bot(model_folder(self.folder, self.stub.address, **self.settings))
        opened: list[Any] = []
        for number, own in enumerate(setup.bot_seeds):
            if number < models:
                opened.append(ModelSeat(bot, seed=own, answers=self.answers))
            else:
                opened.append(bot_seat(named("house:random_bot", self.folder), own))
        self.seat = opened[0]
        try:
            chairs: list[Seat] = opened
            return play(games.load(game), setup, chairs)
        finally:
            for seat in opened:
                seat.close()


@contextmanager
def table(folder: Path, answer: Callable[[dict[str, Any]], Said] = at_random, **settings: Any) -> Iterator[Table]:
    with serving(answer) as stub:
        yield Table(folder, stub, **settings)


def first_then(*said: Said) -> Callable[[dict[str, Any]], Said]:
    """These answers first, then random legal actions."""
    left = list(said)
    return lambda body: left.pop(0) if left else at_random(body)


@pytest.mark.parametrize("game", games.names())
def test_a_model_plays_every_game_to_its_end(game: str, tmp_path: Path) -> None:
    short = {"yaniv": {"limit": 10}, "nertz": {"max_rounds": 1, "tick_limit": 8}, "nanatoridori": {"variant": "duel"}}
    with table(tmp_path) as one:
        record = one.play(game, games.load(game).seats[0], **short.get(game, {}))
    assert record.seats[0].ending is Ending.PLAYED
    assert (record.seats[0].isolation, record.seats[0].asks_outside, record.seats[0].reproducible) == ("llm", True, False)
    assert [call.kind for call in record.calls] == ["action"] * len(one.stub.asked)
    texts = {call.decision: call.played for call in record.calls}
    assert texts and all(texts.values()) and all(record.actions[decision] >= 0 for decision in texts)
    assert record.seats[0].cpu_ms_total == 0, "its clock stands still"
    assert record.seats[0].wall_ms_total > 0


def test_models_that_choose_together_are_asked_together(tmp_path: Path) -> None:
    with table(tmp_path) as one:
        record = one.play(models=2)
    assert {call.seat for call in record.calls} == {0, 1}
    assert [seat.ending for seat in record.seats] == [Ending.PLAYED] * 2


def test_thinking_takes_no_ticks_where_time_is_measured(tmp_path: Path) -> None:
    with table(tmp_path) as one:
        record = one.play("nertz", latency="measured", max_rounds=1, tick_limit=6)
    own = [delay for number, delay in enumerate(record.delays) if number in {call.decision for call in record.calls}]
    assert own and set(own) == {0}


ILLEGAL, GARBAGE, LONG, EMPTY = action("fly away"), "I would call.", {"text": "hm", "finish_reason": "length"}, ""
WRONG = [
    (ILLEGAL, "illegal", Ending.ILLEGAL, "fly away"),
    (GARBAGE, "unparsable", Ending.MALFORMED, "I would call."),
    (LONG, "truncated", Ending.MALFORMED, "cut off"),
    (EMPTY, "empty", Ending.MALFORMED, "empty"),
]


@pytest.mark.parametrize(("said", "kind", "ending", "words"), WRONG)
def test_a_wrong_answer_is_answered_with_what_was_wrong(
    said: Said, kind: str, ending: Ending, words: str, tmp_path: Path
) -> None:
    with table(tmp_path, first_then(said)) as one:
        record = one.play()
    assert record.seats[0].ending is Ending.PLAYED
    first, second = record.calls[:2]
    assert (first.kind, first.attempt, first.played) == (kind, 0, "")
    assert (second.kind, second.attempt, second.decision) == ("action", 1, first.decision)
    before, after = one.stub.asked[:2]
    assert after["messages"][:2] == before["messages"], "what was asked stays, so that it can be kept by the server"
    assert [message["role"] for message in after["messages"]] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize(("said", "kind", "ending", "words"), WRONG)
def test_after_its_last_try_it_is_the_fault_of_the_seat(
    said: Said, kind: str, ending: Ending, words: str, tmp_path: Path
) -> None:
    with table(tmp_path, lambda _: said, rethinks=1) as one:
        record = one.play()
    assert record.seats[0].ending is ending
    assert [call.kind for call in record.calls] == [kind] * 2
    assert record.faults[0].reason.startswith(("an action", "no action", "an answer", "an empty"))
    assert words in record.faults[0].reason and "in 2 tries" in record.faults[0].reason
    assert record.seats[0].place == 2, "it loses; no other action is played for it without saying so"


HOST = [
    ({"status": 500, "headers": {"Retry-After": "0"}}, "server: HTTP 500", 1),
    ({"status": 401, "body": f"wrong key {KEY}"}, "key: HTTP 401: wrong key \\*\\*\\*", STOPS_AT),
    ({"status": 404, "body": "no such model"}, "refused: HTTP 404: no such model", STOPS_AT),
    ({"status": 429, "body": "insufficient_quota"}, "refused: HTTP 429", STOPS_AT),
    ({"status": 429, "headers": {"Retry-After": "99"}}, "rate limit: HTTP 429", 1),
    ({"status": 302, "headers": {"Location": "http://127.0.0.1:9/"}}, "refused: HTTP 302", STOPS_AT),
    ({"hang_up": True}, "transport: ", 1),
    ({"text": action("field 1"), "cut": True}, "transport: the answer broke off", 1),
    ({"text": "x" * 50, "sleep": 30}, "transport: ", 1),
]


@pytest.mark.parametrize(("said", "reason", "weight"), HOST)
def test_a_failure_of_the_host_is_nobodys_loss(
    said: Said, reason: str, weight: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    waits = isinstance(said, dict) and "sleep" in said  # all others end by themselves, before
    with table(tmp_path, lambda _: said, timeout_s=3.0 if waits else 60.0, key_env=VARIABLE) as one:
        with pytest.raises(HostTrouble, match=f"seat 0: language model stub: {reason}") as trouble:
            one.play()
        assert one.seat is not None and one.seat.stops == weight
    assert KEY not in str(trouble.value)


def test_no_server_is_a_failure_of_the_host(tmp_path: Path) -> None:
    with table(tmp_path) as one:
        one.stub.address = "http://127.0.0.1:9/v1"
        with pytest.raises(HostTrouble, match=r"transport: http://127\.0\.0\.1:9/v1: ConnectionRefusedError"):
            one.play()


def test_what_may_pass_is_tried_again_after_the_pause_that_the_server_asks_for(tmp_path: Path) -> None:
    limit = {"status": 429, "headers": {"Retry-After": "0.05"}}
    with table(tmp_path, first_then({"status": 503, "headers": {"Retry-After": "0"}}, limit, limit)) as one:
        record = one.play()
    assert record.seats[0].ending is Ending.PLAYED
    assert len(one.stub.asked) == len(record.calls) + 3


def test_a_model_that_is_still_answering_when_its_time_is_over_is_late(tmp_path: Path) -> None:
    with table(tmp_path, lambda _: {"text": "word " * 100, "dawdle": 0.4}, timeout_s=5.0) as one:
        record = one.play()
    assert record.seats[0].ending is Ending.TIMEOUT
    assert "still answering after 5 s" in record.faults[0].reason


def test_a_model_that_has_used_up_its_time_for_the_match_is_late_and_not_asked(tmp_path: Path) -> None:
    def slow(body: dict[str, Any]) -> Said:
        assert one.seat is not None
        one.seat.spent.wall = 1e6
        return at_random(body)

    with table(tmp_path, slow, match_timeout_s=100.0) as one:
        record = one.play()
    assert record.seats[0].ending is Ending.TIMEOUT
    assert "its 100 s of wall time for the match are used up" in record.faults[0].reason
    assert len(one.stub.asked) == 1


def test_an_answer_that_comes_at_once_is_read_too(tmp_path: Path) -> None:
    with table(tmp_path, lambda body: {"text": action(listed(body)[0]), "plain": True}) as one:
        record = one.play()
    assert record.seats[0].ending is Ending.PLAYED
    assert record.calls[0].model == "stub-1" and record.calls[0].prompt_tokens > 1_000


def test_what_the_model_sees_of_the_legal_actions_is_a_setting(tmp_path: Path) -> None:
    seen = {}
    for legal in ("omit", "on_retry", "list"):
        with table(tmp_path, lambda _: ILLEGAL, legal=legal, rethinks=1) as one:
            one.play()
        seen[legal] = [bool(listed(body)) for body in one.stub.asked]
    assert seen == {"omit": [False, False], "on_retry": [False, True], "list": [True, True]}


def test_a_model_is_shown_its_own_notes_until_it_writes_others(tmp_path: Path) -> None:
    def noting(body: dict[str, Any]) -> Said:
        number = len(one.stub.asked)
        return json.dumps({"action": listed(body)[0], **({"notes": f"after {number} questions"} if number <= 2 else {})})

    with table(tmp_path, noting, memory="notes") as one:
        one.play()
    shown = [body["messages"][1]["content"] for body in one.stub.asked]
    assert "after 1 questions" not in shown[0] and "after 1 questions" in shown[1] and "after 1 questions" not in shown[2]
    assert all("after 2 questions" in text for text in shown[2:]) and len(shown) > 3
    assert '"notes"' in one.stub.asked[0]["messages"][0]["content"]


def test_a_model_with_history_sees_the_rounds_before(tmp_path: Path) -> None:
    found = {}
    for memory in ("none", "history"):
        with table(tmp_path, memory=memory) as one:
            one.play("yaniv", limit=40)
        last = one.stub.asked[-1]["messages"][1]["content"]
        found[memory] = re.findall(r"^Round (\d+):", last, re.MULTILINE)
    assert len(found["none"]) == 1
    assert found["history"] == [str(number) for number in range(1, len(found["history"]) + 1)] and len(found["history"]) > 1


def test_settings_reach_the_server_and_the_key_its_header_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    with table(tmp_path, temperature=0.25, max_tokens=77, key_env=VARIABLE) as one:
        record = one.play()
    assert (one.stub.asked[0]["temperature"], one.stub.asked[0]["max_tokens"]) == (0.25, 77)
    assert "reasoning_effort" not in one.stub.asked[0]
    assert one.stub.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(record) and KEY not in json.dumps(one.stub.asked)
    with table(tmp_path, effort="low", max_tokens=77) as other:
        other.play()
    assert (other.stub.asked[0]["reasoning_effort"], other.stub.asked[0]["max_completion_tokens"]) == ("low", 77)
    assert "Authorization" not in other.stub.headers[0]


def test_without_its_key_nothing_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with table(tmp_path, key_env=VARIABLE) as one:
        with pytest.raises(HostTrouble, match=f"the environment variable {VARIABLE} is not set"):
            one.play()
        assert one.stub.asked == []


def test_a_kept_answer_is_not_asked_for_again(tmp_path: Path) -> None:
    with table(tmp_path, first_then(ILLEGAL)) as one:
        one.answers = AnswerFolder(folder=str(tmp_path / "kept"))
        first = one.play()
        asked = len(one.stub.asked)
        assert one.play() == replaced(first)
        assert len(one.stub.asked) == asked
        one.play(seed=4)
        assert len(one.stub.asked) > asked, "another match asks anew, also where its prompts are the same"
    with table(tmp_path, lambda _: pytest.fail("asked")) as other:
        other.stub.address = one.stub.address
        other.answers = AnswerFolder(folder=str(tmp_path / "kept"), is_offline=True)
        assert other.play() == replaced(first)
        with pytest.raises(HostTrouble, match="offline: no kept answer for decision 1 of this match"):
            other.play(seed=5)


def replaced(record: MatchRecord) -> Any:
    """Equal to the record, but for times."""

    class Like:
        def __eq__(self, other: object) -> bool:
            assert isinstance(other, MatchRecord)
            return (other.actions, other.calls, other.match_id) == (record.actions, record.calls, record.match_id)

        __hash__ = None  # type: ignore[assignment]

    return Like()


def test_transcripts_are_kept_on_request_alone(tmp_path: Path) -> None:
    for keeps in (False, True):
        with table(tmp_path) as one:
            one.answers = AnswerFolder(folder=str(tmp_path / f"kept{keeps}"), keeps_prompts=keeps)
            record = one.play()
        kept = one.answers.find(record.calls[0].answer)
        assert kept is not None and bool(kept.messages) == keeps
        assert not keeps or kept.messages == one.stub.asked[0]["messages"]


def test_a_damaged_kept_answer_is_named(tmp_path: Path) -> None:
    with table(tmp_path) as one:
        one.answers = AnswerFolder(folder=str(tmp_path / "kept"))
        record = one.play()
        path = tmp_path / "kept" / record.calls[0].answer[:2] / f"{record.calls[0].answer}.json.z"
        for damage in (b"{", zlib.compress(b"{"), path.read_bytes()[:-20]):
            path.write_bytes(damage)
            with pytest.raises(HostTrouble, match=f"{path.name}: damaged"):
                one.play()


def test_a_model_that_is_not_trusted_gets_no_seat(tmp_path: Path) -> None:
    bot = read_bot(model_folder(tmp_path, "http://127.0.0.1:9/v1"))
    with pytest.raises(Exception, match="trusted: true"):
        choose_seat(bot, is_trusted=False, supervisor=Supervisor(()), limits=DEFAULT_LIMITS, seed=1, params={})


def test_no_process_is_left_behind(tmp_path: Path) -> None:
    with table(tmp_path) as one:
        one.play()
    assert one.seat is not None and one.seat._process._process is None
    assert [pid for pid in processes_below({os.getpid()}) if "arena.llm.asking" in command(pid)] == []
