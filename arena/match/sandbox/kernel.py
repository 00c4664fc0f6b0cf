"""Kernel calls that Python does not offer, by number, for the two supported machines: x86-64 and aarch64.

Calls can also be recorded, and made later: see `recording`.
"""

import contextlib
import ctypes
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

MACHINE = platform.machine()

NUMBERS: dict[str, tuple[int | None, int | None]] = {
    # name: (x86-64, aarch64); None: that machine has no such call
    "read": (0, 63), "write": (1, 64), "open": (2, None), "close": (3, 57), "stat": (4, None), "fstat": (5, 80),
    "lstat": (6, None), "poll": (7, None), "lseek": (8, 62), "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215),
    "brk": (12, 214), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "ioctl": (16, 29),
    "pread64": (17, 67), "readv": (19, 65), "writev": (20, 66), "access": (21, None), "select": (23, None),
    "sched_yield": (24, 124), "mremap": (25, 216), "madvise": (28, 233), "dup": (32, 23), "dup2": (33, None),
    "nanosleep": (35, 101), "getpid": (39, 172), "clone": (56, 220), "exit": (60, 93), "uname": (63, 160), "fcntl": (72, 25),
    "getcwd": (79, 17), "readlink": (89, None), "gettimeofday": (96, 169), "getrusage": (98, 165), "sysinfo": (99, 179),
    "times": (100, 153), "getuid": (102, 174), "getgid": (104, 176), "geteuid": (107, 175), "getegid": (108, 177),
    "getppid": (110, 173), "capset": (126, 91), "sigaltstack": (131, 132), "prctl": (157, 167), "arch_prctl": (158, None),
    "pivot_root": (155, 41), "mount": (165, 40), "umount2": (166, 39), "gettid": (186, 178), "futex": (202, 98),
    "sched_getaffinity": (204, 123), "getdents64": (217, 61), "set_tid_address": (218, 96), "restart_syscall": (219, 128),
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115), "exit_group": (231, 94),
    "tgkill": (234, 131), "openat": (257, 56), "newfstatat": (262, 79), "readlinkat": (267, 78), "faccessat": (269, 48),
    "pselect6": (270, 72), "ppoll": (271, 73), "unshare": (272, 97), "set_robust_list": (273, 99), "dup3": (292, 24),
    "prlimit64": (302, 261), "getcpu": (309, 168), "seccomp": (317, 277), "getrandom": (318, 278), "membarrier": (324, 283),
    "statx": (332, 291), "rseq": (334, 293), "pidfd_send_signal": (424, 424), "pidfd_open": (434, 434),
    "clone3": (435, 435), "close_range": (436, 436), "faccessat2": (439, 439), "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445), "landlock_restrict_self": (446, 446), "mseal": (462, 462),
    "sendfile": (40, 71), "sendmsg": (46, 211), "recvmsg": (47, 212), "umask": (95, 166), "setsid": (112, 157),
    "setgroups": (116, 159), "setresuid": (117, 147), "setresgid": (119, 149), "mkdirat": (258, 34),
    # what only programs of command bots need
    "pipe": (22, None), "mincore": (27, 232), "pause": (34, None), "chdir": (80, 49), "getrlimit": (97, 163),
    "getpgrp": (111, None),
    "getgroups": (115, 158), "getresuid": (118, 148), "getresgid": (120, 150), "getpgid": (121, 155), "getsid": (124, 156),
    "capget": (125, 90), "rt_sigpending": (127, 136), "rt_sigtimedwait": (128, 137), "rt_sigsuspend": (130, 133),
    "getpriority": (140, 141), "sched_getparam": (143, 121), "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125), "sched_get_priority_min": (147, 126), "time": (201, None),
    "epoll_create": (213, None), "fadvise64": (221, 223), "epoll_wait": (232, None), "epoll_ctl": (233, 21),
    "epoll_pwait": (281, 22), "timerfd_create": (283, 85), "eventfd": (284, None), "timerfd_settime": (286, 86),
    "timerfd_gettime": (287, 87), "eventfd2": (290, 19), "epoll_create1": (291, 20), "pipe2": (293, 59),
    "preadv": (295, 69), "execveat": (322, 281), "epoll_pwait2": (441, 441),
    # what only compilers need
    "pwrite64": (18, 68), "msync": (26, 227), "alarm": (37, None), "getitimer": (36, 102), "setitimer": (38, 103),
    "sendto": (44, 206), "recvfrom": (45, 207), "shutdown": (48, 210), "getsockname": (51, 204), "getpeername": (52, 205),
    "socketpair": (53, 199), "setsockopt": (54, 208), "getsockopt": (55, 209), "fork": (57, None), "vfork": (58, None),
    "execve": (59, 221), "wait4": (61, 260), "kill": (62, 129), "flock": (73, 32), "fsync": (74, 82), "fdatasync": (75, 83),
    "truncate": (76, 45), "ftruncate": (77, 46), "getdents": (78, None), "fchdir": (81, 50), "rename": (82, None),
    "mkdir": (83, None), "rmdir": (84, None), "creat": (85, None), "link": (86, None), "unlink": (87, None),
    "symlink": (88, None), "chmod": (90, None), "fchmod": (91, 52), "chown": (92, None), "fchown": (93, 55),
    "lchown": (94, None), "utime": (132, None), "mknod": (133, None), "statfs": (137, 43), "fstatfs": (138, 44),
    "setpriority": (141, 140), "setrlimit": (160, 164), "tkill": (200, 130), "timer_create": (222, 107),
    "timer_settime": (223, 110), "timer_gettime": (224, 108), "timer_getoverrun": (225, 109), "timer_delete": (226, 111),
    "utimes": (235, None), "waitid": (247, 95), "mknodat": (259, 33), "fchownat": (260, 54), "futimesat": (261, None),
    "unlinkat": (263, 35), "renameat": (264, 38), "linkat": (265, 37), "symlinkat": (266, 36), "fchmodat": (268, 53),
    "utimensat": (280, 88), "fallocate": (285, 47), "pwritev": (296, 70), "renameat2": (316, 276),
    "copy_file_range": (326, 285), "preadv2": (327, 286), "pwritev2": (328, 287), "openat2": (437, 437),
    "fchmodat2": (452, 452), "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "getxattr": (191, 8),
    "lgetxattr": (192, 9), "fgetxattr": (193, 10), "listxattr": (194, 11), "llistxattr": (195, 12), "flistxattr": (196, 13),
}  # fmt: skip

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_PR_SET_NAME = 15
_EMPTY_PATH = 0x1000  # AT_EMPTY_PATH
_COLUMNS = {"x86_64": 0, "aarch64": 1}


