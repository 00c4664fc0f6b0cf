"""Tests which locks work on this machine: for each one a child process tries what must be impossible."""

import mmap
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

import arena
from arena.match.sandbox import cgroups, clocks, kernel, lockdown, namespaces, pressure, processor, program, seccomp
from arena.match.sandbox.levels import LOCKED
from arena.match.sandbox.supervisor import LockError, Supervisor, libraries
from arena.records import Limits

_BOOT = """
import sys
sys.path.insert(0, sys.argv[1])
from arena.records import Limits
from arena.match.sandbox.doctor import main
main()
"""
_SECONDS = 60.0
_NOT_GIVEN = (
    ": names and sizes of files outside the view can be asked for, and Landlock alone keeps the host's files from bots of the "
    "same user; `isolation: locked+namespace` in a config refuses this"
)


class Finding(msgspec.Struct, frozen=True):
    """One line of the report of `arena doctor`."""

    name: str
    works: bool
    detail: str
    is_needed: bool
    """Whether bots cannot be locked in without this lock."""


def examine() -> list[Finding]:
    """Test every lock by itself, then all together."""
    if not kernel.is_known():
        where = f"{sys.platform} {kernel.MACHINE}"
        return [Finding("kernel", False, f"locks are made for Linux on x86-64 and aarch64, not for {where}", True)]
    command = [sys.executable, "-I", "-c", _BOOT, str(Path(arena.__file__).parent.parent)]
    environment = {"OPENBLAS_NUM_THREADS": "1", "HOME": "/nonexistent"}
    try:
        ended = subprocess.run(command, check=False, capture_output=True, timeout=_SECONDS, env=environment)
        said, trouble = ended.stdout, ended.stderr.decode(errors="replace").strip()[-200:]
    except subprocess.TimeoutExpired as late:
        said, trouble = late.stdout or b"", f"not finished after {_SECONDS:.0f} s"
    findings = [msgspec.json.decode(line, type=Finding) for line in said.splitlines()]
    if len(findings) != len(_CHECKS):
        findings.append(Finding("self-tests", False, trouble, True))
    return [*findings, _whole()]


def main() -> None:
    """Run all tests in a single-threaded process, each in a child; print a line of JSON for each finding."""
    for name, (check, meaning, is_needed) in _CHECKS.items():
        reason = _in_child(check)
        finding = Finding(name, not reason, reason or meaning, is_needed)
        sys.stdout.buffer.write(msgspec.json.encode(finding) + b"\n")
        sys.stdout.flush()


def _whole() -> Finding:
    try:
        with Supervisor(()) as supervisor:
            detail = f"isolation: {supervisor.level}" + (f" ({supervisor.reason})" if supervisor.reason else "")
            if supervisor.level == LOCKED:
                detail += _NOT_GIVEN
            return Finding("the whole lock", True, detail, True)
    except LockError as error:
        return Finding("the whole lock", False, str(error), True)


def _in_child(check: Callable[[], str]) -> str:
    """Run a check in a forked child; returns what went wrong, in words (empty if the lock holds)."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            text = check()
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writer, text.encode()[:1000])
        os._exit(0)
    os.close(writer)
    text = ""
    if select.select([reader], [], [], 10.0)[0]:
        text = os.read(reader, 1000).decode(errors="replace")
    else:
        os.kill(pid, signal.SIGKILL)
        text = "no answer"
    os.close(reader)
    _, status = os.waitpid(pid, 0)
    return text or ("" if status == 0 else f"ended with status {status}")


def _refused(attempt: Callable[[], object], what: str) -> str:
    try:
        attempt()
    except (OSError, MemoryError):
        return ""
    return f"{what} was not refused"


def _landlock() -> str:
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    lockdown.restrict_files([])
    return _refused(lambda: open(os.__file__).close(), "reading a file")


def _seccomp() -> str:
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.refuse_all_but_allowed()
    return _refused(lambda: socket.socket(socket.AF_INET), "a socket") or _refused(
        lambda: os.sched_setaffinity(0, [0]), "a call that is not listed"
    )


def _namespaces() -> str:
    with tempfile.TemporaryDirectory() as folder:
        store, point = Path(folder, "store"), Path(folder, "view")
        store.mkdir()
        point.mkdir()
        reason = _in_child(lambda: _entered(str(store), str(point)))
    return reason


def _entered(store: str, point: str) -> str:
    namespaces.enter(libraries(), (), store, point)
    return _refused(lambda: os.stat("/etc/passwd"), "stat of a file outside the view")


def _user() -> str:
    if os.geteuid() != 0:
        return ""
    lockdown.become_nobody()
    return _refused(lambda: os.setuid(0), "becoming root again")


def _memory() -> str:
    proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    lockdown.apply_limits(Limits(memory=64 << 20), reserved=lockdown.address_space(proc))
    return _refused(lambda: mmap.mmap(-1, 256 << 20), "memory beyond the limit")


_TRIES = """
import os, threading
threading.Thread(target=int).start()
for attempt in (os.fork, lambda: os.execv("/bin/false", ["false"]), lambda: os.open("/etc/passwd", os.O_RDONLY)):
    try:
        attempt()
    except OSError:
        continue
    os._exit(1)
