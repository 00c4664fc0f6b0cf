"""Locks this process in, step by step in the order that works. Afterwards nothing outside can be reached or regained.

Its parts beside the filter of kernel calls (seccomp.py) and the namespaces (namespaces.py): Landlock, by which the kernel
lets this process read the named paths and reach no other file, ever again; the limits and privileges of a bot's process
(memory, files, its user); and the gate, by which a bot that is ready may look up no more names.

The kernel keeps what was looked up, also that a name does not exist, and finds it faster the next time. So a bot could tell its
next match what it has seen, by names that it asks for in a folder of the system. Before it is ready it knows no cards, and may
import what it likes. Each call with a path waits for the worker (seccomp's user notification), which lets it go on; once the
bot is ready the worker closes its end, and the kernel refuses all such calls. Nothing in the bot's process can undo that.
"""

import contextlib
import errno
import fcntl
import os
import resource
import signal
import socket
import stat
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from arena.match.sandbox import clocks, kernel, namespaces, own_memory, seccomp
from arena.match.sandbox.levels import NAMESPACE, is_locked
from arena.records import Limits

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_FIRST_RIGHTS = (1 << 13) - 1
_LATER_RIGHTS = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}  # by the version that brought them: refer, truncate, ioctl on devices
_DEVICE_RIGHTS = 1 << 6 | 1 << 11 | 1 << 15  # to make them, and to ask them for more than bytes
_TCP = 0b11  # bind, connect
_SCOPES = 0b11  # abstract unix sockets, signals
_PATH_BENEATH = 1
_FROM_HERE = -100  # AT_FDCWD
NO_LANDLOCK = "the kernel offers no Landlock"
_VERSION_FLAG = 1


def landlock_version() -> int:
    """The kernel's Landlock version; 0: it has none, or it is switched off."""
    try:
        return kernel.call_now("landlock_create_ruleset", None, 0, _VERSION_FLAG)
    except OSError:
        return 0


def opened_paths(paths: Iterable[str | int]) -> tuple[int, ...]:
    """Descriptors of the existing ones among `paths`, for processes that will be forked from this one."""
    return tuple(handle for path in paths if (handle := _opened(path)) is not None)


def restrict_files(
    readable: Iterable[int | str], sinks: Iterable[int | str] = (), programs: Iterable[int | str] = (),
    own: Iterable[int | str] = (),
) -> None:  # fmt: skip
    """Allow reading below `readable`, writing to the devices `sinks`, running `programs`, changing `own`; nothing else.

    All are paths or descriptors; where a program is a folder, all in it may be run. Needs no_new_privs. Paths that do not
    exist are passed over. Raises OSError.
    """
    kind = landlock_version()
    if not kind:
        raise OSError(errno.ENOSYS, NO_LANDLOCK)
    rights = _FIRST_RIGHTS | sum(bit for since, bit in _LATER_RIGHTS.items() if kind >= since)
    attributes = struct.pack("=QQQ", rights, _TCP if kind >= 4 else 0, _SCOPES if kind >= 6 else 0)
    size = 24 if kind >= 6 else 16 if kind >= 4 else 8
    rules = kernel.call("landlock_create_ruleset", attributes, size, 0)
    for path in readable:
        _allow(rules, path, READ_FILE | READ_DIR)
    for path in sinks:
        _allow(rules, path, READ_FILE | WRITE_FILE)
    for program in programs:
        _allow(rules, program, EXECUTE | READ_FILE | READ_DIR)
    for folder in own:
        _allow(rules, folder, rights & ~_DEVICE_RIGHTS)
    kernel.call("landlock_restrict_self", rules, 0)
    kernel.call("close", rules)


def _allow(rules: int, path: int | str, rights: int) -> None:
    """Add a rule for a path, which is opened for that, or for a descriptor."""
    try:
        kind = os.stat(path).st_mode
    except OSError:
        return
    rule = kernel.Memory(struct.pack("=Qi", rights if stat.S_ISDIR(kind) else rights & ~READ_DIR, 0))
    handle = rule.word(8)
    if isinstance(path, int):
        handle.value = path
        kernel.call("landlock_add_rule", rules, _PATH_BENEATH, rule, 0)
        return
    found = kernel.call("openat", _FROM_HERE, os.fsencode(path), os.O_PATH | os.O_CLOEXEC, into=handle)
    kernel.call("landlock_add_rule", rules, _PATH_BENEATH, rule, 0)
    kernel.call("close", found)


def _opened(path: int | str) -> int | None:
    if isinstance(path, int):
        return path
    try:
        return os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return None


OPEN_FILES = 64
STACK_BYTES = 64 << 20
THREADS = 64  # of a command bot's program; runtimes with a compiler and a collector of their own start about ten
PROGRAM_RESERVES = 256 << 20  # bytes that a runtime may set aside beyond its memory and not touch: stacks of its threads
PROGRAM_ADDRESS_SPACE = 64 << 30  # room for runtimes that reserve gigabytes; bounds what page tables can take
PROGRAM_STACK_BYTES = 8 << 20  # of each of its threads
FIRST_UID = 0x6A00_0000  # beyond every real account; the pid is added, so that no two seats share one
_CAPABILITY_HEADER = struct.pack("=Ii", 0x2008_0522, 0)


