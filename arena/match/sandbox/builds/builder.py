"""Runs the build of a bot: locked in, or as a plain process where the organiser trusts the bot. Watches it, and ends it.

A locked build is held by the two processes of inside.py, and by the kernel. What is summed over all its processes (CPU time,
memory, bytes on disk, what it prints) is looked at from here, and so is the wall time.
"""

import contextlib
import errno
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

import arena
from arena.agent import BotFiles
from arena.agent.build_table import Build
from arena.cache import cache_root
from arena.errors import BotError, visible
from arena.match.sandbox import cgroups, kernel, lockdown
from arena.match.sandbox.builds import inside, toolchains
from arena.match.sandbox.builds.messages import Ended, Message, Messages, Order, Refused, Started, packed
from arena.match.sandbox.builds.tree import Tree, Usage, size_of
from arena.match.sandbox.levels import LOCKED, NAMESPACE, PROCESS, is_at_least
from arena.match.sandbox.supervisor import DEVICES, LockError

WALL_FACTOR, WALL_SECONDS = 5, 10
"""How much wall time a build has: a multiple of its CPU time, and some seconds, as a machine that is busy must not decide."""
LOG_BYTES = 64 << 10
"""How much of the end of what a build prints is kept."""
PRINTED_BYTES = 64 << 20
"""How much a build may print."""
_PERIOD, _DISK_PERIOD = 0.05, 0.5  # seconds between two looks
_END_SECONDS, _LAST_WORDS = 10.0, 1.0
_FULL = os.strerror(errno.ENOSPC).encode()
_BOOT = """
import sys, types
sys.path.insert(0, sys.argv[1])
for name in ("arena.agent", "arena.match", "arena.match.sandbox"):
    package = sys.modules[name] = types.ModuleType(name)
    package.__path__ = [f"{sys.argv[1]}/{name.replace('.', '/')}"]
from arena.match.sandbox.builds.inside import main
main()
"""
"""How the process that holds a build begins: without what these packages import, which would take it a second or two."""

Tick = Callable[[float], object]
"""Is told again and again for how many seconds a build has been running."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a build."""

    files: dict[str, bytes]
    """What it made, by paths in the bot's folder; empty: it failed."""
    problem: str
    """Why it failed, in words; empty: it did not."""
    log: str
    """The end of what it printed."""
    isolation: str
    cpu: float
    """CPU seconds of all its processes."""
    wall: float
    memory: int
    """The most memory of all its processes together that was seen, in bytes."""


class Lost(Exception):
    """Raised if the process that holds a build ended before it: the host's failure, not the build's."""


def build(
    bot: BotFiles, table: Build, *, level: str = NAMESPACE, least: str = LOCKED, tick: Tick = lambda seconds: None
) -> Outcome:  # fmt: skip
    """Run the command of a bot's table once. `level`: the strongest isolation to try; `least`: refuse less.

    Raises BotError where its program is not here, LockError where it cannot be held, and Lost.
    """
    reasons: list[str] = []
    for one in (NAMESPACE, LOCKED):
        if not (is_at_least(level, one) and is_at_least(one, least)):
            continue
        if not kernel.is_known() or not lockdown.landlock_version():
            reasons.append("builds can be locked in on Linux (x86-64, aarch64) with Landlock alone")
            break
        try:
            return _Locked(_order(bot, table, one), table, tick).run()
        except LockError as error:
            reasons.append(str(error))
    if not is_at_least(PROCESS, least):
        raise LockError("; ".join(dict.fromkeys(reasons)))
    return _Plain(bot, table, tick).run()


def program(table: Build, *, is_trusted: bool) -> Path:
    """The program of a table on this machine. Raises BotError."""
    path = os.environ.get("PATH", os.defpath) if is_trusted else toolchains.search_path()
    return toolchains.find(table.command[0], path)


def _order(bot: BotFiles, table: Build, level: str) -> Order:
    mount_point = cache_root() / "view"
    mount_point.mkdir(parents=True, exist_ok=True)
    found = program(table, is_trusted=False)
    return Order(
        level=level, program=str(found), command=[str(found), *table.command[1:]], files=bot.files, makes=table.makes,
        seconds=table.seconds, memory=table.memory_mb << 20, disk=table.disk_mb << 20, readable=toolchains.readable(),
        toolchains=toolchains.runnable(), devices=DEVICES, environment=toolchains.environment(),
        scratch=tempfile.gettempdir(), mount_point=str(mount_point),
    )  # fmt: skip


