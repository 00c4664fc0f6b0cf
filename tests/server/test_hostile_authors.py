"""What an author may try between two acts of an organiser, and what an organiser looks at: all was possible, or unseen."""

import io
import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import msgspec
import pytest

from arena.agent import BotFiles, files
from arena.agent.submissions import Submissions
from arena.cli.main import main
from arena.errors import StoreError, short_trace
from arena.records import Limits
from arena.results.inbox import Sent, State
from arena.results.site_file import Role
from arena.server.contest import checker
from arena.server.contest.checker import checked
from arena.server.contest.messages import Check
from arena.server.submitting.checks import Checks
from arena.tournament.check_report import BotCheck, refused
from helpers.members import Members, with_members

pytestmark = pytest.mark.usefixtures("one_zygote")
SOURCE = b"SECRET = 7\n"


class Line:
    """Takes what the checker says to the server."""

    def send(self, message: object) -> None:
        """Take a message."""


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Members]:
    """A server that receives and checks nothing: the tests do what the checks would."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checks, "start", lambda self: None)
        with with_members(tmp_path_factory.mktemp("results")) as found:
            yield found


def sent(members: Members, bot: str, who: str = "aya") -> Sent:
    """Somebody sends a bot."""
    answer = getattr(members, who).put(f"/api/bots/{bot}", content=SOURCE)
    assert answer.status_code == 201, answer.text
    return now(members, answer.json()["id"])


def drop(members: Members, bot: str) -> None:
    with members.server.submitting.inbox.dropping(bot, b""):
        pass


def now(members: Members, submission: str) -> Sent:
    found = members.server.submitting.inbox.find(submission)
    assert found is not None
    return found


def kept(members: Members, bot: str) -> None:
    """Aya's bot has a version."""
    owner = members.account("aya").id
    with members.server.site_file.writing() as db:  # as the inbox does at the first submission
        db.execute("insert into bots (name, owner, since) values (?, ?, '')", (bot, owner))
    files = BotFiles(f"{bot}.py", {f"{bot}.py": SOURCE})
    Submissions(members.server.library.out).submit(bot, files, ("naga",), as_new=True)


def waiting(members: Members) -> set[str]:
    return set(members.server.submitting.inbox.places())


def log_of(members: Members, about: str) -> list[tuple[str, str]]:
    return [(row.who, row.what) for row in members.server.accounts.audit(most=1000) if row.about == about]


@pytest.mark.parametrize("shut", ["guest", "close"])
def test_nothing_of_somebody_who_was_shut_out_is_checked(members: Members, shut: str) -> None:
    accounts, account = members.server.accounts, members.account("ben")
    one = sent(members, f"shut_{shut}", "ben")
    assert one.id in waiting(members)
    if shut == "close":
        members.organiser.post("/api/admin/close", json={"name": account.name})
    else:
        members.organiser.post("/api/admin/role", json={"name": account.name, "role": "guest"})
    assert one.id not in waiting(members) and now(members, one.id).state is State.WAITING
    assert members.server.submitting.inbox.begin() is None
    accounts.reopen("test", account)
    accounts.change_role("test", account, account.role)
    assert one.id in waiting(members)  # nothing is lost if it was a mistake
    drop(members, one.bot)


def test_a_withdrawn_bot_does_not_come_back_by_what_was_sent_before(members: Members) -> None:
    kept(members, "gone")
    one = sent(members, "gone")
    assert members.organiser.post("/api/bots/gone/withdraw").status_code == 200
    ended = now(members, one.id)
    assert ended.state is State.REFUSED and one.id not in waiting(members)
    assert not members.server.submitting.inbox.path_of(ended).exists()
    assert "withdrawn" in members.aya.get(f"/api/submissions/{one.id}").json()["submission"]["reasons"][0]
    assert sent(members, "gone").state is State.WAITING  # what is sent from now on counts


def test_the_owner_of_before_leaves_nothing_in_the_queue_of_a_bot_that_was_given_away(members: Members) -> None:
    kept(members, "gift")
    one = sent(members, "gift")
    assert members.organiser.post("/api/bots/gift/give", data={"account": "Ben"}).status_code == 200
    assert now(members, one.id).state is State.REFUSED


# While a check runs -----------------------------------------------------------------------------------------------------------


class Locked:
    """A machine that locks bots in, without starting anything."""

    not_locked = ""

    def __init__(self, *_: object, **__: object) -> None:
        """Nothing to start."""

    def __enter__(self) -> "Locked":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""


