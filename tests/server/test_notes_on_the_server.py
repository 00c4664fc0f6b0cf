"""Notes and output of bots on the server: for the owner of the bot and the organisers, and made by playing the match again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from starlette.testclient import TestClient

from arena.agent import read_bot
from arena.agent.submissions import Submissions
from arena.records import MatchRecord
from arena.server import openapi
from arena.server.bot_notes import SECONDS, NotesDesk
from helpers.members import Members, with_members
from helpers.notes_children import child, settle
from helpers.paths import BAD_BOTS, TEST_BOTS
from helpers.tournaments import run

NOTING = TEST_BOTS / "noting_bot.py"


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, MatchRecord]]:
    """A match of Aya's bot against Ben's, one of a bot that is called as Aya's, and one in which Ben's bot fails."""
    folder = tmp_path_factory.mktemp("noted")
    store = Submissions(folder / "out")
    store.submit("ayas", read_bot(NOTING), ())
    store.submit("bens", read_bot(TEST_BOTS / "counting_bot.py"), ())
    aya, ben = ({"path": f"submitted:{name}", "trusted": True} for name in ("ayas", "bens"))
    failing = {"path": str(BAD_BOTS / "fails_late.py"), "name": "late", "params": {"how": "illegal"}, "trusted": True}
    bots: dict[str, list[dict[str, Any]]] = {
        "cup": [aya, ben],
        "falsely": [{"path": str(TEST_BOTS / "set_bot.py"), "name": "ayas", "trusted": True}, ben],
        "failing": [aya, failing],
    }
    found = {}
    for name, entries in bots.items():
        found[name] = next(iter(run(folder, name=name, bots=entries, deals=1).records()))
    return folder / "out", found


@pytest.fixture(scope="module")
def members(matches: tuple[Path, dict[str, MatchRecord]]) -> Iterator[Members]:
    with with_members(matches[0], is_checking=False) as found:
        inbox = found.server.submitting.inbox
        for who, bot in (("aya", "ayas"), ("ben", "bens")):
            inbox.receive(found.account(who).id, bot, b"#", ".py", is_taken=False, is_organiser=False)
        found.server.notes = NotesDesk(matches[0], command=child("good"))
        yield found
        found.server.notes.close()


def seat_of(record: MatchRecord, bot: str) -> int:
    return [row.bot for row in record.seats].index(bot)


def made(members: Members, client: TestClient, record: MatchRecord, seat: int, what: str = "notes") -> Any:
    """What a visitor gets, once it is made; it is as the description of the address says."""
    assert client.get(f"/api/m/{record.match_id}/{what}?seat={seat}").status_code == 200
    settle(members.server.notes)
    found = client.get(f"/api/m/{record.match_id}/{what}?seat={seat}").json()
    assert found["progress"]["is_over"]
    document = openapi.document()
    schema = document["paths"][f"/api/m/{{id}}/{what}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    jsonschema.Draft202012Validator({**schema, "components": document["components"]}).validate(found)
    return found


def test_only_who_may_ask_for_matches_is_led_there(members: Members, matches: tuple[Path, dict[str, MatchRecord]]) -> None:
    address = f"/m/{matches[1]['cup'].match_id}"
    led = [
        f"/ask?like={matches[1]['cup'].match_id}" in who.get(address).text for who in (members.aya, members.host, members.gus)
    ]
    assert led == [True, True, False]


def test_an_author_reads_what_the_own_bot_said(members: Members, matches: tuple[Path, dict[str, MatchRecord]]) -> None:
    record = matches[1]["cup"]
    own = seat_of(record, "ayas")
    notes = made(members, members.aya, record, own)
    assert [(one["decision"], one["notes"]) for one in notes["noted"]] == [
        (number, [{"text": "sure", "value": float(number)}]) for number in (1, 2)
    ]
    assert notes["progress"] == {
        "is_over": True, "decisions": 5, "answered": 2, "differs_from": None, "is_timed": False, "is_late": False,
        "is_full": False, "fault": "",
    }  # fmt: skip
    output = made(members, members.aya, record, own, "output")
    assert (output["first"], output["last"]) == ("hello", "")
    assert output["printed"] == [{"decision": 1, "output": "at 1"}, {"decision": 2, "output": "at 2"}]


@pytest.mark.parametrize("what", ["notes", "output"])
def test_nobody_else_reads_it(members: Members, matches: tuple[Path, dict[str, MatchRecord]], what: str) -> None:
    record = matches[1]["cup"]
    ayas = seat_of(record, "ayas")
    address = f"/api/m/{record.match_id}/{what}?seat="
    for client, seat, status in (
        (members.aya, 1 - ayas, 403), (members.ben, ayas, 403), (members.gus, ayas, 403), (members.gus, 1 - ayas, 403),
        (members.stranger, ayas, 401), (members.ben, 9, 404), (members.ben, 1 - ayas, 200), (members.organiser, ayas, 200),
        (members.host, 1 - ayas, 200), (members.program("aya"), ayas, 200), (members.program("ben"), ayas, 403),
    ):  # fmt: skip
        settle(members.server.notes)
        answer = client.get(f"{address}{seat}")
        assert answer.status_code == status, answer.text
        assert status == 200 or "sure" not in answer.text
    looked = [(row.who, row.about) for row in members.server.accounts.audit(most=100) if row.what == "notes"]
    assert sorted(looked) == [("Olga", "ayas"), ("organiser", "bens")]  # once a day each, and nobody else
    assert members.aya.get(f"/api/m/{'0' * 24}/{what}?seat=0").status_code == 404
    assert members.aya.get(f"/api/m/{record.match_id}/{what}").status_code == 400
    assert members.aya.get(f"/embed/m/{record.match_id}/{what}.json?seat={ayas}").status_code in (401, 404)


def test_a_bot_of_the_same_name_is_not_the_same_bot(members: Members, matches: tuple[Path, dict[str, MatchRecord]]) -> None:
    record = matches[1]["falsely"]
    for seat in (0, 1):
        expected = 200 if record.seats[seat].bot == "bens" else 403
        assert members.aya.get(f"/api/m/{record.match_id}/notes?seat={seat}").status_code == 403
        settle(members.server.notes)
        assert members.ben.get(f"/api/m/{record.match_id}/notes?seat={seat}").status_code == expected


def test_the_page_offers_them_to_who_may_read_them(members: Members, matches: tuple[Path, dict[str, MatchRecord]]) -> None:
    record = matches[1]["cup"]
    ayas = seat_of(record, "ayas")
    for client, heard in ((members.aya, [ayas]), (members.ben, [1 - ayas]), (members.gus, []), (members.host, [0, 1])):
        assert client.get(f"/api/m/{record.match_id}").json()["heard"] == heard
        page = client.get(f"/m/{record.match_id}").text
        assert ("notes.js" in page) == bool(heard) and (f'data-heard="{" ".join(map(str, heard))}"' in page) == bool(heard)
    assert "notes.js" not in members.host.get(f"/embed/m/{record.match_id}").text


def test_what_a_bot_printed_before_its_fault_is_its_authors(
    members: Members, matches: tuple[Path, dict[str, MatchRecord]]
) -> None:
    record = matches[1]["failing"]
    assert record.seats[seat_of(record, "late")].ending.value == "illegal"
    hidden = json.dumps(members.ben.get(f"/api/m/{record.match_id}/faults").json())
    assert "fly away" in hidden and "decision 3" not in hidden
    for path in (f"/api/m/{record.match_id}", f"/m/{record.match_id}", "/api/t/failing"):
        answer = members.aya.get(path)
        assert answer.status_code == 200 and "decision 3" not in answer.text


@pytest.mark.parametrize(("script", "status", "why"), [("has_no_code", 404, "stored code"), ("fails", 503, "no lock")])
def test_what_cannot_be_made_is_said(
    members: Members, matches: tuple[Path, dict[str, MatchRecord]], script: str, status: int, why: str
) -> None:
    record, ready = matches[1]["cup"], members.server.notes
    members.server.notes = NotesDesk(matches[0], command=child(script))
    try:
        address = f"/api/m/{record.match_id}/notes?seat={seat_of(record, 'ayas')}"
        members.aya.get(address)
        settle(members.server.notes)
        answer = members.aya.get(address)
        assert answer.status_code == status and why in answer.json()["error"]
    finally:
        members.server.notes.close()
        members.server.notes = ready


def test_the_match_is_played_again_in_a_child(
    members: Members, matches: tuple[Path, dict[str, MatchRecord]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole way once: the submitted files, a locked child, its lines, the page's JSON."""
    record, ready = matches[1]["cup"], members.server.notes
    own = seat_of(record, "ayas")
    members.server.notes = NotesDesk(matches[0], lonely=SECONDS)
    costs: list[tuple[str, float]] = []
    monkeypatch.setattr(members.server.submitting.computing, "charge", lambda *cost: costs.append(cost))
    try:
        notes = made(members, members.aya, record, own)
        output = made(members, members.aya, record, own, "output")
    finally:
        members.server.notes.close()
        members.server.notes = ready
    asked = notes["progress"]["answered"]
    assert notes["progress"]["differs_from"] is None and 3 < asked == len(notes["noted"])
    assert notes["noted"][0]["notes"][0]["text"] == "legal"
    assert (output["first"], output["last"]) == ("ready", "over")
    assert [one["output"] for one in output["printed"]] == ["the second decision"]
    assert {who for who, _ in costs} == {members.account("aya").id} and sum(seconds for _, seconds in costs) > 0.1


def test_who_has_used_an_hours_computing_has_nothing_played_again(
    members: Members, matches: tuple[Path, dict[str, MatchRecord]]
) -> None:
    record, ready = matches[1]["cup"], members.server.notes
    members.server.notes = NotesDesk(matches[0], command=child("good"))
    computing, aya = members.server.submitting.computing, members.account("aya").id
    computing.charge(aya, 2.0 * computing.seconds)
    try:
        answer = members.aya.get(f"/api/m/{record.match_id}/notes?seat={seat_of(record, 'ayas')}")
        assert answer.status_code == 429 and "computing time" in answer.json()["error"] and not members.server.notes._hearings
    finally:
        computing.charge(aya, -2.0 * computing.seconds)
        members.server.notes.close()
        members.server.notes = ready
