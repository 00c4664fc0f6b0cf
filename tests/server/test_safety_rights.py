"""Who may do what, over all addresses of the finished server: guests, authors, organisers. And uploads, sources, the audit log.

Points 6, 11 and 12 of the safety list; the others are in test_safety_list.py.
"""

import io
import re
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from arena.results.accounts import Accounts
from arena.results.inbox import State
from arena.results.site_file import HOST, SITE_FILE
from arena.server.contest.messages import Checked
from arena.server.guard import OPEN, Rules
from arena.server.limits import Rate
from arena.server.submitting.checks import Checks, Submitting
from helpers.members import Members, with_members

ORGANISERS = ("/admin", "/marks.csv")
"""How the addresses begin that are for organisers alone, with or without `/api` before."""
AUTHORS = ("/me", "/submissions", "/ask")
"""How those begin that are for authors, and so for organisers, too."""
PLAYERS = ("/me/play",)
"""Of these addresses, those that everybody has who plays."""
NOTHING = {"id": "0" * 24, "name": "nobody", "game": "naga", "code": "A" * 22, "hash": "0" * 16}
ENDING = ("/logout", "/account/logout")
CODE = b"from arena.agent import Agent\n\n\nclass Own(Agent):\n    def act(self, view):\n        return 0  # the secret idea\n"


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Members]:
    """A server that receives bots, and checks none; one address may ask as often as it likes."""
    many = Rate(1e6, 1_000_000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checks, "start", lambda self: None)
        with with_members(tmp_path_factory.mktemp("results"), rules=Rules(requests=many, strangers=many)) as found:
            yield found


def pages(members: Members) -> list[str]:
    """All addresses that are asked by GET, with something in place of their named parts."""
    app = members.aya.app
    assert isinstance(app, Starlette)
    found = [route.path for route in app.routes if isinstance(route, Route) and "GET" in (route.methods or ())]
    return [re.sub(r"{(\w+)(?::path)?}", lambda part: NOTHING.get(part[1], "nobody"), path) for path in found]


def begins(address: str, beginnings: tuple[str, ...]) -> bool:
    path = address.removeprefix("/api")
    return any(path == one or path.startswith(f"{one}/") for one in beginnings)


# Roles and addresses


def test_pages_of_organisers_are_for_organisers(members: Members) -> None:
    addresses = [address for address in pages(members) if begins(address, ORGANISERS)]
    assert len(addresses) >= 2
    for address in addresses:
        assert [one.get(address).status_code for one in (members.stranger, members.gus, members.aya)] == [401, 403, 403]
        found = {one.get(address).status_code for one in (members.organiser, members.host)}
        assert len(found) == 1 and found <= {200, 404}, address  # marks without a contest: there are none


def test_pages_of_authors_are_not_for_guests(members: Members) -> None:
    addresses = [address for address in pages(members) if begins(address, AUTHORS) and not begins(address, PLAYERS)]
    assert len(addresses) >= 6
    for address in addresses:
        assert members.stranger.get(address).status_code == 401, address
        assert members.gus.get(address).status_code in (403, 404), address
        assert {one.get(address).status_code for one in (members.aya, members.organiser)} <= {200, 404}, address


def test_all_other_pages_are_for_everybody_who_was_invited(members: Members) -> None:
    for address in dict.fromkeys(pages(members)):
        is_for_some = begins(address, (*ORGANISERS, *AUTHORS)) and not begins(address, PLAYERS)
        if not is_for_some and not address.startswith(OPEN):
            assert members.stranger.get(address).status_code == 401, address
            found = {one.get(address).status_code for one in (members.gus, members.organiser)}
            assert len(found) == 1 and found <= {200, 303, 400, 404}, (address, found)


def test_whoever_is_shut_out_has_nothing_left(members: Members) -> None:
    joined = members.server.accounts.join(members.invited("Zoe"))
    assert joined is not None
    program = members.client()
    program.headers["authorization"] = f"Bearer {joined.token}"
    assert program.get("/api/me").status_code == 200
    members.server.accounts.close("test", joined.account)
    for address in pages(members):
        if not address.startswith(OPEN):
            assert program.get(address).status_code == 401, address
    assert program.put("/api/bots/zoes", content=CODE).status_code == 401


# 6. Uploads


@pytest.mark.parametrize(
    "name", ["--help", "-x", "..", "a b", "A/B", "%2e%2e%2fevil", "x" * 200, "all", ".hidden", "é", "%00", "con.py"]
)
def test_no_bot_has_a_name_that_is_none(members: Members, name: str) -> None:
    answer = members.aya.put(f"/api/bots/{name}", content=CODE)
    assert 400 <= answer.status_code < 500 and "set-cookie" not in answer.headers
    assert not members.server.submitting.inbox.everything()


