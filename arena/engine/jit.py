"""How rules and search are compiled, and where the compiled code is kept: the one door to numba.

A game is named here by its package, such as `arena.games.naga`: games may come from other distributions, too.
Compiled code is cached in one folder per game, named by a hash of the game's sources, the shared engine's sources,
the versions and the compiler settings, so that an edited rule can never meet code compiled from the old one
(numba itself only notices edits in the very file of the function that it caches).
With ``NUMBA_DISABLE_JIT=1`` the same sources run as plain Python: the way in for a debugger and for coverage.
"""

import contextlib
import hashlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

try:  # first: numba reads its variables when it is loaded
    import numba
except Exception as error:
    from arena.engine.variables import blamed

    raise blamed(error) from None
import llvmlite
import numpy as np
from numba.core.registry import CPUDispatcher
from numba.extending import overload

from arena import disk
from arena.cache import COMPILED, cache_root, keep_newest
from arena.engine.linking import Chosen, Entry, Linked, let_compiled_code_call
from arena.engine.stored_code import CheckedCache, files, is_marked, mark, read
from arena.engine.variables import PREFIX, check_variables

F = TypeVar("F", bound=Callable[..., Any])

check_variables(numba.config)
ENABLED = not numba.config.DISABLE_JIT
ENGINE = "engine"  # the cache folder of compiled functions that belong to no game
RATINGS = "ratings"
LEARNING = "learning"  # of policies, from decisions of any game
FOLDERS_KEPT = 8  # per game: a few checkouts, and machines with other processors, may share one user's cache
SETTINGS = {
    "nogil": True,
    "boundscheck": True,  # costs nothing measurable
    "no_cfunc_wrapper": True,
    "_nrt": True,  # arrays are counted; said here, as a function would else do as the first caller that it is compiled for
}

_PACKAGE = Path(__file__).parent.parent
_NO_CODE = {"NUM_THREADS", "DISABLE_JIT", "CACHE_DIR"}  # variables that change no code: workers have the first, tests the next
_SHARED_SOURCES = ("cards.py", "engine/*.py")
_LINEAR_ALGEBRA = "scipy.linalg"
_sound: set[Path] = set()  # the markers of what this process has looked through
_OWN_SOURCES = {RATINGS: "ratings", LEARNING: "learning/training/policy"}
"""The folders with the sources of compiled functions that belong to no game, but for the engine's."""
_OWN_ENGINE = ("jit.py", "linking.py", "machine.py")  # of the engine, what these are compiled with
_SEARCH = ".search"  # what a game's searches are kept under, apart from its rules: they are edited apart, too
_TABLES = ".tables"  # likewise the tables of learning programs, in which searches play, too
_LEARNING = ".learning"  # likewise the play that networks are trained on
_MORE_SOURCES = {_SEARCH: ("search",), _TABLES: ("search", "learning/compiled"), _LEARNING: ("learning/training/compiled",)}


def jit(function: F) -> F:
    """Compile `function` for its own game (or the ratings, or the shared engine), cached there; one signature only."""
    return bind(function, _home(function.__module__, Path(function.__code__.co_filename)))


def search_of(game: str) -> str:
    """The name under which the compiled searches of a game are kept. `game`: its package."""
    return game + _SEARCH


def tables_of(game: str) -> str:
    """The name under which the compiled tables of learning programs (arena/learning) are kept. `game`: its package."""
    return game + _TABLES


def learning_of(game: str) -> str:
    """The name under which the compiled play that networks are trained on is kept (learning/training). `game`: its package."""
    return game + _LEARNING


def bind(function: F, game: str) -> F:
    """Compile generic code for one game: a dispatcher of its own, cached in that game's folder. `game`: its package.

    `function` is module-level and reaches the game only through the stubs of contract.py and through `generic` functions,
    so that all that is compiled into it is covered by the game's hash. (Closures and functions passed as arguments
    never hit numba's cache in a second process.)
    """
    if not ENABLED:
        return function
    compiled = Entry(function, SETTINGS)
    before = numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES
    numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES = str(cache_folder(game)), ""
    try:
        compiled._cache = CheckedCache(function)  # what numba's `enable_caching` does with a cache of its own
    finally:
        numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES = before
    return cast(F, compiled)


def generic(function: F) -> F:
    """Mark a helper of generic code: compiled into each caller, so it has no cache of its own that could be stale.

    Called from Python it is plain Python.
    """
    if ENABLED:
        let_compiled_code_call(function, Linked(function, SETTINGS))
    return function


