"""The system call filter, run by a small interpreter of its own, for both machines: what passes, what is refused."""

import errno
import struct

import pytest

from arena.match.sandbox import kernel, seccomp
from arena.match.sandbox.builds import filter as builds

ALLOW, KILL, NOTHING = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
EPERM, ENOSYS, ENOTTY, EINVAL, EAGAIN = (
    0x0005_0000 | number for number in (errno.EPERM, errno.ENOSYS, errno.ENOTTY, errno.EINVAL, errno.EAGAIN)
)
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
PID = 4242
DEPENDING = (
    "mmap", "tgkill", "ioctl", "fcntl", "prlimit64", "clone3", "futex", "membarrier", "clock_gettime", "clock_getres",
    "clock_nanosleep", "sched_getaffinity", "madvise", "mprotect", "sched_yield",
)  # fmt: skip
DEPENDING_OF_PROGRAMS = (
    "clone", "execveat", "prctl", "getpgid", "getsid", "getpriority", "sched_getparam", "sched_getscheduler"
)  # fmt: skip
OTHERS_CLOCK, OWN_CLOCK = ((~pid << 3 | 2) & 0xFFFF_FFFF for pid in (PID + 1, PID))


def run(program: list[seccomp.Instruction], data: bytes) -> int:
    """Classic BPF, as far as the filter uses it."""
    place = value = 0
    while True:
        code, if_true, if_false, operand = program[place]
        place += 1
        if code == 0x20:
            (value,) = struct.unpack_from("<I", data, operand)
        elif code == 0x06:
            return operand
        elif code == 0x54:
            value &= operand
        else:
            holds = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[code]
            place += if_true if holds else if_false


@pytest.fixture(params=sorted(ARCHITECTURES))
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(kernel, "MACHINE", request.param)
    return str(request.param)


def verdict(machine: str, call: int | str, *arguments: int, architecture: int | None = None) -> int:
    number = kernel.number(call) if isinstance(call, str) else call
    assert number is not None
    words = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<IIQ6Q", number, architecture or ARCHITECTURES[machine], 0, *words)
    return run(seccomp.program(PID), data)


def test_what_is_listed_passes(machine: str) -> None:
    for name in seccomp.ALLOWED:
        if kernel.number(name) is not None:
            assert verdict(machine, name) == ALLOW, name


def test_all_else_is_refused(machine: str) -> None:
    listed = {kernel.number(name) for name in seccomp.ALLOWED}
    special = {kernel.number(name) for name in DEPENDING}
    for number in set(range(600)) - listed - special:
        assert verdict(machine, number) == EPERM, number
    assert verdict(machine, "clone3") == ENOSYS


@pytest.mark.parametrize("runs_program", [False, True])
def test_to_give_the_cpu_away_succeeds_and_does_nothing(machine: str, runs_program: bool) -> None:
    data = struct.pack("<IIQ6Q", kernel.number("sched_yield"), ARCHITECTURES[machine], 0, *[0] * 6)
    assert run(seccomp.program(PID, runs_program=runs_program), data) == NOTHING


def test_dangerous_calls_are_not_listed(machine: str) -> None:
    for name in ("clone", "unshare", "mount", "pivot_root", "prctl", "seccomp", "capset", "pidfd_send_signal", "pidfd_open"):
        assert verdict(machine, name) == EPERM


def test_the_state_of_memory_and_of_the_page_cache_is_not_told(machine: str) -> None:
    for name in ("sysinfo", "mincore", "fadvise64"):
        assert verdict(machine, name) == of_program(machine, name) == EPERM


def test_another_machine_is_killed(machine: str) -> None:
    other = ({*ARCHITECTURES.values()} - {ARCHITECTURES[machine]}).pop()
    assert verdict(machine, "read", architecture=other) == KILL
    assert verdict(machine, "read", architecture=0x4000_0003) == KILL  # 32-bit
    assert verdict(machine, 0x4000_0000) == (KILL if machine == "x86_64" else EPERM)


