"""Seccomp: the list of kernel calls that a bot may make; all others are refused (EPERM).

What is not here cannot be had: sockets, new processes and threads, exec, ptrace, memfd, io_uring, namespaces, mounts, timers,
changes of files and of limits, locks of files, shared memory. Signals: only abort() of oneself, so that a SIGKILL never is the
bot's own. Calls that ask about a process or a clock may ask about the own one only: a rival must not be seen at work.
"""

import errno
import struct
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from arena.match.sandbox import kernel

ALLOWED = (
    "read", "write", "open", "close", "stat", "fstat", "lstat", "poll", "lseek", "munmap", "brk", "rt_sigaction",
    "rt_sigprocmask", "rt_sigreturn", "pread64", "readv", "writev", "access", "select", "mremap",
    "dup", "dup2", "dup3", "nanosleep", "getpid", "exit", "uname", "getcwd", "readlink", "gettimeofday", "getrusage",
    "times", "getuid", "getgid", "geteuid", "getegid", "getppid", "sigaltstack", "arch_prctl", "gettid",
    "getdents64", "set_tid_address", "restart_syscall", "exit_group", "openat", "newfstatat", "readlinkat", "faccessat",
    "faccessat2", "pselect6", "ppoll", "set_robust_list", "getrandom", "statx", "rseq", "getcpu",
)  # fmt: skip

FOR_PROGRAMS = (
    "mprotect", "chdir", "pipe", "pipe2", "pause", "getrlimit", "getpgrp", "getgroups", "getresuid", "getresgid",
    "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend",
    "sched_get_priority_max", "sched_get_priority_min", "time", "preadv", "epoll_create", "epoll_create1",
    "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2", "timerfd_create", "timerfd_settime",
    "timerfd_gettime",
)  # fmt: skip
"""The kernel calls that runtimes of other languages need besides ALLOWED. Threads are allowed, processes are not."""

EXACT = ("gettimeofday", "getrusage")
"""The allowed kernel calls that tell the time exactly: refused where clocks are coarse."""

PROGRAM = 200
"""The descriptor through which a command bot's program is run, once. No file can get this number: it exceeds their limit."""

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x4000_0000
LOAD, EQUAL, ANY_BIT, AT_LEAST, AND, RETURN = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
ALLOW, REFUSE, KILL = 0x7FFF_0000, 0x0005_0000, 0x8000_0000
_NUMBER, _ARCHITECTURE, _PLACE, _ARGUMENT = (
    0,
    4,
    8,
    16,
)  # offsets in seccomp_data; 8 bytes each from the third on, low word first
MAP_SHARED, MAP_ANONYMOUS, MAP_HUGETLB, _WRITABLE = 0x01, 0x20, 0x0004_0000, 0x2
_EXECUTABLE = 0x4
_FUTEX_PRIVATE = 128
_FUTEX_WAITS = (0, 9, 256, 256 | 9)  # FUTEX_WAIT and FUTEX_WAIT_BITSET, by either clock
_BARRIERS_OF_ALL = 0b111  # commands of membarrier that reach other processes
_CLOCKS = ("clock_gettime", "clock_getres", "clock_nanosleep")
_FIRST_PROCESS_CLOCK = 0x8000_0000  # the numbers of other processes' CPU clocks are negative
_OWN_CLOCK = (-8, -6)  # the number of a process's CPU clock, from its own number: a factor, and what is added
_OWN_CLOCKS = (0xFFFF_FFFA, 0xFFFF_FFFE)  # CPU clocks of "this process" and "this thread"
_TERMINAL_QUERY = 0x5401  # TCGETS, which isatty() asks
_FCNTL_SAFE = (1, 2, 3)  # F_GETFD, F_SETFD, F_GETFL
_DUP_CLOEXEC = 1030
_ABORT, _KILL_SIGNAL = 6, 9
_CLONE_THREAD, CLONE_NEW = 0x0001_0000, 0x7E02_0080  # any namespace
_EMPTY_PATH = 0x1000
_MAP_GROWSDOWN = 0x0100
_PIPE_QUERIES = (0x5421, 0x5450, 0x5451, 0x541B)  # FIONBIO, FIONCLEX, FIOCLEX, FIONREAD
_SET_FLAGS = 4  # F_SETFL; 0 is F_DUPFD
_NAMES = (15, 16, 0x5356_4D41)  # names of threads and of memory
_SET_MODE_FILTER = 1
_ADVICE = (0, 1, 2, 4, 8, 10, 11, 14, 15, 16, 17, 18, 102, 103)
"""What madvise may be told: the order of reading, pages given back, what a copy and a dump of the process would hold, huge
pages, guard pages of stacks. All else moves pages of files into memory or out of it, or merges equal pages of two processes:
the next match, or the other bot, would notice. Nor are mincore and sysinfo allowed, which tell what is in memory."""

Instruction = tuple[int, int, int, int]


