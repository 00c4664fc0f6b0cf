"""The server behind a real nginx with TLS, by the very lines that docs/contest.md gives: pages, the door, sockets, uploads."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import ssl
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2 as httpx
import pytest
import uvicorn
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from arena.server.app import application
from arena.server.guard import public_address, rules_for
from arena.server.server import configured, listener
from arena.server.submitting.checks import Checks
from helpers.paths import DOCS
from helpers.server import TOKEN

NAME = "arena.example.org"
NGINX, OPENSSL = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin"), shutil.which("openssl")
pytestmark = pytest.mark.skipif(not NGINX or not OPENSSL, reason="there is no nginx, or no openssl, on this machine")
AROUND = """
{user}
pid {folder}/pid;
error_log {folder}/errors;
worker_processes 1;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/arena;
}}
"""
"""What a distribution has around the file of a site, in a folder of the test."""


@dataclass(frozen=True)
class Proxied:
    """A server with nginx before it."""

    secure: int
    """The port with TLS."""
    plain: int
    """The port without."""
    trusted: ssl.SSLContext
    server: Path
    """The results."""

    def client(self, *, is_plain: bool = False) -> httpx.Client:
        """A client that finds the public name on this machine."""
        port = self.plain if is_plain else self.secure
        scheme = "http" if is_plain else "https"
        return httpx.Client(base_url=f"{scheme}://127.0.0.1:{port}", headers={"host": NAME}, verify=self.trusted)

    def asked(self, client: httpx.Client, method: str, path: str, **more: object) -> httpx.Response:
        """The answer to a request that names the public host in TLS, too."""
        return client.request(method, path, extensions={"sni_hostname": NAME}, **more)  # type: ignore[arg-type]

    @contextlib.asynccontextmanager
    async def tab(self, cookie: str, origin: str = f"https://{NAME}") -> AsyncIterator[ClientConnection]:
        """A socket as a page of the server opens it.

        In one thread: the client with threads reads and writes at once, which Python's ssl does not always survive.
        """
        async with connect(
            f"wss://{NAME}/live", host="127.0.0.1", port=self.secure, ssl=self.trusted, server_hostname=NAME,
            origin=origin, additional_headers={"Cookie": cookie}, proxy=None,  # type: ignore[arg-type]
        ) as opened:  # fmt: skip
            yield opened


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    """The server in a thread, and nginx in a process of its own."""
    folder, results = tmp_path_factory.mktemp("nginx"), tmp_path_factory.mktemp("results")
    public = public_address(f"https://{NAME}", "127.0.0.1")
    patch = pytest.MonkeyPatch()
    patch.setattr(Checks, "start", lambda self: None)
    place = listener("127.0.0.1", 0)
    app = application(results, token=TOKEN, rules=rules_for("127.0.0.1", public))
    server = uvicorn.Server(configured(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
    thread.start()
    try:
        with nginx(folder, place.getsockname()[1]) as (secure, plain):
            yield Proxied(secure, plain, ssl.create_default_context(cafile=str(folder / "certificate.pem")), results)
    finally:
        server.should_exit = True
        thread.join()
        place.close()
        patch.undo()


@contextlib.contextmanager
def nginx(folder: Path, server: int) -> Iterator[tuple[int, int]]:
    """The documented nginx before the server at this port; its own ports: with TLS, and without."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [str(OPENSSL), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=user))
    with listener("127.0.0.1", 0) as first, listener("127.0.0.1", 0) as second:
        secure, plain = (int(place.getsockname()[1]) for place in (first, second))
        (folder / "arena").write_text(documented(secure, plain, server, key, certificate))
        places = (first.fileno(), second.fileno())
        process = subprocess.Popen(
            [str(NGINX), "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"],
            pass_fds=places, env={"NGINX": "".join(f"{place};" for place in places)},
        )  # fmt: skip
    try:
        yield secure, plain  # it takes over sockets that listen already, as for an upgrade of its program: nobody has to wait
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0, (folder / "errors").read_text()


