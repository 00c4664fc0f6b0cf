"""The files of compiled code: numba's, each with a checksum, so that what a disk has damaged is compiled again and never run.

Numba reads them back without a look: an empty index ends in EOFError, and wrong code in anything.
"""

import contextlib
import hashlib
import pickle
import shutil
import stat
import sys
import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

from arena.errors import StoreError, printable

_DIGEST = hashlib.sha256().digest_size
_SUFFIXES = (".nbi", ".nbc", ".cubin")  # numba's: an index for each function, and the code of each signature; kernels of cards


class CheckedCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """Numba's cache of one function, in files that are checked when they are read."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file: Any = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    def _load_index(self) -> Any:
        content = read(Path(self._index_path))
        if content is None:
            return {}
        stamp, signatures = pickle.loads(content)
        return signatures if stamp == self._source_stamp else {}

    def _save_index(self, overloads: Any) -> None:
        write(Path(self._index_path), self._dump((self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        content = read(Path(self._data_path(name)))
        if content is None:
            raise FileNotFoundError(name)  # numba then compiles
        return pickle.loads(content)

    def _save_data(self, name: str, data: Any) -> None:
        write(Path(self._data_path(name)), self._dump(data))


def read(path: Path) -> bytes | None:
    """What was written into a file; None if it is not there, or damaged: then it is dropped, and this is said."""
    try:
        whole = path.read_bytes() if stat.S_ISREG(path.stat().st_mode) else b""  # of a pipe nothing would ever come
    except FileNotFoundError:
        return None
    except OSError:  # rights that others have set
        whole = b""
    if hashlib.sha256(whole[_DIGEST:]).digest() == whole[:_DIGEST]:
        return whole[_DIGEST:]
    _drop(path)
    return None


def write(path: Path, content: bytes) -> None:
    """Write a file in one step, with its checksum. Raises StoreError."""
    fresh = path.with_name(f"{path.name}.tmp.{uuid.uuid4().hex[:16]}")  # several processes may write the same one
    try:
        fresh.write_bytes(hashlib.sha256(content).digest() + content)
        fresh.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise StoreError(
            f"{path.parent}: compiled code cannot be kept: {error.strerror}; make room there, or name another folder in "
            f"ARENA_CACHE_DIR"
        ) from None


def mark(marker: Path) -> None:
    """Note in a file which files of compiled code its folder has now. Raises StoreError."""
    names = [str(path.relative_to(marker.parent)) for path in files(marker.parent)]
    write(marker, "\n".join(sorted(names)).encode())


def is_marked(marker: Path) -> bool:
    """Whether a folder has all the files of compiled code that its marker tells of, undamaged; what is damaged is dropped."""
    content = read(marker)
    if content is None:
        return False
    names = content.decode().split("\n") if content else []
    lost = [name for name in names if read(marker.parent / name) is None]  # all of them: what is damaged goes at once
    return not lost


def files(folder: Path) -> list[Path]:
    """All files of compiled code in a folder and below."""
    return [path for path in folder.rglob("*") if path.suffix in _SUFFIXES]


def _drop(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    _say(path)


@cache
def _say(path: Path) -> None:
    print(f"arena: compiled code was damaged and is compiled again: {printable(str(path))}", file=sys.stderr, flush=True)
