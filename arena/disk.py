"""What is asked of a file system, and what is done where it refuses: network and foreign ones lack modes, links or locks.

Everything is tried first. What is refused is done without, and said once: what is weaker for it.
"""

import contextlib
import errno
import fcntl
import mmap
import os
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import IO, BinaryIO, TextIO, cast

from arena.errors import StoreError, printable

WRITTEN_AGAIN = "the command that played the tournament writes it again"
"""What helps where a file of results is damaged."""
SHARED_MEMORY = Path("/dev/shm")
"""The folder in which the system keeps memory that processes share; small containers lack it."""
_PRIVATE = 0o600
_FRESH = ".new-"  # how the name of a file begins until it is whole
_HOUR = 3600.0
_DEVICES = (Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd"))  # what has a name there may be a file elsewhere
_NO_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF, errno.EACCES, errno.EISDIR}


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in one step: a reader sees the old one or the new one, and what is there outlasts a loss of power.

    Of several who write it at once each writes a whole one, and the last one's stays. A device, or a pipe in /dev/stdout, is
    written as it is. Raises StoreError.
    """
    if path.parent in _DEVICES or path.is_char_device():
        _write_through(path, content)
        return
    fresh = path.with_name(f"{_FRESH}{secrets.token_hex(8)}")
    try:
        try:
            with new_file(fresh) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        except BaseException:  # Ctrl-C, too
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise
        sync(path.parent)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from None


def sweep(folder: Path) -> None:
    """Remove from a folder what writing a file left there when its process was killed: what is an hour old is nobody's."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_FRESH) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_mtime < time.time() - _HOUR:
                        os.unlink(entry.path)  # noqa: PTH108  # a path of this folder, as the system gave it


def _write_through(path: Path, content: bytes) -> None:
    try:
        with path.open("ab") as file:  # a file to which the shell sends the output keeps what is in it
            file.write(content)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from None


def new_file(path: Path) -> BinaryIO:
    """Open a new file to write to. What has its name is removed: it may be a link to somewhere else. Raises OSError."""
    path.unlink(missing_ok=True)
    return path.open("xb")


def lock_file(path: Path) -> TextIO:
    """Open a file that is there to be locked, or make it. Raises OSError, also for a link: it may lead somewhere else."""

    def opened(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)

    try:
        return cast(TextIO, open(path, "a+", opener=opened))  # Path.open takes no opener
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, f"{path.name} is a link", str(path)) from None
        raise


def is_there(path: Path) -> bool:
    """Return whether a file is there with something in it: an empty one is what a write that was cut short leaves of it.

    What is there and no file counts, too: whoever reads it says what is wrong.
    """
    try:
        found = path.stat()
    except (OSError, ValueError):
        return False
    return found.st_size > 0 or not stat.S_ISREG(found.st_mode)


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
    found = stat.S_IMODE(path.stat().st_mode)
    if found == mode:  # in a folder that people share it may be another's, who has done it
        return
    reason = "they stay as they are"  # exFAT and others say nothing, and do nothing
    try:
        path.chmod(mode)
        found = stat.S_IMODE(path.stat().st_mode)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EROFS):
            raise
        reason = error.strerror or str(error)
    if found & 0o077 & ~mode:
        say_weaker(path, f"modes of files cannot be set here ({reason}): other users of this machine may read them")


def link(source: Path, target: Path) -> None:
    """Give a file a second name; a copy, where the file system has no links. Raises OSError."""
    try:
        os.link(source.resolve(), target)  # where a link leads to, not the link
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
    """Return whether files in a folder can be locked as SQLite does it; true also where that cannot be tried."""
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


def lacks(folder: Path) -> list[str]:
    """Return what a folder's file system cannot do of what is asked of it, in words; empty: nothing.

    Raises OSError where nobody may write, or where nothing could be stored for good: files must be synced and renamed
    over others.
    """
    found = []
    with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as place:
        file, other = Path(place, "file"), Path(place, "other")
        for path in (file, other):
            path.write_bytes(bytes(mmap.PAGESIZE))
            sync(path)
        other.replace(file)
        if Path(place, "FILE").exists():
            found.append("names that differ in capitals alone are one name")
        for what, attempt in _ATTEMPTS.items():
            try:
                is_done = attempt(file)
            except OSError:
                is_done = False
            if not is_done:
                found.append(what)
    return found


def refusal(folder: Path) -> str:
    """Why nobody can write in a folder, in words; empty: it can be written."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def free_bytes(folder: Path) -> int:
    """Return how much room there is for files. Raises OSError."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def _set_private(file: Path) -> bool:
    file.chmod(_PRIVATE)
    return stat.S_IMODE(file.stat().st_mode) == _PRIVATE


def _link_there(file: Path) -> bool:
    os.link(file, file.with_name("link"))
    return True


def _lock_there(file: Path) -> bool:
    with file.open("a+") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.lockf(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return True


def _map_there(file: Path) -> bool:
    with file.open("r+b") as opened, mmap.mmap(opened.fileno(), mmap.PAGESIZE) as shared:
        shared[0] = 1
    return file.read_bytes()[0] == 1


def _sync_folder(file: Path) -> bool:
    descriptor = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return True


_ATTEMPTS: dict[str, Callable[[Path], bool]] = {
    "no modes: other users may read what is private": _set_private,
    "no hard links: the archive copies files": _link_there,
    "no locks: let one command at a time write there": _lock_there,
    "no memory that processes share: let one command at a time write there": _map_there,
    "no sync of folders: a loss of power may undo the last files": _sync_folder,
}


def say_weaker(path: Path, what: str) -> None:
    """Say once for each folder what is weaker there."""
    _say(f"{path.parent}: {what}; `arena docs results` says more")


@cache
def _say(text: str) -> None:
    print(f"arena: warning: {printable(text)}", file=sys.stderr, flush=True)