def refuse_all_but_allowed(*, runs_program: bool = False, clock: int = 0) -> None:
    """Install the filter for this process, for good. Needs no_new_privs. Raises OSError.

    `runs_program`: whether this process will run the program of a command bot, once, from the descriptor PROGRAM. `clock`:
    where the one instruction ends that may ask for the time, if clocks are coarse; see clocks.py.
    """
    code, numbers, clocks = _code(runs_program, clock)
    own = kernel.Memory(code)
    for place in numbers:
        kernel.of_own_number(own.word(place))
    for place in clocks:
        kernel.of_own_number(own.word(place), *_OWN_CLOCK)
    install(own)


def install(code: kernel.Memory, flags: int = 0, into: Any = None) -> Any:
    """Install a filter (see `packed`) for this process, for good; returns what the kernel does.

    Needs no_new_privs. Raises OSError. `into`: see kernel.call.
    """
    header = kernel.Memory(struct.pack("=H6xQ", len(code.array) // 8, code.address), code)
    return kernel.call("seccomp", _SET_MODE_FILTER, flags, header, into=into)


def answering(names: Iterable[str], action: int) -> list[Instruction]:
    """A filter that takes the action for the kernel calls `names`, and allows all others."""
    return [(LOAD, 0, 0, _NUMBER), *search(ranges(names), action), (RETURN, 0, 0, ALLOW)]


@cache
def _code(runs_program: bool, clock: int) -> tuple[bytes, list[int], list[int]]:
    """The filter for no process, and the places in it of the number of its process, and of the number of its CPU clock."""
    nobody, somebody = 0x1000_0000, 0x1000_0001
    one, other = (program(pid, runs_program=runs_program, clock=clock) for pid in (nobody, somebody))
    places = {8 * place + 4: code[3] for place, (code, changed) in enumerate(zip(one, other)) if code != changed}
    numbers = [place for place, value in places.items() if value == nobody]
    return packed(one), numbers, [place for place in places if place not in numbers]


def packed(filters: Sequence[Instruction]) -> bytes:
    """A filter as the kernel takes it."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in filters)


def program(pid: int, *, runs_program: bool = False, clock: int = 0) -> list[Instruction]:
    """The filter for the process `pid` as a classic BPF program. `clock`: see refuse_all_but_allowed."""
    allow, refuse = (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE | errno.EPERM)
    code = opening()
    listed = (*ALLOWED, *FOR_PROGRAMS) if runs_program else [name for name in ALLOWED if not clock or name not in EXACT]
    code += search(ranges(listed), ALLOW)
    code += [(EQUAL, 0, 1, _number("clone3")), (RETURN, 0, 0, REFUSE | errno.ENOSYS)]  # libc then tries clone
    # who gives its CPU away again and again would seem to get none: it succeeds, and nothing is done
    code += [(EQUAL, 0, 1, _number("sched_yield")), (RETURN, 0, 0, REFUSE)]
    if runs_program:
        code += _program_rules(pid)
    else:  # what a bot in Python executes is the code of a file, and can never have been written: see isolation.md
        code += when("mprotect", [*argument(2), (ANY_BIT, 0, 1, _EXECUTABLE), refuse, allow])
        written = [*argument(2), (ANY_BIT, 0, 4, _EXECUTABLE), (ANY_BIT, 2, 0, _WRITABLE)]
        code += when("mmap", [*written, *argument(3), (ANY_BIT, 0, 1, MAP_ANONYMOUS), refuse, (LOAD, 0, 0, _NUMBER)])
    # mmap: no huge pages; what is shared is a file's, and can only be read
    shared = [(ANY_BIT, 5, 0, MAP_HUGETLB), (ANY_BIT, 0, 3, MAP_SHARED), (ANY_BIT, 3, 0, MAP_ANONYMOUS)]
    code += when("mmap", [*argument(3), *shared, *argument(2), (ANY_BIT, 1, 0, _WRITABLE), allow, refuse])
    code += when("futex", [*argument(1), (ANY_BIT, 0, 1, _FUTEX_PRIVATE), allow, refuse])
    code += when("membarrier", [*argument(0), (ANY_BIT, 0, 1, _BARRIERS_OF_ALL), refuse, allow])
    if clock:
        asked = [
            (LOAD, 0, 0, _PLACE),
            (EQUAL, 0, 2, clock & 0xFFFF_FFFF),
            (LOAD, 0, 0, _PLACE + 4),
            (EQUAL, 1, 0, clock >> 32),
        ]
        code += when("clock_gettime", [*asked, refuse, (LOAD, 0, 0, _NUMBER)])
    own_clocks = [*one_of((*_OWN_CLOCKS, (~pid << 3 | 2) & 0xFFFF_FFFF)), (AT_LEAST, 0, 1, _FIRST_PROCESS_CLOCK)]
    for name in _CLOCKS:
        code += when(name, [*argument(0), *own_clocks, refuse, allow])
    code += when("sched_getaffinity", [*argument(0), *one_of((0, pid)), (RETURN, 0, 0, REFUSE | errno.ENOSYS)])
    code += when("tgkill", [*argument(0), (EQUAL, 0, 3, pid), *argument(2), (EQUAL, 0, 1, _ABORT), allow, refuse])
    code += when("ioctl", [*argument(1), (EQUAL, 1, 0, _TERMINAL_QUERY), refuse, (RETURN, 0, 0, REFUSE | errno.ENOTTY)])
    code += when("madvise", [*argument(2), *one_of(_ADVICE), (RETURN, 0, 0, REFUSE | errno.EINVAL)])
    code += when("fcntl", [*argument(1), *one_of((*_FCNTL_SAFE, _DUP_CLOEXEC)), refuse])
    # prlimit64: reading the own limits (pid 0, no new limit)
    reading = [*argument(0), (EQUAL, 0, 5, 0), *argument(2), (EQUAL, 0, 3, 0), (LOAD, 0, 0, _ARGUMENT + 20)]
    code += when("prlimit64", [*reading, (EQUAL, 0, 1, 0), allow, refuse])
    return [*code, refuse]


def opening() -> list[Instruction]:
    """How a filter begins: a process of another architecture is killed, and the call's number is loaded."""
    code: list[Instruction] = [
        (LOAD, 0, 0, _ARCHITECTURE),
        (EQUAL, 1, 0, _ARCHITECTURES[kernel.MACHINE]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, _NUMBER),
    ]
    if kernel.MACHINE == "x86_64":
        code += [(AT_LEAST, 0, 1, _X32), (RETURN, 0, 0, KILL)]
    return code


def _program_rules(pid: int) -> list[Instruction]:
    """The rules that allow a command bot's program more than a Python bot; each comes before its call's stricter rule."""
    allow, refuse = (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE | errno.EPERM)
    threads = [*argument(0), (ANY_BIT, 0, 2, _CLONE_THREAD), (ANY_BIT, 1, 0, CLONE_NEW), allow, refuse]
    once = [*argument(0), (EQUAL, 0, 3, PROGRAM), *argument(4), (EQUAL, 0, 1, _EMPTY_PATH), allow, refuse]
    stacks = [*argument(3), (ANY_BIT, 0, 1, _MAP_GROWSDOWN), refuse, (LOAD, 0, 0, _NUMBER)]  # no data for RLIMIT_DATA
    signals = [*argument(0), (EQUAL, 0, 3, pid), *argument(2), (EQUAL, 1, 0, _KILL_SIGNAL), allow, refuse]
    pipes = [*argument(1), *one_of(_PIPE_QUERIES), (LOAD, 0, 0, _NUMBER)]
    flags = [*argument(1), *one_of((0, _SET_FLAGS)), (LOAD, 0, 0, _NUMBER)]
    names = [*argument(0), *one_of(_NAMES), refuse]
    own, own_priority = [*argument(0), *one_of((0, pid)), refuse], [*argument(1), *one_of((0, pid)), refuse]
    again = (RETURN, 0, 0, REFUSE | errno.EAGAIN)  # who waits for the end of a thread looks again
    waits = [*argument(1), *one_of(_FUTEX_WAITS, again), (LOAD, 0, 0, _NUMBER)]
    rules = {
        "clone": threads, "execveat": once, "mmap": stacks, "tgkill": signals, "ioctl": pipes, "fcntl": flags, "prctl": names,
        "futex": waits, "getpgid": own, "getsid": own, "sched_getparam": own, "sched_getscheduler": own,
        "getpriority": own_priority,
    }  # fmt: skip
    return [step for name, body in rules.items() for step in when(name, body)]


def ranges(names: Iterable[str]) -> list[tuple[int, int]]:
    """The numbers of kernel calls as ranges in ascending order, each with its first and last number."""
    found: list[tuple[int, int]] = []
    for call in sorted(number for name in names if (number := kernel.number(name)) is not None):
        if found and found[-1][1] == call - 1:
            found[-1] = found[-1][0], call
        else:
            found.append((call, call))
    return found


def search(spans: list[tuple[int, int]], action: int, after: int = 0) -> list[Instruction]:
    """Take the action if the number is in one of the ranges, else go on `after` instructions behind these: a binary search.

    When a filter is installed the kernel runs it for every number, so a list would take longer than all else that a lock does.
    """
    if len(spans) == 1:
        first, last = spans[0]
        return [(AT_LEAST, 0, after + 2, first), (AT_LEAST, after + 1, 0, last + 1), (RETURN, 0, 0, action)]
    middle = len(spans) // 2
    above = search(spans[middle:], action, after)
    below = search(spans[:middle], action, after + len(above))
    return [(AT_LEAST, len(below), 0, spans[middle][0]), *below, *above]


def _number(name: str) -> int:
    found = kernel.number(name)
    assert found is not None
    return found


def when(name: str, body: list[Instruction]) -> list[Instruction]:
    """The rule `body` for the kernel call `name` only. The call's number is loaded before and after."""
    return [(EQUAL, 0, len(body), _number(name)), *body]


def argument(place: int) -> list[Instruction]:
    """Load the lower half of an argument, counted from 0."""
    return [(LOAD, 0, 0, _ARGUMENT + 8 * place)]


def one_of(values: tuple[int, ...], then: Instruction = (RETURN, 0, 0, ALLOW)) -> list[Instruction]:
    """Take `then` if what is loaded is one of the values, else go on."""
    return [step for value in values for step in ((EQUAL, 0, 1, value), then)]