def unchecked(function: F) -> F:
    """Mark a helper of generic code whose indices are not checked, for inner loops over arrays of known length."""
    if ENABLED:
        let_compiled_code_call(function, Linked(function, {**SETTINGS, "boundscheck": False}))
    return function


def reordering(function: F) -> F:
    """Mark a helper as `unchecked`, whose sums may be taken in any order: eight numbers at a time, the same on each run."""
    if ENABLED:
        settings = {**SETTINGS, "boundscheck": False, "fastmath": {"reassoc", "contract", "nsz"}}
        let_compiled_code_call(function, Linked(function, settings))
    return function


def stub(function: Callable[..., Any], games: dict[Any, Any]) -> None:
    """Let compiled code call `function(s, ...)` as the function of that name in the game of the state's record type.

    `games` maps record types (`record_type`) to rules modules.
    """
    if ENABLED:
        let_compiled_code_call(function, Chosen(function.__name__, games))


WRITTEN: dict[Callable[..., Any], Callable[[np.dtype[Any]], Callable[..., Any]]] = {}
"""What gives the body for the dtype of a record, by the functions that `by_record` has made."""


def by_record(write: Callable[[np.dtype[Any]], str]) -> Callable[[F], F]:
    """Give a function `name(s, ...)` the body that `write` gives as source for the type of the record `s`.

    The source defines one function of that name and those parameters: compiled code cannot loop over fields.
    """

    def decorate(function: F) -> F:
        @cache
        def written(kind: np.dtype[Any]) -> Any:
            scope: dict[str, Any] = {}
            exec(write(kind), scope)
            return scope[function.__name__]

        @wraps(function)
        def called(s: Any, *others: Any) -> Any:
            return written(s.dtype)(s, *others)

        WRITTEN[called] = written
        if ENABLED:
            first, *others = inspect.signature(function).parameters
            scope = {"written": lambda record: written(numba.np.numpy_support.as_dtype(record))}
            choose = eval(f"lambda {', '.join([first, *others])}: written({first})", scope)  # numba looks at its parameters
            overload(called, jit_options=SETTINGS)(choose)
        return cast(F, called)

    return decorate


def record_type(dtype: np.dtype[Any]) -> Any:
    """What `stub` dispatches on: numba's type of one record of `dtype` (the dtype itself when the JIT is off)."""
    return numba.from_dtype(dtype) if ENABLED else dtype


def compilations(function: Callable[..., Any]) -> tuple[int, int]:
    """How many signatures of a compiled function were compiled here, and how many came from the cache."""
    stats = function.stats  # type: ignore[attr-defined]  # numba's dispatcher
    return sum(stats.cache_misses.values()), sum(stats.cache_hits.values())


def cached_signatures(function: Callable[..., Any]) -> list[str]:
    """All signatures of a compiled function that its cache holds, whoever compiled them; empty when the JIT is off."""
    index = function._cache._cache_file._load_index() if ENABLED else {}  # type: ignore[attr-defined]  # numba shows no other way
    return [str(key[0]) for key in index]


def forbid_compiling(function: Callable[..., Any]) -> None:
    """Make every later call of `function` with a new signature raise TypeError instead of compiling."""
    if ENABLED:
        function._can_compile = False  # type: ignore[attr-defined]  # `disable_compile` refuses what was never called


def forbid_all_compiling(games: Iterable[str]) -> None:
    """Forbid new signatures of all compiled functions of arena and of `games`, in this process and in its children."""
    ours = {_PACKAGE.name, *(game.split(".")[0] for game in games)}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ours:
            for value in vars(module).values():
                if isinstance(value, CPUDispatcher):
                    forbid_compiling(value)


def _import_array_code() -> None:
    """Import numba's code for arrays as if scipy had no linear algebra: a fifth of the start of every process.

    Numba imports it only to see whether it is there, for one function (`numpy.vander`).
    """
    if _LINEAR_ALGEBRA in sys.modules:
        return
    sys.modules[_LINEAR_ALGEBRA] = None  # type: ignore[assignment]  # by this Python knows what cannot be imported
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        del sys.modules[_LINEAR_ALGEBRA]


@cache
def cache_folder(game: str) -> Path:
    """The existing, writable folder of compiled code for `game` as its sources stand now, on a processor like this one."""
    folder = cache_root() / f"{_short(game)}-{source_hash(game)}-{_processor()}"
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    return folder


