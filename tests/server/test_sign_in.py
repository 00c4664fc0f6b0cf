"""Sign-in by the header of a proxy: who comes in, under which name, and that nobody becomes somebody else by a header."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from arena.results.accounts import Scope
from arena.results.site_file import Role
from arena.server.app import Server, application
from arena.server.guard import public_address, rules_for
from arena.server.sign_in.settings import check_sign_in
from helpers.server import TOKEN

NAME = "arena.example.org"
PUBLIC = f"https://{NAME}"
USER, PREFERRED = "x-forwarded-user", "x-forwarded-preferred-username"


class Site:
    """A server behind a proxy that signs people in."""

    def __init__(self, client: TestClient, app: Any) -> None:
        self.client = client
        self.server: Server = app.state.server

    def asked(self, path: str, who: str | None = None, method: str = "GET", **more: Any) -> Any:
        """The answer to what the proxy asks for, for somebody whom it has signed in."""
        headers = {"host": NAME, "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https"} | more.pop("headers", {})
        if who is not None:
            headers[USER] = who.encode()
        return self.client.request(method, path, headers=headers, **more)

    def sent(self, path: str, who: str | None, **fields: str) -> Any:
        """The answer to a form of one of the server's pages."""
        return self.asked(path, who, "POST", data=fields, headers={"origin": PUBLIC})

    def name(self, who: str | None, **more: Any) -> str:
        """The name of the account that comes in."""
        answer = self.asked("/api/account", who, **more)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["name"])

    def joined(self, name: str, role: Role = Role.AUTHOR) -> Any:
        """Somebody who was invited, and has used the link."""
        found = self.server.accounts.join(self.server.accounts.invite("test", [name], role)[0].code)
        assert found is not None
        return found

    def log(self) -> list[tuple[str, str, str]]:
        """The audit log, the oldest first: who, what, details."""
        return [(row.who, row.what, row.details) for row in reversed(self.server.accounts.audit(most=1000))]


@contextmanager
def site(out: Path, *, peer: str = "127.0.0.1", **settings: Any) -> Iterator[Site]:
    """A server whose proxy asks from an address."""
    sign_in = check_sign_in({"header": "X-Forwarded-User", **settings})
    public = public_address(PUBLIC, "127.0.0.1", tuple(sign_in.proxies))
    app = application(out, token=TOKEN, rules=rules_for("127.0.0.1", public), sign_in=sign_in)
    with TestClient(app, base_url=PUBLIC, client=(peer, 5), follow_redirects=False) as client:
        yield Site(client, app)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as found:
        yield found


def test_who_is_named_has_an_account_from_the_first_sight_on(here: Site) -> None:
    assert here.asked("/api/account").status_code == 401
    page = here.asked("/", "ada")
    assert page.status_code == 200 and ">ada<" in page.text and "set-cookie" not in page.headers
    account = here.asked("/api/account", "ada").json()
    assert (account["name"], account["role"], len(account["sessions"])) == ("ada", "author", 1)
    assert account["sessions"][0]["is_this"]
    assert here.name("ben") == "ben" and here.name("ada") == "ada"
    assert here.server.accounts.find("ada") is not None and len(here.server.accounts.members()) == 2


def test_the_log_says_how_somebody_came_in(here: Site) -> None:
    for _ in range(3):
        here.asked("/", "ada@example.org")
    how = "X-Forwarded-User: ada@example.org"
    assert here.log() == [("ada", "sign_in_new", how), ("ada", "sign_in", how)]


def test_an_account_outlives_the_server(tmp_path: Path) -> None:
    with site(tmp_path) as first:
        first.asked("/", "ada")
        made = first.server.accounts.find("ada")
    with site(tmp_path) as second:
        assert second.name("ada") == "ada" and second.server.accounts.find("ada") == made
        assert [what for _, what, _ in second.log()] == ["sign_in_new", "sign_in"]  # the session went on


