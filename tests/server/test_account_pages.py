"""Joining by a link, the own account, the organisers' page: what they do, and who is kept from it."""

import logging
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.errors import StoreError
from arena.results.accounts import Accounts
from arena.results.site_file import SITE_FILE
from arena.server.headers import cookie_name
from arena.server.people.store import keep
from arena.server.submitting.checks import Checks
from arena.server.tables.tables import Tables
from arena.server.visitors import person_of
from helpers.live_tables import COMMAND, Clock
from helpers.members import Members, with_members
from helpers.people_matches import people_match
from helpers.server import HOST, TOKEN, server

TOKENS = re.compile(r'data-copy="[^>]*>([\w-]{43})<')
ADMIN = ("invite", "role", "rename", "close", "reopen")
MINE = (
    "/account/token",
    "/account/tokens",
    "/account/tokens/end",
    "/account/consent",
    "/account/consent/end",
    "/account/logout",
)
POSTS = ("/invite", *MINE, *(f"/admin/{what}" for what in ADMIN), *(f"/api/admin/{what}" for what in ADMIN))


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory, clock: Clock) -> Iterator[Members]:
    """A server with accounts, whose tables play no game."""
    tables = Tables(cores=8, later=clock.later, command=COMMAND)
    with with_members(tmp_path_factory.mktemp("results"), tables=tables) as found:
        yield found


def token_of(page: Any) -> str:
    """The token that a page shows."""
    assert page.status_code == 200 and page.headers["cache-control"] == "no-store"
    (found,) = TOKENS.findall(page.text)
    return str(found)


def works(members: Members, token: str) -> bool:
    """Whether a token lets a program in."""
    return members.client().get("/api/account", headers={"authorization": f"Bearer {token}"}).status_code == 200


def test_a_link_shows_a_button_and_the_button_shows_the_token_once(members: Members) -> None:
    code, browser = members.invited("Cleo"), members.client()
    for _ in range(3):  # previews look at it as often as they like
        page = browser.get("/invite")
        assert page.status_code == 200 and "invite.js" in page.text and "set-cookie" not in page.headers
    answer = browser.post("/invite", data={"code": f" {code} "})
    token = token_of(answer)
    assert answer.text.count("Welcome, Cleo!") == 2 and "{name}" not in answer.text  # in the title, too
    assert 'href="/me"' in answer.text and code not in answer.text
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Max-Age=" in cookie and "Secure" not in cookie
    assert works(members, token) and browser.get("/api/account").json()["name"] == "Cleo"
    again = members.client().post("/invite", data={"code": code})
    assert again.status_code == 403 and "set-cookie" not in again.headers and "ask the organiser" in again.text
    assert token not in browser.get("/account").text


@pytest.mark.parametrize("code", ["", "x", "\0", "é", "' or ''='", "x" * 5000])
def test_a_forged_link_opens_nothing(members: Members, code: str) -> None:
    answer = members.stranger.post("/invite", data={"code": code})
    assert answer.status_code == 403 and "set-cookie" not in answer.headers


def test_behind_tls_the_cookie_is_secure(members: Members) -> None:
    for path, fields in (("/invite", {"code": members.invited("Dana")}), ("/login", {"token": members.token("aya")})):
        browser = members.client()
        browser.base_url = HOST.replace("http:", "https:")
        cookie = browser.post(path, data=fields).headers["set-cookie"]
        assert cookie.startswith("__Host-arena_session_8000=") and "Secure" in cookie and "Path=/" in cookie
        assert "domain" not in cookie.lower()
        name, _, secret = cookie.partition(";")[0].partition("=")
        asked = members.client()
        asked.base_url = browser.base_url
        assert asked.get("/api", headers={"cookie": f"{name}={secret}"}).status_code == 200
        planted = f"{name.removeprefix('__Host-')}={secret}"  # as another host of the domain can
        assert asked.get("/api", headers={"cookie": planted}).status_code == 401
        assert browser.post("/logout").headers["set-cookie"].startswith(f'{name}=""; ')
        assert browser.get("/api").status_code == 401


