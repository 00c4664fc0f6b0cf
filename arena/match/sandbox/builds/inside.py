"""The processes that lock a build in, run its command, end all that it has started, and hand over what it made.

Two hold a build: the guard, which the builder starts, and the warden below it, which runs the command. The warden ends the
build when the builder or the guard is gone, the guard when the warden is. So nothing of a build goes on, whichever two of the
three are killed. With namespaces the warden is the first process of the new one (its number 1), and the kernel ends the others
with it. Without, what the command has started is one group, which no process can leave (filter.py), and the warden, or else the
guard, adopts those whose parents have ended.
"""

import contextlib
import os
import resource
import select
import shutil
import signal
import socket
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import msgspec

from arena.agent.plain_files import BotFolder
from arena.disk import set_mode
from arena.errors import BotError
from arena.match.sandbox import kernel, lockdown, namespaces
from arena.match.sandbox.builds import filter as calls
from arena.match.sandbox.builds.messages import Ended, Order, Refused, Started, packed, read_order
from arena.match.sandbox.levels import NAMESPACE
from arena.match.sandbox.lockdown import PROGRAM_ADDRESS_SPACE, PROGRAM_RESERVES

PROCESSES = 256
"""The most processes and threads of a build at a time: compilers start some for each core."""
MOST_FILES = 100_000
"""The most files, folders and links of a build at a time."""
OPEN_FILES = 1024  # of each process
SIGNAL_GROUPS = 6  # the Landlock version that knows signals
CONTROL, REPORT, LOG = 0, 1, 2
"""The descriptors: the order, which ends when the builder does; the messages to it; what the command prints."""
_PREFIX = "arena-build-"
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_STACK_BYTES = 64 << 20
_LOOK_MS = 50.0
_END_SECONDS, _BURY_SECONDS = 5.0, 0.005


def main() -> NoReturn:
    """Do what the order on standard input says."""
    kernel.call_this_process("arena build")
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o022)
    order = read_order(CONTROL)
    if order is None:
        os._exit(1)
    try:
        status = _guard(order)
    except BaseException as error:
        _tell(Refused(_words(error)))
        status = 1
    os._exit(status)


def _guard(order: Order) -> int:
    """Start the warden, wait for it, and end what it has left behind if it was killed; returns its exit code."""
    number, is_apart = os.getpid(), order.level == NAMESPACE
    if is_apart:
        namespaces.separate(with_processes=True)
        root = Path(namespaces.BUILD)
    else:
        _check_signals()
        kernel.prctl(_SUBREAPER, 1)
        _sweep(Path(order.scratch))
        root = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{number}-", dir=order.scratch))
    alive, ours = os.pipe()
    warden = os.fork()
    if warden == 0:
        os.close(ours)
        try:
            if is_apart:
                kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
            os._exit(_warden(order, root, number, alive))
        except BaseException as error:
            _tell(Refused(_words(error)))
            os._exit(1)
    for descriptor in (alive, REPORT, LOG):
        os.close(descriptor)
    status = os.waitpid(warden, 0)[1]
    if not is_apart:
        _end_adopted()
        shutil.rmtree(root, ignore_errors=True)
    return os.waitstatus_to_exitcode(status)


def _warden(order: Order, root: Path, number: int, alive: int) -> int:
    """Run the build to its end. `root`: of all that it may write; `number`: makes its user; `alive`: ends with the guard."""
    is_apart = order.level == NAMESPACE
    if is_apart:
        namespaces.enter_for_build(order.readable, order.devices, order.mount_point, size=order.disk, files=MOST_FILES)
    else:
        kernel.prctl(_SUBREAPER, 1)
    try:
        uid = lockdown.FIRST_UID + number if os.geteuid() == 0 else None
        folder = _laid_out(root, order, uid)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
        child = _started(order, root, folder, uid)
        try:
            _tell(Started(child, str(root)))
            os.close(LOG)
            status = _waited(child, [CONTROL, alive])
        finally:
            _end_all(child, is_apart=is_apart)
        if status is not None:
            _tell(_outcome(order, status, root, folder))
        return 0
    finally:
        if not is_apart:
            shutil.rmtree(root, ignore_errors=True)


