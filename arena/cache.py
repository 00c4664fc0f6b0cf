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

VARIABLE = "ARENA_CACHE_DIR"  # names the folder; child processes inherit it
_FALLBACK = "arena-cache-"


@cache
def cache_root() -> Path:
    """The project's folder in the user's cache; a temporary folder, removed at exit, if that is not writable."""
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
    """Whether the cache is a temporary folder, which only this process and those that it starts can find."""
    return cache_root().parent == Path(tempfile.gettempdir()) and cache_root().name.startswith(_FALLBACK)


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