def is_known() -> bool:
    """Return whether this is Linux on a machine whose call numbers are in the table."""
    return sys.platform == "linux" and MACHINE in _COLUMNS and sys.maxsize > 1 << 32


def number(name: str) -> int | None:
    """The number of a call on this machine; None where it has no such call."""
    return NUMBERS[name][_COLUMNS[MACHINE]]


class Memory:
    """Bytes that stay where they are, for the kernel to read and to write."""

    def __init__(self, data: bytes, *others: "Memory") -> None:
        """`others`: to which addresses in `data` point, so that they have to live as long."""
        self.array = ctypes.create_string_buffer(data, len(data))
        self.address = ctypes.addressof(self.array)
        self._others = others

    def word(self, place: int) -> Any:
        """The four bytes from `place` on as an unsigned number; its `value` can be set."""
        return ctypes.c_uint32.from_buffer(self.array, place)


def call(name: str, *arguments: Any, into: Any = None) -> Any:
    """Make a call; raises OSError. While calls are recorded: note it, and return what stands for its result in later calls.

    `arguments`: integers, bytes, None, Memory; `into`: a word of a Memory that takes the result, too.
    """
    if _recorded is not None:
        return _recorded.note(name, arguments, into)
    result = call_now(name, *arguments)
    if into is not None:
        into.value = result
    return result


def call_now(name: str, *arguments: Any) -> int:
    """Make a call, also while calls are recorded; raises OSError."""
    result = int(_libc().syscall(*_words(name, arguments)))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def require(result: int, name: str, *arguments: Any) -> None:
    """Make a call, or record it; raises OSError unless it returns `result`."""
    if _recorded is not None:
        _recorded.note(name, arguments, None, result)
    elif (found := call_now(name, *arguments)) != result:
        raise OSError(0, f"{name}: {found} instead of {result}")


