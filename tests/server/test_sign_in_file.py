"""The file of a sign-in, and `arena serve` with it: what it says, and what is said about a wrong one."""

import signal
import socket
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.errors import ConfigError
from arena.server.sign_in.settings import check_sign_in, read_sign_in
from helpers.tournaments import arena

RIGHT = {"header": "X-Forwarded-User"}
MISTAKES: list[tuple[Any, str]] = [
    (["X-Forwarded-User"], "a sign-in is a YAML mapping with the header of the proxy, such as header: X-Forwarded-User"),
    ({}, "header: this key is needed"),
    (RIGHT | {"headers": "X"}, "headers: no such key; did you mean"),
    ({"header": "X_Forwarded_User"}, "header: the name of a header that the proxy alone sets, such as X-Forwarded-User, not"),
    ({"header": "Cookie"}, "header: the name of a header that the proxy alone sets"),
    ({"header": "X-Forwarded-For"}, "header: the name of a header that the proxy alone sets"),
    ({"header": "X-User\nX-Other"}, "header: the name of a header that the proxy alone sets"),
    (RIGHT | {"name_header": "User-Agent"}, "name_header: the name of a header that the proxy alone sets"),
    (RIGHT | {"name_header": "x-forwarded-user"}, "name_header: leave it out where it is the same header"),
    (
        RIGHT | {"proxies": ["nginx"]},
        "proxies: an address or a network is needed, such as 10.0.0.5 or 10.0.5.0/24, not 'nginx'",
    ),
    (RIGHT | {"proxies": ["10.0.0.5/24"]}, "proxies: an address or a network is needed"),
    (RIGHT | {"proxies": ["0.0.0.0/0"]}, "proxies: 0.0.0.0/0 is nearly everybody"),
    (RIGHT | {"proxies": ["::/1"]}, "proxies: ::/1 is nearly everybody"),
    (RIGHT | {"role": "organiser"}, "role: everybody would be an organiser; use author or guest, and name the organisers"),
    (RIGHT | {"role": "king"}, "role: "),
    (RIGHT | {"sign_out": "//evil.example"}, "sign_out: a path of the proxy, such as /oauth2/sign_out, or an https address"),
    (RIGHT | {"sign_out": "javascript:alert(1)"}, "sign_out: a path of the proxy"),
    (RIGHT | {"sign_out": "/a\r\nx: y"}, "sign_out: a path of the proxy"),
    (RIGHT | {"tokens": "no"}, "tokens: "),
]


@pytest.mark.parametrize(("document", "expected"), MISTAKES, ids=[expected[:40] for _, expected in MISTAKES])
def test_every_mistake_of_a_sign_in_is_named(document: Any, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_sign_in(document)
    assert str(caught.value).startswith(expected) and "\n" not in str(caught.value)


def test_what_is_left_out_is_the_safer_choice(tmp_path: Path) -> None:
    file = tmp_path / "sign-in.yaml"
    file.write_text("header: X-Forwarded-User\n")
    found = read_sign_in(file)
    assert (found.proxies, found.organisers, found.role, found.sign_out) == ((), (), "author", None)


def test_the_verb_refuses_a_sign_in_that_nobody_stands_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sign-in.yaml"
    file.write_text("header: X-Forwarded-User\nproxies: [10.0.0.5]\n")
    proxy = ["--behind-proxy", "https://arena.example.org"]
    socket_file = f"unix:{tmp_path}/x.sock"
    for words, message in (
        (["--sign-in", str(file)], "--sign-in: a proxy is needed before the server; name its address with --behind-proxy"),
        (["--host", socket_file], "--host unix:FILE: a proxy is needed before the server"),
        (["--host", socket_file, "--sign-in", str(file), *proxy], "proxies: at a file there are no addresses"),
        (["--sign-in", str(tmp_path / "none.yaml"), *proxy], "none.yaml: "),
    ):
        assert main(["serve", str(tmp_path), "--port", "0", "--no-browser", *words]) == 2
        said = capsys.readouterr()
        assert said.out == "" and said.err.count("\n") == 1 and message in said.err
    assert not (tmp_path / "x.sock").exists()


def test_a_server_at_a_file_runs_and_takes_its_file_away(tmp_path: Path) -> None:
    file, place = tmp_path / "sign-in.yaml", tmp_path / "arena.sock"
    file.write_text("header: X-Forwarded-User\n")
    process = arena(
        "serve", tmp_path, "--host", f"unix:{place}", "--behind-proxy", "https://arena.example.org", "--sign-in", file,
        "--no-browser",
    )  # fmt: skip
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.strip().endswith("is open: https://arena.example.org")  # no token: it opens no browser behind the proxy
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(str(place))
            head = "GET / HTTP/1.1\r\nHost: arena.example.org\r\nX-Forwarded-User: ada\r\nConnection: close\r\n\r\n"
            asking.sendall(head.encode())
            assert asking.recv(100).startswith(b"HTTP/1.1 200 ")
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 0 and f"the proxy finds it at unix:{place}" in err and not place.exists()
