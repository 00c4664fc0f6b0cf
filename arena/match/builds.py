"""Bots that come as source: built once on the machine that admits them, and kept in the user's cache.

What is kept is found by the source, the compiler's own file, and whether the build was locked in: so the same source gives the
same program on one machine, also where a compiler makes something else each time. The hash of what was made is the bot's
identity; machines that play get what was made, and build nothing.
"""

import contextlib
import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from arena.agent import BotFiles
from arena.agent.build_table import TABLE, Build
from arena.agent.plain_files import BOT_BYTES, BOT_FILES
from arena.cache import cache_root
from arena.disk import lock, lock_file, write_whole
from arena.errors import ArenaError, BotError, printable
from arena.match.sandbox import LOCKED, NAMESPACE, PROCESS, BuildLost, BuildOutcome, build_program, run_build

FOLDER = "builds"
"""The folder of the cache with what was built."""
KEPT = 100  # the most recently used
VERSION = 1
"""Raised when builds get other surroundings, so that everything is built again."""
_HASH = 64  # hex digits, before what is kept
_SHOWN = 240  # characters of a compiler's message
_PLACE = re.compile(r"[\w./+-]+\.\w+(:\d+|\(\d+,\d+\))")
_ATTEMPTS = 2

Say = Callable[[str], object]


class BuildReport(msgspec.Struct, frozen=True, kw_only=True):
    """How a bot was built, for its author."""

    command: list[str]
    source: str
    """The SHA-256 of the source: of all files of the bot without what the command makes."""
    isolation: str
    """The isolation level of the command."""
    cpu_seconds: float
    wall_seconds: float
    memory_peak: int
    """The most memory of all its processes together that was seen, in bytes."""
    problem: str
    """Why it failed, in words; empty: it did not."""
    log: str
    """The end of what it printed: at most 64 KiB."""
    is_kept: bool
    """Whether that was earlier: what was made then plays again."""


class BuildFailed(BotError):
    """A build that failed; says why, with the compiler's first message about a place in the source."""

    def __init__(self, message: str, report: BuildReport) -> None:
        super().__init__(message)
        self.report = report


class Built(NamedTuple):
    """A bot as it plays."""

    files: BotFiles
    report: BuildReport | None
    """How it was built; None: nothing had to be."""


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    files: dict[str, bytes]
    report: BuildReport


def built(
    bot: BotFiles,
    called: str,
    *,
    is_trusted: bool = False,
    level: str = NAMESPACE,
    least: str = LOCKED,
    say: Say = lambda text: None,
    every: float = 1.0,
) -> Built:
    """A bot with what its build makes; one without a table `[build]`, or whose files hold that already, as it is.

    `called`: its name in messages; `is_trusted`: run the command as a plain process with the rights of this one; `level`,
    `least`: the strongest and the weakest isolation otherwise; `say`: is told how it goes on, `every` so many seconds.

    Raises BuildFailed, BotError where its program is not here, LockError where the build cannot be held, and ArenaError where
    the machine failed.
    """
    table = None if bot.command is None else bot.command.build
    if table is None or not bot.wants_build:
        return Built(bot, None)
    if is_trusted:
        level = least = PROCESS
    try:
        program = build_program(table, is_trusted=is_trusted)
    except BotError as error:
        raise BotError(f"{called}: {error}") from None
    path = cache_root() / FOLDER / f"{_key(bot, program, is_trusted=is_trusted)}.built"
    path.parent.mkdir(parents=True, exist_ok=True)
    with lock_file(path.with_suffix(".lock")) as file:
        lock(file, path, waits=True)  # who builds the same meanwhile is waited for, and both play the same
        if (kept := _read(path)) is None:
            kept = _made(bot, table, called, level, least, _Progress(called, say, every))
            _write(path, kept)
    return Built(BotFiles(bot.main, bot.files | kept.files), kept.report)


