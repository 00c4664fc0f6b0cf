"""What every request passes: Host, length, rate, origin, session; and the headers of every answer."""

import http.cookies
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse

from arena.server.guard import Rules, cookie_name, rules_for
from arena.server.headers import POLICY
from arena.server.limits import Buckets, Rate
from helpers.server import HOST, TOKEN, live, server


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture
def client(out: Path) -> Iterator[TestClient]:
    with server(out) as found:
        yield found


@pytest.fixture
def stranger(out: Path) -> Iterator[TestClient]:
    with server(out, logged_in=False) as found:
        yield found


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8000",
        "",
        "10.0.0.1",
        "[::1]@evil.example",
        "[::1",
        "127.0.0.1:@evil.example",
        "::1%evil",
    ],
)
def test_a_foreign_host_is_refused(client: TestClient, host: str) -> None:
    answer = client.get("/api", headers={"host": host})
    assert answer.status_code == 421 and "address" in answer.json()["error"]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:9999", "localhost:8000", "LOCALHOST", "[::1]:8000"])
def test_the_own_names_are_right_whatever_the_port(client: TestClient, host: str) -> None:
    assert client.get("/api", headers={"host": host}).status_code == 200


def test_a_server_for_others_takes_any_address_and_still_no_foreign_name() -> None:
    rules = rules_for("0.0.0.0")
    assert rules.is_host("10.0.0.7:8000") and rules.is_host("localhost") and not rules.is_host("evil.example")
    assert not rules_for("127.0.0.1").is_host("10.0.0.7:8000")


@pytest.mark.parametrize("address", ["/", "/nothing", "/api", "/api/nothing", "/login", "/static/0/kit.js", "/t/none", "/m/x"])
def test_every_answer_has_the_security_headers(client: TestClient, stranger: TestClient, address: str) -> None:
    for one in (client, stranger):
        headers = one.get(address).headers
        assert headers["content-security-policy"] == POLICY.format(ancestors="'self'")
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"
    assert "unsafe" not in POLICY


def test_only_what_is_embedded_may_be_framed(stranger: TestClient) -> None:
    answer = stranger.get(f"/embed/m/{'0' * 24}")
    assert answer.status_code == 404 and "frame-ancestors *" in answer.headers["content-security-policy"]
    assert "set-cookie" not in answer.headers


def test_without_a_session_there_is_the_door_alone(stranger: TestClient) -> None:
    for address in ("/", "/t/cup", "/bots/x", "/m/x", "/tv", "/rules", "/nothing"):
        answer = stranger.get(address)
        assert answer.status_code == 401 and 'action="/login"' in answer.text
    for address in ("/api", "/api/t/cup", "/api/nothing", "/api/openapi.json"):
        answer = stranger.get(address)
        assert answer.status_code == 401 and "token" in answer.json()["error"]


def test_the_token_opens_a_session_with_a_cookie_that_scripts_cannot_read(stranger: TestClient) -> None:
    answer = stranger.post("/login", data={"token": TOKEN})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{cookie_name('127.0.0.1:8000')}=") and "HttpOnly" in cookie and "SameSite=lax" in cookie
    assert TOKEN not in cookie
    assert stranger.get("/").status_code == 200
    kept = vars(stranger.app.state.server.sessions)
    assert TOKEN not in str(kept) and stranger.cookies[cookie_name(":8000")] not in str(kept)


@pytest.mark.parametrize("token", ["", "x", TOKEN + "x", "\0", "é" * 50])
def test_another_token_opens_nothing(stranger: TestClient, token: str) -> None:
    answer = stranger.post("/login", data={"token": token})
    assert answer.status_code == 403 and "set-cookie" not in answer.headers and 'action="/login"' in answer.text
    assert stranger.get("/api", headers={"authorization": f"Bearer {token.encode().hex()}"}).status_code == 401