def address_space(proc: int) -> int:
    """Bytes of address space that this process has mapped. `proc`: an open /proc, which namespaces hide."""
    handle = os.open("self/statm", os.O_RDONLY, dir_fd=proc)
    pages = int(os.read(handle, 200).split()[0])
    os.close(handle)
    return pages * resource.getpagesize()


def apply_limits(allowed: Limits, *, reserved: int) -> None:
    """Set the hard limits of this process; they cannot be raised again.

    `reserved`: bytes of address space that are the zygote's own, on top of what the bot may use.
    """
    address_space_bytes = reserved + allowed.memory
    _apply(
        {
            resource.RLIMIT_AS: address_space_bytes,
            resource.RLIMIT_DATA: address_space_bytes,
            resource.RLIMIT_NPROC: 0,
            resource.RLIMIT_STACK: STACK_BYTES,
        }
    )


def apply_limits_to_program(allowed: Limits, *, counts_threads: bool, shares_user: bool = False) -> None:
    """Set the hard limits of a command bot's program, which this process will run. The memory it fills is also watched.

    `counts_threads`: whether its user has no other processes, so that the kernel can count its threads. `shares_user`: whether
    other bots have the same user: then none may queue signals, which the kernel counts for all of them together.
    """
    wanted = {
        resource.RLIMIT_AS: PROGRAM_ADDRESS_SPACE,
        resource.RLIMIT_DATA: allowed.memory + PROGRAM_RESERVES,
        resource.RLIMIT_STACK: PROGRAM_STACK_BYTES,
    }
    if counts_threads:
        wanted[resource.RLIMIT_NPROC] = THREADS
    if shares_user and hasattr(resource, "RLIMIT_SIGPENDING"):
        wanted[resource.RLIMIT_SIGPENDING] = 0
    _apply(wanted)


def _apply(limits: dict[int, int]) -> None:
    wanted = limits | {resource.RLIMIT_NOFILE: OPEN_FILES, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CORE: 0}
    if hasattr(resource, "RLIMIT_MSGQUEUE"):
        wanted |= {resource.RLIMIT_MEMLOCK: 0, resource.RLIMIT_MSGQUEUE: 0}
    for kind, value in wanted.items():
        _, hard = resource.getrlimit(kind)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        kernel.call("prlimit64", 0, kind, struct.pack("=QQ", allowed, allowed), None)


def become_nobody() -> None:
    """Change from root to a user that owns nothing and is no other process's. Raises OSError."""
    uid = kernel.of_own_number(addend=FIRST_UID)
    kernel.call("setgroups", 0, None)
    kernel.call("setresgid", uid, uid, uid)
    kernel.call("setresuid", uid, uid, uid)


def bound_capabilities() -> None:
    """Let no program that this process or its children will run have any capability."""
    for capability in range(64):
        try:
            kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
        except OSError:  # past the last one, or not ours to drop
            break


def drop_capabilities() -> None:
    """Give up every capability that this process has."""
    kernel.call("capset", _CAPABILITY_HEADER, bytes(24))


CALLS = (
    "open", "openat", "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
    "chdir",
)  # fmt: skip
"""The allowed kernel calls that take a path."""

_NEW_LISTENER = 8
_ASK = 0x7FC0_0000  # SECCOMP_RET_USER_NOTIF
_RECEIVE, _SEND = 0xC050_2100, 0xC018_2101
_MESSAGE = struct.Struct("=QI4xQQQQi4x")  # the kernel's msghdr
_RIGHTS = struct.Struct("=Qiii4x")  # its cmsghdr, with one descriptor
_QUESTION = struct.Struct("=QII64x")
_ANSWER = struct.Struct("=QqiI")
_GO_ON = 1


def send_gate(channel: int, *, is_wanted: bool) -> None:
    """Make this process ask before each call with a path, for good; `channel`: the socket to the worker, which gets the gate.

    If that is not wanted, the worker is told so. Needs no_new_privs. Raises OSError.
    """
    if not is_wanted:
        kernel.require(1, "sendmsg", channel, _message(), 0)
        return
    rights = kernel.Memory(_RIGHTS.pack(_RIGHTS.size - 4, socket.SOL_SOCKET, socket.SCM_RIGHTS, -1))
    gate = _install(into=rights.word(_RIGHTS.size - 8))
    kernel.require(1, "sendmsg", channel, _message(rights), 0)
    kernel.call("close", gate)


def can_have_gates() -> bool:
    """Return whether a child of this process can have a gate: not where another one is there already. Forks one to find out."""
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(OSError):
            kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
            _install()
            os._exit(0)
        os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def _install(into: Any = None) -> Any:
    return seccomp.install(kernel.Memory(seccomp.packed(seccomp.answering(CALLS, _ASK))), _NEW_LISTENER, into)


