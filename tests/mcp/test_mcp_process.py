"""`arena mcp` as clients meet it: a process over stdin and stdout, and over HTTP; what hostile clients can do; what is left."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from arena.results.accounts import Accounts
from arena.results.site_file import Role, SiteFile
from arena.server.people.store import records
from helpers.agents import begun, legal, played, refused, run, said
from helpers.processes import live_tables, processes_below, runs
from helpers.serving import served
from mcp import Client, StdioServerParameters

COMMAND = (sys.executable, "-m", "arena", "mcp")
PIPE = subprocess.PIPE
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip


def parameters(results: Path, *words: str) -> StdioServerParameters:
    return StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], "--out", str(results), *words], env=dict(os.environ))


@contextmanager
def over_http(results: Path, *words: str) -> Iterator[str]:
    """A server over HTTP; gives its address."""
    command = [*COMMAND, "--http", "127.0.0.1:0", "--out", str(results), *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        yield next(found[0] for line in process.stderr if (found := re.search(r"http://\S+", line)))
    finally:
        started = processes_below({process.pid})
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
        assert not any(map(runs, started))
        process.communicate()


@pytest.mark.slow
def test_a_match_over_stdin_and_stdout_is_stored(tmp_path: Path) -> None:
    async def play() -> str:
        async with Client(parameters(tmp_path, "--name", "claude")) as client:
            match, text = await begun(client, game="naga", seed=2, opponents=["beginner"])
            assert "0 claude (you)" in text
            await played(client, match)
            return await said(client, "replay", match=match)

    text = run(play)
    assert "place 1" in text and (tmp_path / "people" / "people.sqlite").is_file()


@pytest.mark.slow
def test_two_clients_at_once_play_apart_and_none_sees_the_others_match(tmp_path: Path) -> None:
    async def both(address: str) -> None:
        finished: list[str] = []

        async def play(seed: int) -> None:
            async with Client(address) as client:
                match, _ = await begun(client, game="naga", seed=seed, opponents=["beginner"])
                await played(client, match)
                finished.append(await said(client, "result", match=match))

        async with anyio.create_task_group() as group:
            group.start_soon(play, 1)
            group.start_soon(play, 2)
        assert len({text.rpartition(" ")[2] for text in finished}) == 2

    with over_http(tmp_path) as address:
        run(lambda: both(address))


@pytest.mark.slow
def test_what_is_no_request_is_refused_and_others_go_on(tmp_path: Path) -> None:
    with over_http(tmp_path) as address:
        host, port = re.findall(r"//([\d.]+):(\d+)", address)[0]
        deaf = [socket.create_connection((host, int(port))) for _ in range(50)]  # who connects and says nothing
        assert answer(address, b"{not json") in (400, 406)
        assert answer(address, b"[" * 100_000) in (400, 406)
        assert answer(address, b"x" * (1 << 20)) == 413
        assert answer(address, b"{}", host="evil.example") == 421
        assert answer(address, b"{}", origin="http://evil.example") == 403

        async def look() -> None:
            async with Client(address) as client:
                assert "naga (" in await said(client, "games")
                assert "no match" in await refused(client, "act", match="../../etc", action="pass")
                assert "match: Expected `str` of length <= 40" in await refused(client, "act", match="x" * 41, action="a")
                assert "action: Expected `str` of length <= 400" in await refused(client, "act", match="x", action="a" * 401)

        run(look)
        for one in deaf:
            one.close()


def answer(address: str, body: bytes, host: str = "", origin: str = "") -> int:
    """The status of the answer to a request of these bytes."""
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    headers |= {"Host": host} if host else {}
    headers |= {"Origin": origin} if origin else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=20) as found:
            return int(found.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.mark.slow
def test_a_match_whose_process_dies_is_said_to_be_broken_and_others_go_on(tmp_path: Path) -> None:
    async def play() -> None:
        async with Client(parameters(tmp_path)) as client:
            match, _ = await begun(client, game="naga", seed=2)
            other, _ = await begun(client, game="naga", seed=3)
            tables = live_tables(os.getpid())
            assert len(tables) == 2
            os.kill(min(tables), signal.SIGKILL)
            broken = [await client.call_tool("state", {"match": one}) for one in (match, other)]
            while not any(one.is_error for one in broken):
                broken = [await client.call_tool("state", {"match": one}) for one in (match, other)]
            ((dead, text),) = [(one, found.content[0].text) for one, found in zip((match, other), broken) if found.is_error]
            assert text == "the match is broken: its process has died; the match is not stored"
            alive = other if dead == match else match
            assert "Since your last decision" in await said(client, "act", match=alive, action=(await legal(client, alive))[0])

    run(play)
    assert live_tables(os.getpid()) == set()


def test_the_command_line_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from arena.cli.main import main

    wrong = {
        ("--http", "0.0.0.0:8100"): "--http: 0.0.0.0: only this machine may reach it",
        ("--http", "8100"): "--http: 8100: ADDRESS:PORT is needed",
        ("--http", "127.0.0.1:99999"): "--http: 127.0.0.1:99999: ADDRESS:PORT is needed",
        ("--submit-to", "http://x"): "--submit-to: only with --author",
        ("--author", str(tmp_path / "none")): "no such folder",
        ("--hall", "http://x", "--name", "My Agent"): "--name: a hall calls the agent so",
        ("--name", " "): "--name: a name of at least one character is needed",
    }
    for words, text in wrong.items():
        assert main(["mcp", *words, "--out", str(tmp_path)]) == 2
        said_here = capsys.readouterr().err
        assert text in said_here and len(said_here.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_and_its_matches_while_its_client_still_holds_the_line(
    number: signal.Signals, tmp_path: Path
) -> None:
    process = subprocess.Popen([*COMMAND, "--out", str(tmp_path)], stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "new_match", "arguments": {"game": "naga"}}}
    for message in (HELLO, call):
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        assert "error" not in json.loads(process.stdout.readline())
    started = processes_below({process.pid})
    assert started
    process.send_signal(number)
    assert process.wait(timeout=30) == 130
    assert not any(map(runs, started)) and process.stderr.read().strip() == "arena: interrupted"
    process.communicate()


def raw(results: Path, last: int, *lines: bytes) -> list[Any]:
    """What the server says over stdout to lines as they are, up to its answer to request `last`; its input ends then."""
    process = subprocess.Popen([*COMMAND, "--out", str(results)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b"\n".join(lines) + b"\n")
    process.stdin.flush()
    found: list[Any] = []
    for line in process.stdout:
        found.append(json.loads(line))
        if found[-1].get("id") == last:
            break
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return found + [json.loads(line) for line in rest.splitlines()]


def test_stdout_has_nothing_but_answers_whatever_comes_in(tmp_path: Path) -> None:
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "nothing", "arguments": {}}}
    found = raw(tmp_path, 2, json.dumps(HELLO).encode(), b"{", b"\xff\xfe", b"[]", json.dumps(call).encode())
    by_id = {one.get("id"): one for one in found}
    assert by_id[1]["result"]["serverInfo"]["name"] == "arena"
    assert "no tool 'nothing'" in by_id[2]["error"]["message"]


@pytest.mark.slow
def test_an_agent_takes_a_seat_at_a_hall_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    accounts = Accounts(SiteFile(tmp_path / "hall"))
    joined = accounts.join(accounts.invite("test", ["Aya"], Role.AUTHOR)[0].code)
    assert joined is not None
    monkeypatch.setenv("ARENA_TOKEN", joined.token)

    async def play(address: str) -> str:
        async with Client(parameters(tmp_path, "--hall", address, "--name", "claude")) as client:
            found = await client.call_tool("sit_down", {"game": "naga"})
            assert not found.is_error and "(rated there)" in found.content[0].text
            match = found.structured_content["match"]
            while found.structured_content["status"] != "your_turn":
                found = await client.call_tool("state", {"match": match})
            assert "no hints in a rated match" in await refused(client, "hint", match=match)
            assert joined.token not in "".join(await played(client, match))
            return await said(client, "result", match=match)

    with served(tmp_path / "hall") as hall:
        text = run(lambda: play(hall.base))
    assert "rating there" in text and f"stored there: {hall.base}/m/" in text
    (record,) = records(tmp_path / "hall")
    assert record.pool == "remote/naga" and [row.bot for row in record.seats if row.isolation == "remote"] == ["Aya/claude"]
    assert all(row.ending == "played" for row in record.seats)