def test_a_body_is_counted_while_it_comes(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever its head says: too much is not kept, and not even read to the end."""
    monkeypatch.setattr(Submitting, "most_bytes", lambda self, account: 1000)
    sent: list[int] = []

    def endless() -> Iterator[bytes]:
        for number in range(10_000):
            sent.append(number)
            yield b"x" * 500

    assert members.aya.put("/api/bots/large", content=b"x" * 1001).status_code == 413
    assert members.aya.put("/api/bots/large", content=b"").status_code == 400
    assert members.aya.put("/api/bots/large", content=endless()).status_code == 413
    inbox = members.server.submitting.inbox
    assert inbox.owner_of("large") is None and not [path for path in inbox.folder.glob("*") if path.suffix != ".lock"]


def test_nothing_that_is_received_is_run_or_read_by_the_server(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    """A zip stays packed until a process of its own looks into it; see tests/agent/test_hostile_zips.py for what that does."""
    monkeypatch.setattr(zipfile, "ZipFile", None)
    target = io.BytesIO(b"PK\x03\x04" + b"../../evil" * 10)
    answer = members.aya.put("/api/bots/packed", content=target.getvalue())
    assert answer.status_code == 201 and answer.json()["state"] == "waiting"
    (sent,) = [one for one in members.server.submitting.inbox.everything() if one.bot == "packed"]
    path = members.server.submitting.inbox.path_of(sent)
    assert path.read_bytes() == target.getvalue() and not path.stat().st_mode & 0o111
    members.server.submitting.inbox.end(sent, State.VOID, msgspec.json.encode(Checked(report=None)))


def test_a_bot_of_somebody_else_takes_no_version(members: Members) -> None:
    assert members.aya.put("/api/bots/ayas", content=CODE).status_code == 201
    for one in (members.ben, members.gus):
        assert one.put("/api/bots/ayas", content=CODE).status_code == 403
    assert members.stranger.put("/api/bots/ayas", content=CODE).status_code == 401
    assert members.ben.put("/api/bots/naga_greedy", content=CODE).status_code == 403
    assert members.server.submitting.inbox.owner_of("ayas") == members.account("aya").id


def test_quotas_hold_and_say_how_long_to_wait(members: Members) -> None:
    statuses = [members.ben.put(f"/api/bots/ben_{number}", content=CODE) for number in range(5)]
    assert [one.status_code for one in statuses] == [201, 201, 201, 429, 429]
    answer = statuses[-1]
    assert int(answer.headers["retry-after"]) >= 1 and answer.json()["seconds"] == int(answer.headers["retry-after"])


# 11. Sources and outputs


def test_a_submission_is_its_authors_and_organisers(members: Members) -> None:
    sent = members.server.submitting.inbox.of_account(members.account("aya").id)[0]
    for address in (f"/submissions/{sent.id}", f"/api/submissions/{sent.id}"):
        assert [one.get(address).status_code for one in (members.aya, members.organiser, members.host)] == [200] * 3
        found = [one.get(address) for one in (members.ben, members.gus, members.stranger)]
        assert [one.status_code for one in found] == [404, 403, 401]
        assert not [one for one in found if sent.bot in one.text]


def test_no_page_shows_the_source_of_anybody(members: Members) -> None:
    for address in pages(members):
        for one in (members.ben, members.stranger):
            assert "secret idea" not in one.get(address.replace("nobody", "ayas")).text, address


def test_everything_is_not_for_authors(members: Members) -> None:
    assert len(members.organiser.get("/api/me?everybody=true").json()["submissions"]) >= 2
    for one in (members.aya, members.ben):
        answer = one.get("/api/me?everybody=true")
        own = {row["bot"] for row in answer.json().get("submissions", ())} if answer.status_code == 200 else set()
        assert own <= set(members.server.submitting.inbox.bots_of(members.account("aya" if one is members.aya else "ben").id))


def test_ids_of_accounts_and_hashes_of_secrets_are_on_no_page(members: Members) -> None:
    with closing(sqlite3.connect(members.server.library.out / SITE_FILE)) as db:
        secret = [value for (value,) in db.execute("select digest from secrets union select digest from sessions")]
        secret += [value for (value,) in db.execute("select id from accounts")]
    for address in pages(members):
        text = members.organiser.get(address).text
        assert not [value for value in secret if value in text], address


# 12. The audit log


def test_what_an_organiser_does_is_logged_and_the_log_only_grows(members: Members) -> None:
    before = members.server.accounts.audit(most=1)
    answer = members.organiser.post("/api/admin/invite", json={"names": ["Quentin"]})
    assert answer.status_code == 201, answer.text
    (row, *_) = members.server.accounts.audit(most=1)
    assert (row.what, row.about) == ("invite", "Quentin") and row.number > (before[0].number if before else 0)
    assert row.who == members.account("organiser").name != HOST.name


def test_no_code_changes_or_removes_what_is_logged() -> None:
    source = Path(Accounts.__init__.__code__.co_filename).parents[1]
    for path in source.rglob("*.py"):
        assert not re.search(r"(?i)(update|delete\s+from|drop\s+table|replace\s+into)\s+audit\b", path.read_text()), path
