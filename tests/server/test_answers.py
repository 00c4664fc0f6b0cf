"""Every JSON address answers as its description says, in every state of a tournament; every page is made from the same data."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema
import pytest
from starlette.testclient import TestClient

from arena.games import names
from arena.records import Ending
from arena.reports.board import headline_ratings
from arena.reports.pages.lessons import script
from arena.results import parquet
from arena.results.manifest import read_manifest
from arena.server import openapi
from arena.server.routes import EMBEDDED, SUBJECTS
from helpers.records import make_record, make_seat, numbered
from helpers.results import HOSTILE, write_results
from helpers.server import Played, server
from helpers.tournaments import run

DOCUMENT = openapi.document()


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament that was played, one being played, one with hostile names, and one that has only begun."""
    folder = tmp_path_factory.mktemp("results")
    out = run(folder, deals=3, seed=11).folder.parent
    records = [
        make_record(seats=(make_seat(HOSTILE, 1), make_seat("bob", 2))),
        make_record(seats=(make_seat(HOSTILE, 2, ending=Ending.CRASH, fault_decision=3), make_seat("bob", 1))),
    ]
    write_results(out, records * 5, HOSTILE, "bob")
    (out / "begun").mkdir()
    (out / "begun" / "journal.sqlite").touch()
    return out


@pytest.fixture(scope="module")
def played(results: Path) -> Iterator[Played]:
    found = Played(results, "running")
    found.store(*numbered([make_record()] * 7))
    yield found
    found.end()


@pytest.fixture(scope="module")
def client(results: Path, played: Played) -> Iterator[TestClient]:
    with server(results) as found:
        yield found


@pytest.fixture(scope="module")
def match_id(client: TestClient) -> str:
    return str(client.get("/api/t/small/matches").json()["matches"][0]["match_id"])


def described(path: str, status: int = 200) -> jsonschema.Draft202012Validator:
    responses = DOCUMENT["paths"][path]["get"]["responses"]
    schema = responses["200" if status == 200 else "default"]["content"]["application/json"]["schema"]
    return jsonschema.Draft202012Validator({**schema, "components": DOCUMENT["components"]})


def ask(client: TestClient, path: str, status: int = 200, query: str = "", **places: Any) -> Any:
    """The answer of an address, which is as its description says."""
    answer = client.get(path.format(**places) + query)
    assert answer.status_code == status, answer.text
    found = answer.json()
    described(path, status).validate(found)
    return found


CONTEST = "/marks"
"""A page that only a server with a contest has: tests/server/test_marks_page.py."""
NEWS = "/news"
"""What a feed shows, and no page: tests/server/test_news_feed.py."""
ADDRESSES = [
    *((f"/api{one.path}".rstrip("/"), {}, "") for one in SUBJECTS if "{" not in one.path and one.path not in (CONTEST, NEWS)),
    ("/api/t/{name}", {"name": "small"}, ""),
    ("/api/t/{name}", {"name": "small"}, "?pool=naga"),
    ("/api/t/{name}", {"name": "running"}, ""),
    ("/api/t/{name}", {"name": "begun"}, ""),
    ("/api/t/{name}/matches", {"name": "begun"}, ""),
    ("/api/t/{name}", {"name": "cup"}, "?pool=naga"),
    ("/api/t/{name}/matches", {"name": "small"}, "?bot=counting_bot&rival=set_bot&pool=naga&ending=played&limit=3"),
    ("/api/t/{name}/matches", {"name": "running"}, "?bot=alice&limit=3"),
    ("/api/t/{name}/matches", {"name": "cup"}, "?ending=crash"),
    ("/api/bots/{name}", {"name": "counting_bot"}, ""),
    ("/api/bots/{name}", {"name": "set_bot"}, "?t=small&v=1"),
    ("/api/bots/{name}", {"name": "bob"}, ""),
    ("/api/bots", {}, "?q=_BOT&game=naga&state=all&sort=name&limit=1"),
    ("/api/ask", {}, "?game=yaniv&bot=level:club"),
    ("/api/admin", {}, "?before=7"),
    ("/api/me/play", {}, ""),
    *(("/api/play/{game}", {"game": game}, "") for game in names()),
    *(("/api/learn/{game}", {"game": game}, "") for game in names() if script(game)),
    *(("/api/rules/{game}", {"game": game}, "") for game in names()),
    *(("/api/rules/{game}/full", {"game": game}, "") for game in names()),
]


@pytest.mark.parametrize(("path", "places", "query"), ADDRESSES)
def test_an_address_answers_as_described_and_its_page_is_there(
    client: TestClient, path: str, places: dict[str, str], query: str
) -> None:
    ask(client, path, query=query, **places)
    page = path.removeprefix("/api").format(**places) or "/"
    for lang in ("en", "ja"):
        answer = client.get(page + query + ("&" if query else "?") + f"lang={lang}")
        assert answer.status_code == 200 and f'<html lang="{lang}">' in answer.text
        assert HOSTILE not in answer.text and "<script>" not in answer.text and " style=" not in answer.text