def test_a_form_of_any_size_is_refused(stranger: TestClient) -> None:
    assert stranger.post("/login", content=b"token=" + b"x" * 100_000).status_code == 413


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9000"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": HOST},
    ],
)
def test_another_site_can_neither_log_in_nor_open_a_socket(stranger: TestClient, headers: dict[str, str]) -> None:
    assert stranger.post("/login", data={"token": TOKEN}, headers=headers).status_code == 403
    stranger.post("/login", data={"token": TOKEN}, headers={"origin": HOST})
    with pytest.raises(WebSocketDenialResponse) as refused, live(stranger, **headers):
        pass
    assert refused.value.status_code == 403


def test_a_socket_needs_a_session_and_a_browser_names_its_origin(stranger: TestClient) -> None:
    with pytest.raises(WebSocketDenialResponse) as refused, live(stranger, origin=HOST):
        pass
    assert refused.value.status_code == 401
    stranger.post("/login", data={"token": TOKEN})
    with pytest.raises(WebSocketDenialResponse) as refused, live(stranger):
        pass
    assert refused.value.status_code == 403
    with live(stranger, origin=HOST) as socket:
        socket.send_json({"watch": "home"})
        assert socket.receive_json()["kind"] == "home"


@pytest.mark.parametrize("address", ["/" + "a" * 3000, "/api/t/x?pool=" + "a" * 3000])
def test_an_endless_address_is_refused(client: TestClient, address: str) -> None:
    assert client.get(address).status_code == 414


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_but_the_door_takes_anything(client: TestClient, method: str) -> None:
    for address in ("/", "/api", "/t/cup", "/static/x/kit.js"):
        assert client.request(method, address).status_code in (404, 405)