class _Running:
    """A build that runs: its limits, its log, its end."""

    isolation = PROCESS

    def __init__(self, table: Build, tick: Tick) -> None:
        self._table, self._tick = table, tick
        self._log: deque[bytes] = deque()
        self._kept = self._printed = 0
        self._began = time.monotonic()
        self._usage = Usage(0.0, 0, 0)
        self._memory = 0
        self._looked_at_disk = 0.0

    @property
    def _wall(self) -> float:
        return time.monotonic() - self._began

    def _print(self, data: bytes) -> None:
        """Keep the end of what is printed."""
        self._printed += len(data)
        self._log.append(data)
        self._kept += len(data)
        while self._kept - len(self._log[0]) >= LOG_BYTES:
            self._kept -= len(self._log.popleft())

    def _excess(self, tree: Tree | None, folder: Path | None) -> str:
        """Which limit the build exceeds, in words; empty: none. `folder`: of files that no limit of the kernel bounds."""
        table, wall = self._table, self._wall
        if tree is not None:
            self._usage = tree.look()
            self._memory = max(self._memory, self._usage.memory)
        if self._usage.cpu > table.seconds:
            return f"used more than {table.seconds:,} s of CPU time (build.seconds)"
        if wall > (most := WALL_FACTOR * table.seconds + WALL_SECONDS):
            return f"took more than {most:,} s of wall time ({WALL_FACTOR} times build.seconds, and {WALL_SECONDS} s)"
        if self._usage.memory > table.memory_mb << 20:
            return f"took {self._usage.memory >> 20:,} MB of memory, {table.memory_mb:,} MB are allowed (build.memory_mb)"
        if self._printed > PRINTED_BYTES:
            return f"printed more than {PRINTED_BYTES >> 20} MB"
        if folder is not None and wall - self._looked_at_disk >= _DISK_PERIOD:
            size, count = size_of(folder)
            self._looked_at_disk = self._wall
            if max(size, self._usage.written) > table.disk_mb << 20:
                return f"wrote more than {table.disk_mb:,} MB (build.disk_mb)"
            if count > inside.MOST_FILES:
                return f"made more than {inside.MOST_FILES:,} files"
        return ""

    def _outcome(self, problem: str, files: Mapping[str, bytes] = {}) -> Outcome:
        log = b"".join(self._log)[-LOG_BYTES:].decode(errors="replace")
        return Outcome(
            files=dict(files), problem=problem, log=visible(log), isolation=self.isolation, cpu=self._usage.cpu,
            wall=self._wall, memory=self._memory,
        )  # fmt: skip

    def _ended(self, code: int, *, is_full: bool) -> str:
        """Why a command that has ended has failed, in words; empty: it has not. `code`: negative for a signal."""
        name = self._table.command[0]
        is_full = is_full or any(_FULL in part for part in self._log)  # what filled it may be gone again
        why = f": its folder was full (build.disk_mb = {self._table.disk_mb})" if is_full else ""
        if code == -signal.SIGXCPU:
            return f"used more than {self._table.seconds:,} s of CPU time (build.seconds)"
        if code < 0:
            return f"{name} died by {_signal_name(-code)}{why}"
        return f"{name} ended with exit code {code}{why}" if code else ""


