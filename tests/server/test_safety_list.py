"""Every point of the server's safety list, tried over all its addresses, also those of `arena serve --contest`.

The addresses are read off the application, so a new one is tried as soon as it is there. Which other tests try a point more
closely says `ELSEWHERE`; that they exist is a test. The points:

1. Host names. 2. Forms of other sites; cookies. 3. Sockets. 4. Secrets. 5. Content policy. 6. Uploads. 7. Ids and files.
8. No outgoing request. 9. Deadlines, tables, cursors. 10. Headers of proxies. 11. Sources and outputs. 12. The audit log.
"""

import ast
import contextlib
import os
import re
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse

from arena.results.accounts import Kind
from arena.results.site_file import SITE_FILE
from arena.server.guard import FOR_GUESTS, OPEN, BehindProxy, Rules
from arena.server.headers import EMBEDDED, POLICY
from arena.server.limits import Rate
from arena.server.tables.tables import Tables
from helpers.live_tables import COMMAND
from helpers.members import Members, with_members
from helpers.paths import ROOT, TESTS
from helpers.server import HOST, TOKEN

ELSEWHERE = {
    1: ("server/test_guard.py::test_a_foreign_host_is_refused",
        "server/test_behind_proxy.py::test_only_the_public_name_and_loopback_name_the_server",
        "server/test_nginx.py::test_the_server_is_not_there_under_another_name"),
    2: ("server/test_guard.py::test_another_site_can_neither_log_in_nor_open_a_socket",
        "server/test_guard.py::test_the_token_opens_a_session_with_a_cookie_that_scripts_cannot_read",
        "server/test_guard.py::test_a_page_elsewhere_leads_here_and_loads_nothing",
        "server/test_behind_proxy.py::test_cookies_are_for_tls_alone_even_if_the_proxy_does_not_say_so",
        "server/test_behind_proxy.py::test_pages_of_another_origin_send_nothing"),
    3: ("server/test_guard.py::test_a_socket_needs_a_session_and_a_browser_names_its_origin",
        "server/test_server.py::test_a_message_that_is_too_large_closes_its_socket_alone",
        "server/test_live_feed.py::test_a_socket_asks_so_much_and_no_more",
        "server/test_live_feed.py::test_a_session_has_so_many_sockets_and_closed_ones_make_room",
        "server/test_server_tables.py::test_only_who_sits_at_a_table_learns_that_it_is_there",
        "server/test_hostile_tables.py::test_who_has_lost_a_seat_says_nothing_more_there"),
    4: ("server/test_entrance.py::test_only_hashes_are_kept", "server/test_entrance.py::test_forged_secrets_are_nobodys",
        "server/test_entrance.py::test_a_closed_account_is_out_at_once_with_all_it_had",
        "server/test_guard.py::test_a_session_can_be_ended", "server/test_guard.py::test_another_token_opens_nothing",
        "server/test_server.py::test_it_opens_the_browser_by_a_file_that_only_its_owner_reads"),
    5: ("server/test_guard.py::test_every_answer_has_the_security_headers",
        "server/test_guard.py::test_an_answer_after_a_mistake_has_the_security_headers_too",
        "server/test_matches_replayed.py::test_an_embedded_match_needs_no_session_and_shows_nothing_else"),
    6: ("agent/test_hostile_zips.py::test_a_hostile_zip_is_refused_in_words",
        "agent/test_hostile_zips.py::test_what_says_that_it_is_small_is_counted_while_it_is_read",
        "tournament/test_hostile_submissions.py::test_a_bad_bot_ends_as_in_the_terminal",
        "server/test_safety_rights.py::test_no_bot_has_a_name_that_is_none",
        "server/test_safety_rights.py::test_a_body_is_counted_while_it_comes",
        "server/test_safety_rights.py::test_quotas_hold_and_say_how_long_to_wait"),
    7: ("server/test_assets.py::test_no_other_file_and_no_other_hash_is_served",
        "server/test_answers.py::test_what_cannot_be_answered_has_a_status_and_a_sentence"),
    8: ("server/test_assets.py::test_a_page_asks_for_nothing_outside_and_has_nothing_inline",),
    9: ("server/test_server.py::test_who_does_not_finish_a_request_is_cut_off",
        "server/test_server.py::test_a_form_that_does_not_come_is_not_waited_for",
        "server/test_lobby.py::test_one_table_a_person_and_as_many_as_the_machine_can",
        "server/test_guard.py::test_too_many_requests_of_one_address_are_refused_and_others_go_on"),
    10: ("server/test_behind_proxy.py::test_without_a_proxy_its_headers_mean_nothing",
         "server/test_behind_proxy.py::test_each_client_of_the_proxy_has_its_own_bucket",
         "server/test_nginx.py::test_what_a_client_says_of_itself_is_dropped",
         "server/test_sign_in.py::test_from_anybody_but_the_proxy_the_header_is_refused",
         "server/test_sign_in_header.py::test_what_is_not_one_clear_name_lets_nobody_in",
         "server/test_sign_in_header.py::test_a_bot_reaches_no_server_that_would_believe_it",
         "server/test_sign_in_nginx.py::test_what_a_client_says_of_itself_is_dropped"),
    11: ("server/test_safety_rights.py::test_a_submission_is_its_authors_and_organisers",
         "server/test_safety_rights.py::test_no_page_shows_the_source_of_anybody",
         "server/test_notes_on_the_server.py::test_nobody_else_reads_it",
         "server/test_notes_on_the_server.py::test_a_bot_of_the_same_name_is_not_the_same_bot",
         "server/test_notes_on_the_server.py::test_what_a_bot_printed_before_its_fault_is_its_authors"),
    12: ("server/test_safety_rights.py::test_what_an_organiser_does_is_logged_and_the_log_only_grows",
         "server/test_safety_rights.py::test_no_code_changes_or_removes_what_is_logged"),
}  # fmt: skip
"""Tests that try a point more closely, by its number."""
FILLED = {"id": "0" * 24, "name": "nobody", "code": "A" * 22, "game": "naga", "hash": "0" * 16, "account": "nobody"}
"""What stands for the named parts of an address."""
FOREIGN: list[dict[str, str]] = [
    {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://127.0.0.1:9000"},
    {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site", "origin": HOST},
]  # fmt: skip
"""What browsers send along with the request of a page of another site."""
HOSTILE = (
    "..%2f..%2fetc%2fpasswd", "%00", "'%20or%201=1--", "%2e%2e", "x" * 1500, "%F0%9F%82%A1", "-1", "__proto__", "{{7*7}}",
    "%0d%0aset-cookie:a=b", "CON", "nobody%40999999999999999999999", "%ff%fe", "<script>",
)  # fmt: skip
"""Ids and names that nobody has."""
CURSORS = ("-1", "x", "99999999999999999999999", "1e9", "%00", "1%20or%201=1", "[]", "0x10")
NUMBERS = ("cursor", "before", "after", "limit", "page", "seat")
"""What says from where and how much: each address is asked with each of them, with some of CURSORS, or with all."""
EVERYTHING = "ARENA_TEST_ALL" in os.environ
ENDING = ("/logout", "/account/logout")
"""Addresses that end the session of who asks: tried elsewhere, since nobody could ask for anything after them."""
WHO = ("stranger", "gus", "organiser")
"""Some of those who come, with less and more rights."""


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Members]:
    """The server, which checks no bot and whose tables play no game, and everybody who may come there."""
    tables = Tables(cores=8, command=COMMAND)
    with with_members(tmp_path_factory.mktemp("results"), is_checking=False, rules=generous(), tables=tables) as found:
        yield found


def generous() -> Rules:
    """Rules that let one address ask as often as these tests do."""
    many = Rate(1e6, 1_000_000)
    return Rules(requests=many, strangers=many)


def routes(members: Members) -> list[tuple[str, str]]:
    """All addresses with their methods, such as ("POST", "/login")."""
    found = [route for route in application(members).routes if isinstance(route, Route) and route.path not in ENDING]
    return [(method, route.path) for route in found for method in sorted((route.methods or set()) - {"HEAD"})]


def sockets(members: Members) -> list[str]:
    return [route.path for route in application(members).routes if isinstance(route, WebSocketRoute)]


def application(members: Members) -> Starlette:
    assert isinstance(members.aya.app, Starlette)
    return members.aya.app


def filled(path: str, **values: str) -> str:
    """An address with something in place of its named parts."""
    return re.sub(r"{(\w+)(?::path)?}", lambda part: (FILLED | values).get(part[1], "nobody"), path)


def is_open(path: str) -> bool:
    return path.startswith(OPEN)


# 1. Host names


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.1", "arena.example.org", ""])
def test_no_address_answers_under_another_name(members: Members, host: str) -> None:
    for method, path in routes(members):
        assert members.host.request(method, filled(path), headers={"host": host}).status_code == 421, (method, path)


# 2. Forms of other sites


@pytest.mark.parametrize("headers", FOREIGN)
def test_no_other_site_makes_a_browser_do_anything(members: Members, headers: dict[str, str]) -> None:
    """An organiser's browser has the cookie, and sends it along."""
    tried = [(method, path) for method, path in routes(members) if method != "GET"]
    assert len(tried) >= 8
    for method, path in tried:
        answer = members.organiser.request(method, filled(path), headers=headers)
        assert answer.status_code == 403, (method, path, answer.status_code)


def test_nothing_that_is_asked_by_get_changes_anything(members: Members) -> None:
    """A link is followed from anywhere, so what it leads to may only show."""
    file = members.server.library.out / SITE_FILE
    before = _rows(file)
    for method, path in routes(members):
        if method == "GET":
            members.organiser.get(filled(path), headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"})
    assert _rows(file) == before


# 3. Sockets


@pytest.mark.parametrize("headers", [*FOREIGN, {}])
def test_no_other_site_opens_a_socket(members: Members, headers: dict[str, str]) -> None:
    for path in sockets(members):
        assert refused(members.organiser, path, headers) == 403, path


def test_no_stranger_opens_a_socket(members: Members) -> None:
    for path in sockets(members):
        assert refused(members.stranger, path, {"origin": HOST}) == 401, path
        assert refused(members.stranger, path, {"authorization": f"Bearer {'A' * 43}"}) == 401, path


def refused(client: TestClient, path: str, headers: dict[str, str]) -> int:
    """The status with which a socket is refused; 101 if it is not."""
    address = HOST.replace("http", "ws") + filled(path)
    try:
        with client.websocket_connect(address, headers=headers):
            return 101
    except WebSocketDenialResponse as answer:
        return answer.status_code


# 4. Secrets


def test_no_secret_is_written_down(members: Members, caplog: pytest.LogCaptureFixture) -> None:
    """Of a token, a session, a join link and an API token nothing but the SHA-256 is kept, and no log has any of them."""
    accounts = members.server.accounts
    code = members.invited("Somebody new")
    joined = accounts.join(code)
    assert joined is not None
    api = accounts.make_api_token(joined.account, "laptop")
    assert api is not None
    with caplog.at_level("DEBUG"):
        for secret in (joined.token, api, code, TOKEN):
            members.client().post("/login", data={"token": secret})
            members.client().get("/api", headers={"authorization": f"Bearer {secret}"})
            members.client().post("/invite", data={"code": secret})
    files = [path for path in members.server.library.out.rglob("*") if path.is_file()]
    assert any(path.name == "site.sqlite" for path in files)
    kept = b"".join(path.read_bytes() for path in files)
    for secret in (code, joined.token, joined.session, api, TOKEN):
        assert secret.encode() not in kept and secret not in caplog.text


def test_what_opens_a_session_is_no_token_for_programs_and_the_other_way_round(members: Members) -> None:
    account = members.account("ben")
    session = members.server.accounts.open_session(account)
    assert members.client().get("/api", headers={"authorization": f"Bearer {session}"}).status_code == 401
    api = members.server.accounts.make_api_token(account, "laptop")
    assert api is not None and members.server.accounts.of_token(api, Kind.API) is None  # by its hash alone
    assert members.client().post("/login", data={"token": api}).status_code == 403


# 5. Content policy


@pytest.mark.parametrize("who", WHO)
def test_every_answer_to_everybody_has_the_headers(members: Members, who: str) -> None:
    client: TestClient = getattr(members, who)
    for method, path in routes(members):
        answer = client.request(method, filled(path))
        ancestors = "*" if path.startswith(EMBEDDED) else "'self'"
        assert answer.headers["content-security-policy"] == POLICY.format(ancestors=ancestors), (method, path)
        assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["referrer-policy"] == "same-origin"
        assert answer.status_code < 500, (method, path, answer.text)
        if path.startswith(EMBEDDED):
            assert "set-cookie" not in answer.headers
        elif not path.startswith("/static/"):
            assert "public" not in answer.headers.get("cache-control", "")


# 7. Ids and files


@pytest.mark.parametrize("value", HOSTILE)
def test_ids_and_names_that_nobody_has_are_refused_everywhere(members: Members, value: str) -> None:
    for method, path in routes(members):
        if "{" in path:
            address = re.sub(r"{\w+(?::path)?}", lambda _: value, path)
            for client in (members.organiser, members.gus):
                answer = client.request(method, address)
                assert 400 <= answer.status_code < 500 or answer.status_code == 303, (method, address, answer.status_code)
                assert "set-cookie" not in answer.headers or answer.headers["set-cookie"].startswith("arena_")
                assert str(ROOT) not in answer.text and "Traceback" not in answer.text and "root:" not in answer.text
                assert "<script>" not in answer.text or answer.headers["content-type"] == "application/json"


# 8. No outgoing request


def test_the_server_asks_nobody_for_anything(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []

    def connect(_: object, address: object) -> None:
        opened.append(address)
        raise OSError("nobody is asked")

    monkeypatch.setattr(socket.socket, "connect", connect, raising=False)
    monkeypatch.setattr(socket.socket, "connect_ex", connect, raising=False)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *words, **_: connect(words[0], words))
    for method, path in routes(members):
        members.organiser.request(method, filled(path), content=b"url=http://evil.example")
    assert not opened


def test_no_code_of_the_server_can_ask_anybody() -> None:
    """What speaks HTTP as a client is for commands: `arena submit --to`, `arena join`, and the bench."""
    clients = {
        "urllib.request",
        "http.client",
        "httpx",
        "httpx2",
        "requests",
        "aiohttp",
        "smtplib",
        "ftplib",
        "websockets.sync",
    }
    asking = set()
    for path in (path for folder in ("server", "results", "reports") for path in (ROOT / "arena" / folder).rglob("*.py")):
        source = path.read_text()
        for node in ast.walk(ast.parse(source)) if any(name in source for name in clients) else ():
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name == one or name.startswith(f"{one}.") for name in names for one in clients):
                asking.add(path.relative_to(ROOT).as_posix())
    assert asking == {"arena/server/joining/client.py"}


def test_no_script_and_no_style_names_another_host() -> None:
    for folder in ("server/static", "reports", "games"):
        for path in (ROOT / "arena" / folder).rglob("*"):
            if path.suffix in (".js", ".css"):
                found = set(re.findall(r"(?:https?:)?//[a-z][\w.-]+\.[a-z]{2,}[\w/.-]*", path.read_text()))
                assert found <= {"http://www.w3.org/2000/svg"}, (path, found)


# 9. Cursors


@pytest.mark.parametrize("cursor", CURSORS)
def test_cursors_that_nobody_gave_are_refused_or_empty(members: Members, cursor: str) -> None:
    asked = [path for method, path in routes(members) if method == "GET" and path.startswith("/api")]
    for place, path in enumerate(asked, CURSORS.index(cursor)):
        for name in NUMBERS if EVERYTHING else (NUMBERS[place % len(NUMBERS)], NUMBERS[(place + 3) % len(NUMBERS)]):
            answer = members.organiser.get(f"{filled(path)}?{name}={cursor}")
            assert answer.status_code < 500, (path, name, answer.text)


# 10. Headers of proxies


def test_without_the_option_nothing_reads_what_a_proxy_says(members: Members) -> None:
    assert BehindProxy not in [one.cls for one in application(members).user_middleware]
    headers = {
        "x-forwarded-for": "203.0.113.7",
        "x-forwarded-proto": "https",
        "x-forwarded-host": "evil.example",
        "forwarded": "host=evil.example",
    }
    answer = members.client().post("/login", data={"token": TOKEN}, headers=headers)
    assert answer.status_code == 303 and "Secure" not in answer.headers["set-cookie"] and "evil" not in str(answer.headers)


# Roles and addresses


def test_without_a_session_there_is_the_door_alone(members: Members) -> None:
    for method, path in routes(members):
        if not is_open(path):
            assert members.stranger.request(method, filled(path)).status_code == 401, (method, path)


def test_a_guest_of_a_table_has_the_table_the_rules_and_nothing_else(members: Members) -> None:
    guest = members.client()
    guest.cookies.update({"arena_session_8000": members.server.sessions.opened(guest_at="")})
    for method, path in routes(members):
        address = filled(path)
        if not is_open(path):
            expected = (400, 403, 404) if address.startswith(FOR_GUESTS) else (403,)
            answer = guest.request(method, address)
            allowed = path in (
                "/rules",
                "/rules/{game}",
                "/rules/{game}/full",
                "/learn/{game}",
                "/api/rules",
                "/api/rules/{game}",
                "/api/rules/{game}/full",
                "/api/learn/{game}",
            )
            assert answer.status_code in ((200, 405) if allowed else (*expected, 405)), (method, path, answer.status_code)


# The tables of this page


def test_the_tests_that_are_named_exist() -> None:
    assert sorted(ELSEWHERE) == list(range(1, 13))
    for names in ELSEWHERE.values():
        for name in names:
            file, _, test = name.partition("::")
            found = ast.parse((TESTS / file).read_text()).body
            assert test in [node.name for node in found if isinstance(node, ast.FunctionDef)], name


def test_there_are_enough_attempts(members: Members) -> None:
    """Each is one request that must not succeed, to one address."""
    writing = sum(method != "GET" for method, _ in routes(members))
    named = sum("{" in path for _, path in routes(members))
    attempts = {
        "foreign hosts": 5 * len(routes(members)), "other sites": len(FOREIGN) * writing,
        "sockets": (len(FOREIGN) + 3) * len(sockets(members)), "ids": 3 * len(HOSTILE) * named,
    }  # fmt: skip
    assert all(attempts.values()) and sum(attempts.values()) >= 60


def _rows(file: Path) -> list[tuple[object, ...]]:
    """All that the site's file keeps, but for when secrets and sessions were used."""
    with contextlib.closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
        db.row_factory = sqlite3.Row
        tables = [row["name"] for row in db.execute("select name from sqlite_master where type = 'table' order by name")]
        rows = [(table, row) for table in tables for row in db.execute(f"select * from {table}")]
        return [(table, *(row[name] for name in sorted(set(dict(row)) - {"used", "seen"}))) for table, row in rows]
