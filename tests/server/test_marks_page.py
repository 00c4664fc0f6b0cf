"""The marks of a contest: for all to see, as CSV for organisers, frozen by them; and the contest on the front page."""

import csv
import io
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from arena.agent import BotFiles
from arena.agent.submissions import Submissions
from arena.results.inbox import Inbox, State
from arena.results.manifest import write_manifest
from arena.results.site_file import Account, OwnedBots, Role, SiteFile
from arena.server.contest.marks import BotMark, Marks, PoolMark, keep_marks, without
from arena.server.contest.messages import Checked
from arena.server.running_contest.running import FRESH_SECONDS, RecentMarks, RunningContest
from arena.server.views.contest import BOM, marks_csv
from helpers.members import Members, with_members
from helpers.records import make_record, make_seat, numbered
from helpers.server import Played, server

IDLE = (sys.executable, "-c", "import sys; sys.stdin.read()")
FILE = """\
name: class
games: [{game: naga, seats: 2}]
reference_bots: ["house:naga_greedy", "house:random_bot"]
marks: {naga_greedy: 4, random_bot: 5.5}
"""
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\uff1d1", '=HYPERLINK("http://x")', "=cmd|' /C calc'!A0"]


def pool_mark(pool: str = "naga", **against: str) -> PoolMark:
    return PoolMark(pool=pool, mu=27.5, low=-1.25, high=30.0, rating=20.0, rank=1, matches=40, against=against)


def bot_mark(bot: str, mark: float | None = None, *pools: PoolMark, is_reference: bool = False) -> BotMark:
    against = pools[0].against if pools else {}
    return BotMark(bot=bot, version=2, is_reference=is_reference, mark=mark, against=against, pools=pools)


def made(*bots: BotMark, is_frozen: bool = False) -> Marks:
    return Marks(
        contest="class", at="2026-11-24T00:00:00+00:00", is_frozen=is_frozen, marks={"random_bot": 5.5, "naga_greedy": 4.0},
        matches=40, before=40, sha256="ab" * 32 if is_frozen else None, bots=bots,
    )  # fmt: skip


def author(name: str) -> Account:
    return Account(id=name, name=name, folded=name, role=Role.AUTHOR, since="")


def owned_by(out: Path, **owners: str) -> OwnedBots:
    file = SiteFile(out)
    with file.writing() as db:
        for bot, owner in owners.items():
            db.execute("insert or ignore into accounts values (?, ?, ?, 'author', '', null)", (owner, owner, owner))
            db.execute("insert into bots (name, owner, since) values (?, ?, '')", (bot, owner))
    return OwnedBots(file)


def read(text: str) -> list[dict[str, str]]:
    assert text.startswith(BOM) and text.endswith("\r\n")
    return list(csv.DictReader(io.StringIO(text.removeprefix(BOM), newline=""), strict=True))


def test_a_line_for_each_author_and_pool_by_the_best_bot(tmp_path: Path) -> None:
    owned = owned_by(tmp_path, fox="aya", owl="aya", bee="ben")
    pools = (pool_mark("overall", naga_greedy="above"), pool_mark(naga_greedy="open"))
    bots = [bot_mark("fox", None, *pools), bot_mark("owl", 4.0, *pools), bot_mark("bee"), bot_mark("lone", 5.5, pools[1])]
    found = read(
        marks_csv(made(*bots, bot_mark("naga_greedy", None, is_reference=True)), owned, [author("cho"), author("aya")])
    )
    assert [(row["author"], row["bot"], row["mark"], row["pool"], row["against naga_greedy"]) for row in found] == [
        ("aya", "owl", "4", "overall", "above"), ("aya", "owl", "4", "naga", "open"), ("ben", "bee", "", "", ""),
        ("", "lone", "5.5", "naga", "open"), ("cho", "", "", "", ""),
    ]  # fmt: skip
    assert found[0]["low"] == "-1.25" and found[0]["frozen"] == "no" and found[0]["against random_bot"] == ""


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula(tmp_path: Path, text: str) -> None:
    owned = owned_by(tmp_path, fox=text)
    marks = made(bot_mark("fox", 4.0, pool_mark(text)), bot_mark(text, 4.0, pool_mark()))
    for row in read(marks_csv(marks, owned, [author(f"{text}x")])):
        for name in ("author", "bot", "pool"):
            assert row[name] == row[name].lstrip("=+-@\t\r ＝")


def test_commas_quotes_and_ends_of_lines_stay_in_their_cell(tmp_path: Path) -> None:
    name = 'a"b,c\nd;e\u3042'
    (row,) = read(marks_csv(made(), owned_by(tmp_path), [author(name)]))
    assert row["author"] == name and row["frozen"] == "no"