class _Locked(_Running):
    """A build in the lock."""

    def __init__(self, order: Order, table: Build, tick: Tick) -> None:
        super().__init__(table, tick)
        self._order, self.isolation = order, order.level
        self._messages = Messages()
        self._started: Started | None = None
        self._end: Ended | None = None
        self._group: cgroups.Group | None = None
        self._ran_out = False

    def run(self) -> Outcome:
        """Return what came of it. Raises LockError and Lost."""
        home = str(Path(arena.__file__).parent.parent)
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-c", _BOOT, home], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={"LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"}, start_new_session=True,
        )  # fmt: skip
        try:
            self._group = cgroups.enclosed(self._process.pid, self._order.memory + self._order.disk + _BESIDE)
            problem = self._watched()
        finally:
            self._close()
        if problem:
            return self._outcome(problem)
        if self._ran_out:
            return self._outcome(f"took more memory than the {self._table.memory_mb:,} MB that are allowed (build.memory_mb)")
        if self._end is None:
            raise Lost(f"the process that held the build ended: {b''.join(self._log)[-500:].decode(errors='replace').strip()}")
        problem = self._ended(os.waitstatus_to_exitcode(self._end.status), is_full=self._end.is_full)
        return self._outcome(problem or self._end.problem, self._end.files)

    def _watched(self) -> str:
        """Wait for the end of the build; returns which limit it exceeded, in words. Raises LockError."""
        process = self._process
        assert process.stdin and process.stdout and process.stderr
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(packed(self._order))
            process.stdin.flush()
        poll = select.poll()
        report, log = process.stdout.fileno(), process.stderr.fileno()
        for descriptor in (report, log):
            poll.register(descriptor, select.POLLIN)
        open_, tree = {report, log}, None
        while report in open_:
            for descriptor, _ in poll.poll(1000 * _PERIOD):
                data = os.read(descriptor, 1 << 20)
                if not data:
                    poll.unregister(descriptor)
                    open_.discard(descriptor)
                elif descriptor == log:
                    self._print(data)
                else:
                    for message in self._messages.add(data):
                        self._take(message)
            if self._end is None and self._started is not None:
                tree = tree or Tree(process.pid, ours=2)  # the guard and the warden
                folder = None if self.isolation == NAMESPACE else Path(self._started.folder)
                if problem := self._excess(tree, folder):
                    return problem
            self._tick(self._wall)
        while log in open_ and poll.poll(1000 * _LAST_WORDS) and (data := os.read(log, 1 << 20)):
            self._print(data)
        return ""

    def _take(self, message: Message) -> None:
        if isinstance(message, Refused):
            raise LockError(message.reason)
        if isinstance(message, Started):
            self._started = message
            self._began = time.monotonic()
        else:
            self._end = message
            self._usage = replace(self._usage, cpu=max(self._usage.cpu, message.cpu))

    def _close(self) -> None:
        """End all processes of the build. They are told first, and killed if they do not hear."""
        process = self._process
        assert process.stdin and process.stdout and process.stderr
        with contextlib.suppress(OSError):
            process.stdin.close()
        for pipe in (process.stdout, process.stderr):
            pipe.close()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self._end is None and self._started is not None and self.isolation == LOCKED:  # both who hold it were killed
            with contextlib.suppress(OSError):
                os.killpg(self._started.group, signal.SIGKILL)
            shutil.rmtree(self._started.folder, ignore_errors=True)
        if self._group is not None:
            self._ran_out = self._group.ran_out
            self._group.remove()


_BESIDE = 256 << 20  # bytes for the processes that hold a build, and for what they hand over


class _Plain(_Running):
    """A build with the rights of whoever started it, for a bot that the organiser trusts: the clock alone holds it."""

    def __init__(self, bot: BotFiles, table: Build, tick: Tick) -> None:
        super().__init__(table, tick)
        self._bot = bot
        self._program = program(table, is_trusted=True)

    def run(self) -> Outcome:
        """Return what came of it."""
        with tempfile.TemporaryDirectory(prefix="arena-build-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            for own, content in self._bot.files.items():
                path = folder / own
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            try:
                process = subprocess.Popen(
                    [str(self._program), *self._table.command[1:]], cwd=folder, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                return self._outcome(f"{self._table.command[0]} cannot be run: {error.strerror}")
            try:
                problem = self._watched(process, folder)
            finally:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                assert process.stdout is not None
                process.stdout.close()
            if problem or (problem := self._ended(process.returncode, is_full=False)):
                return self._outcome(problem)
            try:
                return self._outcome("", inside.made(folder, self._table.makes))
            except BotError as error:
                return self._outcome(str(error))

    def _watched(self, process: "subprocess.Popen[bytes]", folder: Path) -> str:
        assert process.stdout is not None
        tree = Tree(process.pid, ours=0) if sys.platform == "linux" else None
        os.set_blocking(process.stdout.fileno(), False)
        while process.poll() is None:
            if select.select([process.stdout], [], [], _PERIOD)[0]:
                data = os.read(process.stdout.fileno(), 1 << 20)
                self._print(data)
                if not data:  # it closed its output, and runs on
                    time.sleep(_PERIOD)
            if problem := self._excess(tree, folder):
                return problem
            self._tick(self._wall)
        with contextlib.suppress(BlockingIOError):
            while data := os.read(process.stdout.fileno(), 1 << 20):
                self._print(data)
        return ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
