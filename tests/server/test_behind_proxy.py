"""The server behind a proxy: one public name, whom requests are counted for, cookies for TLS; headers nobody is to believe."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse

from arena.errors import ConfigError
from arena.server.app import application
from arena.server.guard import Rules, public_address, rules_for
from arena.server.limits import Rate
from helpers.server import TOKEN

PUBLIC = "https://arena.example.org"
NAME = "arena.example.org"
FORWARDED = {"host": NAME, "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https"}
"""What a proxy sends along."""


@contextmanager
def server(
    out: Path, *, public: str | None = PUBLIC, peer: str = "127.0.0.1", listens_at: str = "127.0.0.1", burst: int = 1000
) -> Iterator[TestClient]:
    """A server that somebody at this address asks."""
    rules = rules_for(listens_at, public_address(public, listens_at) if public else None)
    rate = Rate(a_second=0.0, burst=burst)
    app = application(out, token=TOKEN, rules=Rules(rules.names, rules.any_address, rate, rate, rules.public))
    with TestClient(app, base_url="http://127.0.0.1:8000", client=(peer, 5), follow_redirects=False) as client:
        yield client


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path


def entered(client: TestClient, **headers: str) -> str:
    """The cookie that the door gives."""
    answer = client.post("/login", data={"token": TOKEN}, headers=FORWARDED | headers)
    assert answer.status_code == 303
    return answer.headers["set-cookie"]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://arena.example.org", "https://arena.example.org"),
        ("https://Arena.Example.ORG/", "https://arena.example.org"),
        ("https://arena.example.org:443", "https://arena.example.org"),
        ("https://arena.example.org:8443", "https://arena.example.org:8443"),
        ("http://server.local", "http://server.local"),
        ("https://トランプ.jp", "https://xn--fdk4a1cxb.jp"),
        ("https://198.51.100.3", "https://198.51.100.3"),
    ],
)
def test_a_public_address_is_what_browsers_call_the_origin(text: str, address: str) -> None:
    public = public_address(text, "127.0.0.1")
    assert str(public) == address
    assert rules_for("127.0.0.1", public).is_host(public.name + public.port)


@pytest.mark.parametrize(
    "text",
    ["arena.example.org", "https://", "ftp://arena.example.org", "https://a@arena.example.org", "https://a..b", "https://a b",
     "", "https://arena.example.org:99999", "https://[::1", "https://" + "a" * 300],
)  # fmt: skip
def test_what_is_no_public_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ConfigError, match=r"--behind-proxy .*such as https://arena\.example\.org"):
        public_address(text, "127.0.0.1")


def test_a_path_is_refused_with_what_would_be_right() -> None:
    with pytest.raises(ConfigError, match=r"a host name of its own, not a path; such as https://example\.org$"):
        public_address("https://example.org/server", "127.0.0.1")


@pytest.mark.parametrize("host", ["evil.example", f"{NAME}.evil.example", f"evil.{NAME}", "10.0.0.1", "192.168.0.5:8000", ""])
def test_only_the_public_name_and_loopback_name_the_server(out: Path, host: str) -> None:
    with server(out, listens_at="0.0.0.0") as client:
        assert client.get("/login", headers={"host": host}).status_code == 421
        for own in (NAME, NAME.upper(), f"{NAME}:443", "127.0.0.1:8000", "localhost"):
            assert client.get("/login", headers={"host": own}).status_code == 200


def test_each_client_of_the_proxy_has_its_own_bucket(out: Path) -> None:
    with server(out, burst=2) as client:
        for address in ("203.0.113.7", "203.0.113.8", "2001:db8::1"):
            headers = FORWARDED | {"x-forwarded-for": address}
            assert [client.get("/login", headers=headers).status_code for _ in range(3)] == [200, 200, 429]


def test_a_client_with_a_network_of_addresses_has_one_bucket(out: Path) -> None:
    """In the newer internet everybody has 2 to the 64 addresses."""
    with server(out, burst=2) as client:
        answers = [
            client.get("/login", headers=FORWARDED | {"x-forwarded-for": f"2001:db8::{number:x}"}).status_code
            for number in range(3)
        ]
        assert answers == [200, 200, 429]


def test_what_a_client_itself_forwarded_does_not_count(out: Path) -> None:
    """A proxy that adds to the header writes last: what stands before comes from the client."""
    with server(out, burst=2) as client:
        answers = [
            client.get("/login", headers=FORWARDED | {"x-forwarded-for": f"192.0.2.{number}, 203.0.113.7"}).status_code
            for number in range(3)
        ]
        assert answers == [200, 200, 429]


@pytest.mark.parametrize(("public", "peer"), [(None, "127.0.0.1"), (None, "10.0.0.9"), (PUBLIC, "10.0.0.9")])
def test_without_a_proxy_its_headers_mean_nothing(out: Path, public: str | None, peer: str) -> None:
    with server(out, public=public, peer=peer, burst=2) as client:
        own = {"host": "127.0.0.1:8000"}
        assert "Secure" not in entered(client, **own)
        client.cookies.clear()
        answers = [
            client.get("/login", headers=FORWARDED | own | {"x-forwarded-for": f"203.0.113.{number}"}).status_code
            for number in range(2)
        ]
        assert answers == [200, 429]  # one bucket, of which logging in took the first token


def test_a_proxy_at_the_address_of_the_server_is_believed(out: Path) -> None:
    with server(out, peer="192.168.0.5", listens_at="192.168.0.5", burst=1) as client:
        for number in range(3):
            headers = FORWARDED | {"x-forwarded-for": f"203.0.113.{number}"}
            assert client.get("/login", headers=headers).status_code == 200


def test_cookies_are_for_tls_alone_even_if_the_proxy_does_not_say_so(out: Path) -> None:
    with server(out) as client:
        assert "Secure" in entered(client)
        assert "Secure" in entered(client, **{"x-forwarded-proto": "http"})
        headers = {name: value for name, value in FORWARDED.items() if name != "x-forwarded-proto"}
        assert "Secure" in client.post("/login", data={"token": TOKEN}, headers=headers).headers["set-cookie"]
        assert "Secure" not in entered(client, host="127.0.0.1:8000", **{"x-forwarded-proto": "http"})


@pytest.mark.parametrize(
    "origin", [f"http://{NAME}", f"https://{NAME}:8443", "https://evil.example", f"https://{NAME}.evil.example"]
)
def test_pages_of_another_origin_send_nothing(out: Path, origin: str) -> None:
    with server(out) as client:
        right = client.post("/login", data={"token": TOKEN}, headers=FORWARDED | {"origin": PUBLIC})
        assert right.status_code == 303
        headers = FORWARDED | {"origin": origin, "cookie": right.headers["set-cookie"].partition(";")[0]}
        assert client.post("/login", data={"token": TOKEN}, headers=headers).status_code == 403
        address = f"ws://{NAME}/live"
        with pytest.raises(WebSocketDenialResponse) as refused, client.websocket_connect(address, headers=headers):
            pass
        assert refused.value.status_code == 403
        with client.websocket_connect(address, headers=headers | {"origin": PUBLIC}) as socket:
            socket.send_json({"watch": "home"})
            assert socket.receive_json()["kind"] == "home"


def test_forwarded_headers_that_are_nonsense_are_no_mistake_of_the_server(out: Path) -> None:
    with server(out) as client:
        for value in ("", ",", "unknown", "[::1", "x" * 4000, "1.2.3.4:99999999", "\x7f", "é"):
            for name in ("x-forwarded-for", "x-forwarded-proto"):
                headers = {key: text.encode("latin-1") for key, text in (FORWARDED | {name: value}).items()}
                assert client.get("/login", headers=headers).status_code == 200
