"""The list of all bots: searched, filtered, in pages that stay right while bots come and go; who is hidden, and why."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from arena.agent import BotFiles
from arena.agent.submissions import Submissions
from arena.ratings.second_opinions import SecondOpinion
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Standings
from arena.records import MatchRecord
from arena.reports.insights import opinions_among, opinions_of
from arena.results import parquet
from arena.results.manifest import BotEntry, Manifest, write_manifest
from arena.server.views.hidden import LONG, WhyHidden, hidden_bots, withdrawn_bots
from arena.server.views.tables import board_rows, with_hidden
from helpers.records import make_rating, make_record, make_seat, numbered
from helpers.results import HOSTILE, make_manifest, write_results
from helpers.server import server

MANY = 1000


def submit(out: Path, *names: str, text: str = "") -> None:
    for name in names:
        Submissions(out).submit(name, BotFiles(f"{name}.py", {f"{name}.py": f"# {name} {text}".encode()}), ("naga",))


def entry(name: str, version: int = 1, **changes: Any) -> BotEntry:
    values: dict[str, Any] = {"sha256": "0" * 64, "params": "{}", "games": ("naga",), "trusted": False}
    return BotEntry(name=name, version=version, **(values | changes))


RATINGS = msgspec.to_builtins(RatingSettings())


def ladder(*bots: BotEntry, field: list[int] | None = None) -> Manifest:
    legs = [{"field": list(range(len(bots))) if field is None else field}]
    return make_manifest(name="class", bots=bots, config={"format": {"name": "ladder", "legs": legs}, "ratings": RATINGS})


def listed(client: TestClient, query: str = "") -> list[str]:
    answer = client.get(f"/api/bots{query}")
    assert answer.status_code == 200, answer.text
    return [bot["name"] for bot in answer.json()["bots"]]


def paged(client: TestClient, query: str) -> Iterator[list[str]]:
    """The pages of a list, each asked for when the one before has been looked at."""
    cursor = ""
    while True:
        found = client.get(f"/api/bots?{query}{cursor}").json()
        yield [bot["name"] for bot in found["bots"]]
        if found["next"] is None:
            return
        cursor = f"&cursor={found['next']}"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A thousand bots that were submitted, of which one has results."""
    out = tmp_path_factory.mktemp("many")
    submit(out, "first_bot")
    version = out / "submissions" / "versions"
    text = (version / "first_bot" / "1.json").read_text()
    for number in range(MANY - 1):  # as the store writes them, without waiting for the disk each time
        name = f"bot_{number:03d}"
        (version / name).mkdir()
        (version / name / "1.json").write_text(text.replace("first_bot", name))
    with server(out) as client:
        yield client


def test_a_thousand_bots_come_page_by_page_each_once(many: TestClient) -> None:
    for order in ("name", "rating", "newest", "matches"):
        pages = list(paged(many, f"sort={order}&limit=200"))
        assert [len(page) for page in pages] == [200] * 5
        assert len({name for page in pages for name in page}) == MANY
    page = many.get("/bots")
    assert page.status_code == 200 and len(page.content) < 100_000


def test_a_page_leads_back_to_the_one_before(many: TestClient) -> None:
    pages = paged(many, "sort=name&limit=2")
    first, second = next(pages), next(pages)
    third = many.get("/api/bots?sort=name&limit=2").json()
    assert third["previous"] is None
    for _ in range(2):
        third = many.get(f"/api/bots?sort=name&limit=2&cursor={third['next']}").json()
    back = many.get(f"/api/bots?sort=name&limit=2&cursor={third['previous']}").json()
    assert [bot["name"] for bot in back["bots"]] == second
    back = many.get(f"/api/bots?sort=name&limit=2&cursor={back['previous']}").json()
    assert [bot["name"] for bot in back["bots"]] == first and back["previous"] is None


def test_a_page_stays_right_while_bots_come_and_go(tmp_path: Path) -> None:
    submit(tmp_path, "bee", "cat", "dog", "eel", "fly")
    with server(tmp_path) as client:
        pages = paged(client, "sort=name&limit=2&state=playing")
        assert next(pages) == ["bee", "cat"]
        submit(tmp_path, "ant", "cow")  # one before what was seen, one behind it
        Submissions(tmp_path).withdraw("cat")  # the last one that was seen is gone from the list
        assert next(pages) == ["cow", "dog"]
        assert next(pages) == ["eel", "fly"]
        assert next(pages, None) is None
        assert listed(client, "?state=withdrawn") == ["cat"]


