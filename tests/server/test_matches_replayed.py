"""What the replay player asks the server for: frames for one pair of eyes, choices of searches, faults; an embedded match."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from starlette.testclient import TestClient

from arena.audit import choices
from arena.errors import StoreError
from arena.records import Ending
from arena.reports.pages.frames import StoredMatch
from arena.results.journal import Journal
from arena.server.limits import GUESTS
from arena.server.views import match as choices_view
from arena.server.views import match as views
from arena.server.views.ladders import leg_is_over
from arena.tournament.formats.ladder.state import Leg, StoredLadder
from arena.tournament.formats.tables import Stage
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Interrupted, Settings
from helpers.games_played import play_all_games
from helpers.members import with_members
from helpers.paths import BAD_BOTS
from helpers.server import server
from helpers.tournaments import Stops, run, write_config


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, StoredMatch]]:
    return play_all_games(tmp_path_factory.mktemp("games"))


@pytest.fixture(scope="module")
def client(played: tuple[Path, dict[str, StoredMatch]]) -> Iterator[TestClient]:
    with server(played[0]) as found:
        yield found


def decisions(match: StoredMatch, seat: int) -> list[int]:
    return [one.number for scene in match.scenes for one in scene.played if one.seat == seat]


def test_a_seats_frames_hold_neither_the_seed_nor_the_opinion(
    client: TestClient, played: tuple[Path, dict[str, StoredMatch]]
) -> None:
    for match in played[1].values():
        seed = f"{match.deal_seed:032x}"
        address = f"/api/m/{match.record.match_id}"
        assert seed in client.get(address).text
        for seat in range(len(match.record.seats)):
            answer = client.get(f"{address}?seat={seat}")
            assert answer.status_code == 200 and seed not in answer.text and '"rng"' not in answer.text
            assert answer.json()["frames"]["header"]["eyes"] == seat and "values" not in answer.json()["frames"]


def test_a_search_is_asked_for_again(client: TestClient, played: tuple[Path, dict[str, StoredMatch]]) -> None:
    match = played[1]["naga"]
    address = f"/api/m/{match.record.match_id}/choices"
    found = client.get(f"{address}?seat=0&decision={decisions(match, 0)[1]}").json()
    assert found["now"] == found["played"] and found["differing"] == 0
    assert found["searches"][0]["simulations"] == 50
    other = client.get(f"{address}?seat=0&decision={decisions(match, 1)[0]}")
    assert other.status_code == 400 and "is none of seat 0" in other.json()["error"]
    assert client.get(f"{address}?seat=9&decision=0").status_code == 404
    assert client.get(f"{address}?seat=0&decision=-1").status_code == 400
    assert client.get(address).status_code == 400


def test_who_asks_for_a_search_again_pays_for_it(
    played: tuple[Path, dict[str, StoredMatch]], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = played[1]["naga"]
    address = f"/api/m/{match.record.match_id}/choices?seat=0&decision={decisions(match, 0)[1]}"
    with with_members(played[0]) as members:
        computing, aya = members.server.submitting.computing, members.account("aya").id
        charged: list[tuple[str, float]] = []
        monkeypatch.setattr(computing, "charge", lambda account, seconds: charged.append((account, seconds)))
        assert members.aya.get(address).status_code == 200
        assert [account for account, _ in charged] == [aya] and charged[0][1] > 0.0
        monkeypatch.undo()
        computing.charge(aya, 2.0 * computing.seconds)
        answer = members.aya.get(address)
        assert answer.status_code == 429 and "computing time" in answer.json()["error"]
        assert members.ben.get(address).status_code == 200


def test_guests_who_ask_for_a_search_again_pay_for_it_together(
    played: tuple[Path, dict[str, StoredMatch]], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = played[1]["naga"]
    address = f"/api/m/{match.record.match_id}/choices?seat=0&decision={decisions(match, 0)[1]}"
    with with_members(played[0]) as members:
        monkeypatch.setattr(members.server.tables, "has_played", lambda person, match_id: True)
        guests = [members.client(), members.client()]
        for guest in guests:
            guest.cookies.update({"arena_session_8000": members.server.sessions.opened(guest_at="")})
        assert guests[0].get(address).status_code == 200
        members.server.submitting.computing.charge(GUESTS, 2.0 * members.server.submitting.computing.seconds)
        for guest in guests:
            answer = guest.get(address)
            assert answer.status_code == 429 and "computing time" in answer.json()["error"]
        assert members.ben.get(address).status_code == 200


@pytest.mark.parametrize("params", [{"iterations": 1_000_000_000}, {"iterations": 1_000_000_000, "time": 1_000_000}])
def test_a_search_of_strangers_results_that_would_never_end_is_given_up(
    client: TestClient, played: tuple[Path, dict[str, StoredMatch]], monkeypatch: pytest.MonkeyPatch, params: dict[str, int]
) -> None:
    match = played[1]["naga"]
    address = f"/api/m/{match.record.match_id}/choices?seat=0&decision={decisions(match, 0)[0]}"
    assert client.get(address).status_code == 200  # all that is compiled is there
    monkeypatch.setattr(choices, "json_object", lambda _: params)
    monkeypatch.setattr(choices_view, "SECONDS", 0.05)
    assert client.get(address).status_code == 503
    monkeypatch.undo()
    assert client.get(address).status_code == 200  # and another one may be asked for


def test_a_strangers_bot_is_not_run_and_its_faults_are_told(tmp_path: Path) -> None:
    bad = {"path": str(BAD_BOTS / "fails_late.py"), "name": "bad", "trusted": True, "params": {"how": "illegal"}}
    results = run(tmp_path, bots=[bad, {"path": "house:random_bot", "trusted": True}], deals=1)
    record = next(iter(results.records()))
    seat = next(place for place, row in enumerate(record.seats) if row.bot == "bad")
    with server(tmp_path / "out") as client:
        address = f"/api/m/{record.match_id}"
        refused = client.get(f"{address}/choices?seat={seat}&decision={record.seats[seat].fault_decision}")
        assert refused.status_code == 403 and f"arena capsule {record.match_id} {seat}" in refused.json()["error"]
        (fault, *_) = client.get(f"{address}/faults").json()["faults"]
        assert (fault["seat"], fault["ending"]) == (seat, Ending.ILLEGAL) and "fly away" in fault["reason"]
    (results.folder / "journal.sqlite").unlink()  # somebody else's results have none
    with server(tmp_path / "out") as client:
        assert client.get(f"{address}/faults").json()["faults"][0] == fault


def test_an_embedded_match_needs_no_session_and_shows_nothing_else(played: tuple[Path, dict[str, StoredMatch]]) -> None:
    match_id = played[1]["naga"].record.match_id
    with server(played[0], logged_in=False) as client:
        page = client.get(f"/embed/m/{match_id}")
        assert (
            page.status_code == 200
            and "data-is-embedded" in page.text
            and 'href="/' not in page.text.replace('href="/static/', "")
        )
        assert "frame-ancestors *" in page.headers["content-security-policy"] and "set-cookie" not in page.headers
        assert client.get(f"/embed/m/{match_id}.json?seat=1").json()["frames"]["header"]["eyes"] == 1
        for rest in ("", "/opinion", "/choices?seat=0&decision=0", "/faults"):
            assert client.get(f"/api/m/{match_id}{rest}").status_code == 401
        assert client.get(f"/embed/m/{match_id[:8]}").status_code == 404
        assert "set-cookie" not in client.get(f"/embed/m/{match_id}?lang=ja").headers  # whoever frames it changes nothing


def test_who_has_no_token_is_not_told_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object) -> None:
        raise StoreError(f"{tmp_path}/cup/journal.sqlite: is damaged")

    monkeypatch.setattr(views, "locate_match", damaged)
    with server(tmp_path, logged_in=False) as client:
        for address in (f"/embed/m/{0:024x}", f"/embed/m/{0:024x}.json"):
            answer = client.get(address)
            assert answer.status_code == 500 and str(tmp_path) not in answer.text


def test_a_match_has_the_title_of_its_game_in_the_language_of_the_reader(
    client: TestClient, played: tuple[Path, dict[str, StoredMatch]]
) -> None:  # fmt: skip
    match_id = played[1]["naga"].record.match_id
    for page in (client.get(f"/m/{match_id}?lang=ja").text, client.get(f"/embed/m/{match_id}?lang=ja").text):
        assert "<title>ナーガ" in page
    assert ">ナーガ</a>" in client.get(f"/m/{match_id}?lang=ja").text


def test_no_match_is_embedded_while_its_deals_are_still_played(tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        run_tournament(write_config(tmp_path), Settings(out=tmp_path / "out", backend=LOCAL, workers=1), Stops(3))
    with Journal(tmp_path / "out" / "small", is_read_only=True) as journal:
        match_id = next(iter(journal.records())).match_id
    with server(tmp_path / "out") as client:
        assert client.get(f"/m/{match_id}").status_code == 200
        for address in (f"/embed/m/{match_id}", f"/embed/m/{match_id}.json", f"/embed/m/{match_id}/opinion.json"):
            refused = client.get(address)
            assert refused.status_code == 403 and "can be embedded when it has ended" in refused.text


def test_what_is_embedded_of_a_ladder_stays_once_its_leg_is_over(tmp_path: Path) -> None:
    assert not leg_is_over(tmp_path, 0)
    with Journal(tmp_path) as journal:
        assert not leg_is_over(tmp_path, 0)  # of no ladder
        legs = tuple(Leg(first_stage, (), None, False, 0) for first_stage in (0, 1))
        for stages, is_over in (
            ((Stage(0, 0, ()), Stage(1, 4, ()), Stage(2, 9, ())), [True, False, False]),
            ((Stage(0, 0, ()),), [True, True, True]),  # nothing of the newest leg has been played
        ):
            state = StoredLadder(contestants=(), legs=legs, stages=stages, last_key=b"")
            journal.set_meta(state.values())
            assert [leg_is_over(tmp_path, index) for index in (3, 4, 10)] == is_over
            journal.set_meta(msgspec.structs.replace(state, has_ended=True).values())
            assert leg_is_over(tmp_path, 10)