def do(function: Callable[[], object]) -> None:
    """Call a function, or record that it has to be called."""
    if _recorded is not None:
        _recorded.steps.append((function, None, None, None, ""))
    else:
        function()


def later() -> Any:
    """Return what stands for a number in recorded calls until its `value` is set, before they are made."""
    return ctypes.c_long()


def of_own_number(into: Any = None, factor: int = 1, addend: int = 0) -> Any:
    """`factor` times the number of this process, plus `addend`; while calls are recorded: of the process that will make them.

    `into`: a word of a Memory that takes it, too.
    """
    target = later() if into is None else into
    target.value = factor * os.getpid() + addend
    if _recorded is not None:
        _recorded.numbers.append((target, factor, addend))
    return target


@contextlib.contextmanager
def recording() -> Iterator["Calls"]:
    """Record all calls that are made here, instead of making them."""
    global _recorded  # noqa: PLW0603
    assert _recorded is None
    _recorded = calls = Calls()
    try:
        yield calls
    finally:
        _recorded = None


class Calls:
    """Recorded calls. A process that makes them does little else, and touches few pages of its memory."""

    def __init__(self) -> None:
        self.steps: list[tuple[Callable[[], Any], Any, Any, int | None, str]] = []
        """Each call, what takes its result, what else does, the result that it must have, its name."""
        self.numbers: list[tuple[Any, int, int]] = []
        self._kept: list[tuple[Any, ...]] = []

    def note(self, name: str, arguments: tuple[Any, ...], into: Any, result: int | None = None) -> Any:
        """Record a call; returns what stands for its result."""
        stands_for_it = later()
        self.steps.append((partial(_python().syscall, *_words(name, arguments)), stands_for_it, into, result, name))
        self._kept.append(arguments)
        return stands_for_it

    def make(self) -> None:
        """Make the calls. Raises OSError at the first one that fails."""
        number = os.getpid()
        for target, factor, addend in self.numbers:
            target.value = factor * number + addend
        for step, stands_for_it, into, required, name in self.steps:
            result = step()
            if stands_for_it is None:
                continue
            if result < 0 or (required is not None and result != required):
                error = ctypes.get_errno()
                raise OSError(error, f"{name}: {result}, {os.strerror(error)}")
            stands_for_it.value = result
            if into is not None:
                into.value = result


_recorded: Calls | None = None


def _words(name: str, arguments: tuple[Any, ...]) -> list[Any]:
    code = number(name)
    assert code is not None, name
    return [_word(value) for value in (code, *arguments)]


def _word(value: Any) -> Any:
    if isinstance(value, int):
        return ctypes.c_long(value)
    return value.array if isinstance(value, Memory) else value


def prctl(*arguments: int) -> None:
    """Change a setting of this process; raises OSError."""
    call("prctl", *arguments, *[0] * (5 - len(arguments)))


def call_this_process(name: str) -> None:
    """Give this process the name that `top` shows, of 15 characters."""
    call("prctl", _PR_SET_NAME, name.encode(), 0, 0, 0)


def fork() -> int:
    """Fork this single-threaded process; 0 in the child. Raises OSError.

    What `os.fork` does besides is for threads, and to give the modules that draw random numbers new seeds: a good part of what
    a fork costs. Whoever calls this seeds them.
    """
    pid = int(_python().fork())
    if pid < 0:
        raise OSError(ctypes.get_errno(), "fork")
    return pid


def execute(program: int, arguments: Sequence[str], environment: Sequence[str]) -> None:
    """Replace this process by the program that is open at a descriptor; raises OSError."""
    call("execveat", program, b"", _texts(arguments), _texts(environment), _EMPTY_PATH)


def _texts(values: Sequence[str]) -> Any:
    """A C array of texts, ended by null."""
    return (ctypes.c_char_p * (len(values) + 1))(*[os.fsencode(value) for value in values], None)


@cache
def _libc() -> Any:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


@cache
def _python() -> Any:
    """The C library, called without giving up the interpreter's lock: a child must have it."""
    libc = ctypes.PyDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc
