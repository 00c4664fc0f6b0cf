"""Ctrl-C that is not lost: what Python raises inside a callback or a destructor it only reports, and goes on."""

import contextlib
import signal
import sys
from collections.abc import Iterator
from types import FrameType

_TO_THE_END = {"_raw_object_cache_notify", "_raw_object_cache_getbuffer", "__del__"}
"""What functions are called that are not to be cut short: llvmlite's, which LLVM calls while it compiles, and destructors."""


class Interrupts:
    """Raises KeyboardInterrupt for SIGINT and SIGTERM: at once, or at the next `look` where it would be lost."""

    def __init__(self) -> None:
        self._waits = False
        self._report = sys.unraisablehook

    def look(self) -> None:
        """Raise KeyboardInterrupt if one has been held back."""
        if self._waits:
            self._waits = False
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def heeded(self) -> Iterator[None]:
        """Meanwhile the signals come here. For the main thread."""
        before = {number: signal.signal(number, self._take) for number in (signal.SIGINT, signal.SIGTERM)}
        self._report, sys.unraisablehook = sys.unraisablehook, self._hear
        try:
            yield
        finally:
            sys.unraisablehook = self._report
            for number, handler in before.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: not one of Python's

    def _take(self, _number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_name in _TO_THE_END:
                self._waits = True
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    def _hear(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """Hold back an interrupt that was raised where nothing can be, as in a callback of a weak reference."""
        if unraisable.exc_type is KeyboardInterrupt:
            self._waits = True
        else:
            self._report(unraisable)
