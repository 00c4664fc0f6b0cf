"""Submissions from upload to end: the queue, checks that die, a server that dies, and the contest whose terms count."""

import asyncio
import itertools
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from arena.results.accounts import Accounts
from arena.results.inbox import Inbox, NotTheirs, QuotaReached, Sent, State
from arena.results.site_file import Account, Role, SiteFile
from arena.server import child_process, limits, openapi
from arena.server.contest.messages import Checked
from arena.server.contest.settings import Quotas
from arena.server.running_contest.running import RunningContest
from arena.server.submitting import checks as checking
from arena.server.submitting.checks import Checks, Submitting
from helpers import scripted_checker
from helpers.contests import write_contest
from helpers.server import server

PATIENCE = 60.0


def sent_to(inbox: Inbox, content: str, bot: str = "alice", account: str = "aya", **quotas: Any) -> Sent:
    return inbox.receive(account, bot, content.encode(), ".py", is_taken=False, is_organiser=False, **quotas)


def checked(inbox: Inbox, diary: Path, *, make: type[Checks] = Checks, **changes: Any) -> Checks:
    """Check all that waits, with the scripted checker."""
    changes = {"command": scripted_checker.command(diary), "pauses": (0.0,), **changes}
    found = make(inbox, inbox.folder.parent.parent, **changes)

    async def until_all_have_ended() -> None:
        found.start()
        end = time.monotonic() + PATIENCE
        while await asyncio.to_thread(inbox.pending):
            assert time.monotonic() < end, "it has not ended"
            await asyncio.sleep(0.01)
        await found.close()

    asyncio.run(until_all_have_ended())
    return found


def found(inbox: Inbox, sent: Sent) -> Sent:
    now = inbox.find(sent.id)
    assert now is not None
    return now


def test_each_submission_ends_as_its_check_says_and_leaves_no_file(tmp_path: Path) -> None:
    inbox, accepted = Inbox(tmp_path), list[Sent]()
    good, bad = sent_to(inbox, "accept"), sent_to(inbox, "refuse", "bob")
    checked(inbox, tmp_path / "diary", accepted=accepted.append)
    assert (found(inbox, good).state, found(inbox, good).version) == (State.ACCEPTED, 1)
    assert (found(inbox, bad).state, found(inbox, bad).version) == (State.REFUSED, None)
    assert [one.id for one in accepted] == [good.id]
    assert {path.name for path in inbox.folder.iterdir()} == {"lock"}


@pytest.mark.parametrize("word", ["die", "trouble"])
def test_the_machines_failure_is_tried_three_times_then_void_and_free(tmp_path: Path, word: str) -> None:
    inbox = Inbox(tmp_path)
    sent = sent_to(inbox, word)
    checked(inbox, tmp_path / "diary")
    assert (found(inbox, sent).state, found(inbox, sent).attempts) == (State.VOID, 3)
    assert len((tmp_path / "diary").read_text().splitlines()) == 3
    assert inbox.use("aya").versions == 0


@pytest.mark.parametrize("word", ["hungry", "die"])
def test_a_check_that_takes_all_memory_twice_is_refused_with_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    """Where the limit stops it, and where the kernel kills it."""
    monkeypatch.setattr(limits, "memory_of_process", lambda: 4 << 30)
    if word == "die":
        monkeypatch.setattr(child_process, "memory_kills", itertools.count().__next__)
    inbox = Inbox(tmp_path)
    sent = sent_to(inbox, word)
    checked(inbox, tmp_path / "diary")
    ended = found(inbox, sent)
    assert (ended.state, ended.attempts) == (State.REFUSED, 2)
    assert ended.report is not None and b"took more memory than this machine has" in ended.report


def test_a_slow_check_lets_the_others_go_first_once_and_then_has_its_verdict(tmp_path: Path) -> None:
    inbox, begun = Inbox(tmp_path), list[str]()

    class Slow(Checks):
        async def _outcome(self, sent: Sent) -> Checked | None:
            begun.append(sent.bot)
            return await super()._outcome(sent)

    sent = [sent_to(inbox, "x"), sent_to(inbox, "x", "bob", "ben")]
    never = (sys.executable, "-c", "import signal; signal.pause()")
    checked(inbox, tmp_path / "diary", make=Slow, command=never, seconds=(0.05, 0.1))
    assert begun == ["alice", "bob"] * 2
    for one in sent:
        report = found(inbox, one).report
        assert found(inbox, one).state is State.REFUSED and report is not None and b"too slow to take part" in report


def test_a_check_that_takes_long_holds_up_nobody_else_and_of_an_author_one_is_checked_at_a_time(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path)
    slow, next_one = (sent_to(inbox, "wait", bot) for bot in ("alice", "alice_2"))
    others = [sent_to(inbox, "accept", f"bob_{number}", "ben") for number in range(3)]
    checks = Checks(inbox, tmp_path, command=scripted_checker.command(tmp_path / "diary"), pauses=(0.0,))

    async def until_the_others_have_ended() -> None:
        checks.start()
        end = time.monotonic() + PATIENCE
        while any(found(inbox, one).state.is_pending for one in others):
            assert time.monotonic() < end, "they have not ended"
            await asyncio.sleep(0.01)
        assert (found(inbox, slow).state, found(inbox, next_one).state) == (State.CHECKING, State.WAITING)
        await checks.close()

    asyncio.run(until_the_others_have_ended())
    assert (found(inbox, slow).state, found(inbox, slow).attempts) == (State.WAITING, 0)