def test_an_invited_account_is_not_taken_over_by_a_name_that_is_the_same(here: Site) -> None:
    here.joined("Ada", Role.ORGANISER)
    for who in ("ada", "Ada", "ＡＤＡ", "\u0430da", "ada@example.org"):  # one with a Cyrillic letter
        page = here.asked("/", who)
        assert page.status_code == 409 and "belongs to another account" in page.text and who in page.text
        assert here.asked("/api/account", who).json()["error"].startswith("The sign-in calls you")
    assert len(here.server.accounts.members()) == 1


def test_two_names_of_the_proxy_never_share_an_account(here: Site) -> None:
    assert here.name("ada@one.example") == "ada"
    assert here.asked("/", "ada@two.example").status_code == 409
    assert here.asked("/", "Ada@one.example").status_code == 409
    assert here.name("ada@one.example") == "ada"


@pytest.mark.parametrize("who", ["x" * 25, "organiser", "Terminal", "proxy", "a\u3164b", "@example.org"])
def test_a_name_that_no_account_can_have_is_refused_on_one_page(here: Site, who: str) -> None:
    page = here.asked("/", who)
    assert page.status_code == 409 and 'name="token"' in page.text and len(here.server.accounts.members()) == 0
    assert here.asked("/static/x", who).status_code == 404 and here.asked("/invite", who).status_code == 200


def test_the_owner_of_an_account_links_a_sign_in_by_showing_the_token_once(here: Site) -> None:
    ada = here.joined("Ada Lovelace")
    who = "a.very.long.user.name.of.an.institute"
    assert here.asked("/", who).status_code == 409
    assert here.sent("/login", who, token="x" * 43).status_code == 409
    assert here.sent("/login", who, token=TOKEN).status_code == 409  # the server's own token is nobody's
    answer = here.sent("/login", who, token=ada.token)
    assert answer.status_code == 303 and "set-cookie" not in answer.headers
    assert here.name(who) == "Ada Lovelace"
    assert ("Ada Lovelace", "sign_in_link", f"X-Forwarded-User: {who}") in here.log()


def test_a_join_link_links_a_sign_in_too(here: Site) -> None:
    here.joined("ada")
    code = here.server.accounts.invite("test", ["Ada L."])[0].code
    answer = here.sent("/invite", "ada", code=code)
    assert answer.status_code == 200 and "set-cookie" not in answer.headers
    assert here.name("ada") == "Ada L."


def test_who_has_an_account_already_is_not_made_another_one(here: Site) -> None:
    ben = here.joined("ben")
    here.asked("/", "ada")
    for path, fields in (("/login", {"token": ben.token}), ("/invite", {"code": "x"})):
        assert here.sent(path, "ada", **fields).status_code == 409
    assert here.name("ada") == "ada"


def test_the_header_counts_and_no_cookie(here: Site) -> None:
    cookie = f"__Host-arena_session_80={here.joined('ben').session}"
    assert here.name(None, headers={"cookie": cookie}) == "ben"
    assert here.name("ada", headers={"cookie": cookie}) == "ada"
    assert here.asked("/", "ben", headers={"cookie": cookie}).status_code == 409  # nor does it help a name that is the same


def test_no_cookie_opens_the_session_of_a_name(here: Site) -> None:
    """Neither what names it on pages and in the file, nor anything that is made of the name."""
    here.asked("/", "ada")
    with here.server.site_file.reading() as db:
        assert db is not None
        subject, account, session, _ = db.execute("select * from identities").fetchone()
    for secret in (subject, account, session, f"X-Forwarded-User: {subject}", ""):
        answer = here.asked("/api/account", headers={"cookie": f"__Host-arena_session_80={secret}"})
        assert answer.status_code == 401


def test_a_program_with_a_token_is_who_the_token_says_and_may_what_it_may(here: Site) -> None:
    account = here.joined("ben").account
    token = here.server.accounts.make_api_token(account, "feed", Scope.LOOK)
    bearer = {"authorization": f"Bearer {token}"}
    assert here.name(None, headers=bearer) == "ben" and here.name("ada", headers=bearer) == "ben"
    upload = here.asked("/api/bots/x", "ada", "PUT", content=b"#", headers=bearer)
    assert upload.status_code == 403 and "`look`" in upload.json()["error"]
    foreign = {"authorization": "Bearer eyJhbGciOi.of.the-proxy"}
    assert here.name("ada", headers=foreign) == "ada"


