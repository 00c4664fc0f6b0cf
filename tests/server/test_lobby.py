"""Several people at one table: links, guests and what they may see, who is away, who leaves, a rematch; and how many tables."""

import re
from pathlib import Path

import jsonschema
import pytest
from starlette.websockets import WebSocketDisconnect

from arena.server import openapi
from helpers.live_tables import Sitting, Visitor, sitting, until
from helpers.server import HOST, TOKEN, live
from helpers.table_process import MATCH_ID


def test_a_link_leads_to_the_lobby_and_the_host_starts(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    table = aya.open("yaniv", name="Host of the lobby", seats="3", people="1")
    assert table.state == "lobby" and table.pid is None
    with aya.at(table) as host:
        welcome = host.receive_json()
        assert (welcome["is_host"], welcome["join"], welcome["state"]) == (True, f"/join/{table.code}", "lobby")
        assert [place["free"] for place in welcome["places"]].count(True) == 1
        page = ben.client.get(welcome["join"])
        assert page.status_code == 200 and "Host of the lobby" in page.text and 'href="/play"' not in page.text
        assert ben.join(table, "Ben by a link").headers["location"] == f"/tables/{table.id}"
        assert until(host, "notice", key="notice_joined")["values"] == {"name": "Ben by a link"}
        with ben.at(table) as guest:
            mine = guest.receive_json()
            assert not {"is_host", "join"} & mine.keys() and mine["seat"] == 1
            guest.send_json({"kind": "start"})  # only the host may
            guest.send_json({"kind": "ping", "at": 0.0})
            until(guest, "pong")
            assert table.state == "lobby"
            host.send_json({"kind": "start"})
            seen = until(host, "frame")["position"], until(guest, "frame")["position"]
            assert [one["hand"] for one in seen] == ["cards of seat 0", "cards of seat 1"]
            late = server.person(has_token=False)
            assert late.client.get(f"/join/{table.code}").status_code == 409
            refused = late.join(table, "Too late")
            assert refused.status_code == 409 and "set-cookie" not in refused.headers
            guest.send_json({"kind": "act", "decision": 0, "action": "go", "seat": 0})
            assert until(host, "frame", number=1)["text"] == "1 go"


def test_the_host_alone_has_the_link_as_a_picture_for_phones(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    segno = pytest.importorskip("segno")
    table = aya.open("yaniv", seats="4", people="2", name="Host with a phone")
    ben.join(table, "Ben with a phone")
    drawn = aya.client.get(f"/tables/{table.id}/join.svg")
    expected = segno.make(f"{HOST}/join/{table.code}", error="m", micro=False).svg_inline(border=4, omitsize=True)
    path = re.compile('d="(M4[^"]*)"')
    assert drawn.headers["content-type"] == "image/svg+xml" and path.findall(drawn.text) == path.findall(expected)
    assert ben.client.get(f"/tables/{table.id}/join.svg").status_code == 404
    assert server.person().client.get(f"/tables/{table.id}/join.svg").status_code == 404


def test_a_guest_sees_the_own_table_and_match_and_the_rules_alone(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    table = aya.open(people="1")
    ben.join(table)
    kit = server.app.state.server.assets.url("kit.js")
    for address in (f"/tables/{table.id}", f"/api/tables/{table.id}", "/rules", "/rules/naga", f"/join/{table.code}", kit):
        assert ben.client.get(address).status_code == 200, address
    for address in ("/", "/play", "/play/naga", "/tv", "/t/cup", "/bots/x", "/api", "/api/play", "/api/openapi.json", "/x"):
        answer = ben.client.get(address)
        assert answer.status_code == 403 and "as a guest" in answer.text, address
    assert "<html" in ben.client.get("/").text and "<html" not in ben.client.get("/api").text
    for address in ("/play/naga", "/api/tables"):
        assert ben.client.post(address).status_code == 403
    other = server.person().open()
    assert ben.client.get(f"/tables/{other.id}").status_code == 404
    match = f"/api/m/{MATCH_ID}"
    parts = ("", "/opinion", "/faults", "/trace", "/choices?seat=0&decision=0")
    assert [ben.client.get(match + part).status_code for part in parts] == [403] * 5
    with aya.at(table) as host, ben.at(table) as guest:
        host.send_json({"kind": "start"})
        until(guest, "ask")
        guest.send_json({"kind": "act", "decision": 0, "action": "end"})
        until(guest, "welcome", state="over")
    assert ben.client.get(match).status_code == 404  # now it may be asked for; this process has stored nothing
    with pytest.raises(Exception) as refused, live(ben.client, origin=HOST):
        pass
    assert getattr(refused.value, "status_code", None) == 403


def test_who_is_at_a_table_and_wants_another_can_return_or_leave(aya: Visitor) -> None:
    table = aya.open(name="Aya at two", people="1")
    other = aya.client.post("/play/naga", data={"seat": "0", "opponent": "level:club"})
    assert other.status_code == 409
    assert f'href="/tables/{table.id}"' in other.text and f'action="/tables/{table.id}/leave"' in other.text
    assert aya.client.post(f"/tables/{table.id}/leave").status_code == 303
    aya.client.post(f"/tables/{aya.open(name='Aya at two').id}/leave")


def test_what_all_are_told_holds_nothing_of_the_cards(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    table = aya.open(people="1")
    ben.join(table)
    told = []
    with aya.at(table) as host:
        with ben.at(table) as guest:
            host.send_json({"kind": "start"})
            until(guest, "ask")
            told += [ben.client.get(f"{before}/tables/{table.id}").text for before in ("", "/api")]
        server.pass_time(3)
        server.pass_time(60)
        with ben.at(table) as guest:
            while (message := guest.receive_text()).find("restored") < 0:
                told.append(message)
            guest.send_text("nonsense")
            with pytest.raises(WebSocketDisconnect) as ended:
                while True:
                    told.append(guest.receive_text())
            told.append(ended.value.reason)
    told += [server.person().client.get(path).text for path in (f"/join/{table.code}", f"/tables/{table.id}")]
    assert "cards of seat 1" in str(told) and "cards of seat 0" not in str(told)


def test_who_is_away_is_replaced_after_a_minute_and_gets_the_seat_again(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    table = aya.open(name="Aya who waits", people="1")
    ben.join(table, "Ben who goes")
    name = {"name": "Ben who goes"}
    with aya.at(table) as host:
        with ben.at(table) as guest:
            host.send_json({"kind": "start"})
            until(guest, "ask")
            until(host, "ask")
        server.pass_time(1)
        with ben.at(table):  # the page was loaded again: nobody is told
            pass
        server.pass_time(2.5)
        ben_is = until(host, "welcome")["places"][1]
        assert (ben_is["name"], ben_is["person"], ben_is["present"], ben_is["replaced"]) == ("Ben who goes", True, False, False)
        assert host.receive_json() == {"kind": "notice", "key": "notice_away", "values": name}
        server.pass_time(58)
        assert until(host, "notice")["key"] == "notice_replaced"
        assert until(host, "frame")["text"] == "replaced 1"
        with ben.at(table) as guest:
            assert until(host, "notice") == {"kind": "notice", "key": "notice_restored", "values": name}
            assert until(guest, "frame", number=2)["text"] == "restored 1"
            assert not table.seats[1].is_replaced


def test_a_single_person_is_waited_for_and_a_table_without_anybody_ends(server: Sitting, aya: Visitor) -> None:
    table = aya.open()
    with aya.at(table) as tab:
        until(tab, "ask")
    server.pass_time(200)
    with aya.at(table) as tab:
        assert until(tab, "ask")["decision"] == 0
        assert not table.seats[0].is_replaced and table.state == "playing"
    server.pass_time(299)
    assert table.state == "playing"
    server.pass_time(2)
    assert table.state == "over" and table.match_id is None
    with aya.at(table) as tab:
        assert until(tab, "welcome")["state"] == "over"


def test_when_all_are_away_who_comes_back_first_plays_on_with_bots(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    table = aya.open(people="1")
    ben.join(table)
    with aya.at(table) as host, ben.at(table):
        host.send_json({"kind": "start"})
        until(host, "ask")
    server.pass_time(100)
    assert not any(seat.is_replaced for seat in table.seats)
    with aya.at(table) as host:
        assert until(host, "notice", key="notice_replaced")
        assert [seat.is_replaced for seat in table.seats] == [False, True]


def test_who_leaves_is_replaced_at_once_and_the_last_one_ends_it(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    table = aya.open(people="1")
    ben.join(table, "Ben who leaves")
    with aya.at(table) as host:
        with ben.at(table) as guest:
            host.send_json({"kind": "start"})
            until(host, "ask")
            guest.send_json({"kind": "leave"})
            with pytest.raises(WebSocketDisconnect) as ended:
                while True:
                    guest.receive_text()
            assert ended.value.code == 4410
        assert until(host, "notice") == {"kind": "notice", "key": "notice_left", "values": {"name": "Ben who leaves"}}
        assert until(host, "frame", number=1)["text"] == "replaced 1"
        assert ben.client.get(f"/tables/{table.id}").status_code == 404
        assert aya.client.post(f"/tables/{table.id}/leave").headers["location"] == "/play"
    assert table.state == "over" and table.match_id is None


def test_a_place_in_the_lobby_is_free_again_when_somebody_goes(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    table = aya.open(people="1")
    with aya.at(table) as host:
        ben.join(table, "Ben who never came")
        assert server.person().join(table).status_code == 409  # it is full
        server.pass_time(61)
        assert until(host, "notice", key="notice_gone")["values"] == {"name": "Ben who never came"}
        assert server.person(has_token=False).join(table).status_code == 303
    assert aya.client.post(f"/tables/{table.id}/leave").status_code == 303
    assert table.state == "over"  # without its host no lobby goes on


def test_names_at_a_table_differ(server: Sitting, aya: Visitor) -> None:
    table = aya.open("yaniv", name="Twin", seats="4", people="1")
    for name, status in (("TWIN", 409), ("club", 409), ("Ｃｌｕｂ", 409), ("x" * 25, 400), ("a\u202eb", 400), ("さくら", 303)):
        refused = server.person(has_token=False).join(table, name)
        assert refused.status_code == status, name
        assert status == 303 or "session" not in refused.headers.get("set-cookie", "")


def test_a_name_is_not_lost_to_who_gets_no_seat(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    table = aya.open("yaniv", seats="4", people="1")
    assert ben.join(table, "club").status_code == 409 and not ben.client.cookies
    assert server.person().open(name="Club")  # nobody has it


def test_a_rematch_has_the_same_people_and_new_cards(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    table = aya.open(people="1")
    ben.join(table)
    with aya.at(table) as host, ben.at(table) as guest:
        assert aya.client.post(f"/tables/{table.id}/rematch").status_code == 409  # it is not over
        host.send_json({"kind": "start"})
        until(host, "ask")
        host.send_json({"kind": "act", "decision": 0, "action": "end"})
        until(host, "welcome", state="over")
        assert ben.client.post(f"/tables/{table.id}/rematch").status_code == 409
        address = aya.client.post(f"/tables/{table.id}/rematch").headers["location"]
        again = server.table(address)
        assert until(guest, "notice", key="notice_rematch")["values"] == {"table": again.id}
        assert aya.client.post(f"/tables/{table.id}/rematch").headers["location"] == address  # pressed twice
        assert [seat.name for seat in again.seats] == [seat.name for seat in table.seats]
        with ben.at(again) as tab:
            assert tab.receive_json()["state"] == "lobby"


def test_one_table_a_person_and_as_many_as_the_machine_can(tmp_path: Path) -> None:
    with sitting(tmp_path, cores=1) as server:
        people = [server.person() for _ in range(6)]
        people[0].open()
        refused = people[0].client.post("/play/naga", data={"opponent": "level:club"})
        assert refused.status_code == 409 and "return to it, or leave it" in refused.text
        for person in people[1:3]:
            person.open("nertz")
        form = {"opponent": "level:club"}
        assert people[3].client.post("/play/nertz", data=form).status_code == 429  # in real time fewer
        people[3].open()
        refused = people[4].client.post("/api/tables", json={"game": "naga", "seats": ["me", "level:club"]})
        assert refused.status_code == 429 and "4 matches are being played" in refused.json()["error"]
        lobby = people[4].open(people="1")  # people may be waited for
        with people[4].at(lobby) as host:
            host.send_json({"kind": "start"})
            assert until(host, "notice")["key"] == "notice_busy"


@pytest.mark.parametrize("address", ["/play/naga", "/join/x", "/api/tables", "/tables/x/leave", "/tables/x/rematch"])
def test_no_other_site_and_no_stranger_does_anything(server: Sitting, aya: Visitor, address: str) -> None:
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert aya.client.post(address, headers=headers).status_code == 403
    stranger = server.person(has_token=False)
    assert stranger.client.post(address).status_code == (404 if address.startswith("/join") else 401)
    assert aya.client.post(address, content=b"x" * 20_000).status_code == 413


def test_a_program_opens_a_table(server: Sitting) -> None:
    client = server.person(has_token=False).client
    client.headers["authorization"] = f"Bearer {TOKEN}"
    answer = client.post("/api/tables", json={"game": "yaniv", "seats": ["person", "me"], "name": "A program"})
    opened = answer.json()
    assert answer.status_code == 201 and opened["name"] == "A program" and opened["page"] == f"/tables/{opened['table']}"
    assert client.get(f"/api{opened['page']}").json()["join"] == opened["join"]
    document = openapi.document()
    schema = document["paths"]["/api/tables"]["post"]["responses"]["201"]["content"]["application/json"]["schema"]
    jsonschema.Draft202012Validator({**schema, "components": document["components"]}).validate(opened)
    schema = document["paths"]["/api/join/{code}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    found = server.person(has_token=False).client.get(f"/api{opened['join']}").json()
    jsonschema.Draft202012Validator({**schema, "components": document["components"]}).validate(found)
    described = {name.rpartition(".")[2] for name in document["components"]["schemas"]}
    assert {"Frame", "Ask", "Welcome", "Act", "Hint", "Luck"} <= described
    naga = '{"game":"naga","seats":["me","person"]'
    for body, why in (
        ("{", "no JSON"), ("[]", "Expected `object`"), ('{"game":"chess","seats":["me"]}', "no game"),
        ('{"game":"naga","seats":["me"]}', "2 seats"), ('{"game":"naga","seats":["me","me"]}', "exactly one seat"),
        ('{"game":"naga","seats":["me","house:/etc/passwd"]}', "no opponent"),
        ('{"game":"naga","seats":["me","x.py"]}', "no opponent"), (naga + ',"options":{"x":1}}', "no such option"),
        (naga + ',"tick_ms":1}', "150, 250"), (naga + ',"results":"/"}', "unknown field"),
    ):  # fmt: skip
        refused = server.person().client.post("/api/tables", content=body)
        assert refused.status_code == 400 and why in refused.json()["error"], body


def test_who_leaves_before_the_process_is_there_is_replaced_too(server: Sitting, aya: Visitor, ben: Visitor) -> None:
    table = aya.open(people="1")
    ben.join(table)

    async def start_and_leave() -> None:
        table.start()
        table.leave(1)

    assert server.client.portal is not None
    server.client.portal.call(start_and_leave)
    with aya.at(table) as host:
        assert until(host, "frame", number=1)["text"] == "replaced 1"


def test_who_has_the_token_joins_by_the_same_link_and_stays_no_guest(server: Sitting, aya: Visitor) -> None:
    table, member = aya.open(people="1"), server.person()
    assert member.join(table).status_code == 303
    assert member.client.get(f"/tables/{table.id}").status_code == member.client.get("/play").status_code == 200
    assert f'href="/tables/{table.id}"' in member.client.get(f"/join/{table.code}").text
    assert member.join(table).headers["location"] == f"/tables/{table.id}"  # once more is the same seat
    assert [seat.person is not None for seat in table.seats] == [True, True]