def test_too_many_requests_of_one_address_are_refused_and_others_go_on(out: Path) -> None:
    with server(out, rules=Rules(requests=Rate(a_second=0.0, burst=3))) as client:
        answers = [client.get("/api") for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        assert answers[-1].headers["retry-after"] and "too many" in answers[-1].json()["error"]
        other = TestClient(client.app, base_url=HOST, client=("10.1.1.1", 1), headers=client.headers)
        assert other.get("/api").status_code == 200


def test_a_bucket_fills_as_time_goes_by() -> None:
    now = 0.0
    buckets = Buckets(Rate(a_second=2.0, burst=3), lambda: now)
    assert [buckets.take("a") for _ in range(4)] == [True, True, True, False]
    assert buckets.take("b")
    now = 1.0
    assert [buckets.take("a") for _ in range(3)] == [True, True, False]
    now = 1000.0
    assert [buckets.take("a") for _ in range(4)] == [True, True, True, False]


def test_a_session_can_be_ended(stranger: TestClient) -> None:
    stranger.post("/login", data={"token": TOKEN})
    cookie = dict(stranger.cookies)
    assert stranger.get("/api").status_code == 200
    assert stranger.post("/logout").headers["location"] == "/login"
    assert not stranger.cookies
    stranger.cookies.update(cookie)  # a copy of it opens nothing, either
    assert stranger.get("/api").status_code == 401


def test_who_has_no_session_may_ask_for_less(out: Path) -> None:
    with server(out, logged_in=False, rules=Rules(strangers=Rate(a_second=0.0, burst=4))) as client:
        kit = client.app.state.server.assets.url("kit.js")
        assert [client.get(f"/embed/m/{number:024x}").status_code for number in range(3)] == [404] * 3
        assert client.post("/login", data={"token": TOKEN}).status_code == 303
        assert [client.get("/api").status_code for _ in range(20)] == [200] * 20
        client.cookies.clear()
        assert [client.get(address).status_code for address in ("/embed/m/x", "/login", "/", kit)] == [429, 429, 429, 200]


def test_nothing_is_left_of_who_asked_for_what_is_not_there(client: TestClient) -> None:
    library = client.app.state.server.library
    for number in range(30):
        assert client.get(f"/api/m/{number:024x}").status_code == 404
    assert not [key for key in library._locks if key[0] == "match"]


@pytest.mark.parametrize("others", ['theirs={"a": "b"}', "no cookie at all", "theirs=é", 'theirs="open', "=", ";;"])
def test_cookies_of_other_servers_of_the_machine_do_not_end_a_session(stranger: TestClient, others: str) -> None:
    stranger.post("/login", data={"token": TOKEN})
    own = "; ".join(f"{name}={value}" for name, value in stranger.cookies.items())
    stranger.cookies.clear()
    for cookies in (f"{others}; {own}; arena_lang=ja", f"arena_lang=ja; {own}; {others}"):
        answer = stranger.get("/", headers={"cookie": cookies.encode()})
        assert answer.status_code == 200 and '<html lang="ja"' in answer.text


def test_quotes_in_cookies_are_not_resolved(stranger: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(_: str) -> str:
        raise AssertionError("takes half a second for a header of 16 KB")

    monkeypatch.setattr(http.cookies, "_unquote", slow)
    cookies = {"cookie": 'theirs="\\\\\\\\"'}
    for address in ("/login", "/", "/api", f"/embed/m/{0:024x}"):
        assert stranger.get(address, headers=cookies).status_code in (200, 401, 404)
    assert stranger.post("/logout", headers=cookies).status_code == 401


def test_a_form_of_many_fields_is_no_mistake_of_the_server(stranger: TestClient) -> None:
    assert stranger.post("/login", content=b"&".join([b"a=1"] * 50)).status_code == 403


def test_an_answer_after_a_mistake_has_the_security_headers_too(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("/a/path of mine")

    monkeypatch.setattr(client.app.state.server.library, "folders", broken)
    for address in ("/", "/api"):
        answer = client.get(address)
        assert answer.status_code == 500 and "of mine" not in answer.text
        assert answer.headers["content-security-policy"] == POLICY.format(ancestors="'self'")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_elsewhere_leads_here_and_loads_nothing(client: TestClient, site: str) -> None:
    loaded = {"sec-fetch-site": site, "sec-fetch-mode": "no-cors"}
    followed = {"sec-fetch-site": site, "sec-fetch-mode": "navigate"}
    for address in ("/", "/api", "/api/m/x/choices"):
        assert client.get(address, headers=loaded).status_code == 403
    assert client.get("/", headers=followed).status_code == 200
    kit = client.app.state.server.assets.url("kit.js")
    assert client.get(kit, headers=loaded).status_code == 200
    assert client.get(f"/embed/m/{0:024x}", headers=loaded).status_code == 404


def test_who_has_no_session_takes_nothing_from_who_has_at_the_same_address(out: Path) -> None:
    rules = Rules(requests=Rate(a_second=0.0, burst=4), strangers=Rate(a_second=0.0, burst=2))
    with server(out, logged_in=False, rules=rules) as client:
        assert [client.get("/").status_code for _ in range(5)] == [401, 401, 429, 429, 429]
        bearer = {"authorization": f"Bearer {TOKEN}"}
        assert [client.get("/api", headers=bearer).status_code for _ in range(5)] == [200, 200, 200, 200, 429]


def test_a_match_that_is_not_there_is_not_found_at_all_of_its_addresses(client: TestClient, out: Path) -> None:
    for rest in ("", "/opinion", "/faults", "/choices?seat=0&decision=0"):
        answer = client.get(f"/api/m/{0:024x}{rest}")
        assert answer.status_code == 404 and str(out) not in answer.text


@pytest.mark.parametrize(
    ("following", "place"),
    [("/play/naga", "/play/naga"), ("//evil.example", "/"), ("/\\evil.example", "/"), ("http://evil.example", "/"), ("", "/"),
     ("/a?b=c", "/"), ("/x\r\nset-cookie: a", "/")],
)  # fmt: skip
def test_the_door_leads_on_to_addresses_of_the_server_alone(stranger: TestClient, following: str, place: str) -> None:
    answer = stranger.post("/login", data={"token": TOKEN, "next": following})
    assert (answer.status_code, answer.headers["location"]) == (303, place)


def test_an_address_that_costs_more_counts_for_more_requests(out: Path) -> None:
    with server(out, rules=Rules(requests=Rate(a_second=0.0, burst=7))) as client:
        assert [client.get(address).status_code for address in ("/api/t/cup", "/api/t/cup", "/api/t/cup", "/api", "/api")] == [
            404, 404, 429, 200, 429,
        ]  # fmt: skip
