"""Ratings of people: from the stored matches alone, against levels that stay where they were measured."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from arena.records import Ending, MatchRecord
from arena.server.headers import cookie_name
from arena.server.people.careers import careers
from arena.server.people.levels import FIRST, LEVEL_SIGMA, SETTINGS, level, level_at, levels, ratings, suited
from arena.server.people.store import keep
from arena.tournament.workers.compiling import RATINGS, warm_games
from helpers.people_matches import people_match, won
from helpers.server import HOST, server

Kept = tuple[MatchRecord, bytes]


@pytest.fixture(scope="module")
def against() -> dict[str, Kept]:
    """A match of alice against each of some levels; the tests decide who wins."""
    return {name: people_match("naga", "alice:casual", name) for name in ("casual", "club", "expert")}


def store(out: Path, kept: Kept, winner: int, *, times: int = 1, **changes: str) -> None:
    """Keep a match again and again under new ids. `changes`: other names for people's names."""
    record, key = kept
    for _ in range(times):
        number = len(list(out.rglob("*"))) * 1000 + sum(one.matches for found in ratings(out).values() for one in found)
        rows = [msgspec.structs.replace(row, bot=changes.get(row.bot, row.bot)) for row in record.seats]
        again = msgspec.structs.replace(record, match_id=f"{number + winner:024x}", seats=tuple(rows))
        keep(out, won(again, winner), key)


def test_a_page_that_needs_ratings_waits_for_no_compiler(tmp_path: Path, against: dict[str, Kept]) -> None:
    """They need what is compiled before a match of people begins, and nothing else."""
    keep(tmp_path, *against["club"])
    warm_games({}, print, RATINGS)
    read = [
        "from pathlib import Path", "from arena.engine import jit", "from arena.server.people.levels import ratings",
        "from arena.ratings import factor_graph", "jit.forbid_compiling(factor_graph.update)",
        f"print(*ratings(Path({str(tmp_path)!r})), jit.compilations(factor_graph.fold)[0])",
    ]  # fmt: skip
    done = subprocess.run([sys.executable, "-c", "\n".join(read)], capture_output=True, text=True, check=False)
    assert done.stdout == "naga 0\n", done.stderr


def test_a_replay_names_a_level_in_the_language_of_the_reader(tmp_path: Path, against: dict[str, Kept]) -> None:
    record, key = against["club"]
    keep(tmp_path, record, key)
    person, club = sorted(record.seats, key=lambda row: row.bot != "alice")
    found = [level_at("naga", row) for row in (person, club, msgspec.structs.replace(club, bot="club-2"))]
    assert found == [None, "club", "club"]
    others = ({"bot": "fox"}, {"bot_sha256": "0" * 64}, {"isolation": person.isolation})
    assert [level_at("naga", msgspec.structs.replace(club, **changes)) for changes in others] == [None] * 3
    with server(tmp_path) as client:
        assert "クラブ" in client.get(f"/m/{record.match_id}?lang=ja").text.partition("<main")[2]
        players = client.get(f"/api/m/{record.match_id}").json()["frames"]["header"]["players"]
        assert {one["bot"]: one["level"] for one in players} == {"alice": None, "club": "club"}


def test_a_newcomer_is_offered_the_first_level(tmp_path: Path) -> None:
    assert ratings(tmp_path) == {}
    assert suited(tmp_path, "naga", "alice").name == FIRST


def test_who_beats_the_club_rises_and_meets_stronger_opponents(tmp_path: Path, against: dict[str, Kept]) -> None:
    strengths = []
    for _ in range(6):
        store(tmp_path, against["club"], 0)
        (alice,) = ratings(tmp_path)["naga"]
        strengths.append(alice.mu)
    assert strengths == sorted(set(strengths)) and strengths[0] > SETTINGS.mu
    assert (alice.matches, alice.wins) == (6, 6)
    assert alice.rating == alice.mu - 3 * alice.sigma and alice.sigma < SETTINGS.sigma
    order = [one.name for one in levels("naga")]
    assert order.index(suited(tmp_path, "naga", "alice").name) > order.index("club")
    assert suited(tmp_path, "yaniv", "alice").name == FIRST, "each game has a rating of its own"


def test_who_loses_meets_weaker_opponents(tmp_path: Path, against: dict[str, Kept]) -> None:
    store(tmp_path, against["casual"], 1, times=4)
    assert suited(tmp_path, "naga", "alice").name == "beginner"


def test_a_career_says_how_each_match_went_and_agrees_with_the_rating(tmp_path: Path, against: dict[str, Kept]) -> None:
    assert careers(tmp_path, "alice") == {}
    for name, winner in (("casual", 0), ("club", 0), ("expert", 1)):
        store(tmp_path, against[name], winner)
    store(tmp_path, against["club"], 0, alice="bob")  # somebody else's
    (alice,) = [one for one in ratings(tmp_path)["naga"] if one.name == "alice"]
    played = careers(tmp_path, "alice")["naga"]
    assert [(one.place, one.rivals, one.levels) for one in played] == [
        (1, ("casual",), ("casual",)), (1, ("club",), ("club",)), (2, ("expert",), ("expert",)),
    ]  # fmt: skip
    assert (played[-1].mu, played[-1].sigma) == (alice.mu, alice.sigma)
    assert played[0].gain == 0.0 and played[1].gain == played[1].mu - played[0].mu > 0.0 > played[2].gain
    assert careers(tmp_path, "nobody") == {}


