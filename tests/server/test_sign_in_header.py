"""The header of a sign-in on the wire: smuggled in every way that a socket allows, and out of a bot's lock."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import uvicorn

from arena.errors import ConfigError
from arena.records import Clock, Ending
from arena.server.app import Server, application
from arena.server.guard import public_address, rules_for
from arena.server.server import configured, listener, socket_file
from arena.server.sign_in.header import FILE
from arena.server.sign_in.settings import check_sign_in
from helpers.attacks import Attack
from helpers.locked_matches import RIVAL, play_locked, supervising
from helpers.server import TOKEN

NAME = "arena.example.org"
HEADER, OTHER = b"X-Forwarded-User", b"X-Forwarded-Preferred-Username"


@contextmanager
def running(place: socket.socket, results: Path, *proxies: str) -> Iterator[Server]:
    """The server of a results folder, behind a proxy that signs people in, in a thread."""
    settings = check_sign_in({"header": HEADER.decode(), "name_header": OTHER.decode()})
    public = public_address(f"https://{NAME}", "127.0.0.1", proxies)
    app = application(results, token=TOKEN, rules=rules_for("127.0.0.1", public), sign_in=settings)
    server = uvicorn.Server(configured(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
    thread.start()
    try:
        yield app.state.server
    finally:
        server.should_exit = True
        thread.join()
        place.close()


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a server that believes a proxy on this machine."""
    place = listener("127.0.0.1", 0)
    with running(place, tmp_path_factory.mktemp("results")):
        yield int(place.getsockname()[1])


def asked(place: socket.socket, *lines: bytes) -> tuple[int, str]:
    """The status and the rest of the answer to a request with these lines in its head."""
    head = [b"GET /api/account HTTP/1.1", b"Host: " + NAME.encode(), b"Connection: close", *lines]
    with closing(place):
        place.settimeout(30)
        place.sendall(b"\r\n".join((*head, b"", b"")))
        answer = b""
        while part := place.recv(1 << 16):
            answer += part
    return int(answer.split()[1]), answer.decode("utf-8", "replace")


def of(port: int, *lines: bytes) -> tuple[int, str]:
    return asked(socket.create_connection(("127.0.0.1", port)), *lines)


@pytest.mark.parametrize("header", [HEADER, HEADER.lower(), HEADER.upper(), b"x-FORWARDED-uSER"])
def test_the_header_is_the_same_however_it_is_written(port: int, header: bytes) -> None:
    status, answer = of(port, header + b": ada")
    assert status == 200 and '"name":"ada"' in answer


@pytest.mark.parametrize("value", [b"ada", "アダ".encode(), b"  ada \t", "Ada É.".encode(), b"zoe@example.org", b"x'); drop--"])
def test_one_clear_name_comes_in(port: int, value: bytes) -> None:
    assert of(port, HEADER + b": " + value)[0] == 200


@pytest.mark.parametrize("value", [b"", b" ", b"\t"])
def test_an_empty_name_is_nobody(port: int, value: bytes) -> None:
    assert of(port, HEADER + b":" + value)[0] == 401


@pytest.mark.parametrize(
    "lines",
    [
        (HEADER + b": ada", HEADER + b": mallory"),
        (HEADER + b": ada", HEADER + b": ada"),
        (HEADER + b": ada", HEADER.lower() + b": mallory"),
        (HEADER + b": ", HEADER + b": mallory"),
        (HEADER + b": mallory", HEADER + b":"),
        (b"X_Forwarded_User: mallory",),
        (b"X-Forwarded_User: mallory",),
        (HEADER + b": ada", b"x_forwarded_user: mallory"),
        (b"x_forwarded_user: mallory", HEADER + b": ada"),
        (HEADER + b": ada", b"X_FORWARDED_PREFERRED_USERNAME: mallory"),
        (HEADER + b": ada", OTHER + b": ada", OTHER + b": mallory"),
        (HEADER + b": ada, mallory",),
        (HEADER + b": ada,",),
        (HEADER + b": \xe9\xe9",),
        (HEADER + b": ada\xff",),
        (HEADER + b": \xed\xa0\x80",),
        (HEADER + b": ada\xc2\x85mallory",),
        (HEADER + b": ada\xe2\x80\xaemallory",),
        (HEADER + b": ada\x7fmallory",),
        (HEADER + b": " + b"a" * 255,),
        (HEADER + b": " + b"a" * 10_000,),
    ],
)
def test_what_is_not_one_clear_name_lets_nobody_in(port: int, lines: tuple[bytes, ...]) -> None:
    status, answer = of(port, *lines)
    assert status == 400 and '"name"' not in answer


@pytest.mark.parametrize(
    "lines",
    [
        (HEADER + b" : mallory",),
        (HEADER + b": ada\x00mallory",),
        (HEADER + b": ada\rX-Forwarded-User: mallory",),
        (HEADER + b": ada\nX-Forwarded-User: mallory",),
        (HEADER + b": " + b"a" * 40_000,),
        (b"X-Forwarded-User\xc2\xa0: mallory",),
    ],
)
def test_what_is_no_http_never_becomes_a_second_person(port: int, lines: tuple[bytes, ...]) -> None:
    status, answer = of(port, *lines)
    assert status in (400, 431) and '"name"' not in answer


