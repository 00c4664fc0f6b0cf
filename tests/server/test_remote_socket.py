"""The socket of remote bots: who may come, what hostile programs can do, connections that are lost. No game is played here."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from arena.server.asking.matches import BotMatches
from arena.server.guard import Rules
from arena.server.limits import Rate
from arena.server.remote import lobby
from arena.server.remote.lobby import AN_ACCOUNT
from arena.server.remote.socket import AN_ACCOUNT as SOCKETS
from arena.tournament.archive.finding import locate_match
from helpers.bots_process import MATCH_ID
from helpers.members import Members, with_members
from helpers.server import HOST

COMMAND = (sys.executable, "-I", "-S", str(Path(__file__).parents[1] / "helpers" / "bots_process.py"))


@pytest.fixture
def members(tmp_path: Path) -> Iterator[Members]:
    rules = Rules(requests=Rate(1000.0, 6000))  # what is counted here are sockets
    with with_members(tmp_path, bot_matches=BotMatches(cores=4, command=COMMAND), rules=rules) as found:
        yield found


def socket(client: TestClient, **headers: str) -> WebSocketTestSession:
    return client.websocket_connect(f"{HOST.replace('http', 'ws')}/remote/socket", headers=headers)


def join(line: WebSocketTestSession, bot: str = "bot", **more: Any) -> dict[str, Any]:
    line.send_json({"type": "join", "bot": bot, "games": ["naga"]} | more)
    found: dict[str, Any] = line.receive_json()
    return found


def play(line: WebSocketTestSession) -> dict[str, Any]:
    """Answer until the match is over; returns the result."""
    while True:
        message: dict[str, Any] = line.receive_json()
        if message["type"] == "result":
            return message
        if message["type"] != "end":
            line.send_json({"id": message["id"], "ok" if message["type"] == "start" else "action": True})


def closed(line: WebSocketTestSession) -> WebSocketDisconnect:
    """How the server closes the socket; what it says before is passed over."""
    with pytest.raises(WebSocketDisconnect) as found:
        while True:
            line.receive_json()
    return found.value


def test_a_program_plays_under_the_name_of_its_account(members: Members) -> None:
    with socket(members.program("aya")) as line:
        joined = join(line)
        assert (joined["type"], joined["name"], joined["playing"]) == ("joined", "Aya/bot", False)
        page = members.ben.get("/api/remote").json()
        assert [one["name"] for one in page["here"]] == ["Aya/bot"]
        result = play(line)
        assert (result["match"], result["game"], result["names"][result["seat"]]) == (MATCH_ID, "naga", "Aya/bot")
        assert joined["key"] not in members.ben.get("/remote").text
    assert members.ben.get("/api/remote").json()["here"] == []


def test_programs_whose_matches_have_taken_an_hours_computing_wait_and_others_play(members: Members) -> None:
    server, aya, ben = members.server, members.account("aya"), members.account("ben")
    computing = server.lobby._computing
    computing._left._clock = lambda: 0.0  # nothing is paid back meanwhile
    computing.charge(aya.id, computing.seconds + 9.0)
    with socket(members.program("aya")) as late, socket(members.program("ben")) as line:
        assert (join(late)["type"], join(line)["type"]) == ("joined", "joined")
        assert "Aya/bot" not in play(line)["names"]
        waiting = next(one for one in server.lobby.programs if one.account == aya)
        assert waiting.turns == 0 and waiting in server.lobby._resting
    assert computing._left.left(ben.id) < computing.seconds, "a match is paid for"
    assert not server.submitting.computing.is_used_up(aya), "bots are sent all the same"


@pytest.mark.parametrize(("who", "status"), [("gus", 403), ("stranger", 401)])
def test_who_may_not_submit_may_not_join(members: Members, who: str, status: int) -> None:
    client = members.stranger if who == "stranger" else members.program(who)
    with (
        pytest.raises(WebSocketDenialResponse) as refused,
        socket(client, authorization=client.headers.get("authorization", "Bearer x")),
    ):
        pass
    assert refused.value.status_code == status


def test_no_page_elsewhere_opens_the_socket_with_the_cookie_of_an_author(members: Members) -> None:
    with pytest.raises(WebSocketDenialResponse) as refused, socket(members.aya, origin="https://elsewhere.example"):
        pass
    assert refused.value.status_code == 403


@pytest.mark.parametrize(
    "first",
    [
        "", "{", "[]", "null", '"join"', "\x00", "[" * 50_000, '{"type": "leave"}', '{"type": "joined"}',
        '{"type": "join"}', '{"type": "join", "bot": "bot", "games": []}', '{"type": "join", "bot": "../x", "games": ["naga"]}',
        '{"type": "join", "bot": "Aya/bot", "games": ["naga"]}', '{"type": "join", "bot": "bot", "games": ["chess"]}',
        '{"type": "join", "bot": "bot", "games": ["naga"], "account": "ben"}', json.dumps({"id": 1, "action": 0}),
        json.dumps({"type": "join", "bot": "b" * 41, "games": ["naga"]}), "x" * 70_000,
        json.dumps({"type": "join", "bot": "bot", "games": ["naga"] * 65}),
    ],
)  # fmt: skip
def test_what_is_no_join_closes_the_socket_and_nobody_is_here(members: Members, first: str) -> None:
    with socket(members.program("aya")) as line:
        line.send_text(first)
        assert closed(line).code in (4400, 1009)
    assert members.aya.get("/api/remote").json()["here"] == []


def test_an_account_has_so_many_programs_and_no_more(members: Members) -> None:
    with ExitStack() as opened:
        for number in range(AN_ACCOUNT):
            line = opened.enter_context(socket(members.program("aya")))
            assert join(line, f"bot{number}")["type"] == "joined"
        line = opened.enter_context(socket(members.program("aya")))
        line.send_json({"type": "join", "bot": "one_more", "games": ["naga"]})
        assert closed(line).code == 4429
        other = opened.enter_context(socket(members.program("ben")))
        assert join(other)["name"] == "Ben/bot"


def test_a_hundred_connections_of_an_account_are_cut_off(members: Members) -> None:
    refused = 0
    with ExitStack() as opened:
        for _ in range(100):
            try:
                opened.enter_context(socket(members.program("aya")))
            except WebSocketDenialResponse as denied:
                assert denied.status_code == 429
                refused += 1
        assert refused == 100 - SOCKETS
        assert members.ben.get("/api/remote").status_code == 200
    with socket(members.program("aya")) as line:
        assert join(line)["type"] == "joined"


@pytest.mark.parametrize("flood", ["{}", "x", json.dumps({"id": 5, "action": 0}), '{"type": "crash"}'])
def test_a_flood_closes_the_socket(members: Members, flood: str) -> None:
    with socket(members.program("aya")) as line:
        join(line)
        for _ in range(60):
            line.send_text(flood)
        assert closed(line).code == 1008
    assert members.ben.get("/api/remote").status_code == 200


@pytest.mark.parametrize(
    "odd", ['{"type": "join", "bot": "bot", "games": ["naga"]}', '{"type": "result"}', '{"type": "leave", "bot": "x"}']
)
def test_a_message_that_no_program_sends_closes_the_socket(members: Members, odd: str) -> None:
    with socket(members.program("aya")) as line:
        join(line)
        line.send_text(odd)
        assert closed(line).code == 4400


def test_a_lost_connection_is_taken_up_by_its_key_alone(members: Members) -> None:
    with socket(members.program("aya")) as line:
        key = join(line)["key"]
        assert line.receive_json()["type"] == "start"
        line.send_json({"id": 1, "ok": True})
        assert line.receive_json()["id"] == 2
    with socket(members.program("ben")) as thief:
        stolen = join(thief, key=key)
        assert (stolen["name"], stolen["playing"]) == ("Ben/bot", False)  # the key of another account is none
    with socket(members.program("aya")) as again:
        back = join(again, key=key)
        assert (back["key"], back["playing"]) == (key, True)
        question = again.receive_json()
        assert (question["type"], question["id"]) == ("act", 2)
        again.send_json({"id": 2, "action": 0})
        assert play(again)["match"] == MATCH_ID


def test_the_same_program_that_connects_twice_has_one_socket(members: Members) -> None:
    with socket(members.program("aya")) as line, socket(members.program("aya")) as other:
        key = join(line)["key"]
        assert join(other, key=key)["key"] == key
        assert closed(line).code == 1001
        assert len(members.aya.get("/api/remote").json()["here"]) == 1


def test_who_leaves_is_gone_and_its_key_too(members: Members) -> None:
    with socket(members.program("aya")) as line:
        key = join(line)["key"]
        line.send_json({"type": "leave"})
        assert closed(line).code == 1000
    assert members.aya.get("/api/remote").json()["here"] == []
    with socket(members.program("aya")) as line:
        assert join(line, key=key)["key"] != key


def test_a_closed_account_plays_no_more(members: Members) -> None:
    with socket(members.program("ben")) as line:
        join(line)
        members.server.accounts.close("test", members.account("ben"))
        assert members.organiser.get("/api/remote").status_code == 200
        assert closed(line).code in (4401, 1012)
    with pytest.raises(WebSocketDenialResponse), socket(members.program("ben")):
        pass


def test_a_program_hears_what_came_of_a_match_before_the_next_one_begins(
    members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """However long the server looks for it: the news of a match that is over would end the one that goes on."""
    free: list[bool] = []

    def slow(results: Path, match_id: str) -> object:
        free.extend(one.is_free for one in members.server.lobby.programs)
        return locate_match(results, match_id)

    monkeypatch.setattr(lobby, "locate_match", slow)
    with socket(members.program("aya")) as line:
        join(line)
        play(line)
        play(line)
    assert free == [False, False]


def test_a_match_can_be_asked_for_with_a_program_that_is_here(members: Members) -> None:
    choice = json.dumps({"game": "naga", "bots": ["remote:Aya/bot", "level:club"]})
    assert members.ben.post("/api/ask", content=choice).status_code == 404
    with socket(members.program("aya")) as line:
        join(line)
        first = play(line)  # what the server arranged
        asked = members.ben.post("/api/ask", content=choice)
        assert asked.status_code == 201, asked.text
        result = play(line)
        while result["names"] != ["Aya/bot", "club"]:
            result = play(line)
        assert result["rating"] is None and first["match"] == MATCH_ID
    assert members.gus.post("/api/ask", content=choice).status_code == 403
    assert members.gus.get("/ask").status_code == 403