def test_whose_check_was_short_the_last_time_comes_before_whose_was_long(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path)
    sent_to(inbox, "x", "slow", "aya")
    begun = inbox.begin()
    assert begun is not None
    inbox.end(begun, State.ACCEPTED, b"", version=1)
    with inbox.writing() as db:
        db.execute("update submissions set started = '2026-11-28T10:00:00+00:00', ended = '2026-11-28T10:02:00+00:00'")
    slow, new = sent_to(inbox, "y", "slow", "aya"), sent_to(inbox, "x", "new", "ben")
    assert [inbox.places()[one.id].place for one in (slow, new)] == [2, 1]


def test_what_a_dead_server_was_checking_is_checked_again_and_left_files_are_swept(tmp_path: Path) -> None:
    died = Inbox(tmp_path)
    sent = sent_to(died, "accept")
    assert died.begin() is not None  # and the server is killed
    (died.folder / ("f" * 24 + ".py")).write_text("received, but never confirmed")
    died.close()
    inbox = Inbox(tmp_path)
    checked(inbox, tmp_path / "diary")
    assert (found(inbox, sent).state, found(inbox, sent).attempts) == (State.ACCEPTED, 2)
    assert {path.name for path in inbox.folder.iterdir()} == {"lock"}


def test_a_version_stored_by_a_check_that_was_killed_is_the_submissions_own(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path)
    sent = sent_to(inbox, "accept")
    inbox.begin()
    checked(inbox, tmp_path / "diary")
    report = found(inbox, sent).report
    assert report is not None and b'"is_new":true' in report


def test_nothing_is_checked_or_lost_while_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox = Inbox(tmp_path)
    sent = sent_to(inbox, "accept")
    monkeypatch.setattr(checking, "LEAST_FREE", 1 << 80)
    full = Checks(inbox, tmp_path, command=("false",))
    assert not asyncio.run(full._one()) and "nearly full" in full.trouble
    asyncio.run(full.close())
    assert (found(inbox, sent).state, found(inbox, sent).attempts) == (State.WAITING, 0)


def test_only_one_server_of_a_folder_checks(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path)
    sent_to(inbox, "accept")
    first, second = (Checks(inbox, tmp_path) for _ in range(2))
    assert first._may_begin() and not second._may_begin()
    asyncio.run(first.close())
    assert second._may_begin()
    asyncio.run(second.close())


def test_the_first_of_everybody_comes_before_the_second_of_anybody(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path)
    sent = [sent_to(inbox, "x"), sent_to(inbox, "x"), sent_to(inbox, "x", "bob", "ben")]
    places = inbox.places()
    assert [places[one.id].place for one in sent] == [1, 3, 2]


def test_quotas_and_names_are_kept_and_nothing_is_left_of_what_is_refused(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path)
    sent_to(inbox, "x", versions_a_day=1, pending=2)
    with pytest.raises(QuotaReached) as versions:
        sent_to(inbox, "x", versions_a_day=1, pending=2)
    assert versions.value.what == "versions" and 86_000 < versions.value.seconds <= 86_401
    with pytest.raises(QuotaReached) as pending:
        sent_to(inbox, "x", pending=1)
    assert pending.value.what == "pending" and pending.value.seconds >= 1
    with pytest.raises(NotTheirs):
        sent_to(inbox, "x", account="ben")
    assert len(list(inbox.folder.iterdir())) == 1


def test_a_contest_gives_its_terms_and_its_ladder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_contest(tmp_path, quotas={"versions_a_day": 2, "pending": 1, "bytes": 1000})
    contest, looks = RunningContest(path, tmp_path), list[None]()
    monkeypatch.setattr(contest, "look", lambda: looks.append(None))
    command = scripted_checker.command(tmp_path / "diary")
    submitting = Submitting(tmp_path, Accounts(SiteFile(tmp_path)), contest, command=command)
    author = Account(id="aya", name="Aya", folded="aya", role=Role.AUTHOR, since="")
    assert submitting.quotas_of(author) == Quotas(versions_a_day=2, pending=1, bytes=1000)
    assert submitting.is_taken("random_bot") and not submitting.is_taken("alice")
    sent_to(submitting.inbox, "accept")

    async def until_the_ladder_is_told() -> None:
        submitting.checks.start()
        end = time.monotonic() + PATIENCE
        while not looks:
            assert time.monotonic() < end, "the ladder was not told"
            await asyncio.sleep(0.01)
        await submitting.close()

    asyncio.run(until_the_ladder_is_told())
    assert (tmp_path / "diary").read_text() == "alice accept class.yaml\n"


def test_a_submission_answers_as_it_is_described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Checks, "start", lambda self: None)
    document = openapi.document()
    operation = document["paths"]["/api/submissions/{id}"]["get"]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    with server(tmp_path) as client:
        answer = client.put("/api/bots/alice", content=b"x")
        assert answer.status_code == 201 and answer.json()["place"] == 1
        whole = client.get(answer.headers["location"]).json()
        jsonschema.Draft202012Validator({**schema, "components": document["components"]}).validate(whole)
        assert whole["submission"]["state"] == "waiting"
        assert client.get(f"/submissions/{whole['submission']['id']}").status_code == 200
        assert client.put("/api/bots/bob", content=b"").status_code == 400
        japanese = client.put("/api/bots/bob?lang=ja", content=b"").json()["error"]
        assert "届いていません" in japanese
