"""The worker's side of the zygote: starts it, asks it to fork children, and ends it with all of them."""

import atexit
import contextlib
import glob
import os
import socket
import subprocess
import sys
import sysconfig
import threading
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

import arena
from arena import games
from arena.agent import BotFiles, unpack
from arena.agent.command_bot import FILE as COMMAND
from arena.cache import VARIABLE, cache_root
from arena.disk import set_mode
from arena.engine import jit
from arena.games.discovery import outside_paths
from arena.match.sandbox import canary, kernel, lockdown, pressure, wire
from arena.match.sandbox.child import Child, Trouble
from arena.match.sandbox.forker import Forker
from arena.match.sandbox.levels import LEVELS, LOCKED, NAMESPACE, PROCESS, is_at_least, is_locked
from arena.match.sandbox.preforked import PreforkedWorkers
from arena.match.sandbox.processor import Core, Turns
from arena.match.sandbox.watch import MemoryWatch
from arena.records import Ending, Limits

DEVICES = ("/dev/null", "/dev/urandom")  # no /dev/zero: shared mappings of it are memory that no limit counts
SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")  # where the system's shared libraries are
JAVA = ("/etc/java-*/jvm-*.cfg", "/etc/java-*/security")  # what Debian keeps of Java's runtime outside of those
START_SECONDS = 300.0  # the games may have to be compiled first
NICENESS = 10  # of bots in the background, on top of their worker's; no more than the kernel has
TEMPLATES = 64  # kept at once: each takes about 100 MB, and as many milliseconds to make
FEW_TEMPLATES = 8  # kept at once where little memory is left
_BOOT = """
import sys
sys.path.insert(0, sys.argv[2])
sys.path += sys.argv[3:]
from arena.match.sandbox.zygote import main
main(int(sys.argv[1]))
"""


class LockError(Exception):
    """Raised if this machine cannot lock bots in; says why."""