@cache
def _processor() -> str:
    """What numba compiles for: the model of the processor and its features, 8 hex digits."""
    target = CPUDispatcher.targetdescr.target_context.codegen().magic_tuple()
    return hashlib.sha256(repr(target).encode()).hexdigest()[:8]


@cache
def source_hash(game: str) -> str:
    """Hash over all that decides what compiled code of `game` does, 16 hex digits."""
    if game in _OWN_SOURCES:
        engine = _PACKAGE / "engine"
        sources = [*(engine / name for name in _OWN_ENGINE), *sorted((_PACKAGE / _OWN_SOURCES[game]).glob("*.py"))]
    else:
        sources = [path for pattern in _SHARED_SOURCES for path in sorted(_PACKAGE.glob(pattern))]
    for kind, folders in _MORE_SOURCES.items():
        if game.endswith(kind):
            sources += [path for folder in folders for path in sorted((_PACKAGE / folder).rglob("*.py"))]
    digest = hashlib.sha256()
    for path in sources:
        digest.update(str(path.relative_to(_PACKAGE)).encode() + b"\0" + path.read_bytes() + b"\0")
    where = str(_PACKAGE)  # numba keeps the code of one source path apart from that of another
    if game != ENGINE and game not in _OWN_SOURCES:
        folder = source_folder(game.removesuffix(_SEARCH).removesuffix(_TABLES).removesuffix(_LEARNING))
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
        where += f" {folder}"
    unimportant = {PREFIX + name for name in _NO_CODE}
    options = {name: value for name, value in sorted(os.environ.items()) if name.startswith(PREFIX) and name not in unimportant}
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    digest.update(repr((where, versions, SETTINGS, options)).encode())
    return digest.hexdigest()[:16]


def source_folder(game: str) -> Path:
    """The folder whose sources decide what a game does. `game`: its package.

    For a game of arena its own folder; for another one that of its whole top-level package, whose games may share modules.
    """
    parts = game.split(".")
    if parts[0] == _PACKAGE.name:
        return _PACKAGE.joinpath(*parts[1:])
    for package in (parts[0], game):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:  # a namespace package has none: others may add to it
            return Path(spec.origin).parent
    raise ModuleNotFoundError(f"{game} is no package with an __init__.py")


@contextlib.contextmanager
def compiling(game: str) -> Iterator[None]:
    """Hold the game's compile lock: several processes that start at once compile once."""
    path = cache_folder(game) / "lock"
    with path.open("w") as file:
        disk.lock(file, path, waits=True)
        yield


def is_warm(game: str, part: str = "") -> bool:
    """Whether `mark_warm` was called for the game, or for a part of it, as its sources stand now, and all of it is undamaged.

    What is damaged is dropped.
    """
    marker = cache_folder(game) / _mark(part)
    if not ENABLED or (marker in _sound and marker.exists()):
        return True
    if is_marked(marker):
        _sound.add(marker)
        return True
    return False


def mark_warm(game: str, part: str = "") -> None:
    """Say that a game (or the part of it with this name) is in the cache, and drop the game's oldest other folders."""
    mark(cache_folder(game) / _mark(part))
    for name in (game, ENGINE):
        keep_newest(f"{_short(name)}-*", FOLDERS_KEPT, cache_folder(name))


def look_through() -> tuple[int, int]:
    """Read all compiled code in the cache: how many files are sound, and how many were damaged, which are dropped."""
    folders = cache_root().glob(COMPILED)  # others are of older versions
    sound = [read(path) is not None for folder in folders for path in files(folder)]
    return sum(sound), len(sound) - sum(sound)


def _mark(part: str) -> str:
    return f"warm-{part}" if part else "warm"


def _short(game: str) -> str:
    """The name that a game's cache folders begin with: the game for a game of arena, the package for another one."""
    return game.removeprefix(f"{_PACKAGE.name}.games.")


def _home(module: str, path: Path) -> str:
    """The package with which a module's compiled functions are kept: a game's, an outside one that games share, or arena's.

    `path`: of the module. A game's package is the innermost one that holds a rules.py.
    """
    parts = module.split(".")
    for name, folder_name in _OWN_SOURCES.items():
        if parts[1:-1] == folder_name.split("/") and parts[0] == _PACKAGE.name:
            return name
    for depth, folder in enumerate(path.parents[: len(parts) - 1], 1):
        if (folder / "rules.py").exists():
            return ".".join(parts[:-depth])
    return ENGINE if len(parts) == 1 or parts[0] == _PACKAGE.name else parts[0]


_import_array_code()