@pytest.mark.parametrize(
    "header", [b"X-Forwarded-Users", b"X-Forwarded-Use", b"XForwarded-User", b"X.Forwarded.User", b"Forwarded-User"]
)
def test_a_header_of_another_name_means_nothing(port: int, header: bytes) -> None:
    assert of(port, header + b": mallory")[0] == 401


def test_a_second_request_on_the_same_line_is_for_whom_it_names_itself(port: int) -> None:
    """Nothing of whom a connection was for is kept: proxies use one for many people."""
    with socket.create_connection(("127.0.0.1", port)) as place:
        place.settimeout(30)
        for line, expected in (
            (b"\r\n" + HEADER + b": ada", b'"name":"ada"'),
            (b"", b"401"),
            (b"\r\n" + HEADER + b": ben", b'"name":"ben"'),
        ):
            place.sendall(b"GET /api/account HTTP/1.1\r\nHost: " + NAME.encode() + line + b"\r\n\r\n")
            answer = place.recv(1 << 16)
            while expected not in answer and (part := place.recv(1 << 16)):
                answer += part
            assert expected in answer


def test_a_line_that_goes_on_is_one_name(port: int) -> None:
    status, answer = of(port, HEADER + b": ada\r\n mallory")
    assert status == 200 and '"name":"ada mallory"' in answer
    assert of(port, b"X: y", b" " + HEADER + b": mallory")[0] == 401  # it is what X says


@pytest.mark.parametrize(("names", "status"), [(["ada"], 101), ([], 401), (["ada", "mallory"], 400), (["ada,mallory"], 400)])
def test_a_socket_is_opened_by_the_same_rules(port: int, names: list[str], status: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as place:
        place.settimeout(30)
        head = [
            "GET /live HTTP/1.1", f"Host: {NAME}", f"Origin: https://{NAME}", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            *(f"{HEADER.decode()}: {name}" for name in names),
        ]  # fmt: skip
        place.sendall("\r\n".join((*head, "", "")).encode())
        assert int(place.recv(1 << 16).split()[1]) == status


def test_a_server_at_a_file_believes_whoever_may_open_it(tmp_path: Path) -> None:
    file = tmp_path / "arena.sock"
    with running(socket_file(file), tmp_path, FILE):
        assert file.is_socket() and file.stat().st_mode & 0o777 == 0o660
        with pytest.raises(ConfigError, match="another server listens there"):
            socket_file(file)
        for lines, status in (((HEADER + b": ada",), 200), ((), 401), ((HEADER + b": ada", HEADER + b": ben"), 400)):
            place = socket.socket(socket.AF_UNIX)
            place.connect(str(file))
            assert asked(place, *lines)[0] == status
    with closing(socket_file(file)):  # what is left of a server that has ended is in nobody's way
        pass


def test_a_file_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("mine")
    for path in (tmp_path / "none" / "x.sock", tmp_path / "text", tmp_path / ("x" * 200)):
        with pytest.raises(ConfigError, match=r"--host unix:.*cannot be made"):
            socket_file(path)
    assert (tmp_path / "text").read_text() == "mine"


ATTACK = '''
import socket


@all_refused
def says_who_it_is(bot, view):
    """Says to the server that it is the organiser, as a proxy of this machine would."""
    def said(kind, address):
        place = socket.socket(kind)
        place.connect(address)
        place.sendall(b"GET /api/admin HTTP/1.1\\r\\nHost: {name}\\r\\n{header}: olga\\r\\n\\r\\n")
        return place.recv(100)

    return {{
        "port": lambda: said(socket.AF_INET, ("127.0.0.1", {port})),
        "newer": lambda: said(socket.AF_INET6, ("::ffff:127.0.0.1", {port})),
        "file": lambda: said(socket.AF_UNIX, {file!r}),
    }}
'''


def test_a_bot_reaches_no_server_that_would_believe_it(tmp_path: Path) -> None:
    """Bots run on the machine whose programs are believed: the lock keeps them from its ports and files."""
    at_port, at_file, source = listener("127.0.0.1", 0), tmp_path / "arena.sock", tmp_path / "attack.py"
    text = ATTACK.format(name=NAME, header=HEADER.decode(), port=at_port.getsockname()[1], file=str(at_file))
    source.write_text(text)
    attack = Attack("says_who_it_is", "Says that it is the organiser.", Ending.PLAYED, source)
    with (
        running(at_port, tmp_path / "one") as first, running(socket_file(at_file), tmp_path / "two", FILE) as second,
        supervising() as supervisor,
    ):  # fmt: skip
        at_file.chmod(0o666)
        played = play_locked(supervisor, [RIVAL, attack.bot(tmp_path)], [{}, {}], clock=Clock(move=5.0, bank=5.0, start=5.0))
        assert played.record.seats[1].ending is Ending.PLAYED
        assert played.outputs[1].count("REFUSED") == 3 and "GOT" not in played.outputs[1], played.outputs[1]
        assert "ConnectionRefused" not in played.outputs[1] and "FileNotFound" not in played.outputs[1]
        assert first.accounts.members() == second.accounts.members() == []