@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("mmap", (0, 1, 3, 0x02), ALLOW), ("mmap", (0, 1, 3, 0x22), ALLOW), ("mmap", (0, 1, 1, 0x01), ALLOW),
        ("mmap", (0, 1, 3, 0x21), EPERM), ("mmap", (0, 1, 1, 0x21), EPERM), ("mmap", (0, 1, 3, 0x01), EPERM),
        ("mmap", (0, 1, 2, 0x03), EPERM), ("mmap", (0, 1, 1, 0x03), ALLOW), ("mmap", (0, 1, 3, 0x40022), EPERM),
        ("mmap", (0, 1, 1, 0x40001), EPERM), ("mmap", (0, 1, 5, 0x02), ALLOW), ("mmap", (0, 1, 7, 0x11), EPERM),
        ("mmap", (0, 1, 7, 0x02), EPERM), ("mmap", (0, 1, 5, 0x22), EPERM), ("mmap", (0, 1, 4, 0x22), EPERM),
        ("mmap", (0, 1, 7, 0x22), EPERM), ("mprotect", (0, 1, 5), EPERM), ("mprotect", (0, 1, 7), EPERM),
        ("mprotect", (0, 1, 3), ALLOW), ("mprotect", (0, 1, 0), ALLOW),
        ("futex", (0, 128), ALLOW), ("futex", (0, 129), ALLOW), ("futex", (0, 0x189), ALLOW), ("futex", (0, 0), EPERM),
        ("futex", (0, 1), EPERM), ("futex", (0, 9), EPERM), ("futex", (0, 0x109), EPERM), ("futex", (0, 5), EPERM),
        ("membarrier", (0,), ALLOW), ("membarrier", (8,), ALLOW), ("membarrier", (1,), EPERM), ("membarrier", (2,), EPERM),
        ("membarrier", (4,), EPERM), ("clock_gettime", (1,), ALLOW), ("clock_gettime", (2,), ALLOW),
        ("clock_gettime", (OTHERS_CLOCK,), EPERM), ("clock_gettime", (OWN_CLOCK,), ALLOW),
        ("clock_gettime", (0xFFFFFFFFFFFFFFFA,), ALLOW), ("clock_getres", (OTHERS_CLOCK,), EPERM),
        ("clock_nanosleep", (OTHERS_CLOCK,), EPERM), ("clock_nanosleep", (1,), ALLOW),
        ("sched_getaffinity", (0,), ALLOW), ("sched_getaffinity", (PID,), ALLOW), ("sched_getaffinity", (1,), ENOSYS),
        ("tgkill", (PID, 1, 6), ALLOW), ("tgkill", (PID, 1, 9), EPERM), ("tgkill", (1, 1, 6), EPERM),
        ("ioctl", (1, 0x5401), ENOTTY), ("ioctl", (1, 0x5412), EPERM),
        ("fcntl", (3, 1), ALLOW), ("fcntl", (3, 3), ALLOW), ("fcntl", (3, 4), EPERM), ("fcntl", (3, 8), EPERM),
        ("prlimit64", (0, 7, 0, 1), ALLOW), ("prlimit64", (0, 7, 1, 0), EPERM), ("prlimit64", (9, 7, 0, 1), EPERM),
        ("prlimit64", (0, 7, 1 << 32, 0), EPERM),
        ("madvise", (0, 1, 4), ALLOW), ("madvise", (0, 1, 8), ALLOW), ("madvise", (0, 1, 3), EINVAL),
        ("madvise", (0, 1, 12), EINVAL), ("madvise", (0, 1, 20), EINVAL), ("madvise", (0, 1, 21), EINVAL),
        ("madvise", (0, 1, 22), EINVAL),
    ],
)  # fmt: skip
def test_calls_that_depend_on_their_arguments(machine: str, call: str, arguments: tuple[int, ...], expected: int) -> None:
    assert verdict(machine, call, *arguments) == expected


def test_where_clocks_are_coarse_one_instruction_alone_may_ask_and_no_other_call_tells_the_time(machine: str) -> None:
    clock = 0x7FFF_1234_5678

    def asked(call: str, place: int, *arguments: int) -> int:
        words = [*arguments, 0, 0, 0, 0, 0, 0][:6]
        data = struct.pack("<IIQ6Q", kernel.number(call), ARCHITECTURES[machine], place, *words)
        return run(seccomp.program(PID, clock=clock), data)

    for number, expected in ((0, ALLOW), (1, ALLOW), (OWN_CLOCK, ALLOW), (OTHERS_CLOCK, EPERM)):
        assert asked("clock_gettime", clock, number) == expected
        for other in (0, clock - 1, clock + 1, clock ^ 1 << 32, clock & 0xFFFF_FFFF):
            assert asked("clock_gettime", other, number) == EPERM
    assert all(asked(call, place) == EPERM for call in seccomp.EXACT for place in (0, clock))
    assert asked("clock_getres", 0, 1) == asked("clock_nanosleep", 0, 1) == asked("read", 0) == ALLOW


def of_program(machine: str, call: int | str, *arguments: int) -> int:
    """The same for the program of a command bot."""
    number = kernel.number(call) if isinstance(call, str) else call
    assert number is not None
    data = struct.pack("<IIQ6Q", number, ARCHITECTURES[machine], 0, *[*arguments, 0, 0, 0, 0, 0, 0][:6])
    return run(seccomp.program(PID, runs_program=True), data)


def test_programs_may_make_a_few_calls_more(machine: str) -> None:
    more = {kernel.number(name) for name in seccomp.FOR_PROGRAMS} - {None}
    special = {kernel.number(name) for name in (*DEPENDING, *DEPENDING_OF_PROGRAMS)}
    for number in set(range(600)) - special:
        assert of_program(machine, number) == (ALLOW if number in more else verdict(machine, number)), number