class Supervisor:
    """Keeps one zygote, which is started at the first seat. A context manager."""

    def __init__(
        self, all_games: Iterable[str], *, level: str = NAMESPACE, least: str = LOCKED, is_in_background: bool = False
    ) -> None:
        """`games`: the games that bots play; `level`: the strongest isolation to try; `least`: refuse less.

        `is_in_background`: whether the bots have a low priority, and are stopped whenever they are not asked. Of the games the
        zygote has those that are compiled when it starts, with all their parts that are; see `need`.
        """
        self._is_in_background = is_in_background
        self._games = tuple(dict.fromkeys(all_games))
        self._needed: set[str] = set()
        self._loaded: dict[str, tuple[str, ...]] = {}
        self._wanted = level
        self._least = least
        self._process: subprocess.Popen[bytes] | None = None
        self._forker: Forker | None = None
        self._templates: dict[wire.Bot, Forker] = {}
        self._without_template: set[wire.Bot] = set()
        self._spares = PreforkedWorkers()
        self._parents: dict[int, Forker] = {}
        self._level = ""
        self._folders: dict[str, Path] = {}
        self._bots: dict[int, tuple[BotFiles, wire.Bot]] = {}  # by identity: to hash a bot's files takes longer than a decision
        self.watch = MemoryWatch()  # of command bots' programs
        self.turns = Turns(stops_at_once=is_in_background)
        self._core = Core()
        self.reason = ""  # why the isolation level is not stronger

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def level(self) -> str:
        """The isolation level of the bots. Raises LockError."""
        self._zygote()
        return self._level

    @property
    def pid(self) -> int:
        """The process id of the zygote. Raises LockError."""
        self._zygote()
        assert self._process is not None
        return self._process.pid

    @property
    def pids(self) -> list[int]:
        """The process ids of the zygote and of the templates, if there are any."""
        return [forker.pid for forker in (self._forker, *self._templates.values()) if forker is not None]

    def need(self, game: str) -> None:
        """Have a game ready in the zygote; if it is not, the zygote is started again, and compiles it if nobody has."""
        self._needed.add(game)
        if self._forker is not None and game not in self._loaded:
            self.renew()

    def lacks(self, game: str, part: str) -> bool:
        """Return whether a part of a game is one that the zygote does not have. Any text may stand for the part."""
        return jit.ENABLED and part in games.PARTS and part not in self._loaded.get(game, ())

    def folder(self, bot: BotFiles) -> str:
        """The name of a bot's own folder in the store."""
        sha256 = bot.sha256
        known = self._folders.get(sha256)
        if known is None or not known.exists():
            self._folders[sha256] = unpack(bot)
        return sha256

    def path(self, bot: BotFiles) -> Path:
        """A bot's own folder."""
        return self._folders[self.folder(bot)]

    def bot(self, files: BotFiles, limits: Limits) -> wire.Bot:
        """Return what the template of a bot in Python is told of it; its files are unpacked if there is no template yet."""
        known = self._bots.get(id(files))
        if known is None or known[0] is not files or known[1].limits != limits:
            known = self._bots[id(files)] = files, wire.Bot(folder=files.sha256, main=files.main, limits=limits)
        if known[1] not in self._templates:
            self.folder(files)
        return known[1]

    def seat(self, bot: wire.Bot) -> Child:
        """A child for a seat of a bot in Python, which locks itself in. Raises LockError, or Trouble (host)."""
        template = self._template(bot)
        if template is None:
            child = self.spawn()
            child.send(wire.frame(bot))
            return child
        try:
            child = self._spares.take(bot, template)
        except Trouble:
            self._end_template(bot)
            raise
        self._parents[child.pid] = template
        self._core.admit(child.pid)
        return child

    def stay(self) -> None:
        """Keep this thread and all seats on one core from now on, until a bot is slow."""
        self._core.hold(self.pids)

    def played(self, cpu: float, wall: float) -> None:
        """Take note that matches took so many CPU seconds of this process and all seats, and so many wall seconds."""
        self._core.judge([*self.pids, *self._parents], cpu, wall)

    def slow(self) -> None:
        """Give a bot that takes long what it can have: no other one computes beside it, and it may run on any core."""
        self.turns.pause_others()
        self._core.leave([*self.pids, *self._parents])

    def empty_cell(self, child: Child) -> int | None:
        """Bytes of address space of a seat before its bot's first line; it is the same for all that one process forks."""
        parent = self._parents[child.pid]
        if parent.empty_cell is None:
            parent.empty_cell = child.memory_peak("VmPeak")
        return parent.empty_cell

    def expect(self, seats: Iterable[tuple[str, BotFiles]], limits: Limits) -> None:
        """Begin to make the seats that will be taken next, as games and bots; end spare ones that nobody expects any more.

        Whatever goes wrong with them shows when they are taken.
        """
        wanted = Counter(self.bot(bot, limits) for game, bot in seats if game in self._loaded and bot.main != COMMAND)
        if self._forker is None:
            return
        for bot in dict.fromkeys([*self._spares.bots, *wanted]):
            with contextlib.suppress(Trouble, LockError):
                template = self._template(bot) if bot in wanted else self._templates.get(bot)
                if template is not None:
                    self._spares.keep(bot, template, wanted[bot])

    def spawn(self, *descriptors: int) -> Child:
        """A new child of the zygote, which waits to be told who it is. Raises LockError, or Trouble (host).

        `descriptors`: what one that will be a command bot gets beside its socket and its output (see launch.arrange).
        """
        zygote = self._zygote()
        try:
            child = zygote.spawn(*descriptors)
        except Trouble:
            self.close()
            raise
        self._parents[child.pid] = zygote
        return child

    def status(self, child: Child) -> int:
        """The wait status of a child that has ended. Raises Trouble (host) when its parent is lost."""
        parent = self._parents.pop(child.pid, None)
        if parent is None:
            raise Trouble(Ending.HOST, "the process that forked a seat was lost")
        try:
            return parent.status(child.pid)
        finally:
            self._look_after(parent)

    def drop(self, child: Child) -> None:
        """Say that nobody needs the status of this killed child any more."""
        parent = self._parents.pop(child.pid, None)
        if parent is not None:
            parent.drop(child.pid)
            self._look_after(parent)

    def cpu_seconds(self) -> float:
        """CPU seconds of zygote, templates and their ended children, in steps of 10 ms; 0 if there is none, or no Linux."""
        return sum(map(_cpu_seconds, self.pids))

    def renew(self) -> None:
        """End the zygote and its children: the next seat gets a new one, which has all that is compiled by then."""
        self.close()

    def close(self) -> None:
        """End the zygote, and its children with it."""
        self._core.close(())
        forkers, process = [self._forker, *self._templates.values()], self._process
        self._forker = self._process = None
        for bot in self._templates:
            self._spares.forget(bot)
        self._templates.clear()
        self._parents.clear()
        for forker in forkers:
            if forker is not None:
                forker.close()
        if process is not None:
            process.kill()
            process.wait()
            atexit.unregister(self.close)

    def _zygote(self) -> Forker:
        if self._forker is None:
            self._start()
        assert self._forker is not None
        return self._forker

    def _template(self, bot: wire.Bot) -> Forker | None:
        """The template of a bot, which is made if there is none yet; None for a bot that cannot have one."""
        zygote = self._zygote()
        found = self._templates.pop(bot, None)
        if found is None and bot not in self._without_template:
            found = self._new_template(zygote, bot)
            self._end_oldest()
        if found is not None:
            self._templates[bot] = found  # the last of them: the one that was used last
        return found

    def _new_template(self, zygote: Forker, bot: wire.Bot) -> Forker | None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            pid, handle = zygote.fork(wire.TEMPLATE, theirs.fileno())
        except Trouble:
            ours.close()
            self.close()
            raise
        finally:
            theirs.close()
        os.close(handle)
        template = Forker(ours, pid)
        if not template.is_ready_for(bot):  # its source cannot be compiled: the seats find out why
            template.close()
            zygote.drop(pid)
            self._without_template.add(bot)
            return None
        return template

    def _end_oldest(self) -> None:
        """End the templates that were not used for the longest time, if there are too many; not those of seats in use."""
        most = TEMPLATES if len(self._templates) < FEW_TEMPLATES or pressure.has_memory() else FEW_TEMPLATES
        in_use = {parent.pid for parent in self._parents.values()}
        idle = [bot for bot, template in self._templates.items() if template.pid not in in_use and bot not in self._spares.bots]
        for bot in idle[: max(0, len(self._templates) - most)]:
            self._end_template(bot)

    def _end_template(self, bot: wire.Bot) -> None:
        """End a template, and what it has forked. If the zygote is lost, it was lost with it."""
        template = self._templates.pop(bot, None)
        if template is None or self._forker is None:
            return
        template.close()
        self._spares.forget(bot)
        self._forker.drop(template.pid)
        if self._forker.is_lost:
            self.close()
        elif template.is_lost:  # whatever the reason, it shall not happen again
            self._without_template.add(bot)

    def _look_after(self, parent: Forker) -> None:
        """Forget a parent that is lost."""
        if not parent.is_lost:
            return
        if parent is self._forker:
            self.close()
        for bot in [bot for bot, template in self._templates.items() if template is parent]:
            self._end_template(bot)

    def _start(self) -> None:
        """Start a zygote with the strongest isolation that works here. Raises LockError."""
        if not kernel.is_known():
            raise LockError(f"bots can be locked in on Linux (x86-64, aarch64) alone, not on {sys.platform} {kernel.MACHINE}")
        reasons: dict[str, None] = {}  # each once, in order
        levels = self._levels()
        if not lockdown.landlock_version():  # nor can a zygote have it
            reasons[lockdown.NO_LANDLOCK] = None
            levels = [level for level in levels if not is_locked(level)]
        for level in levels:
            up = self._launch(level)
            reasons |= dict.fromkeys(text.strip().splitlines()[-1] for text in (up.error, up.reason) if text)
            if up.error is None and is_at_least(up.level, self._least):
                self._level, self.reason = up.level, "; ".join(reasons)
                return
            self.close()
        raise LockError("; ".join(reasons) or f"asked for no more than {self._wanted}")

    def _levels(self) -> list[str]:
        """The isolation levels to try, the strongest first."""
        return [level for level in reversed(LEVELS) if is_at_least(self._wanted, level) and is_at_least(level, self._least)]

    def _launch(self, level: str) -> wire.Up:
        """Start a zygote; returns its first message."""
        store, mount_point = cache_root() / "bots", cache_root() / "view"
        for folder, mode in ((store / canary.FOLDER, 0o755), (store, 0o711), (mount_point, 0o755)):
            folder.mkdir(parents=True, exist_ok=True)
            set_mode(folder, mode)  # whatever the umask: a locked bot, another user maybe, finds its files and no list of all
        self._loaded = {
            name: tuple(part for part in games.PARTS if games.part(game, part).is_compiled)
            for name, game in ((name, games.load(name)) for name in dict.fromkeys([*self._games, *self._needed]))
            if name in self._needed or jit.is_warm(game.package)
        }
        entries, readable = outside_paths()
        in_main_thread = threading.current_thread() is threading.main_thread()
        order = wire.Order(
            games=self._loaded, level=level, libraries=(*libraries(), *readable), devices=DEVICES, store=str(store),
            mount_point=str(mount_point), parent=os.getpid(), dies_with_thread=in_main_thread,
        )  # fmt: skip
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        home = str(Path(arena.__file__).parent.parent)  # not -I below: no hash seed then, and the environment is ours anyway
        command = [sys.executable, "-s", "-P", "-c", _BOOT, str(theirs.fileno()), home, *entries]
        self._process = subprocess.Popen(
            command, env=_environment(), pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        theirs.close()
        if self._is_in_background:
            os.setpriority(os.PRIO_PROCESS, self._process.pid, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)
        atexit.register(self.close)
        ours.settimeout(START_SECONDS)
        try:
            ours.send(msgspec.msgpack.encode(order))
            said = ours.recv(1 << 16)
            up = msgspec.msgpack.decode(said, type=wire.Up) if said else wire.Up(PROCESS, error="the zygote did not start")
        except (OSError, msgspec.DecodeError) as error:
            up = wire.Up(PROCESS, error=f"the zygote did not start: {error}")
        self._forker = Forker(ours, self._process.pid)
        return up


def _cpu_seconds(pid: int) -> float:
    fields = pressure.stat(Path(f"/proc/{pid}"))
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _environment() -> dict[str, str]:
    """The zygote's environment: how numba finds its cache, and one thread. Nothing else of this process's environment."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_")}
    return kept | {
        VARIABLE: str(cache_root()),
        "LANG": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }


def libraries() -> tuple[str, ...]:
    """Return what Python needs to be able to read: its libraries, the package arena, the system's shared objects."""
    paths = sysconfig.get_paths()
    found = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    found += [str(Path(sys.base_prefix, "lib")), str(Path(arena.__file__).parent)]
    found += [*SYSTEM, "/etc/ld.so.cache", "/usr/share/zoneinfo"]
    found += ["/usr/share/nodejs"]  # of command bots' programs
    found += [path for names in JAVA for path in sorted(glob.glob(names))]
    return tuple(dict.fromkeys([*found, *(os.path.realpath(path) for path in found)]))  # a link, and what it leads to
