"""Compiles what a run needs in the background, a process for each game, while what is ready can be played already.

A game's process compiles its rules first and then the parts that somebody may ask for, and says so after each.
"""

import gc
import math
import os
import selectors
import statistics
import subprocess
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from arena import games
from arena.agent import BotFiles
from arena.agent.asking import parts_asked
from arena.cache import cache_root
from arena.engine import jit
from arena.engine.readiness import CHANCE, ENCODING, SAMPLING, compile_here, part_text
from arena.engine.variables import blame
from arena.errors import ArenaError
from arena.tournament.formats.plan import Plan
from arena.tournament.workers.processes import available_cpus, die_with_parent

Needs: TypeAlias = Mapping[str, Collection[str]]
"""What has to be compiled: games, each with those of its parts (`games.PARTS`) that are needed beside the rules."""

RATINGS = MappingProxyType({jit.RATINGS: "arena.ratings"})
"""What is compiled for ratings, with the module that does it."""
RULES = "rules"
_DONE = "compiled "  # how a process begins its line about a part
_NEWS = "arena: "  # and a line for people


def everything(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """All that bots can ask for in these games, and what tells the luck of their matches."""
    return {name: (*games.PARTS, CHANCE) if games.has_luck(name) else games.PARTS for name in names}


@dataclass
class _Task:
    """What one process compiles."""

    name: str
    """A game, or the name of something else."""
    module: str
    parts: deque[str]
    """The parts that are not compiled yet, in the order in which they are compiled; empty for something else."""
    was_asked: bool = False
    """Whether a bot asked for it during the run."""
    process: subprocess.Popen[bytes] | None = None
    since: float = 0.0
    """When the part that is compiled now was begun."""
    said: bytearray = field(default_factory=bytearray)
    """The line that is not at its end yet."""
    last: str = ""
    """The last line that was no news: where a process fails, it says why."""

    @property
    def labels(self) -> list[str]:
        """What is left of it, in words."""
        return [self.label(part) for part in self.parts] or [self.name]

    @property
    def is_playable(self) -> bool:
        """Whether it is a game of which nothing is left that a match calls: luck is worked out afterwards."""
        return set(self.parts) == {CHANCE}

    def label(self, part: str) -> str:
        """A part of it in words; the rules are what everybody calls the game."""
        return self.name if part == RULES else part_text(self.name, part)


class Compiling:
    """Compiles in the background what the cache lacks. A context manager: none of its processes outlives it."""

    def __init__(self, needs: Needs, say: Callable[[str], None], others: Mapping[str, str] = MappingProxyType({})) -> None:
        """Find out what the cache lacks. `say`: is given each line of news.

        `others`: other things to compile, by name, with the modules that compile them when run.
        """
        self._say = say
        tasks = [_game_task(name, _lacking(name, parts)) for name, parts in needs.items() if _lacking(name, parts)]
        tasks += [_Task(name, module, deque()) for name, module in others.items() if not jit.is_warm(name)]
        # First what all games wait for, then the games that take longest: one that is begun last is waited for alone.
        self._waiting = deque(sorted(tasks, key=lambda task: (bool(task.parts), -len(task.parts), -_source_bytes(task))))
        self._open = {task.name: task for task in tasks if not task.is_playable}
        self._pipes = selectors.DefaultSelector()
        self._took: defaultdict[bool, list[float]] = defaultdict(list)  # seconds, of rules (True) and of other parts
        self._began = time.monotonic()
        self._done, self._total = 0, sum(len(task.labels) for task in tasks)
        self._names = _in_words(tasks)
        self._failed: set[tuple[str, str]] = set()  # parts that bots asked for
        self.seconds = 0.0
        """The wall time that it took, once all is compiled; 0 if there was nothing to compile."""

    def __enter__(self) -> "Compiling":
        if not self.is_over:
            cache_root()  # a temporary fallback is made here, and the processes inherit its name
            self._say(f"compiling {self._names} (first run only) ...")
            try:
                self._fill()
            except BaseException:  # then nobody calls __exit__
                self.close()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes that still compile."""
        for task in self._running():
            if task.process is not None:
                with task.process as process:
                    process.kill()
        self._pipes.close()
        self._waiting.clear()

    @property
    def is_over(self) -> bool:
        """Whether all is compiled."""
        return not self._waiting and not self.running

    @property
    def running(self) -> int:
        """How many processes compile now."""
        return len(self._pipes.get_map() or ())

    def is_ready(self, name: str) -> bool:
        """Return whether all that matches of a game, or users of a thing of another name, wait for is compiled."""
        return name not in self._open

    def is_compiled(self, game: str, part: str) -> bool:
        """Return whether a part that was asked for is compiled."""
        return not any(task.name == game and part in task.parts for task in (*self._waiting, *self._running()))

    def ask(self, game: str, part: str) -> None:
        """Compile one more part, unless that is done already. It is for the matches of who asks; others need not wait."""
        if _lacking(game, (part,)) and self.is_compiled(game, part) and (game, part) not in self._failed:
            self._say(f"compiling {part_text(game, part)}: a bot asks for it for the first time ...")
            self._waiting.append(_game_task(game, [part], was_asked=True))
            self._total += 1
            self._fill()

    def look(self, seconds: float = 0.0) -> None:
        """Take note of what was compiled, waiting at most `seconds` for news. Raises ArenaError if something failed."""
        for key, _ in self._pipes.select(seconds) if self.running else ():
            task: _Task = key.data
            assert task.process is not None and task.process.stdout is not None
            news = os.read(task.process.stdout.fileno(), 1 << 16)
            task.said += news
            self._take_lines(task)
            if not news:
                self._pipes.unregister(key.fileobj)
                self._end(task, task.process)
                self._fill()

    def wait_for(self, name: str) -> None:
        """Wait until a game, or a thing of another name, is ready."""
        while not self.is_ready(name):
            self.look(1.0)

    def finish(self) -> None:
        """Wait until all is compiled."""
        while not self.is_over:
            self.look(1.0)

    @property
    def text(self) -> str:
        """What is compiled now and how long it takes, in words; empty when all is compiled."""
        if self.is_over:
            return ""
        now = ", ".join(task.labels[0] for task in self._running())
        left = self.seconds_left
        return f"compiling {now}, {self._done} of {self._total} done" + ("" if left is None else f", about {left:.0f} s left")

    @property
    def seconds_left(self) -> float | None:
        """The estimated time until all is compiled; None before the first part is."""
        if not self._took:
            return None
        now = time.monotonic()
        running = [max(0.0, self._estimate(task) - (now - task.since)) for task in self._running()]
        tasks = [*running, *map(self._estimate, self._waiting)]
        return max([*tasks, math.fsum(tasks) / max(1, min(available_cpus(), len(tasks)))], default=0.0)

    def _estimate(self, task: _Task) -> float:
        """The seconds that a task takes from where it is, by what others took."""
        everything = [seconds for taken in self._took.values() for seconds in taken]
        return math.fsum(statistics.fmean(self._took.get(part == RULES) or everything) for part in task.parts or [""])

    def _running(self) -> list[_Task]:
        return [key.data for key in (self._pipes.get_map() or {}).values()]

    def _fill(self) -> None:
        """Start processes while there are CPUs for them."""
        while self._waiting and self.running < available_cpus():
            task = self._waiting.popleft()
            task.process, task.since = _started(task.module, task.name, task.parts), time.monotonic()
            self._pipes.register(task.process.stdout, selectors.EVENT_READ, task)  # type: ignore[arg-type]  # it is a pipe

    def _take_lines(self, task: _Task) -> None:
        """Take note of the parts that a process says it has compiled, and tell what else arena has to say.

        Between those lines numba may print, as its variables tell it to.
        """
        *lines, task.said = task.said.split(b"\n")
        for line in (line.decode(errors="replace") for line in lines):
            if task.parts and line == _DONE + task.parts[0]:
                self._note(task, task.parts.popleft())
            elif line.startswith(_NEWS):
                self._say(line.removeprefix(_NEWS))
            else:
                task.last = line.strip() or task.last

    def _end(self, task: _Task, process: subprocess.Popen[bytes]) -> None:
        """Take note of a process that is over. Raises ArenaError if it could not compile."""
        with process:
            code = process.wait()
        if code or task.parts:
            trouble = task.said.decode(errors="replace").strip() or task.last or f"exit code {code}"
            message = f"{task.labels[0]} could not be compiled: {trouble}{blame()}"
            if not task.was_asked:
                raise ArenaError(message)
            self._say(f"warning: {message}")  # no bot can end a run: its matches are void, as those of any host fault
            self._failed.update((task.name, part) for part in task.parts)
            self._total -= len(task.parts)
            return
        if task.module != __name__:
            self._note(task, "")

    def _note(self, task: _Task, part: str) -> None:
        """Take note of one part."""
        now = time.monotonic()
        self._took[part == RULES].append(now - task.since)
        task.since = now
        self._done += 1
        if (not task.parts or task.is_playable) and not task.was_asked:
            self._open.pop(task.name, None)
        label = task.label(part) if part else task.name
        if self._done < self._total:
            self._say(f"{label} is compiled, {self._done} of {self._total}, about {self.seconds_left or 0:.0f} s left")
        else:
            self.seconds = now - self._began
            self._say(f"compiled in {self.seconds:.1f} s" if not task.was_asked else f"{label} is compiled")


def _in_words(tasks: Iterable[_Task]) -> str:
    """Return what is to be compiled: names, those together that lack the same parts."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for task in tasks:
        others = [part for part in (SAMPLING, ENCODING, CHANCE) if part in task.parts]
        methods = [part for part in task.parts if part not in (RULES, *others)]
        words = [part_text("", part) for part in others] + [f"search by {', '.join(methods)}"] * bool(methods)
        alike[" and ".join(words)].append(task.name)
    return "; ".join(f"{', '.join(names)}{f' with {words}' if words else ''}" for words, names in alike.items())


def _game_task(name: str, parts: Iterable[str], *, was_asked: bool = False) -> _Task:
    return _Task(name, __name__, deque(parts), was_asked)


def _source_bytes(task: _Task) -> int:
    """The length of a game's sources, by which games with as many parts to compile differ; 0 for something else."""
    return sum(path.stat().st_size for path in games.load(task.name).folder.glob("*.py")) if task.parts else 0


def _lacking(name: str, parts: Collection[str]) -> list[str]:
    """The parts of a game that are not in the cache, the rules first."""
    game = games.load(name)
    rules = [] if jit.is_warm(game.package) else [RULES]
    return rules + [part for part in (*games.PARTS, CHANCE) if part in parts and not games.part(game, part).is_compiled]


def _started(module: str, name: str, parts: Iterable[str] = ()) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, name, *parts], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env=environment,
    )  # fmt: skip