def test_the_news_answer_as_described(client: TestClient) -> None:
    assert {item["tournament"] for item in ask(client, f"/api{NEWS}")["items"]} == {"cup", "small"}


def test_a_match_of_a_tournament_gives_no_trace(client: TestClient, match_id: str) -> None:
    """Its seed fixes the cards that others may still have to play."""
    for address in (f"/m/{match_id}/trace?lang=en", f"/api/m/{match_id}/trace?lang=en"):
        answer = client.get(address)
        assert answer.status_code == 404 and "belongs to a tournament" in answer.text


def test_a_match_answers_as_described_for_all_eyes(client: TestClient, match_id: str) -> None:
    for query in ("", "?seat=0", "?seat=1", "?lost=0", "?page=0"):
        found = ask(client, "/api/m/{id}", query=query, id=match_id)
        assert found["card"]["match_id"] == match_id and found["tournament"] == "small"
        assert client.get(f"/m/{match_id}{query}").status_code == 200
        assert client.get(f"/embed/m/{match_id}.json{query}").json() == {**found, "heard": []}  # nobody in particular
    opinion = ask(client, "/api/m/{id}/opinion", id=match_id)
    assert found["frames"]["header"]["outline"]["numbers"] and len(opinion["values"]) == len(found["frames"]["frames"])
    ask(client, "/embed/m/{id}/opinion.json", id=match_id)
    luck = ask(client, "/api/m/{id}/luck", id=match_id)
    assert len(luck["values"]) == len(opinion["values"]) and luck == ask(client, "/embed/m/{id}/luck.json", id=match_id)
    seen = ask(client, "/api/m/{id}", query="?seat=0&lost=0", id=match_id)
    assert seen["start"] is None and seen["frames"]["header"]["seed"] is None  # a seat is told no opinion on all cards
    assert client.get(f"/embed/m/{match_id}", headers={"authorization": ""}).status_code == 200


def test_every_address_is_tried_and_described() -> None:
    of_a_match = {path for path in DOCUMENT["paths"] if path.startswith("/api/m/{id}")}  # test_matches_replayed.py too
    of_a_table = {"/api/tables/{id}", "/api/join/{code}", "/api/learn/{game}"}  # tests/server/test_server_tables.py
    of_asked = {"/api/ask/{id}"}  # tests/server/test_ask_for_match.py
    of_a_submission = {"/api/submissions/{id}"}  # tests/server/test_submitting.py
    of_a_source = {"/api/bots/{name}/source", "/api/marks"}  # tests/server/test_managed_bots.py, test_marks_page.py
    tried = (
        {path for path, _, _ in ADDRESSES}
        | of_a_match
        | of_a_table
        | of_asked
        | of_a_submission
        | of_a_source
        | {f"/api{NEWS}"}
    )
    assert tried == {path for path, verbs in DOCUMENT["paths"].items() if path.startswith("/api") and "get" in verbs}
    acts = {path for path in DOCUMENT["paths"] if path.startswith("/api/admin/")}  # tests/server/test_account_pages.py
    assert len(DOCUMENT["paths"]) == len(SUBJECTS) + len(EMBEDDED) + len(acts) + 1  # a table is opened: test_lobby.py


def test_the_description_is_served(client: TestClient) -> None:
    assert client.get(openapi.PATH).json() == DOCUMENT


def test_a_board_is_that_of_arena_leaderboard(client: TestClient, results: Path) -> None:
    expected = [
        one
        for one in headline_ratings(read_manifest(results / "small"), parquet.read_ratings(results / "small"))
        if one.pool == "naga"
    ]
    board = ask(client, "/api/t/{name}", query="?pool=naga", name="small")["board"]
    assert [(row["bot"], row["rank"], row["matches"], row["rating"]) for row in board] == [
        (one.bot, one.rank, one.matches, round(one.rating, 4)) for one in expected
    ]


def test_all_matches_come_once_page_by_page(client: TestClient) -> None:
    for name in ("small", "running"):
        seen: list[str] = []
        older: int | None = 1 << 40
        while older is not None:
            page = ask(client, "/api/t/{name}/matches", query=f"?limit=2&before={older}", name=name)
            seen += [match["match_id"] for match in page["matches"]]
            older = page["older"]
        assert len(seen) == len(set(seen)) == (18 if name == "small" else 7)


def test_a_cell_of_the_heat_map_leads_to_its_matches(client: TestClient) -> None:
    pairs = ask(client, "/api/t/{name}", query="?pool=naga", name="small")["pairs"]
    for one, bot in enumerate(pairs["bots"]):
        for other, rival in enumerate(pairs["bots"]):
            if one != other:
                found = ask(client, "/api/t/{name}/matches", query=f"?bot={bot}&rival={rival}&limit=200", name="small")
                assert found["total"] == len(found["matches"]) == pairs["meetings"][one][other]
                assert all({bot, rival} <= {seat["bot"] for seat in match["seats"]} for match in found["matches"])


