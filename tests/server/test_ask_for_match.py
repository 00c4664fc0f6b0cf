"""Asking for a match: what is refused and how, who may ask, how many at a time; no game is played here."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.agent import BotFiles
from arena.agent.submissions import Submissions
from arena.reports.table import LANGUAGES
from arena.server import openapi
from arena.server.app import application
from arena.server.asking.matches import BotMatches
from helpers.server import HOST, TOKEN

PROCESS = (sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.readline(); sys.stdin.readline()")
"""A process that plays nothing until it is ended."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("results")
    store = Submissions(found)
    for name, games in (("alice", ()), ("bob", ("naga",)), ("carol", ())):
        store.submit(name, BotFiles("bot.py", {"bot.py": name.encode()}), games)
    store.withdraw("carol")
    return found


@pytest.fixture
def server(results: Path) -> Iterator[TestClient]:
    """A server of its own for each test: an account has one match at a time."""
    app = application(results, token=TOKEN, bot_matches=BotMatches(cores=1, command=PROCESS))
    headers = {"authorization": f"Bearer {TOKEN}"}
    with TestClient(app, base_url=HOST, headers=headers, raise_server_exceptions=False, follow_redirects=False) as client:
        yield client


def test_asking_is_described_for_programs() -> None:
    described = openapi.document()["paths"]["/api/ask"]
    assert {"get", "post"} == set(described)
    sent = described["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    answer = described["post"]["responses"]["201"]["content"]["application/json"]["schema"]["$ref"]
    assert [one.rpartition("/")[2] for one in (sent, answer)] == ["MatchRequest", "AskedFor"]


def ask(server: TestClient, *bots: str, **more: Any) -> Any:
    return server.post("/api/ask", content=json.dumps({"game": "naga", "bots": bots} | more))


@pytest.mark.parametrize(
    ("bots", "more", "status", "said"),
    [
        (["alice", "alicia"], {}, 404, 'alicia: there is no such bot; did you mean "alice"?'),
        (["alice", "../../etc/passwd"], {}, 404, "there is no such bot"),
        (["alice", "alice@2"], {}, 404, "alice@2: there is no such version; there are alice@1"),
        (["alice", "alice@two"], {}, 404, "there is no such version"),
        (["alice", "carol"], {}, 409, "carol was withdrawn on "),
        (["alice", "carol@1"], {}, 409, "carol was withdrawn on "),
        (["alice", "bob"], {"game": "yaniv"}, 400, "bob does not play yaniv"),
        (["alice", "house:yaniv_greedy"], {}, 400, "house:yaniv_greedy: there is no such bot"),
        (["alice", "level:grandmaster"], {}, 400, "level:grandmaster: there is no such bot"),
        (["alice", "remote:dan/bot"], {}, 404, "dan/bot is not here now"),
        (["alice", "bob", "bob"], {}, 400, "naga"),
        (["alice", "bob"], {"game": "chess"}, 400, "chess"),
        (["alice", "bob"], {"options": {"series": "for_ever"}}, 400, "series"),
        (["alice", "bob"], {"like": "ab" * 12}, 404, "abab"),
        (["alice", "bob"], {"like": "../x"}, 404, "24 hex digits"),
        (["alice", "bob"], {"like": "ab" * 12, "seed": 1}, 400, "leave out both"),
        (["alice", "bob"], {"seed": -1}, 400, "seed"),
        (["alice", "bob"], {"params": {"depth": 1}}, 400, "params"),
        ([], {}, 400, "bots"),
        (["alice"] * 21, {}, 400, "bots"),
        (["a" * 500, "bob"], {}, 400, "bots"),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_reason(
    server: TestClient, bots: list[str], more: dict[str, Any], status: int, said: str
) -> None:
    answer = ask(server, *bots, **more)
    assert (answer.status_code, said in answer.json()["error"]) == (status, True), answer.text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_form_is_refused_in_both_languages(server: TestClient, lang: str) -> None:
    fields = {"game": "naga", "bot.0": "alice", "bot.1": "carol"}
    answer = server.post("/ask", data=fields, headers={"accept-language": lang})
    assert answer.status_code == 409
    assert {"en": "was withdrawn on", "ja": "取り下げられた"}[lang] in answer.text


def test_one_match_at_a_time_for_each_account(server: TestClient) -> None:
    first = ask(server, "alice", "bob")
    assert first.status_code == 201, first.text
    page = first.json()["page"]
    assert server.get(f"/api{page}").json()["card"]["state"] in ("waiting", "starting")
    assert 'http-equiv="refresh"' in server.get(page).text
    again = ask(server, "alice", "bob")
    assert (again.status_code, "One match at a time" in again.json()["error"]) == (409, True)
    assert server.get("/api/ask").json()["pending"]["names"] == ["alice", "bob"]


def test_a_process_that_dies_breaks_the_match_and_nothing_else(results: Path) -> None:
    app = application(
        results, token=TOKEN, bot_matches=BotMatches(cores=1, command=(sys.executable, "-c", "raise SystemExit(3)"))
    )
    headers = {"authorization": f"Bearer {TOKEN}"}
    with TestClient(app, base_url=HOST, headers=headers, follow_redirects=False) as client:
        page = ask(client, "alice", "alice").json()["page"]
        ended = time.monotonic() + 30
        while (card := client.get(f"/api{page}").json()["card"])["is_running"]:
            assert time.monotonic() < ended
        assert (card["state"], card["why"], card["names"]) == ("broken", "ask_broken", ["alice", "alice-2"])
        assert "through no fault of a bot" in client.get(page).text
        assert ask(client, "alice", "alice").status_code == 201


def test_nobody_asks_without_a_session_or_from_another_site(results: Path, server: TestClient) -> None:
    body = json.dumps({"game": "naga", "bots": ["alice", "bob"]})
    with TestClient(application(results, token=TOKEN), base_url=HOST, follow_redirects=False) as stranger:
        assert stranger.post("/api/ask", content=body).status_code == 401
        assert stranger.get("/ask").status_code == 401
    assert server.post("/api/ask", content=body, headers={"origin": "https://elsewhere.example"}).status_code == 403


def test_the_form_lists_who_can_play(server: TestClient) -> None:
    page = server.get("/api/ask", params={"game": "yaniv"}).json()
    choices = [one["choice"] for one in page["candidates"]]
    assert "submitted:alice" in choices and "level:club" in choices
    assert not {"submitted:bob", "submitted:carol", "house:naga_greedy"} & set(choices)
    assert server.get("/ask?game=yaniv").status_code == 200
