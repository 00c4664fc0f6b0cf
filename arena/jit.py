"""How rules and search are compiled, and where the compiled code is kept: the one door to numba.

Compiled code is cached in one folder per room, named by a hash of the room's sources, the shared engine's sources,
the versions and the compiler settings, so that an edited rule can never meet code compiled from the old one
(numba itself only notices edits in the very file of the function that it caches).
With ``NUMBA_DISABLE_JIT=1`` the same sources run as plain Python: the way in for a debugger and for coverage.
"""

import atexit
import contextlib
import fcntl
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
import platformdirs
from numba import types
from numba.extending import intrinsic, overload, register_jitable

F = TypeVar("F", bound=Callable[..., Any])

ENABLED = not numba.config.DISABLE_JIT
ENGINE = "engine"  # the cache folder of compiled functions that belong to no room
CACHE_VARIABLE = "ARENA_CACHE_DIR"  # names the cache folder; child processes inherit it
FOLDERS_KEPT = 4  # per room: a few checkouts may share one user's cache
SETTINGS = {"nogil": True, "boundscheck": True}  # no measurable cost, see README "Engine"

_PACKAGE = Path(__file__).parent
_SHARED_SOURCES = ("jit.py", "rng.py", "cards.py", "game.py", "search/*.py")


def jit(function: F) -> F:
    """Compile `function` for its own room (or the shared engine), cached there; call it with one signature only."""
    parts = function.__module__.split(".")
    room = parts[2] if parts[:2] == ["arena", "games"] and len(parts) > 2 else ENGINE
    return bind(function, room)


def bind(function: F, room: str) -> F:
    """Compile generic code for one room: a dispatcher of its own, cached in that room's folder.

    `function` is module-level and reaches the room only through the stubs of game.py and through `generic` functions,
    so that all that is compiled into it is covered by the room's hash. (Closures and functions passed as arguments
    never hit numba's cache in a second process.)
    """
    if not ENABLED:
        return function
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder(room))
    try:
        compiled: F = numba.njit(cache=True, **SETTINGS)(function)
    finally:
        numba.config.CACHE_DIR = before
    return compiled


def generic(function: F) -> F:
    """Mark a helper of generic code: compiled into each caller, so it has no cache of its own that could be stale."""
    compiled: F = register_jitable(**SETTINGS)(function)  # a caller's bounds checks are not inherited
    return compiled


def stub(function: F, rooms: dict[Any, Any], parameters: str) -> None:
    """Let compiled code call `function(s, ...)` as the function of that name in the room of the state's record type.

    `rooms` maps record types (`record_type`) to rules modules, `parameters` are the stub's parameter names.
    """
    if not ENABLED:
        return
    names = {"rooms": rooms, "name": function.__name__}
    exec(  # numba requires the overload to have exactly the parameter names of the stub
        f"def chosen({parameters}):\n"
        f"    implementation = getattr(rooms[s], name)\n"
        f"    return lambda {parameters}: implementation({parameters})",
        names,
    )
    overload(function)(names["chosen"])


def record_type(dtype: np.dtype[Any]) -> Any:
    """What `stub` dispatches on: numba's type of one record of `dtype` (the dtype itself when the JIT is off)."""
    return numba.from_dtype(dtype) if ENABLED else dtype


def compilations(function: Callable[..., Any]) -> tuple[int, int]:
    """How many signatures of a compiled function were compiled here, and how many came from the cache."""
    stats = function.stats  # type: ignore[attr-defined]  # numba's dispatcher
    return sum(stats.cache_misses.values()), sum(stats.cache_hits.values())


def forbid_compiling(function: Callable[..., Any]) -> None:
    """From now on a call with a new signature raises TypeError instead of compiling."""
    if ENABLED:
        function.disable_compile()  # type: ignore[attr-defined]  # numba's dispatcher


@cache
def cache_folder(room: str) -> Path:
    """The existing, writable folder of compiled code for `room` as its sources stand now."""
    folder = cache_root() / f"{room}-{source_hash(room)}"
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    return folder


@cache
def cache_root() -> Path:
    """The user's cache folder of this project, or a temporary one, removed at exit, where that is not writable."""
    named = os.environ.get(CACHE_VARIABLE)
    root = Path(named) if named else Path(platformdirs.user_cache_dir("arena-hall"))
    with contextlib.suppress(OSError):
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return root
    fallback = Path(tempfile.mkdtemp(prefix="arena-cache-"))  # not a fixed name: its files are unpickled
    atexit.register(shutil.rmtree, fallback, ignore_errors=True)
    os.environ[CACHE_VARIABLE] = str(fallback)
    return fallback


@cache
def source_hash(room: str) -> str:
    """Hash over all that decides what compiled code of `room` does, 16 hex digits."""
    sources = [path for pattern in _SHARED_SOURCES for path in sorted(_PACKAGE.glob(pattern))]
    if room != ENGINE:
        sources += sorted((_PACKAGE / "games" / room).rglob("*.py"))
    digest = hashlib.sha256()
    for path in sources:
        digest.update(str(path.relative_to(_PACKAGE)).encode() + b"\0" + path.read_bytes() + b"\0")
    options = {name: value for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")}
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    digest.update(repr((versions, SETTINGS, options)).encode())
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def compiling(room: str) -> Iterator[None]:
    """Hold the room's compile lock: several processes that start at once compile once."""
    with open(cache_folder(room) / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def is_warm(room: str) -> bool:
    """Whether `mark_warm` was called for the room as its sources stand now."""
    return not ENABLED or (cache_folder(room) / "warm").exists()


def mark_warm(room: str) -> None:
    """Say that all entries of the room are in the cache, and drop the room's oldest other folders."""
    (cache_folder(room) / "warm").touch()
    for name in (room, ENGINE):
        folders = sorted(cache_root().glob(f"{name}-*"), key=lambda folder: folder.stat().st_mtime, reverse=True)
        for old in folders[FOLDERS_KEPT:]:
            if old != cache_folder(name):
                shutil.rmtree(old, ignore_errors=True)


def popcount(mask: int) -> int:
    """Number of set bits of a mask of at most 62 bits."""
    return int(mask).bit_count()


def lowest_bit(mask: int) -> int:
    """Index of the lowest set bit of a non-zero mask of at most 62 bits."""
    value = int(mask)
    return (value & -value).bit_length() - 1


@intrinsic  # type: ignore[untyped-decorator]
def _population_count(_typing: Any, _mask: Any) -> Any:
    return types.int64(types.int64), lambda _context, builder, _signature, args: builder.ctpop(args[0])


@intrinsic  # type: ignore[untyped-decorator]
def _count_trailing_zeros(_typing: Any, _mask: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], llvmlite.ir.Constant(llvmlite.ir.IntType(1), 0))

    return types.int64(types.int64), build


# Plain lambdas: numba compares the two signatures, annotations included.
overload(popcount)(lambda mask: lambda mask: _population_count(mask))
overload(lowest_bit)(lambda mask: lambda mask: _count_trailing_zeros(mask))
