"""Live tables: who may act, tabs that come back, a process that is killed, and a server that ends."""

import json
import os
import signal
from contextlib import ExitStack
from pathlib import Path

import jsonschema
import pytest
from starlette.testclient import WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from arena.server import openapi
from arena.server.tables import socket as sockets
from helpers.live_tables import Sitting, Visitor, sitting, until
from helpers.table_process import MATCH_ID


def closed(tab: WebSocketTestSession) -> tuple[int, str]:
    """The code and the reason with which a socket is closed; messages before are passed over."""
    with pytest.raises(WebSocketDisconnect) as ended:
        while True:
            tab.receive_text()
    return ended.value.code, ended.value.reason


def test_a_match_from_the_form_to_the_result(server: Sitting, aya: Visitor) -> None:
    table = aya.open(name="Aya")
    assert 'id="live-table"' in aya.client.get(f"/tables/{table.id}").text
    found = aya.client.get(f"/api/tables/{table.id}").json()
    document = openapi.document()
    answer = document["paths"]["/api/tables/{id}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    jsonschema.Draft202012Validator({**answer, "components": document["components"]}).validate(found)
    assert [place["name"] for place in found["places"]] == ["Aya", "club"] and found["seat"] == 0 and found["host"]
    with aya.at(table) as tab:
        first = tab.receive_json()
        assert first["kind"] == "welcome"
        playing = first if first["state"] == "playing" else until(tab, "welcome", state="playing")
        assert playing["options"] == {"resolved": True}
        assert until(tab, "ask")["legal"] == ["go", "end"]
        tab.send_json({"kind": "act", "decision": 0, "action": "go", "seat": 1})  # the seat is the server's to say
        assert until(tab, "frame", number=1)["text"] == "0 go"
        tab.send_json({"kind": "advise", "decision": 1, "seat": 1})
        assert until(tab, "hint")["best"] == "go"
        tab.send_json({"kind": "ping", "at": 5.25})
        assert until(tab, "pong") == {"kind": "pong", "at": 5.25}
        tab.send_json({"kind": "act", "decision": 1, "action": "end"})
        assert until(tab, "over")["match_id"] == MATCH_ID
        until(tab, "welcome", state="over")
        until(tab, "luck")
    with aya.at(table) as tab:  # who looks again sees the result
        assert [tab.receive_json()["kind"] for _ in range(4)] == ["welcome", "frame", "over", "luck"]
    assert f'href="/m/{MATCH_ID}"' in aya.client.get("/play").text
    assert aya.client.get("/api/play").json()["tables"][0]["state"] == "over"


def test_whoever_comes_back_gets_the_same_decision_and_all_tabs_get_everything(server: Sitting, aya: Visitor) -> None:
    table = aya.open()
    with aya.at(table) as tab:
        until(tab, "ask")
        with aya.at(table) as other:
            first = [other.receive_text() for _ in range(3)]
            tab.send_json({"kind": "act", "decision": 0, "action": "go"})
            assert until(other, "frame") == until(tab, "frame", number=1)
            until(other, "ask")
    assert [json.loads(text)["kind"] for text in first] == ["welcome", "frame", "ask"]
    for _ in range(2):
        with aya.at(table) as tab:
            again = [tab.receive_text() for _ in range(3)]
    assert again[0] == first[0] and json.loads(again[2])["decision"] == 1


def test_only_who_sits_at_a_table_learns_that_it_is_there(server: Sitting, aya: Visitor) -> None:
    table, stranger = aya.open(), server.person()
    stranger.open()
    for address in ("/tables/{}", "/api/tables/{}"):
        answers = [stranger.client.get(address.format(name)) for name in (table.id, "A" * 16)]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].text.replace(table.id, "A" * 16) == answers[1].text
    for verb in ("leave", "rematch"):
        assert stranger.client.post(f"/tables/{table.id}/{verb}").status_code == 404
    for name in (table.id, "A" * 16):
        with stranger.at(name) as tab:
            assert closed(tab) == (4404, "there is no such table, or you do not sit there")
    with aya.at(table) as tab:
        assert tab.receive_json()["state"] in ("starting", "playing")


def test_a_stranger_with_the_cookie_of_a_person_alone_comes_nowhere(server: Sitting, aya: Visitor) -> None:
    table, stranger = aya.open(), server.person(has_token=False)
    stranger.client.cookies.update({name: value for name, value in aya.client.cookies.items() if "person" in name})
    assert stranger.client.get(f"/tables/{table.id}").status_code == 401
    with pytest.raises(Exception) as refused, stranger.at(table):
        pass
    assert getattr(refused.value, "status_code", None) == 401
    with pytest.raises(Exception) as refused, aya.at(table, origin="http://evil.example"):
        pass
    assert getattr(refused.value, "status_code", None) == 403