def test_a_new_version_is_seen_at_once(tmp_path: Path) -> None:
    submit(tmp_path, "bee")
    with server(tmp_path) as client:
        assert client.get("/api/bots").json()["bots"][0]["version"] == 1
        submit(tmp_path, "bee", text="again")
        found = client.get("/api/bots").json()["bots"][0]
        assert (found["version"], found["versions"]) == (2, 2)
        Submissions(tmp_path).withdraw("bee")
        found = client.get("/api/bots").json()
        assert found["bots"] == [] and found["hidden"] == 1  # who plays no more is a click away
        assert client.get("/api/bots?state=all").json()["bots"][0]["state"] == "withdrawn"


@pytest.mark.parametrize(
    "text", [HOSTILE, "%", "_", "' or 1=1 --", "\\", "\x00", "\u202e", "[a-z]*", "(" * 50, "日本", "\ud7ff\U0010ffff"]
)
def test_a_search_takes_any_text_for_what_it_is(many: TestClient, text: str) -> None:
    answer = many.get("/api/bots", params={"q": text})
    wanted = {"_"} & {text}
    assert answer.status_code == 200 and (answer.json()["total"] == MANY) == bool(wanted)
    page = many.get("/bots", params={"q": text})
    assert page.status_code == 200 and "<img src=x" not in page.text


def test_a_search_knows_no_case_and_no_width(many: TestClient) -> None:
    assert listed(many, "?q=FIRST") == listed(many, "?q=ｆｉｒｓｔ＿") == ["first_bot"]
    assert many.get("/api/bots", params={"q": "x" * 101}).status_code == 400


FORGED = [base64.urlsafe_b64encode(text).decode() for text in (b"[1,2,3]", b'["rating",1e999,"a"]', b"[" * 200)]
BAD_CURSORS = ["x", "!!!", "AAAA", "=", "9" * 299, "\u202e", *FORGED]


@pytest.mark.parametrize("cursor", BAD_CURSORS)
def test_a_cursor_that_no_page_gave_is_refused(many: TestClient, cursor: str) -> None:
    for path in ("/api/bots", "/bots"):
        answer = many.get(path, params={"cursor": cursor})
        assert answer.status_code == 400, answer.text


def test_a_cursor_of_another_order_is_refused(many: TestClient) -> None:
    cursor = many.get("/api/bots?sort=name&limit=1").json()["next"]
    assert many.get(f"/api/bots?sort=rating&cursor={cursor}").status_code == 400


def test_filters_and_hostile_names(tmp_path: Path) -> None:
    seats = [make_seat(HOSTILE, 1), make_seat("bob", 2)]
    write_results(tmp_path, [make_record(seats=(seats[0], seats[1]))] * 4, HOSTILE, "bob")
    submit(tmp_path, "bob", "new")
    with server(tmp_path) as client:
        assert listed(client) == [HOSTILE, "bob", "new"]  # who is not rated comes last
        assert listed(client, "?game=yaniv") == []
        assert listed(client, "?owner=mine") == []
        for query in ("", "?limit=1&sort=name"):
            page = client.get(f"/bots{query}")
            assert page.status_code == 200 and "<img src=x" not in page.text
        assert client.get("/api/bots?state=lost").status_code == 400
        assert client.get("/api/bots?limit=1000").status_code == 400


# Who is hidden --------------------------------------------------------------------------------------------------------------


def test_a_ladder_hides_old_versions_and_who_is_retired_or_gone() -> None:
    manifest = ladder(entry("fox"), entry("fox", 2), entry("owl", retired=True), entry("crab"), field=[0, 1, 2])
    ratings = [msgspec.structs.replace(make_rating(), bot=bot.name, bot_version=bot.version) for bot in manifest.bots]
    found = hidden_bots(manifest, ratings)["naga"]
    assert found == {("fox", 1): WhyHidden.OLD, ("owl", 1): WhyHidden.RETIRED, ("crab", 1): WhyHidden.GONE}
    rows = board_rows(ratings, "naga", hidden={"naga": found})
    assert [(row.bot, row.rank) for row in rows if row.hidden is None] == [("fox", 1)]
    assert hidden_bots(msgspec.structs.replace(manifest, config={}), ratings) == {}  # what ends hides nobody