os._exit(0)
"""


def _program() -> str:
    found = program.examine(Path(sys.executable).resolve())
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(found.path, os.O_RDONLY), seccomp.PROGRAM, inheritable=False)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        lockdown.apply_limits_to_program(Limits(memory=64 << 20), counts_threads=False)
        lockdown.restrict_files(libraries(), (), [seccomp.PROGRAM, *filter(None, [found.system_loader])])
        seccomp.refuse_all_but_allowed(runs_program=True)
        kernel.execute(seccomp.PROGRAM, [str(found.path), "-I", "-S", "-c", _TRIES], [])
    _, status = os.waitpid(pid, 0)
    return "" if status == 0 else f"a locked program ended with status {status}"


def _clock() -> str:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        while time.process_time() < 0.02:
            pass
        os.write(writer, b".")
        signal.pause()
    handle = os.pidfd_open(pid)
    os.read(reader, 1)
    used = time.clock_gettime((~pid << 3) | 2)
    signal.pidfd_send_signal(handle, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if not 0.02 <= used < 0.2:
        return f"the clock of another process said {used:.3f} s"
    return "" if os.WIFSIGNALED(status) else "a pidfd did not kill"


def _death() -> str:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        parent = os.getpid()
        if os.fork() == 0:
            kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() == parent:
                os.write(writer, b".")
                signal.pause()
            os._exit(0)
        signal.pause()
    os.close(writer)
    os.read(reader, 1)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    ended, _, _ = select.select([reader], [], [], 2.0)  # the end of the pipe: the last holder is gone
    return "" if ended else "a grandchild outlived its parent"


def _cgroup() -> str:
    folder = cgroups.home()
    if folder is None:
        return "no memory cgroup (v2) that we may make: the memory watch alone holds command bots"
    pid = os.fork()
    if pid == 0:
        signal.pause()
    group = cgroups.enclose(pid, 64 << 20, folder, 0)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    if group is None:
        return f"{folder}: a process cannot be moved into a cgroup there: the memory watch alone holds command bots"
    return "" if group.remove() else f"{group.folder} cannot be removed"


def _steps() -> str:
    clock = clocks.coarsen(os.open("/proc", os.O_RDONLY | os.O_DIRECTORY))
    if not clock:
        return "clocks stay exact: bots in Python can time single lines of memory"
    return "a clock goes in smaller steps" if time.perf_counter_ns() % clocks.GRAIN else ""


def _caches() -> str:
    filled, wanted = processor.filling(), processor.wanted_filling()
    if filled >= wanted:
        return ""
    return (
        f"not emptied wholly: a worker fills them with {_mb(filled)} and not with {_mb(wanted)}, as all workers together may "
        f"take an eighth of {_mb(cgroups.memory_here())} of memory"
    )


def _mb(size: int) -> str:
    return f"{size >> 20:,} MB"


def _delay() -> str:
    return "" if pressure.run_delays(os.getpid()) else "/proc does not count how long a process waits for a CPU"


_CHECKS: dict[str, tuple[Callable[[], str], str, bool]] = {
    "landlock": (
        _landlock,
        f"version {lockdown.landlock_version()}: no file outside the view" if kernel.is_known() else "",
        True,
    ),
    "seccomp": (_seccomp, "calls that are not listed are refused", True),
    "namespaces": (_namespaces, "names outside the view do not exist", False),
    "user": (_user, "root is given up" if os.geteuid() == 0 else "an ordinary user, nothing to give up", False),
    "memory limit": (_memory, "address space is capped", True),
    "programs": (_program, "one of a command bot keeps the lock, and runs no other", False),
    "memory cgroup": (_cgroup, "the kernel counts all memory of command bots' programs", False),
    "coarse clocks": (_steps, f"those of bots in Python go in steps of {clocks.GRAIN / 1e6:g} ms", False),
    "processor caches": (_caches, "emptied before a bot sees the same cards again in a worker", False),
    "clock and kill": (_clock, "CPU time is read, and a seat killed, from outside", True),
    "parent's death": (_death, "a child ends with its parent", True),
    "host pressure": (_delay, "a seat that waits for a CPU is not mistaken for one that sleeps", False),
}