def _laid_out(root: Path, order: Order, uid: int | None) -> Path:
    """Write the bot's files, and make the folders for all else; returns the bot's folder."""
    folder = root / "bot"
    for path in (folder, root / "home", root / "tmp"):
        path.mkdir()
    for name, content in order.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    set_mode(root, 0o755)
    if uid is not None:
        for path in (root, *root.rglob("*")):
            os.chown(path, uid, uid)
    return folder


def _started(order: Order, root: Path, folder: Path, uid: int | None) -> int:
    """Fork the process that locks itself in and becomes the command. Raises OSError if it could not be locked in."""
    failed, ours = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(LOG, 1)
            os.chdir(folder)
            _lock(order, root, uid)
            os.set_inheritable(ours, False)
            for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):  # what is ignored stays so in a new program
                signal.signal(number, signal.SIG_DFL)
            os.closerange(3, ours)
            kernel.call("close_range", ours + 1, 0xFFFF_FFFF, 0)
        except BaseException as error:
            os.write(ours, _words(error).encode())
            os._exit(1)
        try:
            os.execve(order.program, order.command, order.environment | surroundings(root))
        except OSError as error:
            os.write(LOG, f"{order.command[0]} cannot be run: {error.strerror}\n".encode())
        os._exit(127)  # as a shell says of a command that it cannot run
    os.close(ours)
    reason = os.read(failed, 4096)
    os.close(failed)
    if reason:
        os.waitpid(child, 0)
        raise OSError(0, reason.decode(errors="replace"))
    return child


def surroundings(root: Path) -> dict[str, str]:
    """The variables by which toolchains find the folders that they may write."""
    home, temporary = f"{root}/home", f"{root}/tmp"
    return {
        "HOME": home, "TMPDIR": temporary, "XDG_CACHE_HOME": f"{home}/.cache", "CARGO_HOME": f"{home}/.cargo",
        "GOCACHE": f"{home}/.cache/go-build", "GOPATH": f"{home}/go", "GOTMPDIR": temporary,
        "npm_config_cache": f"{home}/.npm",
    }  # fmt: skip


def _lock(order: Order, root: Path, uid: int | None) -> None:
    """Lock this single-threaded process in, and all that it will start. Raises OSError."""
    is_alone = uid is not None
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    elif order.level == NAMESPACE:
        is_alone = namespaces.become_alone()
    lockdown.bound_capabilities()
    lockdown.drop_capabilities()
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # now: a change of user clears it
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    _limit(order, processes=PROCESSES if is_alone else PROCESSES + _processes_of_this_user())
    lockdown.restrict_files(order.readable, order.devices, order.toolchains, [str(root)])
    calls.refuse_all_but_builds_need()
    _try_to_get_out(order)


def _limit(order: Order, *, processes: int) -> None:
    """Set the hard limits of this process and of those that it will start, of each by itself."""
    wanted = {
        resource.RLIMIT_AS: PROGRAM_ADDRESS_SPACE, resource.RLIMIT_DATA: order.memory + PROGRAM_RESERVES,
        resource.RLIMIT_STACK: _STACK_BYTES, resource.RLIMIT_NPROC: processes, resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_FSIZE: order.disk, resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: order.seconds + 1,
        resource.RLIMIT_MEMLOCK: 0, resource.RLIMIT_MSGQUEUE: 0,
    }  # fmt: skip
    for kind, value in wanted.items():
        _, hard = resource.getrlimit(kind)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (allowed, allowed))


def _processes_of_this_user() -> int:
    """How many processes and threads the user has now, as the kernel counts them for its limit."""
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            count += len(os.listdir(folder / "task")) if folder.stat().st_uid == os.getuid() else 0
    return count


def _check_signals() -> None:
    """Raise OSError where a build could send signals to other processes of its user."""
    if os.geteuid() != 0 and lockdown.landlock_version() < SIGNAL_GROUPS:
        raise OSError(0, f"without namespaces builds need root, or Landlock {SIGNAL_GROUPS}, so that they signal nobody else")


