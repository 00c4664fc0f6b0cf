"""Links, tokens and old sessions: none makes the reader somebody else, lets anybody in, or does what a person has to mean."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse

from arena.results import accounts as stored
from arena.results.accounts import Accounts, Scope
from arena.results.site_file import SITE_FILE, Role, SiteFile, digest
from arena.server.app import Server
from arena.server.entrance import BY_NO_TOKEN, beyond_scope
from arena.server.submitting.checks import Checks
from helpers.members import Members, with_members
from helpers.server import TOKEN

ADMIN = {
    "invite": {"names": ["Mallory"]},
    "role": {"name": "Gus", "role": "organiser"},
    "rename": {"name": "Gus", "new": "Mallory"},
    "close": {"name": "Gus"},
    "reopen": {"name": "Gus"},
}
EARLIER = (datetime.now(UTC) - timedelta(hours=2)).isoformat(timespec="seconds")


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Members]:
    """A server that receives and checks nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checks, "start", lambda self: None)
        with with_members(tmp_path_factory.mktemp("results")) as found:
            yield found


@pytest.fixture(autouse=True)
def _without_tokens(members: Members) -> Iterator[None]:
    """The tokens of a test end with it: an account may have only some."""
    yield
    with members.server.site_file.writing() as db:
        db.execute("update secrets set ended = 'now' where kind = 'api'")


def program(members: Members, who: str, scope: Scope, days: int = 7) -> TestClient:
    """A program with a new token of somebody."""
    token = members.server.accounts.make_api_token(members.account(who), "test", scope, days)
    assert token is not None
    client = members.client()
    client.headers["authorization"] = f"Bearer {token}"
    return client


def browser_of(members: Members, who: str) -> TestClient:
    """A browser in which somebody has just logged in."""
    browser = members.client()
    assert browser.post("/login", data={"token": members.token(who)}).status_code == 303
    return browser


def name_in(browser: TestClient) -> str:
    return str(browser.get("/api/account").json()["name"])


# Links ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/login", "/invite"])
def test_a_link_logs_nobody_in_by_itself_and_nobody_in_as_somebody_else(members: Members, path: str) -> None:
    fields = {"token": members.token("ben"), "code": members.invited("Ben")}
    reader, sessions = browser_of(members, "aya"), len(members.server.accounts.sessions(members.account("ben")))
    page = reader.get(path)
    assert page.status_code == 200 and "set-cookie" not in page.headers
    assert "logged in as Aya" in page.text and 'action="/logout"' in page.text and f'action="{path}"' not in page.text
    refused = reader.post(path, data=fields)
    assert refused.status_code == 409 and "set-cookie" not in refused.headers and name_in(reader) == "Aya"
    assert len(members.server.accounts.sessions(members.account("ben"))) == sessions
    assert reader.post("/login", data={"token": TOKEN}).status_code == 409, "nor as the organiser"
    left = reader.post("/logout", data={"next": path})
    assert left.headers["location"] == path
    page = reader.get(path)
    assert page.status_code == 200 and f'action="{path}"' in page.text and "<button" in page.text
    assert reader.post(path, data=fields).status_code in (200, 303) and name_in(reader) == "Ben"
    if path == "/invite":  # which has ended the old token
        members._tokens["ben"] = members.server.accounts.replace_token(members.account("ben"), None)


def test_who_logs_out_is_led_to_a_door_of_the_server_and_nowhere_else(members: Members) -> None:
    for following in ("//evil.example", "https://evil.example", "/account", ""):
        answer = browser_of(members, "aya").post("/logout", data={"next": following})
        assert answer.headers["location"] == "/login"


def test_a_guest_of_a_table_may_come_in_as_who_was_invited(members: Members) -> None:
    guest = members.client()
    guest.cookies.set("arena_session_8000", members.server.sessions.opened(guest_at="127.0.0.1"))
    assert guest.get("/login").status_code == 200
    assert guest.post("/login", data={"token": members.token("aya")}).status_code == 303


# Tokens for programs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ADMIN)
@pytest.mark.parametrize("scope", [*Scope, None])
def test_no_token_of_an_account_lets_anybody_in_or_shuts_them_out(members: Members, what: str, scope: Scope | None) -> None:
    client = members.program("organiser") if scope is None else program(members, "organiser", scope)
    log, role = members.server.accounts.audit(most=1000), members.account("gus").role
    for path, sent in (
        (f"/api/admin/{what}", {"json": ADMIN[what]}),
        (f"/admin/{what}", {"data": {"name": "Gus", "names": "M"}}),
    ):
        answer = client.post(path, **sent)  # type: ignore[arg-type]
        assert answer.status_code == 403 and "browser" in answer.text, path
    for path in ("/account/token", "/account/tokens", "/account/tokens/end", "/account/consent", "/account/logout",
                 "/logout", "/login", "/invite", "/marks/freeze"):  # fmt: skip
        data = {"label": "x", "sure": "yes", "token": members.token("ben"), "code": members.invited("Ned")}
        answer = client.post(path, data=data)
        assert answer.status_code == 403 and "set-cookie" not in answer.headers, path
    assert members.account("gus").role is role and members.server.accounts.find("Mallory") is None
    assert [row for row in members.server.accounts.audit(most=1000) if row.about != "Ned"] == [
        row for row in log if row.about != "Ned"
    ]