@pytest.mark.parametrize(
    "message",
    [
        "", "null", "[]", "{}", '{"kind":"ready","options":{}}', '{"kind":"setup"}', '{"kind":"replace","seat":0}',
        '{"kind":"stop"}', '{"kind":"act"}', '{"kind":"act","decision":"x","action":"go"}', '{"kind":"ping","at":"now"}',
        '{"kind":"act","decision":0,"action":"' + "x" * 1001 + '"}', "[" * 5000, '{"kind":"act","decision":1e400,"action":""}',
        '{"kind":"act","decision":0,"action":"\\ud800"}', '{"kind":"envelope","seat":0,"message":{}}',
    ],
)  # fmt: skip
def test_what_is_no_message_closes_its_tab_alone(server: Sitting, talking: tuple[Visitor, str], message: str) -> None:
    aya, table = talking
    with aya.at(table) as other, aya.at(table) as tab:
        tab.send_text(message)
        assert closed(tab) == (4400, "not a message that the server knows")
        other.send_json({"kind": "ping", "at": 1.0})
        assert until(other, "pong")


@pytest.fixture(scope="module")
def talking(server: Sitting) -> tuple[Visitor, str]:
    """A person at a table, who says many things."""
    found = server.person()
    return found, found.open().id


def test_a_tab_that_says_too_much_is_closed(server: Sitting, talking: tuple[Visitor, str]) -> None:
    aya, table = talking
    with aya.at(table) as tab:
        for _ in range(sockets.BOARD.burst + 20):
            tab.send_json({"kind": "ping", "at": 0.0})
        assert closed(tab) == (1008, "too many messages")


def test_eight_tabs_are_enough(server: Sitting, talking: tuple[Visitor, str]) -> None:
    aya, table = talking
    with ExitStack() as opened:
        for _ in range(8):
            opened.enter_context(aya.at(table))
        with aya.at(table) as tab:
            assert closed(tab)[0] == 4429


def test_a_killed_process_costs_one_match_and_nothing_else(server: Sitting, aya: Visitor) -> None:
    other = server.person()
    theirs, table = other.open(), aya.open()
    with other.at(theirs) as quiet, aya.at(table) as tab:
        until(tab, "ask")
        until(quiet, "ask")
        assert table.pid is not None
        os.kill(table.pid, signal.SIGKILL)
        assert until(tab, "welcome", state="broken")
        assert until(tab, "notice")["key"] == "notice_broken"
        quiet.send_json({"kind": "act", "decision": 0, "action": "go"})
        assert until(quiet, "frame", number=1)
    assert aya.client.get("/play").status_code == 200
    aya.open()  # it is no table of theirs any more that goes on


@pytest.mark.parametrize("action", ["die", "nonsense"])
def test_a_process_that_misbehaves_is_ended(server: Sitting, aya: Visitor, action: str) -> None:
    table = aya.open()
    with aya.at(table) as tab:
        until(tab, "ask")
        tab.send_json({"kind": "act", "decision": 0, "action": action})
        until(tab, "welcome", state="broken")
    assert table.pid is None


def test_a_match_that_cannot_be_played_is_told_without_a_word_of_files(server: Sitting, aya: Visitor) -> None:
    table = aya.open(**{"option.series": "first_to:9"})
    with aya.at(table) as tab:
        assert "path" not in str(until(tab, "welcome", state="broken"))
    assert "path of" not in aya.client.get(f"/tables/{table.id}").text


def test_a_slow_tab_gets_the_newest_position_alone(server: Sitting, aya: Visitor) -> None:
    tab = sockets._Tab(None, server.tables, aya.open(), 0)  # type: ignore[arg-type]
    for number in range(30):
        tab.offer("frame", f"frame {number}")
        tab.offer("ask", f"ask {number}")
    waiting = [text for _, text in tab._queue]
    assert len(waiting) <= sockets.QUEUED + 1 and waiting[-2:] == ["frame 29", "ask 29"]
    for number in range(100):
        tab.offer("notice", str(number))
    assert tab._goodbye is not None and not tab._queue


def test_the_end_of_the_server_ends_all_processes(tmp_path: Path) -> None:
    with sitting(tmp_path) as server:
        tables = []
        for _ in range(2):
            person = server.person()
            tables.append(person.open())
            with person.at(tables[-1]) as tab:
                until(tab, "ask")
        pids = [table.pid for table in tables]
        assert all(pids)
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid or 0, 0)


def test_nothing_is_written_until_somebody_plays(tmp_path: Path) -> None:
    with sitting(tmp_path) as server:
        visitor = server.person()
        for address in ("/play", "/play/naga", "/"):
            assert visitor.client.get(address).status_code == 200
        assert list(tmp_path.iterdir()) == []
        visitor.open()
        assert (tmp_path / "people" / "site.sqlite").stat().st_mode & 0o777 == 0o600
