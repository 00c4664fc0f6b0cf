"""Lists of matches: the newest first, with time and result, filtered, in pages both ways; stored and while they are played."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from starlette.testclient import TestClient

from arena.records import Ending, MatchRecord
from helpers.records import make_record, make_seat, make_void, numbered
from helpers.results import write_results
from helpers.server import Played, server

NOON = 1_795_867_200
"""2026-11-28, 12:00 UTC."""


def match(number: int, winner: str, loser: str, **changes: Any) -> MatchRecord:
    """A match of two bots, such as `fox` or `fox 2`, that ended so many minutes after noon; 0: nobody noted when."""
    named = [[*name.split(), "1"][:2] for name in (winner, loser)]
    seats = tuple(make_seat(bot, place, bot_version=int(version)) for place, (bot, version) in enumerate(named, 1))
    return make_record(0, seats, ended=number and NOON + 60 * number, **changes)


CRASH = make_seat("owl", 2, ending=Ending.CRASH, fault_decision=3)
MATCHES = numbered([
    match(0, "fox", "owl"), match(1, "bee", "fox"), match(2, "fox 2", "fox"), match(3, "owl", "fox 2"),
    replace(make_void(), ended=NOON + 240), make_record(0, (make_seat("bee"), CRASH), ended=NOON + 420),
    match(6, "fox 2", "bee"),
])  # fmt: skip
"""Match 5 was played last: workers do not keep to the order of the plan."""
BY_TIME = [0, 1, 2, 3, 4, 6, 5]


@pytest.fixture(scope="module", params=["stored", "running"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server with these matches, as `/t/cup`."""
    out = tmp_path_factory.mktemp("matches")
    if request.param == "stored":
        write_results(out, MATCHES, "fox", "owl", "bee")
        with server(out) as client:
            yield client
        return
    played = Played(out, "cup")
    for number in BY_TIME:
        played.store(MATCHES[number])
    with server(out) as client:
        yield client
    played.end()


def listed(client: TestClient, query: str = "") -> list[int]:
    """The numbers of the matches that a page lists."""
    answer = client.get(f"/api/t/cup/matches{query}")
    assert answer.status_code == 200, answer.text
    return [int(one["match_id"], 16) for one in answer.json()["matches"]]


def test_the_newest_match_comes_first_with_the_time_at_which_it_ended(client: TestClient) -> None:
    assert listed(client) == BY_TIME[::-1]
    newest, *_, oldest = client.get("/api/t/cup/matches").json()["matches"]
    assert (newest["ended"], oldest["ended"]) == ("2026-11-28T12:07:00+00:00", None)
    assert '<time datetime="2026-11-28T12:07:00+00:00">2026-11-28 12:07 UTC</time>' in client.get("/t/cup/matches").text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?bot=fox", [6, 3, 2, 1, 0]), ("?bot=fox&v=2", [6, 3, 2]), ("?bot=fox&v=3", []),
        ("?bot=fox&result=won", [6, 2, 0]), ("?bot=fox&result=lost", [3, 1]), ("?bot=fox&v=1&result=lost", [2, 1]),
        ("?bot=fox&rival=bee", [6, 1]), ("?bot=fox&rival=bee&result=lost", [1]), ("?bot=alice&result=lost", []),
        ("?bot=owl&ending=crash", [5]), ("?bot=bee&ending=crash", []), ("?ending=host", [4]), ("?result=won&limit=2", [5, 6]),
    ],
)  # fmt: skip
def test_matches_of_a_bot_by_version_result_opponent_and_ending(client: TestClient, query: str, found: list[int]) -> None:
    assert listed(client, query) == found


def test_a_list_of_one_bot_says_whether_it_won(client: TestClient) -> None:
    answer = client.get("/api/t/cup/matches?bot=fox").json()
    assert [one["result"] for one in answer["matches"]] == ["won", "lost", "won", "lost", "won"]
    page = client.get("/t/cup/matches?bot=fox&lang=en").text
    assert page.count(">won</span>") == 3 and page.count(">lost</span>") == 2 and 'name="result"' in page
    assert {one["result"] for one in client.get("/api/t/cup/matches").json()["matches"]} == {None}
    assert 'name="result"' not in client.get("/t/cup/matches?lang=en").text  # won or lost, but by whom?
    assert client.get("/api/t/cup/matches?bot=alice").json()["matches"][0]["result"] is None  # void


def test_pages_lead_to_older_and_to_newer_matches(client: TestClient) -> None:
    pages, query = [], "?limit=3"
    while True:
        found = client.get(f"/api/t/cup/matches{query}").json()
        pages.append([int(one["match_id"], 16) for one in found["matches"]])
        if found["older"] is None:
            break
        query = f"?limit=3&before={found['older']}"
    assert pages == [[5, 6, 4], [3, 2, 1], [0]]
    assert listed(client, f"?limit=3&after={found['newer']}") == [3, 2, 1]
    newer = client.get(f"/api/t/cup/matches?limit=3&after={found['newer']}").json()
    newest = client.get(f"/api/t/cup/matches?limit=3&after={newer['newer']}").json()
    assert [int(one["match_id"], 16) for one in newest["matches"]] == [5, 6, 4] and newest["newer"] is None
    assert listed(client, f"?limit=5&after={newer['newer']}") == [5, 6, 4, 3, 2]  # the first page is full, too
    page = client.get(f"/t/cup/matches?limit=1&bot=fox&before={found['newer'] + 2}").text
    assert "before=" in page and "after=" in page and "bot=fox" in page


def test_versions_can_be_chosen_once_a_bot_is(client: TestClient) -> None:
    assert client.get("/api/t/cup/matches").json()["versions"] == []
    if client.get("/api/t/cup/matches").json()["total"] is not None:  # while it is played the manifest has the field of bots
        assert client.get("/api/t/cup/matches?bot=fox").json()["versions"] == [2, 1]
        assert 'name="v"' in client.get("/t/cup/matches?bot=fox").text
    assert 'name="v"' not in client.get("/t/cup/matches").text


@pytest.mark.parametrize("query", ["?v=0", "?v=one", "?result=drawn", "?before=-1", "?after=x", "?cursor=1"])
def test_a_filter_that_there_is_not_is_refused(client: TestClient, query: str) -> None:
    assert client.get(f"/api/t/cup/matches{query}").status_code == client.get(f"/t/cup/matches{query}").status_code == 400