def _made(bot: BotFiles, table: Build, called: str, level: str, least: str, progress: "_Progress") -> _Kept:
    """Run the build. Raises BuildFailed if it fails."""
    progress.begin()
    outcome = _outcome(bot, table, called, level, least, progress)
    problem = outcome.problem or _too_much(bot.files | outcome.files)
    report = BuildReport(
        command=table.command, source=bot.sha256, isolation=outcome.isolation, cpu_seconds=outcome.cpu,
        wall_seconds=outcome.wall, memory_peak=outcome.memory, problem=problem, log=outcome.log, is_kept=False,
    )  # fmt: skip
    if problem:
        message = first_message(outcome.log)
        raise BuildFailed(f"{called}: its build failed: {problem}" + (f"; {message}" if message else ""), report)
    return _Kept(files=outcome.files, report=report)


def _outcome(bot: BotFiles, table: Build, called: str, level: str, least: str, progress: "_Progress") -> BuildOutcome:
    for attempt in range(_ATTEMPTS):
        try:
            return run_build(bot, table, level=level, least=least, tick=progress.tick)
        except BuildLost as lost:
            if attempt == _ATTEMPTS - 1:
                raise ArenaError(f"{called}: the machine failed its build, not the bot: {printable(str(lost))}") from None
    raise AssertionError


def _too_much(files: dict[str, bytes]) -> str:
    """Why these files together are no bot, in words; empty: they are one."""
    size = sum(map(len, files.values()))
    if size > BOT_BYTES:
        return f"{TABLE}.makes: {size / (1 << 20):.1f} MiB with the source; a bot may have {BOT_BYTES >> 20} MiB"
    return f"{TABLE}.makes: {len(files):,} files; a bot may have {BOT_FILES:,}" if len(files) > BOT_FILES else ""


def first_message(log: str) -> str:
    r"""A compiler's first message about an error, with its place in the source, in one line; else its last line.

    >>> first_message("a.c: In function 'f':\na.c:3:5: warning: unused\na.c:7:1: error: expected ';'")
    "a.c:7:1: error: expected ';'"
    """
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    placed = [line for line in lines if _PLACE.search(line)]
    for number, line in enumerate(lines):
        if "error" in line.lower():
            place = next((later for later in lines[number + 1 :] if later.startswith("-->")), "")  # as Rust says it
            if _PLACE.search(line) or place:
                return printable(line if _PLACE.search(line) else f"{line} {place}", _SHOWN)
    return printable((placed[:1] or lines[-1:] or [""])[0], _SHOWN)


class _Progress:
    """Tells how long a build has been running."""

    def __init__(self, called: str, say: Say, every: float) -> None:
        self._text, self._say, self._every, self._next = f"building {called} ...", say, every, every

    def begin(self) -> None:
        """Tell that it begins."""
        self._say(self._text)

    def tick(self, seconds: float) -> None:
        """Tell it again, if it is time for that."""
        if seconds >= self._next:
            self._next = seconds + self._every
            self._say(f"{self._text} {seconds:.0f} s")


def _key(bot: BotFiles, program: Path, *, is_trusted: bool) -> str:
    """What names a build: the source, its compiler, and how it is held."""
    found = program.resolve()
    try:
        compiler = hashlib.sha256(found.read_bytes()).hexdigest()
    except OSError:  # it may be run, and not be read
        compiler = str(found.stat().st_mtime_ns)
    words = [str(VERSION), bot.sha256, str(found), compiler, "plain" if is_trusted else "locked"]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


def _read(path: Path) -> _Kept | None:
    """What was built earlier; None: nothing, or it is damaged."""
    with contextlib.suppress(OSError, msgspec.DecodeError):
        content = path.read_bytes()
        if hashlib.sha256(content[_HASH:]).hexdigest().encode() == content[:_HASH]:
            kept = msgspec.msgpack.decode(content[_HASH:], type=_Kept)
            os.utime(path)
            return msgspec.structs.replace(kept, report=msgspec.structs.replace(kept.report, is_kept=True))
    return None


def _write(path: Path, kept: _Kept) -> None:
    """Keep what was built, and forget what was not used for the longest time. Raises StoreError."""
    content = msgspec.msgpack.encode(kept)
    write_whole(path, hashlib.sha256(content).hexdigest().encode() + content)
    newest = sorted(path.parent.glob("*.built"), key=_used, reverse=True)
    for old in newest[KEPT:]:
        for one in (old, old.with_suffix(".lock")):
            with contextlib.suppress(OSError):
                one.unlink()


def _used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # removed meanwhile
        return 0.0
