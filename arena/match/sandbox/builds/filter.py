"""The filter of kernel calls for builds: compilers start programs and threads, and change files, and need nothing else.

What is not here is refused (EPERM): sockets that lead anywhere, shared memory that no limit counts, namespaces, mounts,
`ptrace`, `bpf`, `io_uring`, other users. `setsid` and `setpgid` are not here either: so all processes of a build stay one
group, which ends by a single signal.
"""

import errno

from arena.match.sandbox import kernel, seccomp
from arena.match.sandbox.seccomp import ALLOW, ANY_BIT, CLONE_NEW, EQUAL, MAP_HUGETLB, REFUSE, RETURN

CALLS = (
    *seccomp.ALLOWED, *seccomp.FOR_PROGRAMS,
    "fork", "vfork", "execve", "execveat", "wait4", "waitid", "kill", "tkill", "tgkill", "sched_yield", "sched_getaffinity",
    "sched_getparam", "sched_getscheduler", "getpriority", "setpriority", "getpgid", "getsid", "capget", "sysinfo", "mincore",
    "futex", "membarrier", "madvise", "clock_gettime", "clock_getres", "clock_nanosleep", "alarm", "getitimer", "setitimer",
    "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete", "umask", "setrlimit", "close_range",
    "pwrite64", "pwritev", "preadv2", "pwritev2", "msync", "flock", "fsync", "fdatasync", "truncate", "ftruncate", "fallocate",
    "fadvise64", "sendfile", "copy_file_range", "getdents", "fchdir", "rename", "renameat", "renameat2", "mkdir", "mkdirat",
    "rmdir", "creat", "link", "linkat", "unlink", "unlinkat", "symlink", "symlinkat", "chmod", "fchmod", "fchmodat",
    "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat", "utimensat", "mknod", "mknodat",
    "statfs", "fstatfs", "openat2", "sendmsg", "recvmsg", "sendto", "recvfrom", "shutdown", "getsockname", "getpeername",
    "setsockopt", "getsockopt",
)  # fmt: skip
"""The kernel calls that a build may make with any arguments. Landlock says which files they reach."""

_LOCAL = 1  # AF_UNIX
_KINDS_OF_SOCKETS = 0xF
_CONNECTED = (1, 5)  # SOCK_STREAM, SOCK_SEQPACKET: a message of theirs goes to the other end, whatever address is named
_TERMINAL_QUERIES = (0x5401, 0x5413, 0x540F, 0x5421, 0x5450, 0x5451, 0x541B)
"""What ioctl may be asked: of terminals, and FIONBIO, FIONCLEX, FIOCLEX, FIONREAD."""
_FILE_COMMANDS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1031, 1032)
"""What fcntl may be told: copies and flags of descriptors, locks, the size of pipes. No signals to whoever is named."""
_SETTINGS = (1, 2, 3, 15, 16, 21, 23, 29, 30, 38, 39, 0x5356_4D41)
"""What prctl may be told: the signal at a parent's death, names, questions."""

_ATTRIBUTES = (
    "setxattr", "lsetxattr", "fsetxattr", "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr",
)  # fmt: skip
"""The calls for what files have beside their content, which Landlock does not see: as if the file system had no such thing."""


def refuse_all_but_builds_need() -> None:
    """Install the filter for this process and all that it will start, for good. Needs no_new_privs. Raises OSError."""
    seccomp.install(kernel.Memory(seccomp.packed(program())))


def program() -> list[seccomp.Instruction]:
    """The filter as a classic BPF program."""
    allow, refuse = (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE | errno.EPERM)
    no_terminal, not_here = (RETURN, 0, 0, REFUSE | errno.ENOTTY), (RETURN, 0, 0, REFUSE | errno.ENOTSUP)
    connected = [*seccomp.argument(1), *_masked(_CONNECTED), refuse]
    # only pages of files are shared: others stay while no process has them in its tables, where nothing counts them
    shared = [(ANY_BIT, 0, 1, seccomp.MAP_SHARED), (ANY_BIT, 1, 0, seccomp.MAP_ANONYMOUS)]
    rules = {
        "clone3": [(RETURN, 0, 0, REFUSE | errno.ENOSYS)],  # libc then tries clone, whose flags a filter can read
        "clone": [*seccomp.argument(0), (ANY_BIT, 0, 1, CLONE_NEW), refuse, allow],
        "mmap": [*seccomp.argument(3), (ANY_BIT, 3, 0, MAP_HUGETLB), *shared, allow, refuse],
        "prlimit64": [*seccomp.argument(0), *seccomp.one_of((0,)), refuse],  # its own; a hard limit cannot be raised
        "socketpair": [*seccomp.argument(0), (EQUAL, 1, 0, _LOCAL), refuse, *connected],
        "ioctl": [*seccomp.argument(1), *seccomp.one_of(_TERMINAL_QUERIES), no_terminal],
        "fcntl": [*seccomp.argument(1), *seccomp.one_of(_FILE_COMMANDS), refuse],
        "prctl": [*seccomp.argument(0), *seccomp.one_of(_SETTINGS), refuse],
        **{name: [not_here] for name in _ATTRIBUTES},
    }
    code = [*seccomp.opening(), *seccomp.search(seccomp.ranges(CALLS), ALLOW)]
    return [*code, *(step for name, body in rules.items() for step in seccomp.when(name, body)), refuse]


def _masked(kinds: tuple[int, ...]) -> list[seccomp.Instruction]:
    """Allow what is one of the kinds of sockets, whatever flags are set beside it."""
    return [(seccomp.AND, 0, 0, _KINDS_OF_SOCKETS), *seccomp.one_of(kinds)]
