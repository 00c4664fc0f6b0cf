"""The front page: it invites to play, learn, watch and hand in a bot; and a match of house bots that it shows."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena import games
from arena.reports.pages.lessons import offer
from arena.reports.pages.words import Words
from arena.reports.table import LANGUAGES
from arena.server.app import application
from arena.server.asking.matches import BotMatches
from helpers.members import Members
from helpers.server import HOST, TOKEN

OURS = ("hisatsu", "naga", "nanatoridori", "nertz", "yaniv")
PROCESS = (sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.readline(); sys.stdin.readline()")
"""A process that plays nothing until it is ended."""
DIES = (sys.executable, "-I", "-S", "-c", "pass")


def client_of(folder: Path, command: tuple[str, ...] = PROCESS) -> TestClient:
    app = application(folder, token=TOKEN, bot_matches=BotMatches(cores=4, command=command))
    headers = {"authorization": f"Bearer {TOKEN}"}
    return TestClient(app, base_url=HOST, headers=headers, raise_server_exceptions=False, follow_redirects=False)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server of a folder in which nothing was played."""
    with client_of(tmp_path_factory.mktemp("empty")) as found:
        yield found


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_nothing_was_played_the_page_offers_every_game_and_all_that_can_be_done(empty: TestClient, language: str) -> None:
    text, word = empty.get("/", params={"lang": language}).text, Words(language)
    for game in OURS:
        assert f'<a href="/play/{game}">' in text and f'<a href="/learn/{game}">' in text
        assert f'data-cards="{",".join(offer(game).cards)}"' in text
    for address in ("/me", "/ask", "/rules"):
        assert f'<a href="{address}"' in text
    for key in ("home_title", "home_what", "home_watch", "home_bot"):
        assert word(key) in text


def test_commands_for_organisers_are_folded_and_nothing_warns(empty: TestClient) -> None:
    text = empty.get("/").text
    before, folded = text.split('<details class="more">')
    assert "arena tournament" in folded and "arena tournament" not in before
    assert 'class="warning"' not in text


def test_every_game_of_ours_has_cards_to_know_it_by() -> None:
    assert {game for game in games.names() if len(offer(game).cards) == 5} >= set(OURS)


def test_all_who_look_see_one_match_of_house_bots(tmp_path: Path) -> None:
    with client_of(tmp_path) as client:
        first, second = (client.post("/api/demo/naga") for _ in range(2))
        assert first.status_code == 201 and first.json() == second.json()
        assert client.post("/api/demo/yaniv").json() != first.json()
        card = client.get(f"/api/ask/{first.json()['match']}").json()["card"]
        assert card["game"] == "naga" and card["names"] == ["club", "casual"]


def test_a_match_of_house_bots_that_broke_is_played_again(tmp_path: Path) -> None:
    with client_of(tmp_path, DIES) as client:
        first = client.post("/api/demo/naga").json()["match"]
        while client.get(f"/api/ask/{first}").json()["card"]["is_running"]:
            pass
        assert client.post("/api/demo/naga").json()["match"] != first


def test_an_unknown_game_and_a_stranger_are_refused(empty: TestClient) -> None:
    answer = empty.post("/api/demo/chess")
    assert answer.status_code == 404 and "chess" in answer.json()["error"]
    assert empty.post("/api/demo/naga", headers={"authorization": "Bearer nobody"}).status_code == 401


def test_only_who_may_hand_in_bots_is_asked_to(members: Members) -> None:
    assert [re.search('<h3><a href="/me">', one.get("/").text) is not None for one in (members.aya, members.gus)] == [
        True,
        False,
    ]
