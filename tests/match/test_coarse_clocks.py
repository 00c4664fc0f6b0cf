"""The clocks of a locked bot in Python go in steps, whoever asks; the processor's own clock ends it where a config says so."""

import mmap
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.agent import BotFiles, StartInfo
from arena.match import Answer, Fault
from arena.match.sandbox import LockedSeat, Supervisor, processor
from arena.records import Clock
from arena.search import budget
from helpers.locked_matches import LIMITS, first_view

CLOCK = Clock(move=5.0, bank=5.0, start=20.0)

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="the clocks of other machines stay exact"
)
OPENED = "import ctypes, mmap, os, time; from arena.match.sandbox import clocks; PROC = os.open('/proc', os.O_RDONLY)\n"
CODE = "CODE = mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7); CODE.write(bytes.fromhex('0f31c3'))\n"
CALLED = "ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(CODE)))()\n"


def ran(code: str, *files: int) -> subprocess.CompletedProcess[str]:
    """A process of its own, with what it prints."""
    return subprocess.run(
        [sys.executable, "-c", OPENED + code], check=False, capture_output=True, text=True, timeout=60, pass_fds=files
    )  # fmt: skip


def test_all_clocks_go_in_steps_and_say_so() -> None:
    code = """
clock = clocks.coarsen(PROC)
names = [name for name in dir(time) if name.startswith("CLOCK_")]
exact = [name for name in names for _ in range(50) if time.clock_gettime_ns(getattr(time, name)) % clocks.GRAIN]
print(clock > 0, clocks.GRAIN, exact, time.get_clock_info("perf_counter").resolution, "[vdso" in open("/proc/self/maps").read())
"""
    assert ran(code).stdout.split() == ["True", f"{budget.STEP}", "[]", "0.001", "False"]


def test_all_else_that_the_kernels_code_did_is_done() -> None:
    code = """
libc = ctypes.CDLL(None)
libc.time.restype = ctypes.c_long
before = time.time()
clocks.coarsen(PROC)
pair, one = (ctypes.c_long * 2)(), ctypes.c_long()
print(libc.gettimeofday(pair, None), 0 <= pair[0] + pair[1] / 1e6 - before < 60, libc.gettimeofday(None, None))
print(0 <= libc.time(ctypes.byref(one)) - int(before) < 60, 0 <= one.value - int(before) < 60, libc.time(None) > 0)
print(libc.sched_getcpu() in os.sched_getaffinity(0), len(os.getrandom(16)), libc.clock_getres(1, None))
for ask in (time.clock_gettime, time.clock_getres):
    try:
        ask(77)
    except OSError as error:
        print(error.errno)
"""
    assert ran(code).stdout.split() == ["0", "True", "0", "True", "True", "True", "True", "16", "0", "22", "22"]


@pytest.mark.parametrize("size", [1, 2, 4])
def test_no_part_of_an_answer_is_left_where_the_rest_cannot_be_written(size: int) -> None:
    """The kernel writes up to the end of the last page that can be written: then the process ends, and nothing is there."""
    shared = os.memfd_create("shared")
    os.truncate(shared, mmap.PAGESIZE)
    code = f"""
libc, page = ctypes.CDLL(None), mmap.PAGESIZE
libc.mmap.restype = ctypes.c_void_p
place = libc.mmap(None, ctypes.c_size_t(2 * page), 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, ctypes.c_long(0))
libc.munmap(ctypes.c_void_p(place + page), ctypes.c_size_t(page))
libc.mmap(ctypes.c_void_p(place), ctypes.c_size_t(page), 3, mmap.MAP_SHARED | 16, {shared}, ctypes.c_long(0))
clocks.coarsen(PROC)
libc.clock_gettime(1, ctypes.c_void_p(place + page - 8 - {size}))
"""
    assert ran(code, shared).returncode == -signal.SIGSEGV
    left = os.pread(shared, size, mmap.PAGESIZE - size)
    os.close(shared)
    assert left == bytes(size)


def test_nobody_puts_other_code_in_their_place() -> None:
    code = """
clock = clocks.coarsen(PROC)
clocks.seal(clock)
page = ctypes.c_void_p(clock // mmap.PAGESIZE * mmap.PAGESIZE)
if os.fork() == 0:
    libc = ctypes.CDLL(None)
    print(libc.munmap(page, ctypes.c_size_t(mmap.PAGESIZE)), libc.mprotect(page, ctypes.c_size_t(mmap.PAGESIZE), 7))
"""
    said = ran(code).stdout.split()
    if said == ["0", "0"]:
        pytest.skip("a kernel before 6.10")
    assert said == ["-1", "-1"]


def test_who_may_not_read_the_processors_clock_reads_others_and_ends_with_that_one() -> None:
    assert ran(CODE + CALLED).returncode == 0
    told = ran(CODE + "clocks.coarsen(PROC); clocks.refuse_the_processors(); print(time.time() > 0, flush=True)\n" + CALLED)
    assert (told.stdout.strip(), told.returncode) == ("True", -signal.SIGSEGV)


BOT = b"""
import _hashlib, ctypes, os, time
from pathlib import Path
from arena.agent import Agent

class Library(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p), ("place", ctypes.c_void_p)]

READS = bytes.fromhex("0f3148c1e2204809d0")  # a function of the library for encryption
found, libc = Library(), ctypes.CDLL(None)
function = ctypes.CDLL(_hashlib.__file__).EVP_MD_CTX_new
libc.dladdr(ctypes.cast(function, ctypes.c_void_p), ctypes.byref(found))
place = Path(os.fsdecode(found.path)).read_bytes().find(READS)
clock = ctypes.CFUNCTYPE(ctypes.c_uint64)
read = clock(found.base + place) if place > 0 else None

class Bot(Agent):
    def act(self, view):
        print(time.perf_counter_ns() % 1_000_000)
        if read is not None:
            print(read() > 0)
        return 0
"""


@pytest.mark.parametrize("is_strict", [False, True])
def test_where_a_config_asks_for_it_a_bot_that_reads_the_processors_clock_ends(
    is_strict: bool, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processor, "forget_caches", lambda: None)  # of some machines they are filled for a second
    limits = replace(LIMITS, clean_caches=is_strict)
    with LockedSeat(supervisor, BotFiles("bot.py", {"bot.py": BOT}), seed=1, params={}, limits=limits) as seat:
        assert seat.start(StartInfo("naga", {}, 2, 0, CLOCK)) is None
        assert "[v" not in Path(f"/proc/{seat.pid}/maps").read_text().replace("[vsyscall]", "")
        seat.ask(first_view(seat=0, clock=CLOCK))
        answer = seat.answer()
        said = seat.output.split()
    if said == ["0"] and isinstance(answer, Answer):
        pytest.skip("no such instruction was found")
    assert said == (["0"] if is_strict else ["0", "True"])
    assert isinstance(answer, Fault if is_strict else Answer)
