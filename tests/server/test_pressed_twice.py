"""What two people, or one with a quick finger, do at the same moment: it is done once, or both are told, and nothing breaks."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from arena.agent import BotFiles
from arena.agent.submissions import Submissions
from arena.server.submitting.checks import Checks
from helpers.members import Members, with_members

AT_ONCE = 6


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Members]:
    """A server that receives and checks nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checks, "start", lambda self: None)
        with with_members(tmp_path_factory.mktemp("results")) as found:
            yield found


def at_once(ask: Callable[[int], Any]) -> set[int]:
    """The statuses of several answers to requests that begin together."""
    start = threading.Barrier(AT_ONCE)

    def asked(number: int) -> int:
        start.wait()
        return int(ask(number).status_code)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return set(pool.map(asked, range(AT_ONCE)))


def bot_of_aya(members: Members, name: str) -> str:
    owner = members.account("aya").id
    with members.server.site_file.writing() as db:  # as the inbox does at the first submission
        db.execute("insert into bots (name, owner, since) values (?, ?, '')", (name, owner))
    Submissions(members.server.library.out).submit(name, BotFiles("x.py", {"x.py": b"SECRET = 7\n"}), ("naga",), as_new=True)
    return name


@pytest.mark.parametrize("before", ["", "/api"])
def test_a_bot_is_withdrawn_once(members: Members, before: str) -> None:
    bot = bot_of_aya(members, f"twice{len(before)}")
    who = (members.aya, members.organiser, members.host)
    log = len(members.server.accounts.audit(most=1000))
    statuses = at_once(lambda number: who[number % 3].post(f"{before}/bots/{bot}/withdraw", data={"sure": "yes"}))
    assert statuses == {200 if before else 303}
    assert Submissions(members.server.library.out).withdrawal(bot) is not None
    assert len(members.server.accounts.audit(most=1000)) - log <= 1


@pytest.mark.parametrize("act", ["give", "publish"])
def test_a_bot_is_given_and_published_by_several(members: Members, act: str) -> None:
    bot = bot_of_aya(members, f"many_{act}")
    data = ({"account": "Ben", "version": "1"}, {"account": "Aya", "version": ""})
    assert at_once(lambda number: members.organiser.post(f"/api/bots/{bot}/{act}", data=data[number % 2])) == {200}
    owned = members.server.owned.of(bot)
    assert owned is not None and owned.owner_name in ("Aya", "Ben") and owned.published in (None, 1)


def test_withdrawn_given_and_sent_together(members: Members) -> None:
    bot = bot_of_aya(members, "all_of_it")
    acts: list[Callable[[], Any]] = [
        lambda: members.organiser.post(f"/api/bots/{bot}/withdraw"),
        lambda: members.organiser.post(f"/api/bots/{bot}/give", data={"account": "Ben"}),
        lambda: members.aya.put(f"/api/bots/{bot}", content=b"SECRET = 8\n"),
    ]
    assert at_once(lambda number: acts[number % 3]()) <= {200, 201, 403, 429}
    owned = members.server.owned.of(bot)
    assert owned is not None and owned.owner_name == "Ben"


def test_somebody_is_invited_by_several(members: Members) -> None:
    log = members.server.accounts.audit(most=1)[0].number
    assert at_once(lambda _: members.organiser.post("/admin/invite", data={"names": "Twin\nTwo"})) == {200}
    assert [one.account.name for one in members.server.accounts.members()].count("Twin") == 1
    assert members.server.accounts.audit(most=1)[0].number - log == 2 * AT_ONCE


@pytest.mark.parametrize("what", ["close", "reopen", "role"])
def test_an_account_is_changed_by_several(members: Members, what: str) -> None:
    members.invited(f"Changed by {what}")
    data = {"name": f"Changed by {what}", "role": "guest"}
    assert at_once(lambda _: members.organiser.post(f"/admin/{what}", data=data)) == {303}


def test_a_link_lets_in_one_and_the_others_are_told(members: Members) -> None:
    code, browsers = members.invited("Quick"), [members.client() for _ in range(AT_ONCE)]
    answers = [browser.post for browser in browsers]
    assert at_once(lambda number: answers[number]("/invite", data={"code": code})) == {200, 403}
    assert len(members.server.accounts.sessions(members.account("Quick"))) == 1


def test_a_name_is_taken_by_one_of_several(members: Members) -> None:
    browsers = [members.client() for _ in range(AT_ONCE)]
    for browser in browsers:
        browser.headers.update(members.host.headers)
    body = {"game": "naga", "seats": ["me", "person"], "name": "Solo"}
    found = at_once(lambda number: browsers[number].post("/api/tables", json=body))
    assert found <= {201, 409, 429, 503} and 500 not in found


@pytest.mark.parametrize("path", ["/account/tokens", "/account/token", "/logout", "/account/logout"])
def test_the_own_account_is_changed_by_several_pages(members: Members, path: str) -> None:
    browser = members.client()
    joined = members.server.accounts.join(members.invited(f"Page {path.replace('/', ' ')}"))
    assert joined is not None
    browser.post("/login", data={"token": joined.token})
    assert at_once(lambda _: browser.post(path, data={"label": "x"})) <= {200, 303, 401, 403}