def documented(secure: int, plain: int, server: int, key: Path, certificate: Path) -> str:
    """The lines of the page, with ports and files of the test; nothing else is changed."""
    (text,) = re.findall(r"^```nginx\n(.*?)^```$", (DOCS / "contest.md").read_text(), re.DOTALL | re.MULTILINE)
    for before, after, times in (
        (r" *listen \[::\].*\n", "", 2),
        (r"listen 443 ", f"listen 127.0.0.1:{secure} ", 1),
        (r"listen 80;", f"listen 127.0.0.1:{plain};", 1),
        (r"/etc/letsencrypt/\S+/fullchain\.pem", str(certificate), 1),
        (r"/etc/letsencrypt/\S+/privkey\.pem", str(key), 1),
        (r"http://127\.0\.0\.1:8000", f"http://127.0.0.1:{server}", 1),
    ):
        text, changed = re.subn(before, after, text)
        assert changed == times, before
    return text


@pytest.fixture
def client(proxied: Proxied) -> Iterator[httpx.Client]:
    with proxied.client() as found:
        yield found


def entered(proxied: Proxied, client: httpx.Client) -> str:
    """The cookie of a new session."""
    answer = proxied.asked(client, "POST", "/login", data={"token": TOKEN}, headers={"origin": f"https://{NAME}"})
    assert answer.status_code == 303 and answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert "Secure" in cookie and "HttpOnly" in cookie and "SameSite=lax" in cookie
    return cookie.partition(";")[0]


def test_plain_http_leads_to_tls(proxied: Proxied) -> None:
    with proxied.client(is_plain=True) as client:
        answer = client.get("/t/cup?pool=naga")
        assert (answer.status_code, answer.headers["location"]) == (301, f"https://{NAME}/t/cup?pool=naga")


def test_pages_come_through_with_their_headers(proxied: Proxied, client: httpx.Client) -> None:
    assert proxied.asked(client, "GET", "/").status_code == 401
    cookie = {"cookie": entered(proxied, client)}
    for path in ("/", "/api", "/play", "/rules/naga"):
        answer = proxied.asked(client, "GET", path, headers=cookie)
        assert answer.status_code == 200 and "default-src 'none'" in answer.headers["content-security-policy"]
        assert "max-age" in answer.headers["strict-transport-security"] and "nginx/" not in answer.headers["server"]


def test_a_socket_comes_through_for_pages_of_the_public_address_alone(proxied: Proxied, client: httpx.Client) -> None:
    cookie = entered(proxied, client)

    async def first_message() -> str:
        async with proxied.tab(cookie) as tab:
            await tab.send('{"watch": "home"}')
            return str(await tab.recv())

    async def opened_from(origin: str) -> None:
        async with proxied.tab(cookie, origin):
            pass

    assert '"kind":"home"' in asyncio.run(first_message())
    for origin in (f"http://{NAME}", "https://evil.example", f"https://127.0.0.1:{proxied.secure}"):
        with pytest.raises(InvalidStatus, match="403"):
            asyncio.run(opened_from(origin))


def test_the_server_is_not_there_under_another_name(proxied: Proxied, client: httpx.Client) -> None:
    assert proxied.asked(client, "GET", "/login", headers={"host": "evil.example"}).status_code == 421


def test_what_a_client_says_of_itself_is_dropped(proxied: Proxied, client: httpx.Client) -> None:
    """Else everybody could choose whom requests are counted for: the bucket of strangers would never be empty."""
    answers = [
        proxied.asked(client, "GET", "/login", headers={"x-forwarded-for": f"203.0.113.{number}"}).status_code
        for number in range(90)
    ]
    assert 200 in answers and 429 in answers


def test_an_upload_comes_through_and_one_without_end_does_not(proxied: Proxied, client: httpx.Client) -> None:
    own = {"authorization": f"Bearer {TOKEN}"}
    answer = proxied.asked(client, "PUT", "/api/bots/large", content=b"#" * 3_000_000, headers=own)
    assert answer.status_code == 201 and answer.json()["size"] == 3_000_000
    assert proxied.asked(client, "PUT", "/api/bots/larger", content=b"#" * 18_000_000, headers=own).status_code == 413