@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("clone", (0x3D0F00,), ALLOW), ("clone", (17,), EPERM), ("clone", (0x4111,), EPERM),
        ("clone", (0x3D0F00 | 0x10000000,), EPERM), ("clone", (0x3D0F00 | 0x80,), EPERM),
        ("execveat", (200, 0, 0, 0, 0x1000), ALLOW), ("execveat", (200, 0, 0, 0, 0), EPERM),
        ("execveat", (5, 0, 0, 0, 0x1000), EPERM),
        ("mmap", (0, 1, 3, 0x22), ALLOW), ("mmap", (0, 1, 3, 0x21), EPERM), ("mmap", (0, 1, 3, 0x122), EPERM),
        ("mmap", (0, 1, 7, 0x22), ALLOW), ("mprotect", (0, 1, 7), ALLOW),
        ("tgkill", (PID, 1, 6), ALLOW), ("tgkill", (PID, 1, 23), ALLOW), ("tgkill", (PID, 1, 9), EPERM),
        ("tgkill", (1, 1, 15), EPERM),
        ("prctl", (15, 1), ALLOW), ("prctl", (1, 0), EPERM), ("prctl", (4, 1), EPERM), ("prctl", (22, 0), EPERM),
        ("ioctl", (1, 0x5421), ALLOW), ("ioctl", (1, 0x5412), EPERM), ("ioctl", (1, 0x5401), ENOTTY),
        ("fcntl", (3, 4), ALLOW), ("fcntl", (3, 8), EPERM), ("fcntl", (3, 1031), EPERM), ("clone3", (), ENOSYS),
        ("fcntl", (3, 5), EPERM), ("fcntl", (3, 6), EPERM), ("fcntl", (3, 37), EPERM), ("fcntl", (3, 1024), EPERM),
        ("futex", (0, 129), ALLOW), ("futex", (0, 0), EAGAIN), ("futex", (0, 0x109), EAGAIN), ("futex", (0, 1), EPERM),
        ("futex", (0, 3), EPERM), ("futex", (0, 5), EPERM), ("futex", (0, 10), EPERM),
        ("getpgid", (0,), ALLOW), ("getpgid", (PID,), ALLOW), ("getpgid", (1,), EPERM), ("getsid", (1,), EPERM),
        ("getpriority", (0, 0), ALLOW), ("getpriority", (0, PID), ALLOW), ("getpriority", (0, 1), EPERM),
        ("sched_getparam", (0,), ALLOW), ("sched_getparam", (1,), EPERM), ("sched_getscheduler", (1,), EPERM),
    ],
)  # fmt: skip
def test_calls_of_programs_that_depend_on_their_arguments(
    machine: str, call: str, arguments: tuple[int, ...], expected: int
) -> None:
    assert of_program(machine, call, *arguments) == expected


OF_BUILDS: dict[str, list[tuple[tuple[int, ...], int]]] = {
    "clone3": [((), ENOSYS)],
    "clone": [((17,), ALLOW), ((0x3D0F00,), ALLOW), ((0x1000_0011,), EPERM), ((0x2000_0011,), EPERM)],
    "mmap": [
        ((0, 4096, 3, 0x21), EPERM),
        ((0, 4096, 3, 0x23), EPERM),
        ((0, 4096, 3, 0x01), ALLOW),
        ((0, 4096, 7, 0x22), ALLOW),
        ((0, 1 << 21, 3, 0x4_0022), EPERM),
    ],
    "prlimit64": [((0, 7, 1, 0), ALLOW), ((PID, 7, 0, 1), EPERM)],
    "socketpair": [((1, 1, 0), ALLOW), ((1, 0x8_0005, 0), ALLOW), ((1, 2, 0), EPERM), ((2, 1, 0), EPERM), ((16, 3, 0), EPERM)],
    "ioctl": [((1, 0x5401), ALLOW), ((1, 0x5421), ALLOW), ((1, 0x5412), ENOTTY)],
    "fcntl": [((3, 1030), ALLOW), ((3, 6), ALLOW), ((3, 8, PID), EPERM), ((3, 10, 9), EPERM), ((3, 1024), EPERM)],
    "prctl": [((15,), ALLOW), ((38, 1), ALLOW), ((4, 1), EPERM), ((36, 1), EPERM), ((22, 2), EPERM)],
}
"""What a build may ask of each call, and what not."""


def test_builds_may_make_the_calls_of_compilers_and_no_others(machine: str) -> None:
    def judged(call: int | str, *arguments: int) -> int:
        number = kernel.number(call) if isinstance(call, str) else call
        assert number is not None
        words = [*arguments, 0, 0, 0, 0, 0, 0][:6]
        return run(builds.program(), struct.pack("<IIQ6Q", number, ARCHITECTURES[machine], 0, *words))

    for name in builds.CALLS:
        if kernel.number(name) is not None:
            assert judged(name) == ALLOW, name
    for name, cases in OF_BUILDS.items():
        for arguments, expected in cases:
            assert judged(name, *arguments) == expected, (name, arguments)
    attributes = {name for name in kernel.NUMBERS if name.endswith("xattr")}
    assert {judged(name) for name in attributes} == {NOTHING | errno.ENOTSUP}
    listed = {kernel.number(name) for name in (*builds.CALLS, *OF_BUILDS, *attributes)}
    assert {judged(number) for number in set(range(600)) - listed} == {EPERM}
    for name in ("setsid", "unshare", "mount", "setresuid", "setgroups", "seccomp", "pidfd_send_signal", "landlock_add_rule"):
        assert judged(name) == EPERM, name
