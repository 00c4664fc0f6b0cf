"""The sign-in through a real nginx, by the very lines of docs/sign-in.md; a program of the test answers as oauth2-proxy does.

Slow: nginx, TLS and two servers are started.
"""

import http.server
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import httpx2 as httpx
import pytest
import uvicorn
from websockets.exceptions import InvalidStatus, InvalidURI
from websockets.sync.client import connect

from arena.results.accounts import Scope
from arena.server.app import Server, application
from arena.server.guard import public_address, rules_for
from arena.server.server import configured, listener, socket_file
from arena.server.sign_in.header import FILE
from arena.server.sign_in.settings import SignIn, read_sign_in
from arena.server.submitting.checks import Checks
from helpers.paths import DOCS
from helpers.server import TOKEN

NAME = "arena.example.org"
ORGANISER = "00u1a2b3c4"
NGINX, OPENSSL = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin"), shutil.which("openssl")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not NGINX or not OPENSSL, reason="there is no nginx, or no openssl, on this machine"),
]
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


class AsOauth2Proxy(http.server.BaseHTTPRequestHandler):
    """Answers /oauth2/auth as oauth2-proxy does with `set_xauthrequest`: its cookie is `ID` or `ID:NAME`."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        found = re.search(r"_oauth2_proxy=([^;]+)", self.headers.get("Cookie", ""))
        if self.path.startswith("/oauth2/start"):
            self._answer(200, {"X-Led-To": self.path})
        elif found is None:
            self._answer(401, {})
        else:
            subject, _, name = unquote(found[1]).partition(":")
            self._answer(202, {"X-Auth-Request-User": subject} | ({"X-Auth-Request-Preferred-Username": name} if name else {}))

    def _answer(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value.encode().decode("latin-1"))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@dataclass(frozen=True)
class Proxied:
    """A server with nginx and a sign-in before it."""

    port: int
    trusted: ssl.SSLContext
    server: Server

    def asked(self, path: str, who: str | None = None, method: str = "GET", **more: object) -> httpx.Response:
        """The answer to a browser that the proxy has signed in as somebody."""
        headers = {"host": NAME} | ({} if who is None else {"cookie": f"_oauth2_proxy={who}"}) | more.pop("headers", {})  # type: ignore[operator]
        with httpx.Client(base_url=f"https://127.0.0.1:{self.port}", verify=self.trusted) as client:
            return client.request(method, path, headers=headers, extensions={"sni_hostname": NAME}, **more)  # type: ignore[arg-type]

    def name(self, who: str | None, **headers: str) -> str:
        """The name of the account that comes in."""
        answer = self.asked("/api/account", who, headers=headers)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return str(answer.json()["name"])

    def raw(self, *lines: bytes) -> bytes:
        """The whole answer to the lines of a request."""
        with (
            socket.create_connection(("127.0.0.1", self.port)) as place,
            self.trusted.wrap_socket(place, server_hostname=NAME) as line,
        ):
            line.settimeout(30)
            line.sendall(
                b"\r\n".join((b"GET /api/account HTTP/1.1", b"Host: " + NAME.encode(), b"Connection: close", *lines, b"", b""))
            )
            answer = b""
            while part := line.recv(1 << 16):
                answer += part
        return answer


def documented(kind: str) -> str:
    """The one block of the page of this kind."""
    (text,) = re.findall(rf"^```{kind}\n(.*?)^```$", (DOCS / "sign-in.md").read_text(), re.DOTALL | re.MULTILINE)
    return str(text)


def site(folder: Path, *, own: int, server: str, asks: int) -> str:
    """The lines of the page, with the ports and files of the test; nothing else is changed."""
    text = documented("nginx")
    for before, after, times in (
        (r" *listen \[::\].*\n", "", 1),
        (r"listen 443 ", f"listen 127.0.0.1:{own} ", 1),
        (r"/etc/letsencrypt/\S+/fullchain\.pem", str(folder / "certificate.pem"), 1),
        (r"/etc/letsencrypt/\S+/privkey\.pem", str(folder / "key.pem"), 1),
        (r"http://127\.0\.0\.1:8000", server, 1),
        (r"http://127\.0\.0\.1:4180", f"http://127.0.0.1:{asks}", 2),
    ):
        text, changed = re.subn(before, after, text)
        assert changed == times, before
    return text


@contextmanager
def nginx(folder: Path, server: str, asks: int) -> Iterator[int]:
    """The documented nginx; its own port."""
    subprocess.run(
        [str(OPENSSL), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", folder / "key.pem",
         "-out", folder / "certificate.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=user))
    with listener("127.0.0.1", 0) as place:
        own = int(place.getsockname()[1])
        (folder / "arena").write_text(site(folder, own=own, server=server, asks=asks))
        process = subprocess.Popen(
            [str(NGINX), "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"],
            pass_fds=[place.fileno()], env={"NGINX": f"{place.fileno()};"},
        )  # fmt: skip
    try:
        yield own  # it takes over a socket that listens already, as for an upgrade of its program: nobody has to wait
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0, (folder / "errors").read_text()


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> SignIn:
    """The file of the page."""
    file = tmp_path_factory.mktemp("sign-in") / "sign_in.yaml"
    file.write_text(documented("yaml"))
    found = read_sign_in(file)
    assert list(found.organisers) == [ORGANISER]
    return found


@pytest.fixture(scope="module", params=["port", "file"])
def proxied(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, settings: SignIn) -> Iterator[Proxied]:
    """The server in a thread, nginx in a process of its own, and between them a port, or a file."""
    folder, results = tmp_path_factory.mktemp("nginx"), tmp_path_factory.mktemp("results")
    is_file = request.param == "file"
    place = socket_file(folder / "arena.sock") if is_file else listener("127.0.0.1", 0)
    address = f"http://unix:{folder}/arena.sock" if is_file else f"http://127.0.0.1:{place.getsockname()[1]}"
    public = public_address(f"https://{NAME}", "127.0.0.1", (FILE,) if is_file else ())
    app = application(results, token=TOKEN, rules=rules_for("127.0.0.1", public), sign_in=settings)
    server = uvicorn.Server(configured(app))
    asking = http.server.ThreadingHTTPServer(("127.0.0.1", 0), AsOauth2Proxy)
    with ExitStack() as opened, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checks, "start", lambda self: None)
        for run, stop in (
            (asking.serve_forever, asking.shutdown),
            (lambda: server.run([place]), lambda: setattr(server, "should_exit", True)),
        ):
            thread = threading.Thread(target=run)
            thread.start()
            opened.callback(thread.join)
            opened.callback(stop)
        port = opened.enter_context(nginx(folder, address, asking.server_address[1]))
        yield Proxied(port, ssl.create_default_context(cafile=str(folder / "certificate.pem")), app.state.server)
    asking.server_close()
    place.close()


def test_a_stranger_is_led_to_the_sign_in_and_back(proxied: Proxied) -> None:
    answer = proxied.asked("/t/cup")
    assert answer.status_code == 302
    assert re.fullmatch(rf"https://{re.escape(NAME)}(:\d+)?/oauth2/start\?rd=/t/cup", answer.headers["location"])
    assert proxied.asked("/oauth2/start?rd=/t/cup").headers["x-led-to"] == "/oauth2/start?rd=/t/cup"
    assert proxied.asked("/oauth2/auth", "00u7:ada").status_code == 404  # nginx alone asks for it


def test_who_is_signed_in_has_an_account_and_the_name_of_the_proxy(proxied: Proxied) -> None:
    assert proxied.name("00u7:ada") == "ada" and proxied.name("00u8:ben") == "ben" and proxied.name("00u7") == "ada"
    assert proxied.name("00u9:%E3%82%A2%E3%83%A4") == "アヤ"
    page = proxied.asked("/", "00u7:ada")
    assert page.status_code == 200 and ">ada<" in page.text and "max-age" in page.headers["strict-transport-security"]
    assert proxied.asked("/", "00ux:ada").status_code == 409  # another person of the same name
    assert proxied.asked("/api/admin", f"{ORGANISER}:olga").status_code == 200
    assert proxied.asked("/api/admin", "00u7:ada").status_code == 403


def test_what_a_client_says_of_itself_is_dropped(proxied: Proxied) -> None:
    """Whatever way the header is written, nginx writes its own, or none."""
    assert proxied.name(f"{ORGANISER}:olga") == "olga"
    assert proxied.name("00u7:ada", **{"X-Forwarded-User": ORGANISER, "X-Forwarded-Preferred-Username": "olga"}) == "ada"
    claim = ORGANISER.encode()
    lines = (
        (b"X-Forwarded-User: " + claim,),
        (b"x-forwarded-user: " + claim, b"X-FORWARDED-USER: " + claim),
        (b"X_Forwarded_User: " + claim,),
        (b"X-Forwarded-User : " + claim,),
        (b"X: y", b" X-Forwarded-User: " + claim),
        (b"X: y\nX-Forwarded-User: " + claim,),
        (b"X: y\rX-Forwarded-User: " + claim,),
        (b"Connection: X-Forwarded-User", b"X-Forwarded-User: " + claim),
        (b"X-Auth-Request-User: " + claim,),
        (b"X-Forwarded-User: " + claim * 1000,),
        (b"Content-Length: 0", b"Transfer-Encoding: chunked", b"X-Forwarded-User: " + claim),
    )
    for credentials in ((), (b"Authorization: Bearer x",), (b"Cookie: _oauth2_proxy=00u7:ada",)):
        for sent in lines:
            answer = proxied.raw(*credentials, *sent)
            status, _, _ = answer.partition(b"\r\n")
            assert b"organiser" not in answer and (b" 200 " not in status or b'"name":"ada"' in answer), (
                credentials,
                sent,
                answer[:300],
            )


def test_programs_come_past_the_sign_in_by_a_token_of_the_server_alone(proxied: Proxied) -> None:
    assert proxied.asked("/api/account", headers={"authorization": "Bearer x"}).status_code == 401
    account = proxied.server.accounts.find("ada")
    if account is None:
        proxied.asked("/", "00u7:ada")
        account = proxied.server.accounts.find("ada")
    assert account is not None
    token = proxied.server.accounts.make_api_token(account, "program", Scope.SEND)
    bearer = {"authorization": f"Bearer {token}"}
    assert proxied.name(None, **bearer) == "ada"
    assert proxied.asked("/api/bots/large", method="PUT", content=b"#" * 3_000_000, headers=bearer).status_code == 201
    with connect(f"wss://{NAME}/live", sock=socket.create_connection(("127.0.0.1", proxied.port)), ssl=proxied.trusted,
                 additional_headers={"Authorization": f"Bearer {token}"}, proxy=None) as program:  # fmt: skip
        program.send('{"watch": "home"}')
        assert '"kind":"home"' in str(program.recv(timeout=30))


def test_a_socket_of_a_page_is_signed_in_too(proxied: Proxied) -> None:
    def opened(cookie: str, origin: str = f"https://{NAME}") -> str:
        line = socket.create_connection(("127.0.0.1", proxied.port))
        with connect(f"wss://{NAME}/live", sock=line, ssl=proxied.trusted, origin=origin,  # type: ignore[arg-type]
                     additional_headers={"Cookie": cookie}, proxy=None) as tab:  # fmt: skip
            tab.send('{"watch": "home"}')
            return str(tab.recv(timeout=30))

    assert '"kind":"home"' in opened("_oauth2_proxy=00u7:ada")
    with pytest.raises(InvalidStatus, match="403"):
        opened("_oauth2_proxy=00u7:ada", "https://evil.example")
    with pytest.raises(InvalidURI, match="/oauth2/start"):  # it is led to the sign-in, as a page would be
        opened("x=y")


def test_logging_out_leads_to_the_sign_out_of_the_proxy(proxied: Proxied) -> None:
    answer = proxied.asked("/logout", "00u7:ada", "POST", data={"next": "/"}, headers={"origin": f"https://{NAME}"})
    assert answer.status_code == 200 and answer.headers["refresh"] == "0; url=/oauth2/sign_out?rd=%2F"


def test_no_token_opens_a_browser_any_more(proxied: Proxied) -> None:
    sent = {"origin": f"https://{NAME}", "authorization": "Bearer x"}  # past the sign-in
    assert proxied.asked("/login", None, "POST", data={"token": TOKEN}, headers=sent).status_code == 403
