"""The streams that a command was started with, made fit to print on: whatever becomes of them, no work is lost.

A stream may be closed, its encoding may lack letters, its disk may be full, its reader may go. So every letter has a form in
it, and what cannot be written is dropped: a command does its work, stores it, and then says that its output is not whole.
"""

import errno
import io
import os
import select
import sys
from typing import Any, TextIO, cast

NARROWEST, WIDEST = 40, 1000  # columns of a page, whatever COLUMNS says
_SIZES = {"COLUMNS": (NARROWEST, WIDEST), "LINES": (1, WIDEST)}


def mend_descriptors() -> None:
    """Put the null device where input, output or errors are closed: else the next file that is opened gets their place."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, number)  # inheritable, unlike what `open` returns
            if null != number:
                os.close(null)


def mend_sizes() -> None:
    """Forget the variables of the terminal's size that are no size, and bound the others."""
    for name, (least, most) in _SIZES.items():
        text = os.environ.pop(name, "")
        if text.isascii() and text.isdigit() and text.strip("0"):
            os.environ[name] = str(max(least, min(most, int(text[:9]))))


class Output(io.RawIOBase):
    """A file that is written as long as it can be; what comes after the first failure is dropped."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.failure: OSError | None = None
        """Why nothing can be written any more."""

    def writable(self) -> bool:
        """Return whether it is for writing: yes, even if all is dropped."""
        return True

    def fileno(self) -> int:
        """The number of the open file."""
        return self._descriptor

    def isatty(self) -> bool:
        """Return whether a terminal shows it."""
        return os.isatty(self._descriptor)

    def write(self, data: Any) -> int:
        """Write bytes, or drop them; how many."""
        if self.failure is None:
            try:
                return self._write(data)
            except OSError as error:
                self.failure = error
        return len(data)

    def _write(self, data: Any) -> int:
        while True:
            try:
                return os.write(self._descriptor, data)
            except BlockingIOError:  # another program that has the terminal or the pipe, too, made it so
                select.select([], [self._descriptor], [])


def open_streams() -> Output:
    """Replace `sys.stdout` and `sys.stderr` by ones that never fail, and return the output below the first."""
    outputs = [Output(1), Output(2)]
    sys.stdout, sys.stderr = (_text(output, before) for output, before in zip(outputs, (sys.stdout, sys.stderr)))
    return outputs[0]


def is_gone(stream: TextIO) -> bool:
    """Return whether nothing that is written on a stream arrives any more."""
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    return isinstance(raw, Output) and raw.failure is not None


def close_output(output: Output, code: int, *, failed: int) -> int:
    """Write out what is left; the exit code: `failed` if the work went well and its output is not whole.

    A reader that closed its pipe (`| head`) wants no more, so that is no failure.
    """
    sys.stdout.flush()
    if output.failure is None or output.failure.errno == errno.EPIPE:
        return code
    print(f"arena: standard output is not whole: {output.failure.strerror}; what the command stores is stored", file=sys.stderr)
    return code or failed


def _text(output: Output, before: TextIO | None) -> TextIO:
    encoding = "utf-8" if before is None else before.encoding
    text = io.TextIOWrapper(
        io.BufferedWriter(output), encoding, "backslashreplace", line_buffering=output.isatty() or output.fileno() == 2
    )
    return cast(TextIO, text)