CODE = b"SECRET = 7\n"


def test_a_token_does_what_its_scope_says_and_no_more(members: Members) -> None:
    look, send, manage = (program(members, "aya", scope) for scope in Scope)
    assert [one.get("/api/me").status_code for one in (look, send, manage)] == [200] * 3
    refused = look.put("/api/bots/scoped", content=CODE)
    assert refused.status_code == 403 and "`look`" in refused.json()["error"] and "`send`" in refused.json()["error"]
    assert look.post("/api/tables", json={"game": "naga", "seats": ["me", "person"]}).status_code == 403
    assert look.post("/api/ask", json={}).status_code == 403
    assert send.put("/api/bots/scoped", content=CODE).status_code == 201
    assert send.post("/api/ask", json={}).status_code == 400  # it may, but asks for nothing
    for act in ("withdraw", "publish", "give"):
        assert [one.post(f"/api/bots/scoped/{act}").status_code for one in (look, send)] == [403, 403]
    assert manage.post("/api/bots/scoped/withdraw").status_code == 404, "it may, but there is no version yet"
    with pytest.raises(WebSocketDenialResponse) as denied, look.websocket_connect("ws://127.0.0.1:8000/remote/socket"):
        pass
    assert denied.value.status_code == 403


def test_an_organisers_token_is_an_authors_unless_it_manages(members: Members) -> None:
    private = ("/api/admin", "/admin", "/api/me?everybody=true")
    for scope, expected in ((Scope.LOOK, 403), (Scope.SEND, 403), (Scope.MANAGE, 200)):
        client = program(members, "organiser", scope)
        assert {client.get(path).status_code for path in private} == {expected}, scope
        assert client.get("/api/account").json()["role"] == ("organiser" if scope is Scope.MANAGE else "author")


def test_every_address_that_changes_something_is_judged(members: Members) -> None:
    """An address that nobody has thought of asks for the widest scope."""
    server: Server = members.server
    for route in server.routes():
        methods = getattr(route, "methods", None) or set()
        path = getattr(route, "path", "").replace("{name}", "bot").replace("{id}", "x").replace("{code}", "x")
        for method in methods - {"GET", "HEAD"}:
            found = beyond_scope(Scope.LOOK, {"type": "http", "method": method, "path": path})
            assert found is not None and found.status == 403, (method, path)
            if path.startswith(BY_NO_TOKEN):
                assert beyond_scope(Scope.MANAGE, {"type": "http", "method": method, "path": path}) is not None
    assert beyond_scope(Scope.SEND, {"type": "http", "method": "POST", "path": "/api/new"}) is not None