def test_a_personal_token_is_replaced_and_others_are_logged_out(members: Members) -> None:
    other = members.client()
    other.post("/login", data={"token": members.token("ben")})
    before = members.token("ben")
    token = token_of(members.ben.post("/account/token"))
    assert works(members, token) and not works(members, before)
    assert members.ben.get("/account").status_code == 200 and other.get("/account").status_code == 401
    members._tokens["ben"] = token


def test_tokens_for_programs_are_made_and_ended(members: Members) -> None:
    token = token_of(members.aya.post("/account/tokens", data={"label": "  my <b>  laptop "}))
    page = members.aya.get("/account").text
    assert "my &lt;b&gt; laptop" in page and token not in page
    (made,) = members.aya.get("/api/account").json()["tokens"]
    assert made["label"] == "my <b> laptop" and works(members, token)
    assert members.ben.post("/account/tokens/end", data={"id": made["id"]}).status_code == 303
    assert works(members, token), "nobody ends the tokens of somebody else"
    assert members.aya.post("/account/tokens/end", data={"id": made["id"]}).status_code == 303
    assert not works(members, token) and members.aya.get("/api/account").json()["tokens"] == []
    for label in ("", " ", "x" * 41, "a\x00b", "a\u202eb"):
        assert members.aya.post("/account/tokens", data={"label": label}).status_code == 400


def test_no_token_makes_tokens(members: Members) -> None:
    for client in (members.program("aya"), members.host):
        for path in MINE:
            assert client.post(path, data={"label": "x"}).status_code == 403, path
    assert members.aya.get("/account").status_code == 200


def test_matches_are_published_only_with_consent_and_no_longer_than_it_lasts(members: Members) -> None:
    consents, give = members.server.accounts.consents, 'action="/account/consent"'
    assert consents.names() == {} and give in members.ben.get("/account").text
    for _ in range(2):  # twice is once
        assert members.ben.post("/account/consent").headers["location"] == "/account"
    assert list(consents.names()) == ["ben"] and give not in members.ben.get("/account").text
    assert members.ben.get("/api/account").json()["consents"] and not members.aya.get("/api/account").json()["consents"]
    members.server.accounts.close("test", members.account("ben"))
    assert consents.names() == {}, "nobody comes into a closed account to withdraw"
    members.server.accounts.reopen("test", members.account("ben"))
    members.ben = members._joined("ben")
    assert members.ben.post("/account/consent/end").status_code == 303
    assert consents.names() == {} and give in members.ben.get("/account").text