def test_ranks_count_the_bots_that_are_shown() -> None:
    """Of six bots on a board, ten points apart with intervals of 8 to each side, the second and the fifth are hidden."""
    ratings = [
        msgspec.structs.replace(
            make_rating(), bot=name, rating=rating, mu=rating, low=rating - 8, high=rating + 8, rank=place,
            rank_low=max(1, place - 1), rank_high=min(6, place + 1),
        )
        for place, (name, rating) in enumerate(zip("abcdef", (60.0, 50.0, 40.0, 30.0, 20.0, 10.0)), 1)
    ]  # fmt: skip
    gone = {("b", 1): WhyHidden.OLD, ("e", 1): WhyHidden.GONE}
    rows = board_rows(ratings, "naga", hidden={"naga": gone})
    ranks = {row.bot: (row.rank, row.rank_low, row.rank_high) for row in rows}
    assert ranks == {
        "a": (1, 1, 1), "b": (None, None, None), "c": (2, 2, 3), "d": (3, 2, 3), "e": (None, None, None), "f": (4, 4, 4),
    }  # fmt: skip
    assert [row.separable for row in rows] == [None, None, True, False, None, True]
    by_turns = board_rows(ratings, "naga", hidden={"naga": {("b", 1): WhyHidden.OLD}})
    assert with_hidden(by_turns, gone) == rows  # one after the other


