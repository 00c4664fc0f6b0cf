"""Sockets: numbered messages, the rest or a snapshot for who comes back, and limits for who asks too much."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from arena.server import openapi
from arena.server.assets import STATIC
from arena.server.live_board import feed, socket
from arena.server.live_board.board import Seen
from arena.server.live_board.channel import REMEMBERED, ChangedRow, Channel
from arena.server.views.state import UNREADABLE
from helpers.members import with_members
from helpers.records import make_record, make_seat, numbered
from helpers.server import HOST, Played, live, server

RECORDS = numbered([make_record(seats=(make_seat("alice", 1), make_seat("bob", 2)))] * 200)


FIELDS = ChangedRow.__struct_fields__


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "POLL_SECONDS", 0.005)
    monkeypatch.setattr(feed, "PUBLISH_SECONDS", 0.0)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with server(tmp_path) as found:
        yield found


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    found = Played(tmp_path)
    yield found
    found.end()


def checked(message: dict[str, Any]) -> dict[str, Any]:
    """The message, which is as its description says."""
    document = openapi.document()
    name = {"snapshot": "Snapshot", "update": "Update", "home": "HomeNews", "trouble": "Trouble", "alive": "Alive"}[
        message["kind"]
    ]
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    jsonschema.Draft202012Validator(schema).validate(message)
    return message


def test_a_ping_is_answered_with_its_number_whatever_is_watched(client: TestClient, played: Played) -> None:
    with live(client) as tab:
        for number in (1, 2):
            tab.send_json({"ping": number})
            assert checked(tab.receive_json()) == {"kind": "alive", "ping": number}
        tab.send_json({"watch": "t/cup"})
        assert tab.receive_json()["kind"] == "snapshot"
        tab.send_json({"ping": 3})
        assert tab.receive_json()["ping"] == 3


def test_a_board_fills_while_it_is_watched(client: TestClient, played: Played) -> None:
    with live(client) as tab:
        tab.send_json({"watch": "t/cup"})
        first = checked(tab.receive_json())
        assert (first["kind"], first["number"], first["pool"]) == ("snapshot", 1, "naga")
        assert [row["matches"] for row in first["board"]] == [0, 0]
        for number in range(2, 6):
            played.store(RECORDS[number])
            news = checked(tab.receive_json())
            assert (news["kind"], news["number"], news["progress"]["done"]) == ("update", number, number - 1)
            assert {row[0]: row[FIELDS.index("matches")] for row in news["rows"]} == {"alice": number - 1, "bob": number - 1}


def test_a_tournament_that_starts_later_appears_on_the_home_page(client: TestClient, tmp_path: Path) -> None:
    with live(client) as tab:
        tab.send_json({"watch": "home"})
        assert checked(tab.receive_json())["home"]["tournaments"] == []
        later = Played(tmp_path, "later")
        message = checked(tab.receive_json())
        while not message["home"]["tournaments"] or not message["home"]["tournaments"][0]["progress"]["is_running"]:
            message = checked(tab.receive_json())
        (card,) = message["home"]["tournaments"]
        assert card["name"] == "later" and card["progress"]["total"] in (0, 100)
        later.end()


def test_who_comes_back_gets_the_rest_or_a_snapshot(client: TestClient, played: Played) -> None:
    with live(client) as tab:
        tab.send_json({"watch": "t/cup", "pool": "naga"})
        first = tab.receive_json()
        with live(client) as other:
            other.send_json({"watch": "t/cup", "pool": "naga"})
            assert other.receive_json() == first
            for record in RECORDS[:4]:
                played.store(record)
                assert tab.receive_json() == other.receive_json()
        epoch = first["epoch"]
        for last, kinds in ((2, ["update"] * 3), (1, ["update"] * 4)):
            with live(client) as back:
                back.send_json({"watch": "t/cup", "pool": "naga", "epoch": epoch, "last": last})
                missed = [back.receive_json() for _ in kinds]
                assert [(one["kind"], one["number"]) for one in missed] == [
                    (kind, last + place) for place, kind in enumerate(kinds, 1)
                ]
        for words in ({}, {"epoch": "of another run", "last": 2}, {"epoch": epoch, "last": 99}):
            with live(client) as back:
                back.send_json({"watch": "t/cup", "pool": "naga", **words})
                snapshot = back.receive_json()
                assert (snapshot["kind"], snapshot["number"]) == ("snapshot", 5)


def test_a_finished_board_is_the_stored_one(client: TestClient, played: Played) -> None:
    with live(client) as tab:
        tab.send_json({"watch": "t/cup"})
        tab.receive_json()
        played.store(*RECORDS[:3])
        assert tab.receive_json()["progress"]["is_running"]
        played._lock.truncate(0)  # the run has ended
        assert checked(tab.receive_json())["progress"]["state"] == "stopped"


@pytest.mark.parametrize("name", ["t/none", "t/../../etc", "t/", "t/\u202e"])
def test_an_unknown_tournament_is_told_and_may_come(client: TestClient, name: str) -> None:
    with live(client) as tab:
        tab.send_json({"watch": name})
        message = checked(tab.receive_json())
        assert message["kind"] == "trouble" and "no tournament" in message["error"]


NONSENSE = [
    "x",
    "[]",
    "{}",
    '{"watch": 7}',
    '{"watch": "home", "more": 1}',
    '{"watch": "nothing"}',
    '{"watch": "t/' + "a" * 400 + '"}',
    '{"watch": "' + "\u9bd6" * 200 + '"}',
]


@pytest.mark.parametrize("words", NONSENSE)
def test_what_is_no_message_closes_the_socket(client: TestClient, words: str) -> None:
    with live(client) as tab:
        tab.send_text(words)
        with pytest.raises(WebSocketDisconnect) as closed:
            tab.receive_json()
        assert closed.value.code == socket.POLICY_VIOLATION and len(closed.value.reason.encode()) <= socket.LONGEST_REASON
    with live(client) as tab:
        tab.send_json({"watch": "home"})
        assert tab.receive_json()["kind"] == "home"


def test_an_account_has_so_many_sockets_whatever_its_sessions_and_takes_no_boards_from_others(tmp_path: Path) -> None:
    address, origin = HOST.replace("http", "ws") + "/live", {"origin": HOST}
    with with_members(tmp_path) as members, ExitStack() as tabs:
        for number in range(socket.MOST_OF_ACCOUNT + 1):
            browser = members.client()
            assert browser.post("/login", data={"token": members.token("aya")}).status_code == 303
            if number == socket.MOST_OF_ACCOUNT:
                with pytest.raises(WebSocketDenialResponse) as refused, browser.websocket_connect(address, headers=origin):
                    pass
                assert refused.value.status_code == 429
                break
            tab = tabs.enter_context(browser.websocket_connect(address, headers=origin))
            for board in range(socket.MOST_WATCHED):
                tab.send_json({"watch": f"t/none-{number}-{board}"})
                tab.receive_json()
        assert len(members.server.feed._channels) < feed.MOST_CHANNELS // 10
        with members.ben.websocket_connect(address, headers=origin) as tab:
            tab.send_json({"watch": "home"})
            assert tab.receive_json()["kind"] == "home"


def test_bytes_are_no_message(client: TestClient) -> None:
    with live(client) as tab:
        tab.send_bytes(b"\x00\xff")
        with pytest.raises(WebSocketDisconnect):
            tab.receive_json()


def test_a_socket_asks_so_much_and_no_more(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    with live(client) as tab, pytest.raises(WebSocketDisconnect) as closed:
        for number in range(socket.MOST_WATCHED + 1):
            tab.send_json({"watch": f"t/{number}"})
        for _ in range(socket.MOST_WATCHED + 1):
            tab.receive_json()
    assert "at most" in closed.value.reason
    monkeypatch.setattr(socket, "MOST_WATCHED", 10_000)
    monkeypatch.setattr(socket, "QUEUED", 10_000)
    with live(client) as tab, pytest.raises(WebSocketDisconnect) as closed:
        for _ in range(socket.ASKING.burst + 10):
            tab.send_json({"watch": "home"})
        for _ in range(socket.ASKING.burst + 10):
            tab.receive_json()
    assert "too many" in closed.value.reason


def test_a_session_has_so_many_sockets_and_closed_ones_make_room(client: TestClient) -> None:
    tabs = [live(client) for _ in range(socket.MOST_SOCKETS)]
    for tab in tabs:
        tab.__enter__()
    with pytest.raises(WebSocketDenialResponse) as refused, live(client):
        pass
    assert refused.value.status_code == 429
    for tab in tabs:
        tab.__exit__(None, None, None)
    with live(client) as tab:
        tab.send_json({"watch": "home"})
        assert tab.receive_json()["kind"] == "home"


def test_a_damaged_tournament_is_told_and_the_others_go_on(client: TestClient, played: Played, tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "manifest.json").write_text("{")
    with live(client) as tab:
        tab.send_json({"watch": "t/bad"})
        assert "cannot be read" in checked(tab.receive_json())["error"]
        tab.send_json({"watch": "t/cup"})
        assert checked(tab.receive_json())["kind"] == "snapshot"
        tab.send_json({"watch": "home"})
        cards = {card["name"]: card for card in checked(tab.receive_json())["home"]["tournaments"]}
        assert cards["bad"]["trouble"] and cards["cup"]["trouble"] is None


class Reader:
    def __init__(self) -> None:
        self.texts: list[str] = []

    def offer(self, channel: Channel, text: str) -> None:
        self.texts.append(text)


def test_a_channel_remembers_so_much_and_publishes_only_what_is_new() -> None:
    channel, reader = Channel("t/x", None, "epoch"), Reader()
    channel.readers.add(reader)
    assert channel.is_empty
    for number in range(REMEMBERED + 10):
        assert channel.publish(Seen(UNREADABLE, (), {}, behind=number))
        assert not channel.publish(Seen(UNREADABLE, (), {}, behind=number))
    assert channel.number == len(reader.texts) == REMEMBERED + 10
    assert channel.missed("epoch", 10) == reader.texts[10:]
    assert channel.missed("epoch", 9) == [channel.snapshot()]
    assert channel.missed("epoch", channel.number) == []


def test_a_slow_socket_gets_a_snapshot_in_place_of_what_it_missed() -> None:
    channel = Channel("t/x", None, "epoch")
    slow = socket._Socket(None, None)  # type: ignore[arg-type]
    slow._channels["t/x", None] = channel
    channel.readers.add(slow)
    for number in range(3):
        channel.publish(Seen(UNREADABLE, (), {}, behind=number))
    assert len(slow._queue) == 3
    for number in range(100, 120):
        channel.publish(Seen(UNREADABLE, (), {}, behind=number))
    assert not slow._queue and slow._next() == channel.snapshot() and '"behind":119' in channel.snapshot()
    channel.publish(Seen(UNREADABLE, (), {}, behind=120))
    assert '"kind":"update"' in slow._next() and not slow._queue and not slow._overdue


def test_the_script_reads_a_row_as_it_is_sent() -> None:
    script = (STATIC / "live.js").read_text("utf-8")
    (fields,) = re.findall(r"const CHANGING = \[(.*?)\]", script, re.DOTALL)
    assert re.findall(r'"(\w+)"', fields) == list(FIELDS)
    board = (STATIC / "board.js").read_text("utf-8")
    (shown,) = re.findall(r"const numbers = \(row\) => \(\{(.*?)\}\);", board, re.DOTALL)
    assert set(re.findall(r"row\.(\w+)", shown)) <= set(FIELDS), "a column that would stand still"