def test_a_token_ends_by_itself(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    client = program(members, "aya", Scope.LOOK)
    assert client.get("/api").status_code == 200
    later = (datetime.now(UTC) + timedelta(days=8)).isoformat(timespec="seconds")
    for module in ("arena.server.entrance", "arena.results.accounts"):
        monkeypatch.setattr(f"{module}.now", lambda: later)
    assert client.get("/api").status_code == 401
    assert members.server.accounts.api_tokens(members.account("aya")) == []


def test_a_page_makes_narrow_tokens_unless_told_otherwise(members: Members) -> None:
    accounts, ben = members.server.accounts, members.account("ben")
    ben_browser = browser_of(members, "ben")
    for more in ({}, {"scope": "send", "days": "365"}, {"scope": "all"}, {"days": "9999"}, {"days": "x"}, {"days": "-1"}):
        status = ben_browser.post("/account/tokens", data={"label": "t", **more}).status_code
        assert status == (200 if not more or more.get("scope") == "send" else 400), more
    first, second = accounts.api_tokens(ben)
    assert {first.scope, second.scope} == {Scope.LOOK, Scope.SEND}
    days = sorted((datetime.fromisoformat(one.until) - datetime.now(UTC)).days for one in (first, second))
    assert days[0] in (89, 90) and days[1] in (364, 365)
    page = ben_browser.get("/account").text
    assert "send bots and play" in page and '<option value="look">' in page


def test_tokens_of_an_older_server_may_look_for_some_time(tmp_path: Path) -> None:
    accounts = Accounts(SiteFile(tmp_path))
    account = accounts.invite("test", ["Olga"], Role.ORGANISER)[0].account
    token = accounts.make_api_token(account, "old", Scope.MANAGE)
    assert token is not None
    accounts._file.close()
    with sqlite3.connect(tmp_path / SITE_FILE) as db:  # as it was before there were scopes
        db.execute("drop table scopes")
        db.execute("pragma user_version = 2")
    db.close()
    bearer = accounts.of_program(digest(token))
    assert bearer is not None and bearer.scope is Scope.LOOK and bearer.until is not None
    assert bearer.account.role is Role.AUTHOR
    assert datetime.fromisoformat(bearer.until) < datetime.now(UTC) + timedelta(days=stored.USUAL_DAYS + 1)


# Fresh sessions ---------------------------------------------------------------------------------------------------------------


def aged(members: Members, browser: TestClient) -> None:
    """Let it be two hours ago that somebody logged in in a browser."""
    name = digest(browser.cookies["arena_session_8000"])
    with members.server.site_file.writing() as db:
        db.execute("update sessions set opened = ? where digest = ?", (EARLIER, name))
    if name in members.server.sessions._open:
        members.server.sessions._open[name] -= 7200


def host_browser(members: Members) -> TestClient:
    browser = members.client()
    assert browser.post("/login", data={"token": TOKEN}).status_code == 303
    return browser


FORMS: dict[str, dict[str, Any]] = {
    "invite": {"names": "Une\nDeux", "role": "guest"}, "role": {"name": "Gus", "role": "guest"}, "close": {"name": "Una"},
    "reopen": {"name": "Una"},
}  # fmt: skip


@pytest.mark.parametrize("what", FORMS)
@pytest.mark.parametrize("who", ["organiser", "host"])
def test_an_old_session_has_to_show_the_token_and_loses_nothing(members: Members, who: str, what: str) -> None:
    members.server.accounts.find("Una") or members.invited("Una")
    browser = host_browser(members) if who == "host" else browser_of(members, who)
    right = TOKEN if who == "host" else members.token(who)
    aged(members, browser)
    log = members.server.accounts.audit(most=1000)
    asked = browser.post(f"/admin/{what}", data=FORMS[what])
    assert asked.status_code == 403 and 'name="token"' in asked.text
    assert all(f'value="{value}"' in asked.text for value in FORMS[what].values())
    assert browser.post(f"/api/admin/{what}", json=ADMIN[what]).status_code == 403
    for wrong in ("x", members.token("aya"), program(members, "organiser", Scope.MANAGE).headers["authorization"][7:]):
        refused = browser.post(f"/admin/{what}", data={**FORMS[what], "token": wrong})
        assert refused.status_code == 403 and "not your token" in refused.text
    assert members.server.accounts.audit(most=1000) == log
    done = browser.post(f"/admin/{what}", data={**FORMS[what], "token": right})
    assert done.status_code in (200, 303) and members.server.accounts.audit(most=1000) != log
    assert browser.post(f"/admin/{what}", data=FORMS[what]).status_code in (200, 303, 400), "for an hour it is not asked again"


@pytest.mark.parametrize("path", ["/account/token", "/account/tokens"])
def test_an_old_session_gets_no_new_token_by_which_it_would_be_fresh(members: Members, path: str) -> None:
    """Whoever finds a browser left open would else have a token to show, and its owner none that is good."""
    browser, form = browser_of(members, "organiser"), {"label": "mine", "scope": "manage", "days": "365"}
    aged(members, browser)
    asked = browser.post(path, data=form)
    assert asked.status_code == 403 and 'name="token"' in asked.text and 'value="mine"' in asked.text
    account = members.account("organiser")
    assert members.server.accounts.api_tokens(account) == []
    assert members.server.accounts.of_token(digest(members.token("organiser")), stored.Kind.PERSON) == account
    assert browser.post("/admin/role", data={"name": "Gus", "role": "guest"}).status_code == 403
    made = browser.post(path, data={**form, "token": members.token("organiser")})
    assert made.status_code == 200
    if path == "/account/token":  # which has ended the old one
        members._tokens["organiser"] = members.server.accounts.replace_token(account, None)


def test_looking_and_own_bots_ask_for_no_token(members: Members) -> None:
    browser = browser_of(members, "organiser")
    aged(members, browser)
    assert browser.get("/admin").status_code == 200 and browser.get("/api/me").status_code == 200


def test_marks_are_frozen_only_by_who_has_shown_the_token(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    frozen: list[None] = []

    class Running:
        """A contest whose marks can be frozen."""

        contest = type("Named", (), {"name": "cup"})
        freeze = staticmethod(lambda: frozen.append(None))

    browser = browser_of(members, "organiser")
    aged(members, browser)
    monkeypatch.setattr("arena.server.running_contest.freezing.contest_of", lambda _: Running)
    asked = browser.post("/marks/freeze", data={"sure": "yes"})
    assert asked.status_code == 403 and frozen == [] and 'name="sure" value="yes"' in asked.text
    token = members.token("organiser")
    assert browser.post("/marks/freeze", data={"sure": "yes", "token": token}).status_code == 303 and len(frozen) == 1