def test_marks_are_computed_now_and_then_and_once_frozen_never_again(tmp_path: Path) -> None:
    (tmp_path / "class.yaml").write_text(FILE)
    contest = RunningContest(tmp_path / "class.yaml", tmp_path, command=IDLE).contest
    time = [0.0]
    recent = RecentMarks(contest, tmp_path, clock=lambda: time[0])
    first = recent.now()
    assert recent.now() is first and not first.is_frozen
    time[0] += FRESH_SECONDS
    assert recent.now() is not first
    keep_marks(tmp_path / "class", made(bot_mark("fox", 4.0), is_frozen=True))
    assert recent.now().is_frozen and recent.now().bots[0].mark == 4.0  # at once, also before the others are old


def test_a_withdrawn_bot_leaves_provisional_marks_at_once_and_frozen_ones_never(tmp_path: Path) -> None:
    (tmp_path / "class.yaml").write_text(FILE)
    ladder = [bot_mark("naga_greedy", 3.0, pool_mark(), is_reference=True), bot_mark("fox", 4.0, pool_mark()), bot_mark("owl")]
    recent = RecentMarks(RunningContest(tmp_path / "class.yaml", tmp_path, command=IDLE).contest, tmp_path, clock=lambda: 0.0)
    recent.now()
    recent._known = made(*ladder)  # as if the ladder had played so far
    store = Submissions(tmp_path)
    for name in ("fox", "naga_greedy", "owl"):
        store.submit(name, BotFiles(f"{name}.py", {f"{name}.py": name.encode()}), ())
    assert [one.bot for one in recent.now().bots] == ["naga_greedy", "fox", "owl"]
    store.withdraw("fox")
    store.withdraw("naga_greedy")  # plays on: it is the bot of the organiser that the ladder plays, not what was submitted
    assert [one.bot for one in recent.now().bots] == ["naga_greedy", "owl"]
    recent._known = made(*ladder, is_frozen=True)
    assert [one.bot for one in recent.now().bots] == ["naga_greedy", "fox", "owl"]


def test_ranks_of_marks_count_the_bots_that_can_have_one() -> None:
    pools = [msgspec.structs.replace(pool_mark(), rating=rating, rank=9) for rating in (20.0, 15.0, 10.0)]
    found = without(made(*(bot_mark(name, None, pool) for name, pool in zip(("fox", "owl", "bee"), pools))), ["fox"])
    assert [(one.bot, one.pools[0].rank) for one in found.bots] == [("owl", 1), ("bee", 2)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Members]:
    """A server with a contest whose ladder plays nothing."""
    out = tmp_path_factory.mktemp("results")
    (out / "class.yaml").write_text(FILE)
    with with_members(out, is_checking=False, contest=RunningContest(out / "class.yaml", out, command=IDLE)) as found:
        yield found


def test_everybody_sees_the_marks_and_organisers_have_them_as_csv(place: Members) -> None:
    for who, is_organiser in (("host", True), ("organiser", True), ("aya", False), ("gus", False)):
        client = getattr(place, who)
        found = client.get("/api/marks").json()
        assert found["reference_bots"] == ["naga_greedy", "random_bot"] and not found["is_frozen"]
        assert found["may_freeze"] is found["may_export"] is is_organiser
        for lang in ("en", "ja"):
            page = client.get(f"/marks?lang={lang}")
            assert page.status_code == 200 and ("/marks/freeze" in page.text) is ("/marks.csv" in page.text) is is_organiser
        answer = client.get("/marks.csv")
        assert answer.status_code == (200 if is_organiser else 403)
        if is_organiser:
            assert answer.headers["content-type"] == "text/csv; charset=utf-8"
            assert [row["author"] for row in read(answer.content.decode())] == ["Aya", "Ben"]
    assert place.stranger.get("/marks").status_code == place.stranger.get("/marks.csv").status_code == 401


