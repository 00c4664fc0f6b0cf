"""The lock of a tournament's folder: one run at a time writes there."""

import contextlib
import os
import time
from pathlib import Path
from typing import TextIO

from arena import disk, userfiles
from arena.errors import StoreError

LOCK_FILE = "lock"
PID_BYTES = 20  # of the number of a process
_PAUSE = 0.01  # seconds between two tries


class FolderLock:
    """Holds an output folder for one run; a context manager. Raises StoreError when another run holds it."""

    def __init__(self, folder: Path, *, patience: float = 0.0) -> None:
        """`patience`: the seconds to wait for another holder."""
        self._path = folder / LOCK_FILE
        self._patience = patience
        self._file: TextIO | None = None

    def __enter__(self) -> "FolderLock":
        try:
            str(self._path.absolute()).encode()
        except UnicodeEncodeError:  # before anything is played: tables are not written there
            raise StoreError(
                f"{self._path.parent}: the name of this folder is no UTF-8; write elsewhere, or rename it"
            ) from None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = disk.lock_file(self._path)
        except OSError as error:
            raise StoreError(f"{self._path.parent}: cannot be written: {error.strerror}") from None
        if not self._taken(self._file):
            self._file.seek(0)
            owner = self._file.read(PID_BYTES).strip() or "unknown"
            self._file.close()
            raise StoreError(
                f"{self._path.parent}: another run (process {owner}) is writing there; wait for it, or write elsewhere (a "
                f"tournament has --name and --out for that)"
            ) from None
        try:
            self._file.truncate(0)
            self._file.write(str(os.getpid()))
            self._file.flush()
        except OSError as error:
            with contextlib.suppress(OSError):  # the number cannot be written then either
                self._file.close()
            raise StoreError(f"{self._path}: cannot be written: {error.strerror}") from None
        disk.sweep(self._path.parent)
        return self

    def _taken(self, file: TextIO) -> bool:
        """Try to lock the file, again and again until the patience is at its end; returns whether it is locked now."""
        end = time.monotonic() + self._patience
        while True:
            is_locked = disk.lock(file, self._path, waits=False)
            if is_locked is None:  # no locks here: what is left is to look for the process that wrote its number there
                is_locked = running_process(self._path.parent) in (None, os.getpid())
            if is_locked or time.monotonic() >= end:
                return is_locked
            time.sleep(_PAUSE)

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.truncate(0)
            self._file.close()


def running_process(folder: Path) -> int | None:
    """The process that holds a folder's lock, found without touching the lock; None if none on this machine does."""
    lock = folder / LOCK_FILE
    try:
        pid = int(userfiles.content(lock, PID_BYTES))
        os.kill(pid, 0)
    except PermissionError:
        return pid  # another user's
    except (OSError, ValueError, OverflowError):  # the last: no number of a process
        return None
    try:
        files = [path.stat() for path in Path(f"/proc/{pid}/fd").iterdir() if path.exists()]
    except OSError:  # no such folder on this system, or not ours to look at
        return pid
    return pid if any(os.path.samestat(file, lock.stat()) for file in files) else None
