"""The door to files that somebody else may have written: plain files alone, of bounded size, and text as people save it.

A pipe or a device in their place would be read for ever, and nothing would end it. What is checked is what was opened.
"""

import codecs
import errno
import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

MOST_BYTES = 64 << 20  # of a file that is read whole
LINE_BYTES = 16 << 20  # of a line of a file that is read line by line

_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # not blocking: what is a plain file now may be a pipe when it is opened
UTF16 = "UTF-16 text; save it as UTF-8"


class Unfit(OSError):
    """A file that is there and is not read; `strerror` says why."""

    def __init__(self, path: Path | str, why: str) -> None:
        super().__init__(errno.EINVAL, why, str(path))


def check_plain(path: Path) -> None:
    """Raise Unfit for a pipe, a device or a folder, and OSError for what is not there."""
    _check(path, os.stat(path))  # noqa: PTH116  # of a path that the system refuses it raises OSError, too


def opened(path: Path) -> BinaryIO:
    """A plain file, open for reading. The path may lead through links. Raises OSError, of which one is Unfit."""
    try:
        check_plain(path)  # a device may do something when it is opened
        descriptor = os.open(path, _OPEN)
    except ValueError:  # a zero character, half a character
        raise Unfit(path, "no name of a file") from None
    try:
        _check(path, os.fstat(descriptor))
        return io.BufferedReader(_Content(descriptor, path))
    except BaseException:
        os.close(descriptor)
        raise


def content(path: Path, most: int = MOST_BYTES) -> bytes:
    """All bytes of a plain file of at most `most`. Raises OSError, of which one is Unfit."""
    with opened(path) as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise Unfit(path, f"longer than {most:,} bytes")
    return found


def text(path: Path, most: int = MOST_BYTES) -> str:
    """The text of a plain file of at most `most` bytes. Raises OSError, of which one is Unfit."""
    return decoded(content(path, most), path)


def lines(path: Path) -> Iterator[str]:
    """The lines of a plain file of any length. Raises OSError, of which one is Unfit."""
    with opened(path) as file:
        line = file.readline(LINE_BYTES + 1).removeprefix(codecs.BOM_UTF8)
        while line:
            if len(line) > LINE_BYTES:
                raise Unfit(path, f"a line of more than {LINE_BYTES:,} bytes")
            yield decoded(line, path)
            line = file.readline(LINE_BYTES + 1)


def decoded(found: bytes, path: Path | str) -> str:
    """A text that people write: UTF-8, with or without the mark that Windows puts before it. Raises Unfit."""
    try:
        return found.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError:
        raise Unfit(path, UTF16 if is_utf16(found) else "not a UTF-8 text file") from None


def is_utf16(found: bytes) -> bool:
    """Whether a text is as some editors of Windows call "Unicode"."""
    return found.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


class _Content(io.FileIO):
    """What a file holds now: some of the kernel's seem plain, and who reads them waits for what comes."""

    def __init__(self, descriptor: int, path: Path) -> None:
        super().__init__(descriptor, "rb")
        self._path = path

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer. Raises Unfit where nothing is there yet, and more may come."""
        found = super().readinto(buffer)
        if found is None:
            raise Unfit(self._path, "not a plain file")
        return found


def _check(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise Unfit(path, "not a plain file")