def checked_while(members: Members, one: Sent, act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Check what was sent, as the server does; in the midst of it something happens."""
    files = BotFiles(f"{one.bot}.py", {f"{one.bot}.py": SOURCE + b"# better\n"})

    def examined(*_: object, **__: object) -> tuple[BotCheck, BotFiles]:
        act()
        return msgspec.structs.replace(refused(one.bot, ""), refusals=(), sha256=files.sha256), files

    monkeypatch.setattr(checker, "examined", examined)
    monkeypatch.setattr(checker, "Holder", Locked)
    server = members.server.submitting
    begun = server.inbox.begin()
    assert begun is not None and begun.id == one.id
    asked = Check(
        submission=one.id, bot=one.bot, file=str(server.inbox.path_of(begun)), results=str(members.server.library.out),
        contest=None,
    )  # fmt: skip
    ended = server.checks._ended(begun, checked(asked, Line()))  # type: ignore[arg-type]
    assert ended is not None and not server.inbox.path_of(ended).exists()
    return ended


@pytest.fixture
def queue(members: Members) -> None:
    """Nothing waits but what the test sends."""
    with members.server.site_file.writing() as db:
        db.execute("update submissions set state = ?", (State.VOID,))


def closed(members: Members, when: str | None) -> None:
    """Close Aya's account, or open it, with all that she has for it."""
    account = members.account("aya").id
    with members.server.site_file.writing() as db:
        db.execute("update accounts set closed = ? where id = ?", (when, account))


ACTS: dict[str, Callable[[Members, str], object]] = {
    "withdrawn": lambda members, bot: members.aya.post(f"/api/bots/{bot}/withdraw"),
    "withdrawn in a terminal": lambda members, bot: main(["withdraw", bot, "--out", str(members.server.library.out)]),
    "renamed in a terminal": lambda members, bot: main(["rename", bot, f"{bot}_2", "--out", str(members.server.library.out)]),
    "given": lambda members, bot: members.organiser.post(f"/api/bots/{bot}/give", data={"account": "Ben"}),
    "given and given back": lambda members, bot: [
        members.organiser.post(f"/api/bots/{bot}/give", data={"account": name}) for name in ("Ben", "Aya")
    ],
    "given by hand": lambda members, bot: members.server.owned.give(bot, members.account("ben").id),
    "closed": lambda members, _: closed(members, "now"),
    "made a guest": lambda members, _: members.server.accounts.change_role("test", members.account("aya"), Role.GUEST),
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.usefixtures("queue")
def test_a_check_that_runs_enters_nothing_for_who_may_send_it_no_more(
    members: Members, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = f"race_{list(ACTS).index(act)}"
    kept(members, bot)
    aya = members.account("aya")
    try:
        ended = checked_while(members, sent(members, bot), lambda: ACTS[act](members, bot), monkeypatch)
    finally:
        closed(members, None)
        members.server.accounts.change_role("test", aya, aya.role)
    assert (ended.state, ended.version) == (State.REFUSED, None)
    store = Submissions(members.server.library.out)
    assert [one.version for one in store.versions(bot)] == [1]
    assert (store.withdrawal(bot) is not None) == ("terminal" in act or act == "withdrawn")
    assert ended.report is not None and b'"refusals":["' in ended.report


@pytest.mark.usefixtures("queue")
def test_a_check_enters_what_may_enter_and_what_comes_after_finds_it_there(
    members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(members, "fine")
    ended = checked_while(members, sent(members, "fine"), lambda: None, monkeypatch)
    assert (ended.state, ended.version) == (State.ACCEPTED, 2)
    members.aya.post("/api/bots/fine/withdraw")
    assert now(members, ended.id).state is State.ACCEPTED
    found = Submissions(members.server.library.out).withdrawal("fine")
    assert found is not None and found.version == 2


@pytest.mark.usefixtures("queue")
def test_a_version_that_was_stored_before_its_check_was_noted_stays_what_it_is(members: Members) -> None:
    kept(members, "late")
    one = sent(members, "late")
    inbox = members.server.submitting.inbox
    assert inbox.begin() is not None
    assert inbox.enter(one.id, lambda: 2) == ""  # and the server is told a moment later
    members.organiser.post("/api/bots/late/give", data={"account": "Ben"})
    assert inbox.end(one, State.ACCEPTED, b"{}", version=2).state is State.ACCEPTED


def test_an_organiser_who_looks_at_what_is_private_is_in_the_log_once_a_day(members: Members) -> None:
    kept(members, "shy")
    for client in (members.aya, members.organiser, members.organiser):
        assert client.get("/api/bots/shy/source").status_code == 200
        assert client.get("/bots/shy/source.zip").status_code == 200
    assert log_of(members, "shy") == [("Olga", "source")]
    members.aya.post("/api/bots/shy/publish", data={"version": "1"})
    members.host.get("/bots/shy/source")  # everybody may
    assert log_of(members, "shy") == [("Olga", "source")]


def test_an_organiser_who_looks_at_the_check_of_another_is_in_the_log(members: Members) -> None:
    one = sent(members, "peep")
    for client in (members.aya, members.organiser, members.organiser):
        assert client.get(f"/api/submissions/{one.id}").status_code == 200
    assert log_of(members, "peep") == [("Olga", "submission")]
    drop(members, "peep")


@pytest.mark.parametrize("statement", ["update audit set who = 'nobody'", "delete from audit", "drop table audit"])
def test_no_statement_changes_the_log(members: Members, statement: str) -> None:
    members.server.accounts.log("test", "try", statement)
    with pytest.raises(StoreError), members.server.site_file.writing() as db:
        db.execute(statement)
    assert log_of(members, statement) == [("test", "try")]


@pytest.mark.parametrize("name", ["\N{SMILING FACE WITH SUNGLASSES}" * 100 + ".py", "/".join(["\u5b57" * 60] * 16)])
def test_a_name_that_no_disk_takes_is_the_zips_fault_and_no_free_try(tmp_path: Path, name: str) -> None:
    path = tmp_path / "long.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("__init__.py", b"")
        archive.writestr(name, b"")
    found = checked(Check(submission="", bot="long", file=str(path), results=str(tmp_path), contest=None), Line())  # type: ignore[arg-type]
    assert found.report is not None, found.trouble
    assert "no name for a bot's file" in found.report.refusals[0]


@pytest.mark.parametrize(
    ("source", "reason"),
    [("def broken(:\n", "line 1: syntax error"),
     ("x = [" + "1, " * (2 << 20) + "]\n", "too long for its memory")],
    ids=["broken", "long"],
)  # fmt: skip
def test_a_strangers_source_is_parsed_in_the_lock_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, reason: str
) -> None:
    """Its syntax tree takes a hundred times its memory: there it is the bot's own that runs out."""
    path = tmp_path / "long.py"
    path.write_text(source)
    monkeypatch.setattr(checker, "_terms", lambda *_: checker._Terms(limits=Limits(memory=128_000_000)))
    parse = Mock(side_effect=AssertionError("parsed in the checker's own process"))
    monkeypatch.setattr(files, "ast", Mock(parse=parse, walk=parse))
    found = checked(Check(submission="", bot="long", file=str(path), results=str(tmp_path), contest=None), Line())  # type: ignore[arg-type]
    assert found.report is not None, found.trouble
    assert reason in found.report.refusals[0] and str(tmp_path) not in found.report.refusals[0]


def test_the_machines_trouble_names_no_place_of_the_machine(tmp_path: Path) -> None:
    found = checked(  # what was sent is gone
        Check(submission="", bot="lost", file=str(tmp_path / "people" / "lost.py"), results=str(tmp_path), contest=None), Line()  # type: ignore[arg-type]
    )  # fmt: skip
    assert found.report is None and found.trouble and str(tmp_path) not in found.trouble


def test_a_traceback_names_no_place_of_the_machine() -> None:
    try:
        Submissions.find(None, 3)  # type: ignore[arg-type]
    except AttributeError:
        trace = short_trace()
    assert 'File "arena/agent/submissions.py"' in trace
    try:
        raise ImportError(f"from '{sys.prefix}/lib/x.py', {Path(checked.__code__.co_filename)}")
    except ImportError:
        trace = short_trace()
    assert "from 'lib/x.py', arena/server/contest/checker.py" in trace


FAILING = b"import sys; print('bot.x:3:1: error: no such word'); print(open('/etc/passwd').read())"
TABLE = b'name = "bob"\ncommand = ["./bot"]\n[build]\ncommand = ["python3", "-S", "build.py"]\nmakes = ["bot"]\n'


def test_a_build_runs_in_a_lock_and_its_author_alone_reads_what_it_printed(members: Members, queue: None) -> None:
    """Also where a program of the author lies beside the source: it is not believed."""
    box = members.server.submitting.inbox
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as packed:
            for name, content in (("bot.toml", TABLE), ("build.py", FAILING), ("bot", b"\x7fELF"), ("n", os.urandom(8))):
                packed.writestr(name, content)
        answer = members.aya.put("/api/bots/bob", content=file.getvalue())
    submission = box.begin()
    assert submission is not None and submission.id == answer.json()["id"]
    out = members.server.library.out
    asked = Check(submission=submission.id, bot="bob", file=str(box.path_of(submission)), results=str(out), contest=None)
    outcome = checked(asked, Line())  # type: ignore[arg-type]
    assert outcome.report is not None and outcome.report.build is not None, outcome
    (why,) = outcome.report.refusals
    assert why == "bob: its build failed: python3 ended with exit code 1; bot.x:3:1: error: no such word"
    assert "FileNotFoundError" in outcome.report.build.log and str(out) not in outcome.report.build.log
    box.end(submission, State.REFUSED, msgspec.json.encode(outcome))
    page = f"/submissions/{submission.id}"
    joined = members.server.accounts.join(members.invited("Another"))
    assert joined is not None
    another = members.client()
    another.headers["authorization"] = f"Bearer {joined.token}"
    assert "FileNotFoundError" in members.aya.get(page).text and another.get(page).status_code == 404