def compile_as_child(name: str, parts: Iterable[str]) -> None:
    """Compile parts of a game in this process, each under the game's lock, and tell the parent so after each."""
    die_with_parent(os.getppid())
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)  # compiling makes millions of objects that live on: as it is, a tenth of the time
    game = games.load(name)
    for part in parts:
        if part == RULES:
            games.compile_rules(game)
        else:
            compile_here(games.part(game, part))
        print(_DONE + part, flush=True)


def warm_games(needs: Needs, say: Callable[[str], None], others: Mapping[str, str] = MappingProxyType({})) -> float:
    """Compile what is needed and is not in the cache, a process for each game; returns the seconds that it took.

    `others`: other things to compile, by name, with the modules that compile them when run.
    """
    with Compiling(needs, say, others) as compiling:
        compiling.finish()
        return compiling.seconds


def needs_of(plan: Plan, bots: Mapping[str, BotFiles], *, with_luck: bool = False) -> dict[str, frozenset[str]]:
    """Return what a plan needs: its games, each with the parts that its bots ask for.

    `bots`: by content hash; a version of a bot that is no longer there plays no more. `with_luck`: whether luck is worked out.
    """
    here = {place: bots[bot.sha256] for place, bot in enumerate(plan.contestants) if bot.sha256 in bots}
    asked = {place: parts_asked(bot, plan.contestants[place].params) for place, bot in here.items()}
    needs: dict[str, frozenset[str]] = {}
    for entry in plan.entries:
        parts = (asked[place] for place in plan.field(entry) if place in asked)
        luck = {CHANCE} if with_luck and games.has_luck(entry.game) else set()
        needs[entry.game] = needs.get(entry.game, frozenset()).union(luck, *parts)
    return needs


def needs_at(game: str, bots: Iterable[tuple[BotFiles, Mapping[str, Any]]]) -> Needs:
    """Return what a table of one game needs. `bots`: with their parameters."""
    return {game: frozenset().union(*(parts_asked(bot, params) for bot, params in bots))}


if __name__ == "__main__":
    try:
        compile_as_child(sys.argv[1], sys.argv[2:])
    except ArenaError as error:
        sys.exit(str(error))
