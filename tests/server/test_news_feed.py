"""The Atom feed of results: what it tells, that it is valid, who may read it, and what a reader need not load again."""

import base64
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from arena.records import Rating
from arena.results import parquet
from arena.results.accounts import Scope
from arena.results.inbox import Inbox
from arena.results.manifest import write_manifest
from arena.server.app import application
from arena.server.contest.leaders import LEADERS_FILE, leads, note_leads
from arena.server.contest.marks import Marks, keep_marks
from arena.server.contest.messages import Said
from arena.server.problems import FEED
from arena.server.running_contest.running import RunningContest
from helpers.contests import run_ladder, submit, write_contest
from helpers.members import with_members
from helpers.records import make_record, make_seat
from helpers.results import HOSTILE, make_manifest, write_results
from helpers.server import HOST, TOKEN, Played, server

ATOM = "{http://www.w3.org/2005/Atom}"
IDLE = (sys.executable, "-c", "import sys; sys.stdin.read()")
ENDED = 1_795_000_000  # the moment at which the results of these tests were written
RECORDS = [make_record(seats=(make_seat(HOSTILE, 1), make_seat("bob", 2)))] * 5


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A tournament that is over, one that is being played, and a part of a tuning."""
    write_results(tmp_path, RECORDS, HOSTILE, "bob")
    (tmp_path / "tuning" / "round-1").mkdir(parents=True)
    write_manifest(tmp_path / "tuning" / "round-1", make_manifest(name="round-1"))
    os.utime(tmp_path / "cup" / "manifest.json", (ENDED, ENDED))
    return tmp_path


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def entries(client: TestClient, **headers: str) -> list[dict[str, Any]]:
    """Each entry of the feed as the texts of its elements; a link as its address."""
    top = parsed(client.get(FEED, headers=headers).text)
    return [
        {one.tag.removeprefix(ATOM): one.text or one.get("href") or one.get("term") for one in entry}
        for entry in top.findall(f"{ATOM}entry")
    ]


def opened(results: Path, contest: RunningContest | None = None) -> TestClient:
    app = application(results, token=TOKEN, contest=contest)
    return TestClient(app, base_url=HOST, headers={"authorization": f"Bearer {TOKEN}"}, raise_server_exceptions=False)


def test_it_tells_of_tournaments_that_are_over_and_of_no_others(results: Path) -> None:
    played = Played(results, "running")
    with server(results) as client:
        (entry,) = entries(client)
        assert entry["title"] == "cup is over" and entry["link"] == f"{HOST}/t/cup"
        assert entry["updated"] == "2026-11-18T11:06:40+00:00" and entry["category"] == "finished"
        assert entry["summary"].endswith(", 2. bob\n5 matches")
        (item,) = client.get("/api/news").json()["items"]
        assert item["id"] == entry["id"] and [one["bot"] for one in item["bots"]] == [HOSTILE, "bob"]
    played.end()


def test_it_has_all_that_the_format_asks_for(results: Path) -> None:
    with server(results) as client:
        answer = client.get(FEED)
        assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
        top = parsed(answer.text)
        assert top.tag == f"{ATOM}feed"
        for one in (top, *top.findall(f"{ATOM}entry")):
            for name in ("id", "title", "updated"):  # RFC 4287, 4.1.1 and 4.1.2: exactly one of each
                assert len(one.findall(f"{ATOM}{name}")) == 1, name
            assert [link.get("href") for link in one.findall(f"{ATOM}link") if link.get("rel") == "alternate"]
        assert top.findtext(f"{ATOM}author/{ATOM}name")
        (own,) = (link for link in top.findall(f"{ATOM}link") if link.get("rel") == "self")
        assert client.get(str(own.get("href"))).text == answer.text


def test_an_empty_folder_has_a_feed_too(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        top = parsed(client.get(FEED).text)
        assert top.findtext(f"{ATOM}updated") == "1970-01-01T00:00:00+00:00" and not top.findall(f"{ATOM}entry")
    assert list(tmp_path.iterdir()) == []


def test_hostile_names_are_text_in_it(results: Path) -> None:
    with server(results) as client:
        text = client.get(FEED).text
        assert "<img" not in text and "\u202e" not in text
        (entry,) = entries(client)
        assert "</script><img src=x" in entry["summary"]


def test_it_is_in_the_language_of_the_reader_with_the_same_ids(results: Path) -> None:
    with server(results) as client:
        english, japanese = parsed(client.get(FEED).text), parsed(client.get(f"{FEED}?lang=ja").text)
        assert "cupが終了しました" in (japanese.findtext(f"{ATOM}entry/{ATOM}title") or "")
        assert japanese.get("{http://www.w3.org/XML/1998/namespace}lang") == "ja"
        assert [one.text for one in english.iter(f"{ATOM}id")] == [one.text for one in japanese.iter(f"{ATOM}id")]
        assert entries(client, **{"accept-language": "ja"})[0]["title"] == "cupが終了しました"


def test_an_id_stays_when_results_are_written_anew_or_the_server_moves(results: Path) -> None:
    with server(results) as client:
        (before,) = entries(client)
        os.utime(results / "cup" / "manifest.json", (ENDED + 60, ENDED + 60))
        (after,) = entries(client, host="localhost:9999")
        assert after["id"] == before["id"] and after["id"].startswith("urn:uuid:")
        assert after["updated"] == "2026-11-18T11:07:40+00:00" and after["link"] == "http://localhost:9999/t/cup"
    write_manifest(results / "cup", make_manifest(name="cup", started="2026-11-22T10:00:00+00:00"))
    with server(results) as client:
        assert entries(client)[0]["id"] != before["id"], "another tournament of the same name"


def test_who_has_it_already_need_not_load_it_again(results: Path) -> None:
    with server(results) as client:
        first = client.get(FEED)
        tag, date = first.headers["etag"], first.headers["last-modified"]
        assert date == "Wed, 18 Nov 2026 11:06:40 GMT"
        for headers in ({"if-none-match": tag}, {"if-none-match": f'"x", {tag}'}, {"if-modified-since": date}):
            again = client.get(FEED, headers=headers)
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag), headers
        for headers in (
            {"if-none-match": '"x"', "if-modified-since": date}, {"if-modified-since": "Wed, 18 Nov 2026 11:06:39 GMT"},
            {"if-modified-since": "yesterday"},
        ):  # fmt: skip
            assert client.get(FEED, headers=headers).status_code == 200, headers
        os.utime(results / "cup" / "manifest.json", (ENDED + 60, ENDED + 60))
        assert client.get(FEED, headers={"if-none-match": tag}).status_code == 200


def test_pages_lead_to_it_for_who_may_read_it(results: Path) -> None:
    link = 'type="application/atom+xml" title="結果" href="/feed.atom?lang=ja"'
    with server(results) as client:
        assert link in client.get("/?lang=ja").text and link in client.get("/t/cup?lang=ja").text
    with server(results, logged_in=False) as stranger:
        assert "atom+xml" not in stranger.get("/login").text


def basic(password: str, user: str = "anybody") -> dict[str, str]:
    return {"authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def test_a_reader_sends_its_token_as_a_password_and_only_here(results: Path) -> None:
    with with_members(results) as members:
        token = members.server.accounts.make_api_token(members.account("gus"), "reader", Scope.LOOK, 7)
        assert members.stranger.get(FEED, headers=basic(str(token))).status_code == 200
        assert members.stranger.get(FEED, headers={"authorization": f"Bearer {token}"}).status_code == 200
        assert members.stranger.get("/api/news", headers=basic(str(token))).status_code == 401
        for headers in (basic("wrong"), {"authorization": "Basic ?"}, {"authorization": "Basic /w=="}, {}):
            refused = members.stranger.get(FEED, headers=headers)
            assert refused.status_code == 401 and refused.headers["www-authenticate"].startswith("Basic ")
        assert members.stranger.get("/api/news").headers["www-authenticate"] == "Bearer"


def test_a_refused_bot_is_told_to_its_author_and_to_organisers_alone(tmp_path: Path) -> None:
    with with_members(tmp_path) as members:
        with Inbox(tmp_path).writing() as db:
            db.execute(
                "insert into submissions (id, account, bot, file, bytes, received, state, ended, attempts)"
                " values ('s1', ?, 'fox', '', 1, '2026-11-29T00:00:00+00:00', 'refused', '2026-11-29T00:01:00+00:00', 1)",
                (members.account("aya").id,),
            )
        for client in (members.aya, members.organiser):
            (entry,) = entries(client)
            assert entry["title"] == "fox was refused" and entry["updated"] == "2026-11-29T00:01:00+00:00"
            assert entry["link"] == f"{HOST}/submissions/s1" and client.get("/submissions/s1").status_code == 200
        assert entries(members.ben) == entries(members.gus) == []


@pytest.fixture
def ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Path]]:
    """The file and the results of a contest whose bots count as trusted."""
    monkeypatch.setattr("arena.tournament.field.supervisor_for", lambda *_, **__: None)
    monkeypatch.setattr("arena.tournament.workers.worker.supervisor_for", lambda *_, **__: None)
    monkeypatch.setattr("os.nice", lambda _: 0)
    monkeypatch.setattr("arena.server.contest.settings.VERSION_DEALS", 8)
    monkeypatch.setattr("arena.server.contest.settings.MARK_DEALS", 4)
    yield write_contest(tmp_path), tmp_path / "out"


def rating(bot: str, value: float, *, version: int = 1, rank: int | None = 1, matches: int = 9) -> Rating:
    return Rating(
        model="trueskill", pool="naga", bot=bot, bot_version=version, mu=value, sigma=1.0, rating=value, low=value,
        high=value, rank=rank, rank_low=1, rank_high=1, matches=matches, wins=0, mean_place=1.0, faults=0,
    )  # fmt: skip


def publish(folder: Path, *ratings: Rating, played: int = 9) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    config = {"format": {"name": "ladder", "owners": []}, "entries": [{"game": "naga", "pool": "naga"}]}
    bots = make_manifest().bots
    write_manifest(folder, make_manifest(name="class", bots=bots, config=config, finished=False, played=played))
    parquet.write_ratings(folder, ratings)


def test_a_lead_is_noted_once_and_a_tie_changes_nothing(tmp_path: Path) -> None:
    field = {("fox", 1), ("owl", 2), ("crashy", 1)}
    publish(tmp_path, rating("fox", 20.0), rating("owl", 10.0, version=2), rating("owl", 90.0, version=1))
    (first,) = note_leads(tmp_path, field)
    assert (first.pool, first.bot, first.version, first.matches) == ("naga", "fox", 1, 9)
    publish(tmp_path, rating("fox", 20.0), rating("owl", 20.0, version=2), rating("crashy", 50.0))  # that one is retired
    assert note_leads(tmp_path, field) == () == note_leads(tmp_path, field)
    publish(tmp_path, rating("fox", 20.0), rating("owl", 21.0, version=2), rating("bee", 40.0), played=30)
    (second,) = note_leads(tmp_path, field)
    assert (second.bot, second.version, second.matches) == ("owl", 2, 30) and leads(tmp_path) == (first, second)


def test_nobody_leads_without_a_match_or_a_rank(tmp_path: Path) -> None:
    publish(tmp_path, rating("fox", 20.0, matches=0), rating("owl", 10.0, rank=None))
    assert note_leads(tmp_path, {("fox", 1), ("owl", 1)}) == () and not (tmp_path / LEADERS_FILE).exists()


def test_a_contest_s_feed_tells_of_leaders_and_of_frozen_marks(ladder: tuple[Path, Path]) -> None:
    file, results = ladder
    folder = results / "class"
    publish(folder, rating("fox", 20.0, version=3))
    (lead,) = note_leads(folder, {("fox", 3)})
    marks = {"contest": "class", "marks": {}, "matches": 40, "before": 40, "sha256": "ab" * 32, "bots": ()}
    keep_marks(folder, Marks(at="2030-01-01T09:00:00+09:00", is_frozen=True, **marks))  # type: ignore[arg-type]
    with opened(results, RunningContest(file, results, command=IDLE)) as client:
        frozen, led = entries(client)
        assert led["title"] == "fox v3 leads class" and led["updated"] == lead.at and led["link"] == f"{HOST}/t/class"
        assert frozen["title"] == "The marks of class are frozen" and frozen["updated"] == "2030-01-01T00:00:00+00:00"
        assert frozen["link"] == f"{HOST}/marks" and client.get("/marks").status_code == 200
        stored = (folder / LEADERS_FILE).read_text()
        for damaged in ("{", stored.replace(lead.at, "soon"), stored.replace(lead.at, "0001-01-01T00:00:00+09:00")):
            (folder / LEADERS_FILE).write_text(damaged)
            assert entries(client) == []  # what cannot be read is left out


def test_the_ladder_notes_who_leads_when_it_publishes(ladder: tuple[Path, Path]) -> None:
    file, results = ladder
    server = run_ladder(file, results, lambda: submit(results, "alice"))
    (first, *_) = found = leads(results / "class")
    assert (first.pool, first.bot) == ("naga", "naga_greedy") and first.matches > 0
    told = [one.text for one in server.heard if isinstance(one, Said) and " leads " in one.text]
    assert told == [f"{lead.bot}@{lead.version} leads naga" for lead in found]
