"""Computing is paid for: what an account's tables, matches and checks use is counted from outside; there is so much an hour."""

import asyncio
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from arena.server import child_process, limits
from arena.server.child_process import ChildProcess
from arena.server.limits import HOUR, cpu_seconds
from arena.server.tables.table import IDLE_SECONDS, IDLE_SECONDS_WITH_BOTS
from arena.server.transfer import AT_ONCE, MOST_WAITING, Lanes, in_parts
from helpers.live_tables import Sitting, Visitor, until
from helpers.members import Members, with_members

SPINS_BELOW = """
import os, sys
if os.fork() == 0:
    while os.times().user < 0.4:
        pass
    print('{}', flush=True)
    sys.stdin.readline()
    os._exit(0)
os.wait()
"""
LIMITED = "import sys; sys.stdin.readline(); "  # who is told something has its limits
TAKES = "bytearray(600 << 20); print('{}')"
SECONDS = 1800
"""CPU seconds an hour, without a contest."""


class Nothing(msgspec.Struct):
    """What says nothing."""


@pytest.fixture
def members(tmp_path: Path) -> Iterator[Members]:
    with with_members(tmp_path) as found:
        yield found


def run(source: str) -> tuple[list[float], int, ChildProcess[Nothing]]:
    """Run a process that ends once it has said something: what it cost, how often it spoke, and the process."""
    child = ChildProcess((sys.executable, "-I", "-S", "-c", source), msgspec.json.Decoder(Nothing))
    costs: list[float] = []
    heard: list[Nothing] = []
    child.spent = costs.append

    def hear(said: Nothing) -> None:
        heard.append(said)
        child.end()

    asyncio.run(child.run(Nothing(), hear))
    return costs, len(heard), child


def test_what_a_process_and_all_below_it_use_is_counted_until_they_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_process, "START_SECONDS", 0.0)
    monkeypatch.setattr(child_process, "COUNT_SECONDS", 0.01)
    costs, heard, _ = run(SPINS_BELOW)
    assert heard and sum(costs) >= 0.3
    assert cpu_seconds(os.getpid()) > 0.0 and cpu_seconds(2**22 + 1) == 0.0


def test_what_a_process_says_to_people_is_said_in_the_terminal_of_the_server(caplog: pytest.LogCaptureFixture) -> None:
    run("import sys; sys.stderr.write('arena: compiled code was damaged\\nanything else\\n')")
    assert caplog.messages == ["arena: compiled code was damaged"]


def test_a_process_has_a_limit_of_memory_and_all_that_it_starts_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "memory_of_process", lambda: 256 << 20)
    _, heard, child = run(LIMITED + TAKES)
    assert not heard and "MemoryError" in child.errors and not child.ran_out
    _, heard, child = run(f"{LIMITED}import subprocess; subprocess.run([sys.executable, '-I', '-S', '-c', {TAKES!r}])")
    assert not heard and "MemoryError" in child.errors


def test_a_process_that_the_kernel_killed_for_its_memory_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    kills_itself = "import os; os.kill(os.getpid(), 9)"
    assert not run(kills_itself)[2].ran_out
    monkeypatch.setattr(child_process, "memory_kills", itertools.count().__next__)
    assert run(kills_itself)[2].ran_out


def test_who_has_used_an_hours_computing_begins_nothing_until_it_is_paid_back(members: Members) -> None:
    now = 0.0
    computing = members.server.submitting.computing
    computing._left._clock = lambda: now
    wants = {
        "/api/tables": {"game": "naga", "seats": ["me", "level:club"]},
        "/api/ask": {"game": "naga", "bots": ["house:random_bot", "house:naga_greedy"]},
    }
    for who in ("aya", "organiser"):
        computing.charge(members.account(who).id, SECONDS + 9.0)
    for address, choice in wants.items():
        answer = members.aya.post(address, json=choice)
        assert answer.status_code == 429 and "computing time" in answer.json()["error"]
        assert answer.json()["seconds"] == 10 * HOUR / SECONDS
    assert members.aya.put("/api/bots/late", content=b"x").status_code == 429
    assert "計算時間" in members.aya.put("/api/bots/late?lang=ja", content=b"x").json()["error"]
    assert members.ben.put("/api/bots/other", content=b"x").status_code == 201  # others pay nothing for it
    assert members.organiser.put("/api/bots/own", content=b"x").status_code == 201  # has no limit
    now = 10 * HOUR / SECONDS
    assert members.aya.put("/api/bots/late", content=b"x").status_code == 201


def test_an_idle_table_with_submitted_bots_ends_early_and_says_so(server: Sitting, aya: Visitor) -> None:
    for bot, seconds in (("house:random_bot", IDLE_SECONDS), ("submitted:hers", IDLE_SECONDS_WITH_BOTS)):
        table = aya.open()
        seat = next(seat for seat in table.seats if seat.person is None)
        seat.plan = replace(seat.plan, bot=bot)
        with aya.at(table) as tab:
            until(tab, "ask")
            tab.send_json({"kind": "act", "decision": 0, "action": "go"})
            until(tab, "frame", number=1)
            server.pass_time(seconds - 1.0)
            assert table.is_running
            server.pass_time(1.0)
            notice = until(tab, "notice")
        assert notice["key"] == "notice_idle" and notice["values"] == {"minutes": f"{seconds / 60:g}"}
        assert not table.is_running


def test_a_visitor_has_some_requests_at_a_time_and_others_do_not_wait_for_them() -> None:
    async def ask() -> None:
        lanes, held, gate = Lanes(), list[str](), asyncio.Event()

        async def one(visitor: str) -> None:
            async with lanes.entered(visitor, AT_ONCE):
                held.append(visitor)
                await gate.wait()

        many = [asyncio.ensure_future(one("crowd")) for _ in range(AT_ONCE + MOST_WAITING + 2)]
        await asyncio.sleep(0)
        other = asyncio.ensure_future(one("other"))
        await asyncio.sleep(0)
        assert held == ["crowd"] * AT_ONCE + ["other"]
        gate.set()
        ended = await asyncio.gather(*many, other, return_exceptions=True)
        assert [getattr(one, "status", None) for one in ended].count(429) == 2
        assert held.count("crowd") == AT_ONCE + MOST_WAITING and not lanes._lanes

    asyncio.run(ask())


def test_an_answer_goes_out_in_parts_and_whole() -> None:
    sent: list[dict[str, object]] = []

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    async def answer() -> None:
        sender = in_parts(send)  # type: ignore[arg-type]
        await sender({"type": "http.response.start", "status": 200})
        await sender({"type": "http.response.body", "body": bytes(200_000), "more_body": False})

    asyncio.run(answer())
    assert sent[0]["type"] == "http.response.start"
    assert sum(len(one["body"]) for one in sent[1:]) == 200_000  # type: ignore[arg-type]
    assert [one["more_body"] for one in sent[1:]] == [True, True, True, False]
