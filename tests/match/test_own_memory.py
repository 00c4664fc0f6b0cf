"""No page that play touches is shared with another bot, and what a seat executes was never written."""

import ctypes
import mmap
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.agent import BotFiles, StartInfo
from arena.match.sandbox import LOCKED, NAMESPACE, LockedSeat, Supervisor
from arena.match.sandbox.own_memory import MOST_CODE
from arena.records import Clock
from helpers.locked_matches import LIMITS, supervising

CLOCK = Clock(move=5.0, bank=5.0, start=20.0)
MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ (\d+) *(.*)")
PRESENT, NUMBER = 1 << 63, (1 << 55) - 1  # in /proc/PID/pagemap
BOT = b"""
from arena.agent import Agent

class Bot(Agent):
    def act(self, view):
        return 0
"""


@pytest.fixture(scope="module", params=[NAMESPACE, LOCKED])
def supervisor(request: pytest.FixtureRequest) -> Iterator[Supervisor]:
    with supervising(level=request.param) as opened:
        yield opened


def seat(supervisor: Supervisor, name: str) -> LockedSeat:
    files = BotFiles("bot.py", {"bot.py": BOT + f"# {name}\n".encode()})
    opened = LockedSeat(supervisor, files, seed=1, params={}, limits=LIMITS)
    assert opened.start(StartInfo("naga", {}, 2, 0, CLOCK)) is None
    return opened


def mappings(pid: int) -> Iterator[tuple[int, int, str, str]]:
    """First and last addresses, rights, file."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        found = MAPPING.match(line)
        assert found is not None, line
        if not found[5].startswith("[v"):  # the kernel's own
            yield int(found[1], 16), int(found[2], 16), found[3], found[5]


def frames(pid: int) -> dict[int, str]:
    """The page frames that a process has in memory, but for those of the libraries that are not copied."""
    found = {}
    with Path(f"/proc/{pid}/pagemap").open("rb", buffering=0) as pages:
        for start, end, rights, file in mappings(pid):
            if file.endswith(".so") and end - start > MOST_CODE and "w" not in rights:
                continue
            count, first = (end - start) // mmap.PAGESIZE, start // mmap.PAGESIZE
            for entry in memoryview(os.pread(pages.fileno(), 8 * count, 8 * first)).cast("Q"):
                if entry & PRESENT:
                    found[entry & NUMBER] = f"{start:x} {rights} {file}"
    return found


def zero_frame() -> int:
    """The frame that the kernel shows wherever memory was read and never written."""
    with mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as page:
        assert page[0] == 0
        place = ctypes.addressof(ctypes.c_char.from_buffer(page))
        with Path("/proc/self/pagemap").open("rb", buffering=0) as pages:
            return int.from_bytes(os.pread(pages.fileno(), 8, 8 * (place // mmap.PAGESIZE)), "little") & NUMBER


@pytest.mark.skipif(os.geteuid() != 0, reason="the kernel tells page frames to root alone")
def test_seats_of_two_bots_share_no_page_and_those_of_one_bot_do(supervisor: Supervisor) -> None:
    with seat(supervisor, "one") as one, seat(supervisor, "one") as same, seat(supervisor, "two") as two:
        zeros = {zero_frame()}
        ours, again, theirs, zygotes = (frames(pid) for pid in (one.pid, same.pid, two.pid, supervisor.pid))
    assert len(ours.keys() & again.keys()) > 1000  # so they are found where there are any
    for other in (theirs, zygotes):
        shared = {ours[frame] for frame in ours.keys() & other.keys() - zeros}
        assert not shared, shared


def test_nothing_that_a_seat_executes_can_be_written(supervisor: Supervisor) -> None:
    with seat(supervisor, "one") as one:
        rights = {rights for _, _, rights, _ in mappings(one.pid)}
    assert "r-xp" in rights and not any("w" in right and "x" in right for right in rights), rights
