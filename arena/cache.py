"""The folder of this project in the user's cache: compiled rules and unpacked bots, all of which can be made again."""

import atexit
import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import platformdirs

VARIABLE = "ARENA_CACHE_DIR"  # names the folder; child processes inherit it
_FALLBACK = "arena-cache-"


@cache
def cache_root() -> Path:
    """The user's cache folder of this project, or a temporary one, removed at exit, where that is not writable."""
    named = os.environ.get(VARIABLE)
    root = Path(named).absolute() if named else Path(platformdirs.user_cache_dir("arena-hall"))
    with contextlib.suppress(OSError):
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return root
    fallback = Path(tempfile.mkdtemp(prefix=_FALLBACK))  # not a fixed name: code is loaded from it
    atexit.register(shutil.rmtree, fallback, ignore_errors=True)
    os.environ[VARIABLE] = str(fallback)
    return fallback


def is_temporary() -> bool:
    """Whether the folder is a temporary one: nothing in it is found again by processes that this one did not start."""
    return cache_root().parent == Path(tempfile.gettempdir()) and cache_root().name.startswith(_FALLBACK)


def keep_newest(pattern: str, count: int, keep: Path) -> None:
    """Remove the least recently used folders that match `pattern` in the cache, but `count` of them and `keep`."""
    folders = sorted(cache_root().glob(pattern), key=_used, reverse=True)
    for old in folders[count:]:
        if old != keep:
            shutil.rmtree(old, ignore_errors=True)


def cached_folder(name: str, fill: Callable[[Path], None]) -> Path:
    """A folder in the cache, filled once by whoever needs it first; other processes see all of it or nothing."""
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
