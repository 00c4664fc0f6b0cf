"""`arena play --browser`: a server with one table that waits for the person whom the command line sends."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from arena.cli.main import main
from arena.cli.table.in_browser import choices
from arena.errors import ConfigError
from helpers.server import HOST


class Server:
    """Takes the application that the command would serve."""

    app: Starlette | None = None

    def run(self, app: Starlette, place: Any) -> None:
        self.app = app


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    found = Server()
    monkeypatch.setattr("arena.server.server.run", found.run)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    return found


def asked(capsys: pytest.CaptureFixture[str], out: Path, *words: str) -> tuple[int, str, str]:
    code = main(["play", *words, "--browser", "--out", str(out)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_the_address_opens_one_table_with_these_settings(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("hisatsu", "--level", "club", "--level", "expert", "--seat", "1", "--seed", "7", "--name", "alice")
    code, text, _ = asked(capsys, tmp_path, *words)
    assert code == 0
    ((token, path),) = re.findall(r"http://127\.0\.0\.1:\d+/login#token=([\w-]{43})&next=(\S+)", text)
    assert server.app is not None
    with TestClient(server.app, base_url=HOST, follow_redirects=False) as client:
        assert client.get(path).status_code == 401, "nobody comes in without the token"
        entered = client.post("/login", data={"token": token, "next": path}, headers={"origin": HOST})
        assert (entered.status_code, entered.headers["location"]) == (303, path)
        led = client.get(path)
        assert led.status_code == 303 and led.headers["location"].startswith("/tables/")
        found = server.app.state.server.tables
        (table,) = found._tables.values()
        assert f"/tables/{table.id}" == led.headers["location"]
        assert table.plan.seed == 7 and table.plan.host_seat == 1
        assert [seat.name for seat in table.plan.seats][::2] == ["club", "expert"]
        assert table.host is not None and table.host.name == "alice"
        assert client.get(led.headers["location"]).status_code == 200
        again = client.get(path)
        assert (again.status_code, again.headers["location"]) == (303, "/play"), "its code works once"
        assert len(found._tables) == 1


def test_a_game_in_real_time_has_ticks(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, tmp_path, "nertz", "--level", "casual")[0] == 0
    assert server.app is not None
    (prepared,) = server.app.state.server.playing._prepared.values()
    assert prepared.opening.tick_ms == 250 and prepared.opening.options["latency"] == "declared"
    assert prepared.opening.name is None and prepared.usual_name


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--level", "exprt"], 'did you mean "expert"'),
        (["--against", "house:naga_plannr"], "naga_plannr"),
        (["--against", "bots/naga_greedy.py"], "arena submit"),
        (["--against", "house:random_bot", "--param", "a=1"], "--param"),
        (["--level", "club", "--seat", "4"], "a seat from 0 to 1, not 4"),
        (["--level", "club", "--option", "series=often"], "series"),
        (["--level", "club", "--name", "a" * 60], "24"),
    ],
)
def test_what_is_wrong_is_said_in_the_terminal(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], expected: str
) -> None:
    code, text, complaint = asked(capsys, tmp_path, "naga", *words)
    assert (code, text, server.app) == (2, "", None) and expected in complaint and "Traceback" not in complaint


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, _, complaint = asked(capsys, tmp_path, "naga", "--level", "club")
    assert code == 2 and "pip install 'arena-hall[web]'" in complaint


def test_the_own_seat_is_among_the_others() -> None:
    assert choices(["club", "expert"], [], 1, []) == ["level:club", "me", "level:expert"]
    assert choices([], ["house:random_bot"], 0, []) == ["me", "house:random_bot"]
    with pytest.raises(ConfigError):
        choices([], ["mine.py"], 0, [])
