"""Parts of a game that are compiled only if somebody asks for them: search methods, and what draws worlds and plays at random.

A bot asks by calling. What then happens in a process that does not have the part yet depends on whose process it is: as a rule
the part is loaded or compiled on the spot; a worker asks its driver instead, and a locked seat, which may not compile, its
worker (`absent_parts`). The time that this takes is counted apart (`ledger`), so that no clock is charged for it.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass

from arena.engine import jit

SAMPLING = "sampling"
"""The name of the part that draws worlds and plays at random, for bots that search by themselves."""
SAMPLING_ENTRIES = ("determinize", "play_random", "play_many")
"""The entries of a game's engine that belong to that part: no match calls them."""
ENCODING = "encoding"
"""The name of the part that writes what a seat knows as numbers, for bots that have learnt."""
CHANCE = "chance"
"""The name of the part that works out how lucky the seats of a match were, from its log."""

TABLES = "tables"
"""The name of the part that plays many tables of learning programs (arena/learning)."""
SINGLE = "single"
"""The name of the part that plays a single table of a learning program, action by action."""
SEARCHING = "searching"
"""The name of the part by which the rivals of learning programs search at many tables."""
_WORDS = {
    SAMPLING: "worlds and random play",
    ENCODING: "features",
    CHANCE: "the luck of matches",
    TABLES: "tables to learn at",
    SINGLE: "a table to learn at",
    SEARCHING: "rivals that search at tables to learn at",
}


@dataclass(frozen=True)
class Part:
    """A part of a game that is compiled by itself."""

    game: str
    name: str
    """SAMPLING, ENCODING, TABLES, SINGLE, SEARCHING, or the name of a search method."""
    package: str
    """The game's package, under whose lock the part is compiled."""
    home: str
    """The name under which the part is kept in the cache."""
    make: Callable[[], object]
    """Calls the part's functions once, which loads or compiles them."""

    @property
    def is_compiled(self) -> bool:
        """Whether the part is in the cache of this machine."""
        return jit.is_warm(self.home, self.name)


class NotCompiled(BaseException):
    """Raised where a match needs a part that has to be compiled first; the match is then played again from its beginning.

    Not an Exception: a bot that catches those must not go on without the search that it asked for.
    """

    def __init__(self, game: str, part: str) -> None:
        super().__init__(f"{part_text(game, part)} is not compiled yet")
        self.game = game
        self.part = part
        self.played: tuple[tuple[int, int], ...] = ()
        """The actions of the match up to here, each with its delay in ticks: they are played again, whatever is answered."""


class Ledger:
    """What a thread has spent on parts that it did not have, and the refusal that it met."""

    __slots__ = ("cpu", "refusal", "wall")

    def __init__(self) -> None:
        self.cpu = 0.0
        """Seconds of CPU time so far."""
        self.wall = 0.0
        """Seconds of wall time so far."""
        self.refusal: NotCompiled | None = None
        """The last NotCompiled, which who asked may have caught. Set it to None before the call that is to be watched."""


def part_text(game: str, part: str) -> str:
    """A part in words, such as `naga: search by pimc`; without a game the part alone."""
    words = _WORDS.get(part, f"search by {part}")
    return f"{game}: {words}" if game else words


def compile_here(part: Part) -> None:
    """Load a part into this process. Compile it if the cache does not have it, under the game's lock."""
    if part.is_compiled:
        part.make()
        return
    with jit.compiling(part.package):
        part.make()
        if not part.is_compiled:  # else another process compiled it while this one waited
            jit.mark_warm(part.home, part.name)


def compile_and_tell(say: Callable[[str], None]) -> "Absent":
    """Like `compile_here`, with a line before a part is compiled."""

    def decide(part: Part) -> None:
        if not part.is_compiled:
            say(f"compiling {part_text(part.game, part.name)} (asked for the first time) ...")
        compile_here(part)

    return decide


class _Ledgers(threading.local):
    """The ledger of each thread."""

    def __init__(self) -> None:
        self.own = Ledger()


Absent = Callable[[Part], None]
"""What to do about a part that this process does not have: it returns with the part loaded, or raises."""
_loaded: set[tuple[str, str]] = set()
_ledgers = _Ledgers()
_absent: ContextVar[Absent] = ContextVar("absent", default=compile_here)


def require(part: Part) -> None:
    """Have a part ready in this process. Raises what `absent_parts` decides."""
    key = (part.package, part.name)
    if key in _loaded or not jit.ENABLED:
        return
    cpu, wall = time.thread_time(), time.perf_counter()
    try:
        _absent.get()(part)
        _loaded.add(key)
    except NotCompiled as refusal:
        ledger().refusal = refusal
        raise
    finally:
        own = ledger()
        own.cpu += time.thread_time() - cpu
        own.wall += time.perf_counter() - wall


def is_loaded(package: str, part: str) -> bool:
    """Whether a part of the game is ready in this process. `package`: the game's."""
    return not jit.ENABLED or (package, part) in _loaded


def ledger() -> Ledger:
    """The ledger of this thread."""
    return _ledgers.own


@contextlib.contextmanager
def absent_parts(decide: Absent) -> Iterator[None]:
    """Let `decide` say what happens when this thread asks for a part that this process does not have."""
    token = _absent.set(decide)
    try:
        yield
    finally:
        _absent.reset(token)