def test_who_is_surely_last_for_long_is_hidden_unless_it_is_a_mark() -> None:
    def found(*, matches: int = LONG, low: float = 10.0, bots: int = 12, **changes: Any) -> dict[tuple[str, int], WhyHidden]:
        names = [f"bot_{number}" for number in range(bots)]
        manifest = ladder(*(entry(name, **(changes if name == names[-1] else {})) for name in names))
        rows = [
            msgspec.structs.replace(
                make_rating(), bot=name, low=20.0 if name != names[-1] else low, high=30.0 if name != names[-1] else low + 5,
                matches=matches,
            )
            for name in names
        ]  # fmt: skip
        return hidden_bots(manifest, rows)["naga"]

    assert found() == {("bot_11", 1): WhyHidden.BOTTOM}
    assert found(matches=LONG - 1) == {}
    assert found(low=16.0) == {}  # the intervals touch
    assert found(bots=8) == {}  # a tenth of eight is nobody
    assert found(trusted=True) == {}


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server with a ladder: two versions of fox, and a retired owl."""
    out = tmp_path_factory.mktemp("contest")
    write_ladder(out, ladder(entry("fox"), entry("fox", 2), entry("owl", retired=True)))
    with server(out) as client:
        yield client


def write_ladder(out: Path, manifest: Manifest) -> None:
    """The folder of a ladder in which two versions of fox and an owl have played."""
    bots = [("fox", 1), ("fox", 2), ("owl", 1)]
    records = numbered([table_of(deal, *pair) for deal in range(6) for pair in ((bots[1], bots[0]), (bots[0], bots[2]))])
    submit(out, "fox")
    submit(out, "fox", text="2")
    submit(out, "owl")
    (out / "class").mkdir()
    write_manifest(out / "class", msgspec.structs.replace(manifest, matches=len(records), played=len(records)))
    standings = Standings(RatingSettings(), {"naga": bots})
    for record in records:
        standings.add(record)
    parquet.write_matches(out / "class", records)
    parquet.write_ratings(out / "class", standings.ratings())


def table_of(deal: int, first: tuple[str, int], second: tuple[str, int]) -> MatchRecord:
    seats = tuple(make_seat(bot, place, bot_version=version) for place, (bot, version) in enumerate((first, second), 1))
    return make_record(0, seats, deal=deal)


def test_dead_bots_are_hidden_counted_and_shown_by_one_click(contest: TestClient) -> None:
    found = contest.get("/api/bots").json()
    assert [bot["name"] for bot in found["bots"]] == ["fox"] and found["hidden"] == 1
    assert 'href="?state=all"' in contest.get("/bots").text
    assert set(listed(contest, "?state=all")) == {"fox", "owl"} and listed(contest, "?state=hidden") == ["owl"]


def test_the_board_of_a_ladder_hides_the_same(contest: TestClient) -> None:
    found = contest.get("/api/t/class").json()
    assert [(row["bot"], row["version"], row["rank"]) for row in found["board"]] == [("fox", 2, 1)] and found["hidden"] == 2
    assert 'href="?hidden=true"' in contest.get("/t/class").text
    whole = contest.get("/api/t/class?hidden=true").json()
    assert len(whole["board"]) == 3 and whole["hidden"] == 0
    assert {row["hidden"] for row in whole["board"]} == {None, "old", "retired"}
    assert [row["rank"] for row in whole["board"] if row["hidden"]] == [None, None]
    page = contest.get("/t/class?hidden=true").text
    assert "data-whole" in page and 'href="?"' in page


def test_rank_probabilities_and_pairs_speak_of_the_bots_that_are_shown(tmp_path: Path) -> None:
    manifest = ladder(entry("fox"), entry("fox", 2), entry("owl"))
    as_contest = {**manifest.config, "format": {**manifest.config["format"], "owners": ["aya", "aya", "ben"]}}
    write_ladder(tmp_path, msgspec.structs.replace(manifest, config=as_contest))
    with server(tmp_path) as client:
        found = client.get("/api/t/class").json()
        assert found["chances"]["shown"] == ["fox v2", "owl"] and found["chances"]["total"] == 2
        assert [sum(row) for row in (*found["chances"]["chances"], *zip(*found["chances"]["chances"]))] == [1.0] * 4
        assert found["pairs"]["shown"] == ["fox v2", "owl"]
        whole = client.get("/api/t/class?hidden=true").json()
        assert whole["chances"] == found["chances"]  # a rank is one of those that are shown
        assert len(whole["pairs"]["shown"]) == 3 and [one["bot"] for one in whole["losses"]] == ["owl"]
        Submissions(tmp_path).withdraw("owl")
        found = client.get("/api/t/class").json()
        assert found["chances"] is None and found["losses"] == []  # at once: one bot has one rank


def test_a_bot_has_one_rank_on_all_pages(contest: TestClient) -> None:
    (leader,) = contest.get("/api").json()["tournaments"][0]["leaders"]
    assert (leader["bot"], leader["version"], leader["rank"]) == ("fox", 2, 1)
    page = contest.get("/api/bots/fox").json()
    assert [(one["version"], one["rank"], one["bots"]) for one in page["appearances"]] == [(2, 1, 1), (1, None, 1)]
    assert [pool["rank"] for pool in page["pools"]] == [1]
    assert [one["rank"] for bot in contest.get("/api/bots?state=all").json()["bots"] for one in bot["ratings"]] == [1, None]


def test_a_bot_of_a_contest_leaves_the_board_as_soon_as_it_is_withdrawn(tmp_path: Path) -> None:
    manifest = ladder(entry("fox"), entry("fox", 2), entry("owl"))
    as_contest = {**manifest.config, "format": {**manifest.config["format"], "owners": ["aya", "aya", "ben"]}}
    of_contest = msgspec.structs.replace(manifest, config=as_contest)
    write_ladder(tmp_path, of_contest)
    with server(tmp_path) as client:
        assert [(row["bot"], row["rank"]) for row in client.get("/api/t/class").json()["board"]] == [("fox", 1), ("owl", 2)]
        Submissions(tmp_path).withdraw("fox")
        found = client.get("/api/t/class").json()
        assert [(row["bot"], row["rank"]) for row in found["board"]] == [("owl", 1)] and found["hidden"] == 2
        assert [one["bot"] for one in client.get("/api").json()["tournaments"][0]["leaders"]] == ["owl"]
    assert withdrawn_bots(manifest, ["fox"]) == {}  # a ladder of whoever was named by hand
    trusted = msgspec.structs.replace(of_contest, bots=(entry("fox", trusted=True),))
    assert withdrawn_bots(trusted, ["fox"]) == {}  # the organiser's own, of the same name


def test_second_opinions_rank_the_bots_of_the_board_alone() -> None:
    ratings = [msgspec.structs.replace(make_rating(), bot=name, rank=rank) for rank, name in enumerate("abc", 1)]
    met = SecondOpinion("", 1, 0.0, 1, 1.0, 1, 0.0, 1, 2, 1.0, 1)
    found = [msgspec.structs.replace(met, bot=name, elo_rank=rank) for name, rank in (("a", 3), ("b", 1), ("c", 2))]
    others = [msgspec.structs.replace(one, model="trueskill-batch", rank=4 - (one.rank or 0)) for one in ratings]
    opinions = opinions_of(found, ratings, others)
    assert opinions is not None
    left = opinions_among(opinions, [("b", 1)]).bots
    assert [(one.bot, one.rank, one.elo_rank, one.others["trueskill-batch"]) for one in left] == [
        ("a", 1, 2, 2),
        ("c", 2, 1, 1),
    ]