def test_pages_elsewhere_still_send_nothing(here: Site) -> None:
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert here.asked("/account/logout", "ada", "POST", headers=headers).status_code == 403


def test_a_socket_opens_for_whom_the_proxy_names_and_ends_with_the_session(here: Site) -> None:
    headers = {"host": NAME, "origin": PUBLIC, USER: "ada"}
    with here.client.websocket_connect(f"wss://{NAME}/live", headers=headers) as socket:
        socket.send_json({"watch": "home"})
        assert socket.receive_json()["kind"] == "home"
        here.sent("/logout", "ada")
        with pytest.raises(WebSocketDisconnect) as ended:
            while True:
                socket.receive_json()
        assert ended.value.code == 4401
    del headers[USER]
    with pytest.raises(WebSocketDenialResponse), here.client.websocket_connect(f"wss://{NAME}/live", headers=headers):
        pass


def test_logging_out_ends_the_session_and_leads_to_the_proxy(tmp_path: Path) -> None:
    with site(tmp_path, sign_out="/oauth2/sign_out?rd=%2F") as there:
        opened = there.asked("/api/account", "ada").json()["sessions"]
        answer = there.sent("/logout", "ada")
        assert answer.status_code == 200 and answer.headers["refresh"] == "0; url=/oauth2/sign_out?rd=%2F"
        assert (
            'href="/oauth2/sign_out?rd=%2F"' in answer.text
            and "form-action 'self'" in answer.headers["content-security-policy"]
        )
        account = there.server.accounts.find("ada")
        assert account is not None and there.server.accounts.sessions(account) == []
        assert len(opened) == len(there.asked("/api/account", "ada").json()["sessions"]) == 1
        assert [what for _, what, _ in there.log()] == ["sign_in_new", "sign_in", "sign_in"]
        assert there.sent("/account/logout", "ada").headers["refresh"] == answer.headers["refresh"]


def test_without_an_address_to_sign_out_the_page_explains(here: Site) -> None:
    here.asked("/", "ada")
    answer = here.sent("/logout", "ada")
    assert answer.status_code == 200 and "refresh" not in answer.headers and "still knows this browser" in answer.text


def test_who_cannot_come_in_can_still_sign_out_and_be_somebody_else(tmp_path: Path) -> None:
    with site(tmp_path, sign_out="/oauth2/sign_out") as there:
        page = there.asked("/", "x" * 25)
        assert page.status_code == 409 and 'action="/logout"' in page.text
        assert there.sent("/logout", "x" * 25).headers["refresh"] == "0; url=/oauth2/sign_out"


def test_grave_acts_need_a_sign_in_that_is_not_old(here: Site) -> None:
    fields = {"label": "laptop", "scope": "look", "days": "7"}
    assert here.sent("/account/tokens", "ada", **fields).status_code == 200
    with here.server.site_file.writing() as db:
        db.execute("update sessions set opened = '2020-01-01T00:00:00+00:00'")
    page = here.sent("/account/tokens", "ada", **fields)
    assert page.status_code == 403 and "sign in again" in page.text and 'action="/logout"' in page.text
    here.sent("/logout", "ada")
    assert here.sent("/account/tokens", "ada", **fields).status_code == 200


def test_organisers_are_those_that_the_file_names(tmp_path: Path) -> None:
    with site(tmp_path, organisers=["olga@example.org"], role="guest") as there:
        assert there.asked("/api/admin", "olga@example.org").status_code == 200
        assert there.asked("/api/admin", "ada").status_code == 403
        assert there.asked("/api/account", "ada").json()["role"] == "guest"
        assert ("proxy", "role", "guest to organiser") in there.log()
        assert there.asked("/api/admin", "olga@evil.example").status_code == 409


def test_an_account_that_is_closed_stays_out_and_its_name_stays_its_own(here: Site) -> None:
    here.asked("/", "ada")
    account = here.server.accounts.find("ada")
    assert account is not None
    here.server.accounts.close("test", account)
    page = here.asked("/", "ada")
    assert page.status_code == 409 and "was closed" in page.text
    here.server.accounts.reopen("test", account)
    assert here.name("ada") == "ada"


