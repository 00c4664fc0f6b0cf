"""The project's folder in the user's cache. It holds compiled rules and unpacked bots; all of it can be made again."""

import atexit
import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import platformdirs

from arena.disk import SHARED_MEMORY, refusal
from arena.errors import StoreError

VARIABLE = "ARENA_CACHE_DIR"  # names the folder; child processes inherit it
COMPILED = f"*-{'?' * 16}-{'?' * 8}"
"""What the folders of compiled code are called: the game, a hash of its sources, one of the processor."""
_FALLBACK = "arena-cache-"


@cache
def cache_root() -> Path:
    """The project's folder in the user's cache; a temporary folder, removed at exit, if that is not writable: it begins with
    the compiled code that lies in the other.

    Raises StoreError where no folder can be written.
    """
    named, root = os.environ.get(VARIABLE), None
    with contextlib.suppress(OSError, RuntimeError):  # the second: the user has no home
        root = Path(named).absolute() if named else Path(platformdirs.user_cache_dir("arena-hall"))
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return root
    fallback = Path(tempfile.mkdtemp(prefix=_FALLBACK, dir=_temporary_folder()))  # not a fixed name: code is loaded from it
    atexit.register(shutil.rmtree, fallback, ignore_errors=True)
    os.environ[VARIABLE] = str(fallback)
    for folder in root.glob(COMPILED) if root is not None else ():
        with contextlib.suppress(OSError):  # shutil.Error among them: what cannot be read is compiled
            shutil.copytree(folder, fallback / folder.name, copy_function=shutil.copyfile)
    return fallback


def is_temporary() -> bool:
    """Return whether the cache is a temporary folder, which only this process and those that it starts can find."""
    return cache_root().name.startswith(_FALLBACK) and cache_root().parent == Path(tempfile.gettempdir())


def _temporary_folder() -> str:
    """The folder for temporary files, here and in processes that are started; where all else is read-only, in shared memory."""
    try:
        return tempfile.gettempdir()
    except FileNotFoundError:
        if refusal(SHARED_MEMORY):
            raise StoreError(
                f"no folder can be written, neither the user's cache nor a temporary one; name them in {VARIABLE} and TMPDIR"
            ) from None
    os.environ["TMPDIR"] = str(SHARED_MEMORY)
    return tempfile.gettempdir()


def keep_newest(pattern: str, count: int, keep: Path) -> None:
    """Remove folders of the cache that match `pattern`, except the `count` most recently used ones and the folder `keep`."""
    folders = sorted(cache_root().glob(pattern), key=_used, reverse=True)
    for old in folders[count:]:
        if old != keep:
            shutil.rmtree(old, ignore_errors=True)


def cached_folder(name: str, fill: Callable[[Path], None]) -> Path:
    """The folder `name` of the cache. `fill` fills it the first time; other processes see all of its content or no folder."""
    folder = cache_root() / name
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".new-"))
        fill(fresh)
        try:
            fresh.rename(folder)
        except OSError:  # somebody else was first
            shutil.rmtree(fresh)
    with contextlib.suppress(OSError):
        os.utime(folder)
    return folder


def _used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # removed meanwhile
        return 0.0