BAD = [
    ("/api/t/{name}/matches", {"name": "small"}, "?before=-1", 400),
    ("/api/t/{name}/matches", {"name": "small"}, "?page=-1", 400),
    ("/api/t/{name}/matches", {"name": "small"}, "?limit=0", 400),
    ("/api/t/{name}/matches", {"name": "small"}, "?limit=1000000", 400),
    ("/api/t/{name}/matches", {"name": "small"}, "?after=99999999999999999999999", 400),
    ("/api/t/{name}/matches", {"name": "small"}, "?before=one", 400),
    ("/api/t/{name}/matches", {"name": "small"}, "?ending=won", 400),
    ("/api/t/{name}/matches", {"name": "none"}, "", 404),
    ("/api/t/{name}", {"name": "none"}, "", 404),
    ("/api/t/{name}", {"name": "../results"}, "", 404),
    ("/api/t/{name}", {"name": "%2e%2e%2fsmall"}, "", 404),
    ("/api/t/{name}", {"name": "%00"}, "", 404),
    ("/api/t/{name}", {"name": "small"}, "?pool=none", 404),
    ("/api/t/{name}", {"name": "server"}, "", 404),
    ("/api/bots/{name}", {"name": "nobody"}, "", 404),
    ("/api/bots/{name}", {"name": "..%2f..%2fsecret"}, "", 404),
    ("/api/bots/{name}", {"name": "set_bot"}, "?t=none", 404),
    ("/api/bots/{name}", {"name": "set_bot"}, "?v=-1", 404),
    ("/api/bots/{name}", {"name": "set_bot"}, "?v=x", 400),
    ("/api/m/{id}", {"id": "0" * 24}, "", 404),
    ("/api/m/{id}", {"id": "abcd"}, "", 404),
    ("/api/m/{id}", {"id": "%00" * 24}, "", 404),
    ("/api/m/{id}/opinion", {"id": "f" * 24}, "", 404),
    ("/api/rules/{game}", {"game": "chess"}, "", 404),
    ("/api/rules/{game}", {"game": "..%2fnaga"}, "", 404),
]


@pytest.mark.parametrize(("path", "places", "query", "status"), BAD)
def test_what_cannot_be_answered_has_a_status_and_a_sentence(
    client: TestClient, path: str, places: dict[str, str], query: str, status: int
) -> None:
    answer = client.get(path.format(**places) + query)
    assert answer.status_code == status and len(answer.json()["error"]) > 10, answer.text
    page = client.get(path.removeprefix("/api").format(**places) + query)
    if not path.endswith("opinion"):
        assert page.status_code == status and page.headers["content-type"].startswith("text/html")
    for text in (answer.text, page.text):
        assert "Traceback" not in text and 'File "' not in text


@pytest.mark.parametrize("query", ["?seat=-1", "?seat=x", "?seat=7", "?page=-1", "?page=999", "?seat=1&more=2"])
def test_a_match_has_only_the_seats_and_pages_that_it_has(client: TestClient, match_id: str, query: str) -> None:
    for address in (f"/api/m/{match_id}", f"/m/{match_id}", f"/embed/m/{match_id}"):
        assert client.get(address + query).status_code in (400, 404)


def test_hostile_names_are_data_in_json_and_text_on_pages(client: TestClient) -> None:
    found = ask(client, "/api/t/{name}", query="?pool=naga", name="cup")
    assert {row["bot"] for row in found["board"]} == {HOSTILE, "bob"}
    for address in ("/t/cup?pool=naga", "/t/cup/matches", f"/bots/{quote(HOSTILE, safe='')}", "/t/" + quote(HOSTILE)):
        text = client.get(address).text
        assert "<img src=x" not in text and "\u202e" not in text


def test_a_bot_s_page_leads_to_tables_that_are_there(tmp_path: Path) -> None:
    bots = {"naga": "alice", "yaniv": "carol"}  # no two bots play both games: there is no table of all games
    records = [make_record(pool=pool, game=pool, seats=(make_seat(bots[pool], 1), make_seat("bob", 2))) for pool in bots]
    write_results(tmp_path, records, pools={pool: (bot, "bob") for pool, bot in bots.items()})
    with server(tmp_path) as client:
        found = client.get("/api/bots/bob").json()["appearances"]
        assert {one["pool"] for one in found} == {"naga", "yaniv"}
        for one in found:
            assert client.get(f"/api/t/{one['tournament']}?pool={one['pool']}").status_code == 200, one


def test_nobody_leads_before_the_first_match(tmp_path: Path) -> None:
    played = Played(tmp_path)
    with server(tmp_path) as client:
        (card,) = client.get("/api").json()["tournaments"]
        assert card["pools"] == ["naga"] and card["leaders"] == []
    played.store(*numbered([make_record()] * 3))
    with server(tmp_path) as client:
        (card,) = client.get("/api").json()["tournaments"]
        assert [leader["bot"] for leader in card["leaders"]] == ["alice", "bob"]
    played.end()
