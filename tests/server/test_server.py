"""A real server on a real port: deadlines, what is no HTTP, a port in use, and an end by Ctrl-C that leaves nothing behind."""

import asyncio
import importlib.util
import io
import os
import random
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import uvicorn
from websockets.sync.client import connect

from arena.agent import BotFiles
from arena.agent.submissions import Submissions
from arena.cli.main import main
from arena.errors import ConfigError
from arena.match import awake
from arena.server import transfer
from arena.server.app import application
from arena.server.limits import FRAMES
from arena.server.server import LARGEST_MESSAGE, configured, listener
from arena.server.transfer import protocol_with
from arena.server.views.source import zip_parts
from arena.tournament.workers.ray.watchdog import descendants
from helpers.processes import survivors
from helpers.server import TOKEN
from helpers.tournaments import arena, ended


@contextmanager
def served(folder: Path, seconds: float, send_seconds: float = 60.0) -> Iterator[int]:
    """A server in a thread whose clients have so long for a request, and to read a part of an answer; its port."""
    place = listener("127.0.0.1", 0)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 14)  # else the kernel keeps megabytes for who reads nothing
    server = uvicorn.Server(configured(application(folder, token=TOKEN), protocol_with(seconds, send_seconds)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
    thread.start()
    try:
        yield int(place.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
        place.close()


def answered(port: int, *parts: bytes) -> bytes:
    """What the server says until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        for part in parts:
            connection.sendall(part)
        said = b""
        while more := connection.recv(4096):
            said += more
        return said


@pytest.mark.parametrize("parts", [(), (b"G",), (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",)])
def test_who_does_not_finish_a_request_is_cut_off(tmp_path: Path, parts: tuple[bytes, ...]) -> None:
    with served(tmp_path, 0.5) as port:
        said = answered(port, *parts)
        assert said.startswith(b"HTTP/1.1 408 ") and b"content-security-policy" in said
        request = b"GET /api HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Bearer the-token\r\n\r\n"
        assert answered(port, request).startswith(b"HTTP/1.1 200 ")


def test_who_leaves_in_the_middle_of_a_form_is_no_mistake_of_ours(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    head = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\ntok"
    with served(tmp_path, 60.0) as port:
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(head)
            assert answered(port, b"GET /login HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    assert caplog.text == ""


def test_a_form_that_does_not_come_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "BODY_SECONDS", 0.05)
    with served(tmp_path, 60.0) as port:
        head = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\nConnection: close\r\n\r\ntoken"
        assert answered(port, head).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("words", [b"hello\r\n\r\n", b"\x16\x03\x01" + b"\xff" * 200 + b"\r\n\r\n"])
def test_what_is_no_http_is_refused_and_the_server_goes_on(tmp_path: Path, words: bytes) -> None:
    with served(tmp_path, 60.0) as port:
        for _ in range(3):
            said = answered(port, words)
            assert said.startswith(b"HTTP/1.1 400 ") and b"content-security-policy" in said and b"uvicorn" not in said


def test_a_message_that_is_too_large_closes_its_socket_alone(tmp_path: Path) -> None:
    with served(tmp_path, 60.0) as port:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        address = f"ws://127.0.0.1:{port}/live"
        with connect(address, additional_headers=headers) as other, connect(address, additional_headers=headers) as one:
            one.send("x" * (LARGEST_MESSAGE + 1))
            with pytest.raises(Exception, match="1009"):
                one.recv()
            other.send('{"watch": "home"}')
            assert '"kind":"home"' in str(other.recv())
            assert other.protocol.extensions == []  # no compression


def test_a_port_in_use_and_places_that_are_none_are_told() -> None:
    with listener("127.0.0.1", 0) as place:
        port = place.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"port {port} is in use; .*--port 0"):
            listener("127.0.0.1", port)
    for host, number, message in (
        ("127.0.0.1", 70_000, "from 0 to 65535"), ("127.0.0.1", -1, "from 0 to 65535"), ("no.such.name.invalid", 0, "no such"),
        ("203.0.113.7", 0, "cannot listen there"), ("", 99_999, "from 0"), ("a" * 300, 0, "no such address"),
    ):  # fmt: skip
        with pytest.raises(ConfigError, match=message):
            listener(host, number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_by_a_signal_with_open_sockets_and_leaves_nothing(number: int, tmp_path: Path) -> None:
    process = arena("serve", tmp_path, "--port", 0, "--no-browser")
    assert process.stdout is not None
    first = process.stdout.readline()
    (url,) = re.findall(r"http://127\.0\.0\.1:\d+/login#token=[\w-]{43}", first)
    host, token = url.partition("/login")[0].removeprefix("http://"), url.partition("token=")[2]
    name, _, port = host.partition(":")
    headers = {"Authorization": f"Bearer {token}"}
    with ExitStack() as opened:
        opened.callback(process.kill)
        tabs = [opened.enter_context(connect(f"ws://{host}/live", additional_headers=headers)) for _ in range(3)]
        tabs[0].send('{"watch": "home"}')
        assert '"kind":"home"' in str(tabs[0].recv())
        half = opened.enter_context(socket.create_connection((name, int(port))))
        half.sendall(b"GET / HT")
        started = {process.pid, *descendants({process.pid})}
        process.send_signal(number)
        code, out, err = ended(process)
    assert (code, out) == (0, "") and err == "Ctrl-C closes it\n"
    assert survivors(started) == set() and list(tmp_path.iterdir()) == []


def test_it_opens_the_browser_by_a_file_that_only_its_owner_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All users see command lines, so the token must not be in that of the browser."""
    opened: list[tuple[Path, int, str]] = []

    def look(address: str) -> None:
        path = Path(address.removeprefix("file://"))
        opened.append((path, path.stat().st_mode & 0o777, path.read_text()))

    monkeypatch.setattr("webbrowser.open", look)
    monkeypatch.setattr("arena.server.server.run", lambda app, place, **_: None)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    words = ["serve", str(tmp_path), "--port", "0"]
    assert main(words) == 0 and opened == []  # there is no screen
    monkeypatch.setenv("BROWSER", "lynx")
    assert main([*words, "--no-browser"]) == 0 and opened == []
    capsys.readouterr()
    assert main(words) == 0
    ((page, mode, text),) = opened
    (url,) = re.findall(r"http://\S+", capsys.readouterr().out)
    assert mode == 0o600 and f"url={url}" in text and "token" not in str(page) and not page.exists()


def test_a_second_server_on_the_same_port_and_a_folder_that_is_none_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with listener("127.0.0.1", 0) as place:
        assert main(["serve", str(tmp_path), "--port", str(place.getsockname()[1]), "--no-browser"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "is in use" in said.err and "Traceback" not in said.err
    assert main(["serve", str(tmp_path / "none"), "--no-browser"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "no such folder" in said.err


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["serve"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "pip install 'arena-hall[web]'" in said.err


def test_who_reads_nothing_of_an_answer_is_cut_off_and_nothing_is_written_to_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither an unread download of parts, nor an unread page, nor its last bytes hold a connection."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    data = {f"{number}.bin": random.Random(number).randbytes(4 << 20) for number in range(8)}
    bot = BotFiles("big.py", {"big.py": b"", **data})
    Submissions(tmp_path).submit("big", bot, ("naga",))
    with served(tmp_path, 60.0, send_seconds=0.3) as port:
        for address in ("/api/bots/big/source.zip", "/bots/big/source.zip", "/rules/nertz"):
            head = f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
            with socket.socket() as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.connect(("127.0.0.1", port))
                connection.sendall(head * (1 if "zip" in address else 60))
                over = select.poll()
                over.register(connection, select.POLLHUP | select.POLLERR)
                assert over.poll(60_000), address


PING, PONG, TEXT, EMPTY_PART = (bytes([head, 0x80, 0, 0, 0, 0]) for head in (0x89, 0x8A, 0x81, 0x00))
FIRST_PART = bytes([0x01, 0x80, 0, 0, 0, 0])


@pytest.mark.parametrize("frames", [(PING,), (PONG,), (TEXT,), (FIRST_PART, EMPTY_PART)], ids=["ping", "pong", "text", "part"])
def test_who_floods_a_socket_with_frames_is_cut_off(tmp_path: Path, frames: tuple[bytes, ...]) -> None:
    """They are short and many: to read a megabyte of them takes seconds, in which nobody else has an answer."""
    with served(tmp_path, 60.0) as port, opened_socket(port, TOKEN) as connection, pytest.raises(ConnectionError):
        for frame in (*frames, *[frames[-1] * 1000] * 500):  # it reads nothing, and says no farewell
            connection.sendall(frame)


def test_who_opens_a_socket_after_the_other_may_send_no_more_frames(tmp_path: Path) -> None:
    with served(tmp_path, 60.0) as port, pytest.raises(ConnectionError):
        for _ in range(20):
            with opened_socket(port, TOKEN) as connection:
                connection.sendall(PING * (FRAMES.burst - 100))
                connection.sendall(bytes([0x88, 0x80, 0, 0, 0, 0]))
                while connection.recv(1 << 16):
                    pass


@contextmanager
def opened_socket(port: int, token: str) -> Iterator[socket.socket]:
    """A connection that has become a socket of the server."""
    head = (
        f"GET /live HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(head.encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 101 ")
        yield connection


def test_a_zip_that_is_packed_while_it_is_sent_holds_the_files(tmp_path: Path) -> None:
    bot = BotFiles("big.py", {"big.py": b"x", "deep/data.bin": random.Random(1).randbytes(300_000)})
    version, _ = Submissions(tmp_path).submit("big", bot, ("naga",))
    parts = list(zip_parts(Submissions(tmp_path).paths(version), "big"))
    assert max(map(len, parts)) < 200_000
    with zipfile.ZipFile(io.BytesIO(b"".join(parts))) as packed:
        assert {one.compress_type for one in packed.infolist()} == {zipfile.ZIP_STORED}, "nobody has the server compute for it"
        assert {name: packed.read(name) for name in packed.namelist()} == {
            f"big/{name}": content for name, content in bot.files.items()
        }


LEAVING = """
import asyncio, contextlib, gc
from starlette.applications import Starlette
from arena.server.server import listener, run

@contextlib.asynccontextmanager
async def lifespan(app):
    child = await asyncio.create_subprocess_exec("sh", "-c", "sleep 5 & echo $!", stdout=-1, stderr=-1)
    print((await child.stdout.readline()).decode(), end="", flush=True)
    yield

with listener("127.0.0.1", 0) as place:
    run(Starlette(lifespan=lifespan), place)
gc.collect()
"""


def test_a_pipe_that_outlives_the_server_is_no_news_at_ctrl_c() -> None:
    server = subprocess.Popen([sys.executable, "-c", LEAVING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    grandchild = int(server.stdout.readline())
    server.send_signal(signal.SIGINT)
    try:
        assert server.communicate(timeout=60)[1] == "" and server.returncode == 0
    finally:
        os.kill(grandchild, signal.SIGKILL)


def test_all_deadlines_of_the_server_go_by_the_clock_that_knows_of_gaps(tmp_path: Path) -> None:
    """Those of sockets, of requests, of checks and of tables: a machine that was suspended cuts nobody off."""
    app = application(tmp_path)

    async def clock() -> object:
        async with app.router.lifespan_context(app):
            return asyncio.get_running_loop().time

    assert asyncio.run(clock()) is awake.now