def test_a_person_who_is_renamed_comes_in_as_before(here: Site) -> None:
    here.asked("/", "ada")
    account = here.server.accounts.find("ada")
    assert account is not None
    here.server.accounts.rename("test", account, "Ada L.")
    assert here.name("ada") == "Ada L."


def test_a_name_for_people_may_come_in_a_header_of_its_own(tmp_path: Path) -> None:
    with site(tmp_path, name_header="X-Forwarded-Preferred-Username") as there:
        assert there.name("00u1a2b3", headers={PREFERRED: "ada"}) == "ada"
        assert there.name("00u1a2b3", headers={PREFERRED: "olga"}) == "ada"  # it counts at first sight alone
        assert there.asked("/", "00u9z9z9", headers={PREFERRED: "ada"}).status_code == 409
        assert there.asked("/", headers={PREFERRED: "ada"}).status_code == 401  # nor is it anybody by itself


def test_without_tokens_a_browser_comes_by_the_proxy_alone(tmp_path: Path) -> None:
    with site(tmp_path) as before:
        ben = before.joined("ben")
        cookie = {"cookie": f"__Host-arena_session_80={ben.session}"}
        assert before.name(None, headers=cookie) == "ben"
        assert before.sent("/login", None, token=TOKEN).status_code == 303
    with site(tmp_path, tokens=False) as there:
        assert there.asked("/api/account", headers=cookie).status_code == 401
        page = there.asked("/login")
        assert page.status_code == 200 and 'name="token"' not in page.text and "Tokens open no browser" in page.text
        for token in (TOKEN, ben.token):
            answer = there.sent("/login", None, token=token)
            assert answer.status_code == 403 and "set-cookie" not in answer.headers
        assert there.name(None, headers={"authorization": f"Bearer {ben.token}"}) == "ben"  # of a program
        assert there.sent("/login", "ben", token=ben.token).status_code == 303 and there.name("ben") == "ben"


@pytest.mark.parametrize("peer", ["203.0.113.9", "10.0.0.9", "::ffff:10.0.0.9", "testclient", "fe80::1"])
def test_from_anybody_but_the_proxy_the_header_is_refused(tmp_path: Path, peer: str) -> None:
    with site(tmp_path, peer=peer) as there:
        for path in ("/", "/login", "/api/account", "/embed/m/x"):
            answer = there.asked(path, "ada")
            assert answer.status_code == 403 and "for the proxy" in answer.text and "default-src" in str(answer.headers)
        assert there.asked("/login").status_code == 200
        assert there.server.accounts.members() == []


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_a_proxy_of_this_machine_is_believed(tmp_path: Path, peer: str) -> None:
    with site(tmp_path, peer=peer) as there:
        assert there.name("ada") == "ada"


def test_a_proxy_elsewhere_is_named_and_then_this_machine_is_not_believed(tmp_path: Path) -> None:
    for peer, status in (("10.0.5.7", 200), ("127.0.0.1", 403), ("10.0.6.7", 403)):
        with site(tmp_path, peer=peer, proxies=["10.0.5.0/24"]) as there:
            assert there.asked("/api/account", "ada").status_code == status


def test_nobody_gets_nearer_by_the_other_headers_of_proxies(tmp_path: Path) -> None:
    with site(tmp_path, peer="203.0.113.9") as there:
        claimed = {"x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1", "forwarded": "for=127.0.0.1"}
        assert there.asked("/api/account", "ada", headers=claimed).status_code == 403


def test_without_the_option_the_header_means_nothing(tmp_path: Path) -> None:
    app = application(tmp_path, token=TOKEN, rules=rules_for("127.0.0.1", public_address(PUBLIC, "127.0.0.1")))
    with TestClient(app, base_url=PUBLIC, client=("127.0.0.1", 5), follow_redirects=False) as client:
        assert client.get("/api/account", headers={USER: "ada"}).status_code == 401
