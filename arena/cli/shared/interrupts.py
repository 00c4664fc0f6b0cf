"""Ctrl-C that is not lost: what Python raises inside a callback from LLVM it only reports, and goes on."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

_CALLBACKS = {"_raw_object_cache_notify", "_raw_object_cache_getbuffer"}
"""What llvmlite's functions are called that LLVM calls while it compiles."""


class Interrupts:
    """Raises KeyboardInterrupt for SIGINT and SIGTERM: at once, or at the next `look` if it came inside such a callback."""

    def __init__(self) -> None:
        self._waits = False

    def look(self) -> None:
        """Raise KeyboardInterrupt if one has been held back."""
        if self._waits:
            self._waits = False
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def heeded(self) -> Iterator[None]:
        """Meanwhile the signals come here. For the main thread."""
        before = {number: signal.signal(number, self._take) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: not one of Python's

    def _take(self, _number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_name in _CALLBACKS:
                self._waits = True
                return
            frame = frame.f_back
        raise KeyboardInterrupt