def test_only_organisers_freeze_and_only_when_sure(place: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    assert place.server.contest is not None
    monkeypatch.setattr(place.server.contest, "freeze", lambda: asked.append(True))
    for who, status in (("aya", 403), ("gus", 403), ("stranger", 401)):
        assert getattr(place, who).post("/marks/freeze", data={"sure": "yes"}).status_code == status
    assert place.organiser.post("/marks/freeze").status_code == 400
    assert not asked
    assert place.organiser.post("/marks/freeze", data={"sure": "yes"}).status_code == 303
    assert asked and place.server.accounts.audit(most=1)[0].what == "freeze"


def test_a_withdrawal_is_told_to_the_ladder(place: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[bool] = []
    assert place.server.contest is not None
    monkeypatch.setattr(place.server.contest, "look", lambda: told.append(True))
    Submissions(place.server.library.out).submit("gone", BotFiles("gone.py", {"gone.py": b"#"}), ())
    assert place.aya.post("/bots/gone/withdraw", data={"sure": "yes"}).status_code == 403 and not told
    assert place.organiser.post("/bots/gone/withdraw", data={"sure": "yes"}).status_code == 303 and told


def test_a_page_says_what_becomes_of_the_mark_before_a_bot_is_withdrawn(
    place: Members, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    assert place.server.contest is not None
    Submissions(place.server.library.out).submit("marked", BotFiles("marked.py", {"marked.py": b"#"}), ())
    for mark, is_frozen, text in (
        (4.0, False, "Its mark, 4, goes at once."),
        (None, False, "While it is withdrawn it has no mark."),
        (4.0, True, "The marks are frozen, and stay as they are."),
    ):
        found = made(bot_mark("marked", mark), is_frozen=is_frozen)
        monkeypatch.setattr(place.server.contest.marks, "now", lambda found=found: found)
        assert text in place.organiser.get("/bots/marked?lang=en").text
        assert ("lucky moment" in place.organiser.get("/bots/marked?lang=en").text) is not is_frozen
        assert "lucky moment" not in place.aya.get("/bots/marked?lang=en").text  # it is not hers
    Submissions(place.server.library.out).withdraw("marked")
    monkeypatch.setattr(place.server.contest.marks, "now", made)
    assert "It has no mark." in place.organiser.get("/bots/marked?lang=en").text


def test_the_front_page_tells_of_the_contest_and_what_to_do_next(place: Members) -> None:
    inbox = Inbox(place.server.library.out)
    inbox.receive(place.account("aya").id, "fox", b"#", ".py", is_taken=False, is_organiser=False)
    sent = inbox.begin()
    assert sent is not None
    inbox.end(sent, State.ACCEPTED, b"{}", sha256="0" * 64, version=1)
    inbox.close()
    news = place.aya.get("/api").json()["contest"]
    assert (news["name"], news["games"], news["has_bot"], news["pending"]) == ("class", ["naga"], True, 0)
    assert [(one["bot"], one["version"], one["results"]) for one in news["accepted"]] == [("fox", 1, [])]
    assert "arena new" not in place.aya.get("/").text and "arena new" in place.ben.get("/").text
    guest = place.gus.get("/").text
    assert 'class="button" href="/me"' not in guest and 'href="/marks"' in guest
    assert place.gus.get("/?lang=ja").status_code == 200
    assert place.aya.get("/api/bots").json()["contest"] == "class"


def test_before_the_first_match_the_front_page_says_how_the_contest_begins(place: Members) -> None:
    for page in (place.ben.get("/?lang=en").text, place.host.get("/?lang=en").text):
        assert "arena new my_bot --game naga" in page and "arena check my_bot.py" in page and 'href="/me"' in page
        assert "Nothing has been played here yet" not in page and "arena tournament --demo" not in page
        assert "the board appears here by itself" in page


def test_an_author_reads_on_three_pages_whether_the_new_version_is_better(tmp_path: Path) -> None:
    (tmp_path / "class.yaml").write_text(FILE)
    played = Played(tmp_path, "class")
    config = {**played.manifest.config, "format": {"name": "ladder"}}
    versions = [msgspec.structs.replace(played.manifest.bots[0], version=version) for version in (1, 2)]
    write_manifest(played.folder, msgspec.structs.replace(played.manifest, bots=tuple(versions), config=config))
    seats = [make_seat("alice", place=place, bot_version=version, unit=2 - version) for version, place in ((2, 1), (1, 2))]
    played.store(*numbered([make_record(number, (seats[0], seats[1])) for number in range(40)]))
    contest = RunningContest(tmp_path / "class.yaml", tmp_path, command=IDLE)
    with ExitStack() as opened:
        opened.callback(played.end)
        members = opened.enter_context(with_members(tmp_path, is_checking=False, contest=contest))
        inbox, aya = members.server.submitting.inbox, members.account("aya").id
        for version in (1, 2):
            inbox.receive(aya, "alice", b"#", ".py", is_taken=False, is_organiser=False)
            sent = inbox.begin()
            assert sent is not None
            report = msgspec.json.encode(Checked(report=None))
            inbox.end(sent, State.ACCEPTED, report, sha256="0" * 64, version=version)
            Submissions(tmp_path).submit("alice", BotFiles("alice.py", {"alice.py": b"#%d" % version}), (), as_new=True)
        newest, first = inbox.of_account(aya)
        (found,) = members.aya.get(f"/api/submissions/{newest.id}").json()["versions"]
        assert (found["version"], found["other"], found["deals"], found["verdict"]) == (2, 1, 20, "better")
        line = f"v2 did better than v1 in 100 %, {100 * found['low']:.0f} to 100, over 20 deals"
        for path in (f"/submissions/{newest.id}", "/bots/alice", "/"):
            assert line in members.aya.get(f"{path}?lang=en").text, path
        assert members.aya.get(f"/api/submissions/{first.id}").json()["versions"] == []


def test_a_server_without_a_contest_has_no_marks(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        for path in ("/marks", "/api/marks", "/marks.csv"):
            assert client.get(path).status_code == 404
        assert client.post("/marks/freeze", data={"sure": "yes"}).status_code == 404
        assert client.get("/api").json()["contest"] is None
