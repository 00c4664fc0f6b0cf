"""A bot's files, read by descriptor: whatever its author swaps meanwhile, nothing but plain files of its folder is read.

A path that is checked and then opened may lead elsewhere by then. Here each file and each folder below the bot's own is opened
relative to the descriptor of the folder above it, never through a link, and what is checked is what was opened.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from arena.errors import BotError

BOT_BYTES = 64 << 20  # a bot's files, all together
BOT_FILES = 1_000  # each match of a locked bot copies them all, 20 to 30 microseconds each
DEEPEST = 32  # folders in each other

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # not blocking: a named pipe would wait for a writer
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC  # it may be closed to us, and its files open
_LISTED = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class BotFolder:
    """An open folder with a bot, or with the one file that is the bot. A context manager."""

    def __init__(self, path: Path) -> None:
        """Open the folder `path`. The path itself may lead through links: it is the word of whoever gives the command.

        Raises OSError.
        """
        self.path = path
        self._descriptor = os.open(path, _FOLDER)
        self._bytes = self._files = 0

    def __enter__(self) -> "BotFolder":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def has(self, name: str) -> bool:
        """Return whether there is a file, or a link, of this name in the folder."""
        try:
            found = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except OSError:
            return False
        return not stat.S_ISDIR(found.st_mode)

    def read(self, name: str) -> bytes:
        """The content of a plain file; `name`: relative to the folder.

        Raises BotError for anything else than a plain file in the folder, and when the bot has too much of them. Raises
        FileNotFoundError.
        """
        *above, last = PurePosixPath(name).parts
        with contextlib.ExitStack() as opened:
            here, path = self._descriptor, self.path
            for part in above:
                path /= part
                here = self._opened(opened, here, part, path, _FOLDER | os.O_NOFOLLOW)
            return self._read(here, last, path / last)

    def read_below(self, name: str) -> dict[str, bytes]:
        """The content of a plain file, or of all files in a folder that belong to the bot, by paths relative to this folder.

        Raises BotError as `read` does, and FileNotFoundError.
        """
        *above, last = PurePosixPath(name).parts
        with contextlib.ExitStack() as opened:
            here, path = self._descriptor, self.path
            for part in above:
                path /= part
                here = self._opened(opened, here, part, path, _FOLDER | os.O_NOFOLLOW)
            if not stat.S_ISDIR(_mode(here, last)):
                return {name: self._read(here, last, path / last)}
            below = self._opened(opened, here, last, path / last, _FOLDER | os.O_NOFOLLOW)
            return dict(self._all(below, PurePosixPath(name), path / last))

    def read_all(self) -> dict[str, bytes]:
        """The content of all files that belong to the bot, by relative path. Raises BotError and OSError."""
        return dict(self._all(self._descriptor, PurePosixPath(), self.path))

    def _all(self, folder: int, inside: PurePosixPath, path: Path) -> Iterator[tuple[str, bytes]]:
        if len(inside.parts) > DEEPEST:
            raise BotError(f"{path}: more than {DEEPEST} folders in each other")
        with contextlib.ExitStack() as opened:
            entries = opened.enter_context(os.scandir(self._opened(opened, folder, ".", path, _LISTED)))
            found = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries if belongs(entry.name))
        for name, is_folder in found:
            if is_folder:
                with contextlib.ExitStack() as opened:
                    below = self._opened(opened, folder, name, path / name, _FOLDER | os.O_NOFOLLOW)
                    yield from self._all(below, inside / name, path / name)
            else:
                yield str(inside / name), self._read(folder, name, path / name)

    def _read(self, folder: int, name: str, path: Path) -> bytes:
        if not name.isprintable():
            raise BotError(f"{self.path}: {name!r} is no name for a bot's file")
        self._files += 1
        if self._files > BOT_FILES:
            raise BotError(f"{self.path}: more than {BOT_FILES:,} files")
        with contextlib.ExitStack() as opened:
            descriptor = self._opened(opened, folder, name, path, _OPEN)
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise BotError(f"{path}: not a plain file")
            self._count(found.st_size)
            with open(descriptor, "rb", closefd=False) as file:
                content = file.read(found.st_size)  # a file that grows meanwhile is cut here
        return content

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > BOT_BYTES:
            raise BotError(f"{self.path}: {self._bytes / (1 << 20):.1f} MiB of files; a bot may have {BOT_BYTES >> 20} MiB")

    def _opened(self, opened: contextlib.ExitStack, folder: int, name: str, path: Path, flags: int) -> int:
        """The descriptor of a name in a folder, closed with `opened`. Raises BotError for a link."""
        try:
            descriptor = os.open(name, flags, dir_fd=folder)
        except OSError:
            if _is_link(folder, name):
                raise BotError(f"{path}: a link; a bot's files are plain files in its own folder") from None
            if _is_special(folder, name):  # a socket cannot even be opened
                raise BotError(f"{path}: not a plain file") from None
            raise
        opened.callback(os.close, descriptor)
        return descriptor


def inner_path(name: str) -> str | None:
    """A relative path in its shortest form; None if it leads out of the folder.

    >>> inner_path("./lib//deck.py"), inner_path("../secret"), inner_path("/etc/passwd")
    ('lib/deck.py', None, None)
    """
    path = PurePosixPath(name)
    return None if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in name else str(path)


def belongs(name: str) -> bool:
    """Return whether a file is part of the bot: compiled and hidden files are not."""
    return name != "__pycache__" and not name.startswith(".")


def _is_link(folder: int, name: str) -> bool:
    return stat.S_ISLNK(_mode(folder, name))


def _is_special(folder: int, name: str) -> bool:
    return _mode(folder, name) != 0 and not stat.S_ISREG(_mode(folder, name)) and not stat.S_ISDIR(_mode(folder, name))


def _mode(folder: int, name: str) -> int:
    """The kind of a file as the kernel tells it now; 0: there is none. Only for the words of a message."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return 0