def test_logging_out_everywhere(members: Members) -> None:
    browsers = [members.client() for _ in range(2)]
    for browser in browsers:
        browser.post("/login", data={"token": members.token("gus")})
    assert browsers[0].post("/account/logout").headers["location"] == "/login"
    assert [browser.get("/api").status_code for browser in (*browsers, members.gus)] == [401] * 3
    members.gus.post("/login", data={"token": members.token("gus")})


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("headers", [{"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}])
def test_no_other_site_does_anything(members: Members, path: str, headers: dict[str, str]) -> None:
    code = members.invited("Erin")
    fields = {"code": code, "names": "Mallory", "name": "Aya", "role": "guest", "label": "x"}
    for client in (members.organiser, members.aya):
        answer = client.post(path, data=fields, headers=headers)
        assert answer.status_code == 403 and "another site" in answer.text
    accounts = members.server.accounts
    assert accounts.find("Mallory") is None and members.account("aya").is_author and members.aya.get("/").status_code == 200
    assert accounts.join(code) is not None


@pytest.mark.parametrize("path", [path for path in POSTS if "admin" in path])
def test_only_organisers_organise(members: Members, path: str) -> None:
    form = {"names": "Mallory", "name": "Gus", "role": "organiser"}
    body = {"names": ["Mallory"], "role": "organiser"} if path.endswith("invite") else {"name": "Gus", "role": "organiser"}
    rows = members.server.accounts.audit()
    for client in (members.aya, members.gus, members.program("ben"), members.stranger):
        answer = client.post(path, json=body) if path.startswith("/api/") else client.post(path, data=form)
        assert answer.status_code == (401 if client is members.stranger else 403), path
    assert members.server.accounts.find("Mallory") is None and members.server.accounts.audit() == rows
    for address in ("/admin", "/api/admin"):
        assert [client.get(address).status_code for client in (members.organiser, members.host)] == [200, 200]
        assert [client.get(address).status_code for client in (members.aya, members.gus, members.stranger)] == [403, 403, 401]
    assert 'href="/admin"' in members.organiser.get("/").text and 'href="/admin"' not in members.aya.get("/").text


def test_an_organiser_invites_in_the_page(members: Members) -> None:
    page = members.organiser.post("/admin/invite", data={"names": "Fay <script>\n# nobody\n Gil \n", "role": "guest"})
    assert page.status_code == 200 and "<script>" not in page.text
    links = re.findall(rf"{re.escape(HOST)}/invite#([\w-]{{43}})", page.text)
    assert len(set(links)) == 2 and members.server.accounts.find("gil") is not None
    token_of(members.client().post("/invite", data={"code": links[0]}))
    assert "Fay &lt;script&gt;" in members.organiser.get("/admin").text
    refused = members.organiser.post("/admin/invite", data={"names": "Hal\n\u202e\nFay <script>\nAYA\nAya\n"})
    assert refused.status_code == 400 and "2: " in refused.text and "5: " in refused.text and "<textarea" in refused.text
    assert members.server.accounts.find("Hal") is None


def test_a_page_of_an_organiser_invites_changes_and_closes_by_json(members: Members) -> None:
    program = members.organiser
    (link,) = program.post("/api/admin/invite", json={"names": ["Ida"]}).json()
    assert (link["name"], link["role"], link["new"]) == ("Ida", "author", True)
    browser = members.client()
    token = token_of(browser.post("/invite", data={"code": link["link"].partition("#")[2]}))
    assert program.post("/api/admin/role", json={"name": "ida", "role": "guest"}).status_code == 200
    assert browser.get("/api/account").json()["role"] == "guest"
    assert program.post("/api/admin/close", json={"name": "Ida"}).status_code == 200
    assert browser.get("/api").status_code == 401 and not works(members, token)
    assert members.client().post("/login", data={"token": token}).status_code == 403
    closed = program.post("/api/admin/invite", json={"names": ["Ida"]})
    assert closed.status_code == 400 and "reopen" in closed.json()["error"]
    assert program.post("/api/admin/reopen", json={"name": "Ida"}).status_code == 200 and not works(members, token)
    found = program.get("/api/admin").json()
    assert [(row["what"], row["about"], row["who"]) for row in found["audit"][:5]] == [
        ("reopen", "Ida", "Olga"), ("close", "Ida", "Olga"), ("role", "Ida", "Olga"), ("sign_in", "Ida", "Ida"),
        ("invite", "Ida", "Olga"),
    ]  # fmt: skip
    for what, body, status in (
        ("close", {"name": "nobody"}, 404), ("close", {"name": "Olga"}, 409), ("role", {"name": "Olga", "role": "guest"}, 409),
        ("role", {"name": "Aya"}, 400), ("role", {"name": "Aya", "role": "king"}, 400), ("close", {"name": 1}, 400),
        ("invite", {"names": ["a\nb", "#", ""]}, 400), ("invite", {"names": []}, 400), ("invite", {"names": "Aya"}, 400),
        ("close", {"name": "Aya", "more": 1}, 400), ("close", [], 400),
    ):  # fmt: skip
        answer = program.post(f"/api/admin/{what}", json=body)
        assert answer.status_code == status and answer.json()["error"], (what, body)


def test_a_misspelt_name_is_mended_until_somebody_plays_under_it(members: Members) -> None:
    code = members.invited("Hanko")
    browser = members.client()
    token = token_of(browser.post("/invite", data={"code": code}))
    renamed = partial(members.organiser.post, "/api/admin/rename")
    for new, status in (("aya", 409), ("terminal", 409), ("\n", 400), (None, 400), ("HANAKO", 200)):
        assert renamed(json={"name": "hanko", "new": new}).status_code == status, new
    assert members.organiser.post("/admin/rename", data={"name": "HANAKO", "new": "Hanako"}).status_code == 303
    assert browser.get("/api/account").json()["name"] == "Hanako" and works(members, token)
    row = members.server.accounts.audit(most=1)[0]
    assert (row.who, row.what, row.about, row.details) == ("Olga", "rename", "Hanako", "was HANAKO")
    assert members.organiser.post("/api/admin/invite", json={"names": ["Hanko"]}).status_code == 400  # nobody else becomes that
    keep(members.server.library.out, *people_match("naga", "Hanako:beginner", "beginner"))
    refused = renamed(json={"name": "Hanako", "new": "Hana"})
    assert refused.status_code == 409 and "bear the name Hanako" in refused.json()["error"]
    assert members.account("Hanako").name == "Hanako"


def test_the_audit_log_is_read_by_a_cursor(members: Members) -> None:
    for number in range(70):
        members.server.accounts.log(members.account("organiser"), "act", f"{number}")
    seen: list[int] = []
    query = ""
    while True:
        found = members.organiser.get(f"/api/admin{query}").json()
        seen += [row["number"] for row in found["audit"]]
        if found["next"] is None:
            break
        query = f"?before={found['next']}"
    assert seen == list(range(seen[0], 0, -1)) and len(seen) >= 70
    assert members.organiser.get("/api/admin?before=0").status_code == 400


def test_an_account_plays_under_its_name_and_closing_it_ends_its_table(members: Members) -> None:
    def opened(client: TestClient, **fields: str) -> Any:
        return client.post("/play/naga", data={"seat": "0", "opponent": "level:club", **fields})

    page = members.aya.get("/play/naga").text
    assert 'name="name"' not in page and 'name="name"' in members.host.get("/play/naga").text
    answer = opened(members.aya, people="1", name="Somebody else")
    table = members.server.tables.at(answer.headers["location"].rpartition("/")[2], _person(members, "aya"))[0]
    assert table.seats[0].name == "Aya" and "set-cookie" not in answer.headers
    guest = members.client()
    for name in ("Ben", "ｂｅｎ", "\u0412\u0435n"):
        assert guest.post(f"/join/{table.code}", data={"name": name}).status_code == 409, "the name of an account"
    assert members.ben.post(f"/join/{table.code}", data={"name": "x"}).status_code == 303
    assert [seat.name for seat in table.seats] == ["Aya", "Ben"]
    members.organiser.post("/admin/close", data={"name": "Aya"})
    assert not table.is_running, "its host is gone"
    members.organiser.post("/admin/reopen", data={"name": "Aya"})
    joined = members.server.accounts.join(members.invited("Aya"))
    assert joined is not None
    members.aya.cookies.set(cookie_name(HOST), joined.session, domain="127.0.0.1", path="/")
    members._tokens["aya"] = joined.token


def _person(members: Members, who: str) -> Any:
    return person_of(members.account(who))


def test_a_name_that_was_squatted_goes_to_the_account(members: Members) -> None:
    squatter = members.client()
    squatter.headers["authorization"] = f"Bearer {TOKEN}"
    answer = squatter.post("/api/tables", json={"game": "naga", "seats": ["me", "person"], "name": "Jo"})
    assert answer.status_code == 201 and squatter.get("/api/play").json()["me"] == "Jo"
    members.invited("Jo")
    assert squatter.get("/api/play").json()["me"].startswith("guest-")
    squatter.post(f"{answer.json()['page']}/leave")


def test_guests_of_a_table_have_no_account_and_come_to_none(members: Members) -> None:
    host = members.ben.post("/play/naga", data={"seat": "0", "opponent": "level:club", "people": "1"})
    table = members.server.tables.at(host.headers["location"].rpartition("/")[2], _person(members, "ben"))[0]
    guest = members.client()
    assert guest.post(f"/join/{table.code}", data={"name": "Kim"}).status_code == 303
    for path in ("/account", "/admin", "/api/account", "/api/admin"):
        assert guest.get(path).status_code == 403
    for path in POSTS[1:]:
        assert guest.post(path).status_code == 403
    token_of(guest.post("/invite", data={"code": members.invited("Kim the invited")}))
    assert guest.get("/api/account").json()["name"] == "Kim the invited"
    members.ben.post(f"/tables/{table.id}/leave")


def test_no_secret_comes_into_a_log_or_an_address(members: Members, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    code, browser = members.invited("Lou"), members.client()
    answer = browser.post("/invite", data={"code": code})
    secrets = [code, token_of(answer), browser.cookies[cookie_name(HOST)]]
    again = members.client().post("/login", data={"token": secrets[1]})
    members.client().post("/invite", data={"code": code})
    browser.post("/account/token")
    said = caplog.text + "".join(record.getMessage() for record in caplog.records)
    assert not any(secret in said or secret in again.headers["location"] for secret in secrets)
    assert answer.headers["referrer-policy"] == "same-origin"


def test_without_accounts_a_server_writes_nothing(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        for path in ("/", "/admin", "/account", "/invite", "/api/admin"):
            assert client.get(path).status_code == 200, path
        assert client.post("/invite", data={"code": "x"}).status_code == 403
        assert client.post("/admin/close", data={"name": "Aya"}).status_code == 404
        client.headers.pop("authorization")
        client.cookies.set(cookie_name(HOST), "x" * 43)
        assert client.get("/api").status_code == 401
        assert client.post("/login", data={"token": "x" * 43}).status_code == 403
    assert not (tmp_path / SITE_FILE).exists()


def test_a_file_that_cannot_be_used_keeps_accounts_out_and_not_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Checks, "start", lambda self: None)  # it looks into the file now and then, and would hold it open
    with with_members(tmp_path) as members:
        file = members.server.site_file
        with file.reading() as db:
            assert db is not None
            (pages,) = db.execute("pragma page_count").fetchone()
            db.execute(f"pragma max_page_count = {pages}")
        names = "\n".join(f"n{number}" for number in range(500))
        full = members.organiser.post("/admin/invite", data={"names": names})
        assert full.status_code == 503 and str(tmp_path) not in full.text
        assert members.aya.get("/").status_code == 200, "who is in stays in"
        file.close()
        for path in file.path.parent.iterdir():
            path.write_bytes(b"no database at all, but long enough to be looked at" * 20)
        members.server.entrance._looked = float("-inf")
        assert members.aya.get("/api").status_code == 401
        assert members.client().post("/login", data={"token": members.token("aya")}).status_code == 503
        assert members.stranger.post("/invite", data={"code": "x"}).status_code == 503
        assert members.host.get("/").status_code == 200
        broken = members.host.get("/admin")
        assert broken.status_code == 500 and "site.sqlite" in broken.text


def test_paths_of_the_machine_are_for_organisers(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(members.server.library.out)
    for address in ("/", "/api"):
        assert folder in members.organiser.get(address).text and folder in members.host.get(address).text
        assert folder not in members.aya.get(address).text and folder not in members.gus.get(address).text

    def broken(*_: object) -> None:
        raise StoreError(f"{folder}/people/site.sqlite: cannot be used")

    monkeypatch.setattr(Accounts, "sessions", broken)
    refused = members.aya.get("/account")
    assert refused.status_code == 500 and folder not in refused.text and "cannot be read now" in refused.text