def _message(rights: kernel.Memory | None = None) -> kernel.Memory:
    """A message of one byte to send, as the kernel takes it, with the descriptors in `rights`."""
    said = kernel.Memory(b".")
    part = kernel.Memory(struct.pack("=QQ", said.address, 1))
    if rights is None:
        return kernel.Memory(_MESSAGE.pack(0, 0, part.address, 1, 0, 0, 0), said, part)
    return kernel.Memory(_MESSAGE.pack(0, 0, part.address, 1, rights.address, _RIGHTS.size, 0), said, part, rights)


class Gate:
    """The worker's end: lets calls with a path go on until it is closed."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        """The descriptor to wait for."""
        return self._descriptor

    def let_pass(self) -> None:
        """Let the call go on that waits, if there still is one."""
        question = bytearray(_QUESTION.size)
        with contextlib.suppress(FileNotFoundError):  # its process was killed meanwhile
            fcntl.ioctl(self._descriptor, _RECEIVE, question)
            number, _, _ = _QUESTION.unpack(question)
            fcntl.ioctl(self._descriptor, _SEND, bytearray(_ANSWER.pack(number, 0, 0, _GO_ON)))

    def close(self) -> None:
        """Have all calls with a path refused from now on."""
        os.close(self._descriptor)


def receive_gate(channel: socket.socket) -> Gate | None:
    """The gate that a child sends; None if its kernel offers none. Raises OSError if the child ended instead."""
    said, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
    if not said:
        raise OSError("the child ended")
    return Gate(descriptors[0]) if descriptors else None


@dataclass(frozen=True)
class Cell:
    """What the lock of all children of a zygote, or of a template, has in common."""

    level: str
    libraries: tuple[str | int, ...]
    """What a bot may read, as paths or open descriptors."""
    devices: tuple[str | int, ...]
    store: str
    address_space: int
    """The bytes of address space that the parent has mapped; a bot's memory comes on top."""
    drops_user: bool
    """Whether root becomes a user that owns nothing; if not, only its capabilities are given up."""
    has_gates: bool
    """Whether its children ask before calls with a path; see Gate."""
    clock: int
    """The address from which alone children may ask for the time, as `clocks.coarsen` says; 0: any."""
    pieces: tuple[own_memory.Piece, ...]
    """What of its memory its children copy before a bot's first line."""
    parent: int
    """The process id of the zygote or the template: a child whose parent is gone exits."""


@dataclass(frozen=True)
class Program:
    """The program that a locked command bot runs."""

    loader: str
    """The path of the dynamic loader that the kernel starts for the program; empty: none."""
    is_public: bool
    """Whether a user that owns nothing can reach the program and the files beside it."""


def lock(
    cell: Cell, folder: str, allowed: Limits, program: Program | None = None, *, files: namespaces.Files | None = None,
    channel: int | None = None,
) -> str:  # fmt: skip
    """Lock this single-threaded process in, or record what does that; returns the path of the bot's folder afterwards.

    Raises OSError; then no code of the bot may run.

    `program`: the program that it will run, from the descriptor seccomp.PROGRAM; None: no program, ever. `files`: what is in
    the folder, if that is known. `channel`: the socket to a worker that will take the Gate, and from then on must
    serve it; None: there is none. For a bot in Python all descriptors above it are closed. What locks a bot in Python in can
    be recorded.
    """
    where = os.path.join(cell.store, folder)
    if cell.level == NAMESPACE:
        namespaces.show_only(files or namespaces.take_out(folder), has_code=program is not None)
        where = namespaces.BOT
    elif is_locked(cell.level):
        kernel.do(partial(namespaces.read_all, where))
    is_alone = drops_user = False
    if is_locked(cell.level):
        drops_user = cell.drops_user
        if program is not None:
            drops_user |= os.geteuid() == 0 and program.is_public and cell.level == NAMESPACE
            is_alone = drops_user or (os.geteuid() != 0 and namespaces.become_alone())
            bound_capabilities()  # the zygote has, but a new user namespace brings them back
        if drops_user:
            become_nobody()
        drop_capabilities()
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # now: a change of user clears it
    kernel.require(cell.parent, "getppid")
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if program is None:
        apply_limits(allowed, reserved=cell.address_space)
    else:
        apply_limits_to_program(allowed, counts_threads=is_alone, shares_user=is_locked(cell.level) and not drops_user)
    if is_locked(cell.level):
        programs: list[int | str] = [] if program is None else [seccomp.PROGRAM]
        if program is not None and program.loader:
            programs.append(program.loader)
        restrict_files([*cell.libraries, where], cell.devices, programs)
    if channel is not None and program is None:
        kernel.call("close_range", channel + 1, 0xFFFF_FFFF, 0)
    if channel is not None:
        send_gate(channel, is_wanted=cell.has_gates)
    if cell.clock and program is None and allowed.clean_caches:
        clocks.refuse_the_processors()
    if is_locked(cell.level):
        seccomp.refuse_all_but_allowed(runs_program=program is not None, clock=0 if program else cell.clock)
    return where
