"""What is asked of a file system, and what is done where it refuses: network and foreign ones lack modes, links or locks.

Everything is tried first. What is refused is done without, and said once: what is weaker for it.
"""

import contextlib
import errno
import fcntl
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import IO

from arena.errors import StoreError

PRIVATE = 0o600
"""The mode of a file that only its owner may read."""
_NO_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF, errno.EACCES, errno.EISDIR}


def write_whole(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Write a file in one step: a reader sees the old one or the new one, and what is there outlasts a loss of power.

    `mode`: of the new file, where the file system has modes; None: as the user's mask says. Raises StoreError.
    """
    fresh = path.with_name(f"{path.name}.new")
    try:
        try:
            with fresh.open("wb") as file:
                if mode is not None:
                    set_mode(fresh, mode)
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise
        sync(path.parent)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from None


def is_there(path: Path) -> bool:
    """Whether a file is there with something in it: an empty one is what a write that was cut short leaves of it."""
    try:
        return path.is_file() and path.stat().st_size > 0
    except OSError:
        return False


def sync(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk. Some file systems cannot do it for folders. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(descriptor)


def set_mode(path: Path, mode: int) -> None:
    """Set who may use a file or a folder. Where that is refused, and others may use it, this is said. Raises OSError."""
    try:
        path.chmod(mode)
    except FileNotFoundError:
        raise
    except OSError as error:
        if (path.stat().st_mode & 0o077) & ~mode:
            say_weaker(path, f"modes of files cannot be set here ({error.strerror}): other users of this machine may read them")


def link(source: Path, target: Path) -> None:
    """Give a file a second name; a copy, where the file system has no links. Raises OSError."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, target)
        sync(target)


def lock(file: IO[str], path: Path, *, waits: bool) -> bool | None:
    """Lock an open file until it is closed, against other processes that do the same. `path`: its own.

    True: it is locked; False: another process has it; None: the file system has no locks, which is said. `waits`: for others.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError as error:
        say_weaker(path, f"files cannot be locked here ({error.strerror}): let only one command at a time write there")
        return None
    return True


def has_locks(folder: Path) -> bool:
    """Whether files in a folder can be locked as SQLite does it; true also where that cannot be tried."""
    try:
        return _has_locks(folder, folder.stat().st_dev)
    except OSError:
        return True


@cache
def _has_locks(folder: Path, _device: int) -> bool:
    with tempfile.TemporaryFile(dir=folder) as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def say_weaker(path: Path, what: str) -> None:
    """Say once for each folder what is weaker there."""
    _say(f"{path.parent}: {what} (network-file-systems in results.md)")


@cache
def _say(text: str) -> None:
    print(f"arena: warning: {text}", file=sys.stderr, flush=True)