def test_the_page_of_the_own_matches(tmp_path: Path, against: dict[str, Kept]) -> None:
    with server(tmp_path) as client:
        assert client.get("/me/play").status_code == 200
        assert client.get("/api/me/play").json()["games"] == []
        persons = client.app.state.server.persons  # type: ignore[attr-defined]
        _, secret = persons.named(None, "alice")
        client.cookies.set(cookie_name(HOST).replace("session", "person"), secret, domain="127.0.0.1", path="/")
        for name, winner in (("casual", 0), ("club", 0), ("expert", 1)):
            store(tmp_path, against[name], winner)
        found = client.get("/api/me/play").json()
        (naga,) = found["games"]
        assert (found["me"], naga["matches"], naga["wins"], naga["places"]) == ("alice", 3, 2, [[1, 2], [2, 1]])
        assert [(one["level"], one["matches"], one["wins"]) for one in naga["against"]] == [
            ("casual", 1, 1), ("club", 1, 1), ("expert", 1, 0),
        ]  # fmt: skip
        assert naga["best"]["rivals"] == ["club"] and naga["worst"]["rivals"] == ["expert"]
        assert [one["place"] for one in naga["latest"]] == [2, 1, 1] and len(naga["history"]) == 3
        page = client.get("/me/play", params={"lang": "en"}).text
        assert f'href="/m/{naga["best"]["match_id"]}"' in page and 'href="/play/naga"' in page and "<svg" in page


def test_levels_stay_where_they_were_measured(tmp_path: Path, against: dict[str, Kept]) -> None:
    """Ever the same newcomer beats the club: the last one gains as much as the first."""
    for number in range(8):
        store(tmp_path, against["club"], 0, alice=f"newcomer {number}")
    gains = [one.mu for one in ratings(tmp_path)["naga"]]
    assert len(gains) == 8 and max(gains) - min(gains) < 1e-9


def test_a_bot_that_is_called_like_a_level_is_none(tmp_path: Path, against: dict[str, Kept]) -> None:
    record, key = against["expert"]
    liar = msgspec.structs.replace(record.seats[1], bot_sha256="1" * 64)
    store(tmp_path, (msgspec.structs.replace(record, seats=(record.seats[0], liar)), key), 0)
    store(tmp_path, against["expert"], 0, alice="bob")
    by_name = {one.name: one.mu for one in ratings(tmp_path)["naga"]}
    assert by_name["alice"] < by_name["bob"], "to beat somebody unknown says less than to beat an expert"
    assert set(by_name) == {"alice", "bob"}
    assert [careers(tmp_path, name)["naga"][0].levels for name in ("alice", "bob")] == [(), ("expert",)]


def test_a_person_who_is_called_like_a_level_is_a_person(tmp_path: Path, against: dict[str, Kept]) -> None:
    store(tmp_path, against["club"], 1, alice="champion")
    (person,) = ratings(tmp_path)["naga"]
    assert person.name == "champion" and person.mu < SETTINGS.mu


def test_void_matches_and_two_seats_of_one_name_count_for_nothing(tmp_path: Path, against: dict[str, Kept]) -> None:
    record, key = against["club"]
    void = tuple(msgspec.structs.replace(row, ending=Ending.HOST) for row in record.seats)
    keep(tmp_path, msgspec.structs.replace(record, match_id="1" * 24, seats=void), key)
    twice = tuple(msgspec.structs.replace(record.seats[0], place=place, unit=place - 1) for place in (1, 2))
    keep(tmp_path, msgspec.structs.replace(record, match_id="2" * 24, seats=twice), key)
    assert ratings(tmp_path) == {"naga": []}


def test_the_same_matches_give_the_same_ratings(tmp_path: Path, against: dict[str, Kept]) -> None:
    for out in (tmp_path / "a", tmp_path / "b"):
        for name, winner in (("club", 0), ("expert", 1), ("casual", 0)):
            store(out, against[name], winner)
    assert ratings(tmp_path / "a") == ratings(tmp_path / "b")


def test_one_match_is_rated_as_the_package_rates_it(tmp_path: Path, against: dict[str, Kept]) -> None:
    import trueskill

    store(tmp_path, against["club"], 0)
    model = trueskill.TrueSkill(
        mu=SETTINGS.mu, sigma=SETTINGS.sigma, beta=SETTINGS.beta, tau=SETTINGS.tau, draw_probability=SETTINGS.equal_draws
    )
    winner, _ = trueskill.rate_1vs1(
        model.create_rating(), model.create_rating(level("naga", "club").mu, LEVEL_SIGMA), env=model
    )
    (alice,) = ratings(tmp_path)["naga"]
    assert (alice.mu, alice.sigma) == pytest.approx((winner.mu, winner.sigma), abs=1e-6)