def _try_to_get_out(order: Order) -> None:
    """Try what must be impossible now. Raises OSError if it is not."""
    outside = "" if order.level == NAMESPACE else order.scratch
    attempts: dict[str, Callable[[], object]] = {
        "read a file outside": lambda: os.close(os.open("/etc/passwd", os.O_RDONLY)),
        "write outside": lambda: os.close(os.open(f"{outside}/{_PREFIX}canary", os.O_WRONLY | os.O_CREAT, 0o600)),
        "open a socket": lambda: socket.socket(socket.AF_INET).close(),
        "make a namespace": lambda: kernel.call("unshare", 0x1000_0000),
    }
    for what, attempt in attempts.items():
        with contextlib.suppress(OSError):
            attempt()
            raise AssertionError(f"the lock does not hold: a build can {what}")


def _waited(child: int, pipes: list[int]) -> int | None:
    """The wait status of the command; None: one of the pipes has ended before. Processes that it lost are buried."""
    poll = select.poll()
    handle = os.pidfd_open(child)
    for descriptor in (*pipes, handle):
        poll.register(descriptor, select.POLLIN)
    try:
        while True:
            for descriptor, _ in poll.poll(_LOOK_MS):
                if descriptor in pipes and not os.read(descriptor, 1):
                    return None
            while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is not None:
                if ended.si_pid == child:  # not buried yet: until then its number is no other group's
                    code = ended.si_status
                    return code << 8 if ended.si_code == os.CLD_EXITED else code & 0x7F
                os.waitpid(ended.si_pid, 0)
    finally:
        os.close(handle)


def _end_all(child: int, *, is_apart: bool) -> None:
    """Kill all that the command has started, and bury it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if is_apart:
            os.kill(-1, signal.SIGKILL)  # all of this namespace but its first process, which this is
        else:
            os.killpg(child, signal.SIGKILL)
    deadline = time.monotonic() + _END_SECONDS  # what cannot be buried by then ends with this process, or when it can
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < deadline:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(_BURY_SECONDS)


def _end_adopted() -> None:
    """Kill and bury what a warden that was killed has left behind: this process has adopted it."""
    below = Path(f"/proc/self/task/{os.getpid()}/children")
    deadline = time.monotonic() + _END_SECONDS
    with contextlib.suppress(OSError):
        while time.monotonic() < deadline:
            for pid in map(int, below.read_bytes().split()):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    if (group := os.getpgid(pid)) == os.getpgrp():  # it was about to lock itself in
                        os.kill(pid, signal.SIGKILL)
                    else:
                        os.killpg(group, signal.SIGKILL)
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(_BURY_SECONDS)


def _outcome(order: Order, status: int, root: Path, folder: Path) -> Ended:
    room, used = os.statvfs(root), resource.getrusage(resource.RUSAGE_CHILDREN)
    is_full = order.level == NAMESPACE and (room.f_bavail == 0 or room.f_favail == 0)
    ended = Ended(status=status, cpu=used.ru_utime + used.ru_stime, is_full=is_full)
    if status != 0:
        return ended
    try:
        return msgspec.structs.replace(ended, files=made(folder, order.makes))
    except BotError as error:
        return msgspec.structs.replace(ended, problem=str(error))


def made(folder: Path, names: list[str]) -> dict[str, bytes]:
    """What a command has made, by paths in the bot's folder. Raises BotError for what is not there, or may not play."""
    found: dict[str, bytes] = {}
    with BotFolder(folder) as opened:
        for name in names:
            try:
                part = opened.read_below(str(Path(name)))
            except (FileNotFoundError, NotADirectoryError):
                raise BotError(f"build.makes: {name} was not made") from None
            except BotError as error:
                raise BotError(f"build.makes: {str(error).replace(f'{folder}/', '').replace(f'{folder}: ', '')}") from None
            except OSError as error:
                raise BotError(f"build.makes: {name} cannot be read: {error.strerror}") from None
            if not part:
                raise BotError(f"build.makes: {name} is a folder without files")
            found |= part
    return found


def _sweep(scratch: Path) -> None:
    """Remove the folders of wardens that were killed."""
    for left in scratch.glob(f"{_PREFIX}[0-9]*"):
        maker = left.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path("/proc", maker).exists():
            shutil.rmtree(left, ignore_errors=True)


def _tell(message: Refused | Started | Ended) -> None:
    data = memoryview(packed(message))
    while data:
        data = data[os.write(REPORT, data) :]


def _words(error: BaseException) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return traceback.format_exception_only(error)[-1].strip()
