"""People at live tables who mean harm: a seat that is no longer theirs, sessions and names without end, a name of a bot."""

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.websockets import WebSocketDisconnect

from arena.results.site_file import SiteFile, StoredPerson
from arena.server import visitors as persons_module
from arena.server.entrance import MOST_GUESTS, Sessions
from arena.server.live_board.socket import MOST_SOCKETS
from arena.server.visitors import Persons, folded_name
from helpers.live_tables import Sitting, Visitor, until


def test_who_has_lost_a_seat_says_nothing_more_there(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    """A tab that never reads is not closed as long as it likes: what it says must not count for who sits there next."""
    table = aya.open(people="1")
    ben.join(table, "Ben who lost it")
    with aya.at(table) as host, ben.at(table):
        tab = next(iter(table.seats[1].tabs))
        assert server.client.portal is not None
        server.client.portal.call(table.leave, 1)
        cleo = server.person(has_token=False)
        cleo.join(table, "Cleo who has it")
        host.send_json({"kind": "start"})
        until(host, "ask")
        for message in ({"kind": "act", "decision": 0, "action": "go"}, {"kind": "leave"}):
            server.client.portal.call(tab._hear, json.dumps(message))
        with cleo.at(table) as guest:
            assert until(guest, "frame")["number"] == 0
        assert table.seats[1].is_taken


def test_a_seat_that_changed_hands_during_the_handshake_is_looked_up_again(
    server: Sitting, aya: Visitor, ben: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = aya.open(people="1")
    ben.join(table, "Ben at the door")
    asked = server.tables.at

    def at(table_id: str, person: StoredPerson | None) -> object:
        found = asked(table_id, person)
        monkeypatch.setattr(server.tables, "at", asked)
        table.leave(1)
        return found

    monkeypatch.setattr(server.tables, "at", at)
    with pytest.raises(WebSocketDisconnect) as ended, ben.at(table) as tab:
        tab.receive_json()
    assert ended.value.code == 4404 and not table.seats[1].tabs


def test_who_sits_there_gets_in_again_by_the_link_after_the_start(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    """A browser that was closed has forgotten the session, and not the person."""
    table = aya.open(people="1")
    ben.join(table, "Ben who comes back")
    with aya.at(table) as host:
        host.send_json({"kind": "start"})
        until(host, "ask")
    session = next(name for name in ben.client.cookies if "session" in name)
    ben.client.cookies.delete(session)
    assert ben.client.get(f"/tables/{table.id}").status_code == 401
    assert ben.client.get(f"/join/{table.code}").status_code == 200
    assert ben.join(table).headers["location"] == f"/tables/{table.id}"
    assert ben.client.get(f"/tables/{table.id}").status_code == 200


def test_a_seat_has_no_more_tabs_with_several_sessions(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    table = aya.open(people="1")
    ben.join(table, "Ben of many tabs")
    with ExitStack() as tabs:
        for _ in range(MOST_SOCKETS):
            tabs.enter_context(ben.at(table))
        ben.client.cookies.delete(next(name for name in ben.client.cookies if "session" in name))
        assert ben.join(table).status_code == 303
        with pytest.raises(WebSocketDisconnect) as ended, ben.at(table) as tab:
            tab.receive_json()
        assert ended.value.code == 4429


def test_guests_without_end_push_out_nobody_who_has_the_token() -> None:
    sessions = Sessions("token")
    owner = sessions.opened()
    ben = sessions.opened(guest_at="10.0.0.1")
    guests = [sessions.opened(guest_at="10.0.0.2") for _ in range(MOST_GUESTS)]
    assert sessions.known(owner, None) is not None
    assert sessions.known(ben, None) is not None  # nor any other guest
    assert sessions.known(guests[0], None) is None
    newest = sessions.known(guests[-1], None)
    assert newest is not None and sessions.is_guest(newest)
    sessions.close(guests[-1])
    assert sessions.known(guests[-1], None) is None


def test_there_is_a_free_name_when_all_short_ones_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    persons = Persons(SiteFile(tmp_path))
    monkeypatch.setattr(persons_module.secrets, "randbelow", lambda most: 0)
    for name in ("guest-1000", "guest-10000"):
        persons.named(None, name)
    assert persons.free_name() == "guest-100000"


def test_a_bot_that_fills_a_seat_has_a_name_of_its_own(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    """The name of the bot that a free seat would go to can be taken by somebody who joins."""
    table = aya.open("yaniv", name="Host of namesakes", seats="4", people="2", opponent="level:expert")
    free = [seat.name for seat in table.seats if seat.is_free]
    assert ben.join(table, free[1].upper()).status_code == 303
    with aya.at(table) as host:
        host.send_json({"kind": "start"})
        names = [place["name"] for place in until(host, "welcome", state="playing")["places"]]
    assert names == [table._plan_of(seat).name for seat in table.seats]
    assert len({folded_name(name) for name in names}) == 4, names


def test_a_form_for_a_game_that_there_is_not_is_refused_as_its_page_is(aya: Visitor) -> None:
    for answer in (aya.client.post("/play/nope", data={}), aya.client.get("/play/nope")):
        assert answer.status_code == 404 and "no game" in answer.text


def test_only_a_game_in_real_time_has_ticks(aya: Visitor) -> None:
    refused = aya.client.post("/api/tables", json={"game": "naga", "seats": ["me", "level:club"], "tick_ms": 250})
    assert refused.status_code == 400 and "real time" in refused.json()["error"]
