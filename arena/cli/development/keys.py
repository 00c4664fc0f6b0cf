"""Keys that are pressed in the terminal while something else goes on."""

import contextlib
import os
import select
import sys
from collections.abc import Iterator


class Keys:
    """Hears the keys of the terminal. Without a terminal there are none."""

    def __init__(self, descriptor: int | None = None) -> None:
        """`descriptor`: of a terminal; None: nobody presses keys."""
        self._descriptor = descriptor

    def pressed(self) -> str:
        """The keys since the last call; empty: none."""
        if self._descriptor is None or not select.select([self._descriptor], [], [], 0)[0]:
            return ""
        return os.read(self._descriptor, 1024).decode("utf-8", "replace")


@contextlib.contextmanager
def keys_of_terminal() -> Iterator[Keys]:
    """The keys of standard input, each at once and not shown, where that is this process's terminal."""
    try:
        import termios
    except ImportError:  # not a system with such terminals
        yield Keys()
        return
    if not _is_ours():
        yield Keys()
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    raw = termios.tcgetattr(descriptor)
    raw[3] &= ~(termios.ICANON | termios.ECHO)  # Ctrl-C still is one
    try:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, raw)
        yield Keys(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _is_ours() -> bool:
    """Whether standard input is a terminal whose keys come to this process: not where it runs in the background."""
    try:
        return sys.stdin.isatty() and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (AttributeError, OSError, ValueError):  # no standard input, or a terminal of another session
        return False
