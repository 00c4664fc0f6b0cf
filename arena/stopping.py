"""The signals by which a program is stopped: Ctrl-C, SIGTERM, and SIGHUP of a terminal that is closed. All are heard here."""

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

FROM_TERMINALS = frozenset({signal.SIGINT, signal.SIGHUP})
"""The signals that a terminal sends to all processes of a command, where the first process ends the others."""

_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_AGAIN_SECONDS = 0.01
_TO_THE_END = frozenset({"__del__", "__set_name__"})  # functions whose exceptions Python passes over, or takes for others

Hear = Callable[[int, FrameType | None], object]


@contextlib.contextmanager
def heard_by(hear: Hear) -> Iterator[None]:
    """Meanwhile these signals go to `hear`. It is for the main thread; elsewhere it does nothing.

    One that comes where an exception would be lost is heard a little later, at the latest when the context ends. Under `nohup`,
    which ignores SIGHUP, that is not heard.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's business
        return
    with _Again(hear) as again:
        before = {number: signal.signal(number, again.take) for number in _STOPS if not _is_ignored_hangup(number)}
        try:
            try:
                yield
            finally:
                again.end()
        finally:
            for number, handler in before.items():
                if not _is_ignored_hangup(number):
                    signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: not one of Python's


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """Let these signals be heard only when the context ends. It is for the main thread; elsewhere it does nothing.

    To block them in the thread is not enough: another thread may get them, and Python then interrupts the main one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    before = {number: signal.getsignal(number) for number in _STOPS}
    mine = {number: handler for number, handler in before.items() if callable(handler)}
    for number in mine:
        signal.signal(number, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        for number, handler in mine.items():
            signal.signal(number, handler)
        if heard:
            signal.raise_signal(heard[0])


def end_by_them() -> None:
    """Have them end this process, a copy of one that hears them."""
    for number in _STOPS:
        if not _is_ignored_hangup(number):
            signal.signal(number, signal.SIG_DFL)


def interrupt(_number: int, _frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, as Python does for Ctrl-C."""
    raise KeyboardInterrupt


class _Again:
    """Takes signals to `hear`, and sends those again that came where an exception would be lost."""

    def __init__(self, hear: Hear) -> None:
        self._hear = hear
        self._waiting: list[int] = []
        self._timers: list[threading.Timer] = []
        self._last: int = signal.SIGINT
        self._report = sys.unraisablehook

    def __enter__(self) -> "_Again":
        self._report, sys.unraisablehook = sys.unraisablehook, self._unraised
        return self

    def __exit__(self, *_: object) -> None:
        sys.unraisablehook = self._report

    def take(self, number: int, frame: FrameType | None) -> None:
        """What is called for a signal."""
        if _must_end(frame):
            self._send_later(number)
            return
        self._last = number
        if number == signal.SIGHUP:
            signal.signal(number, signal.SIG_IGN)  # a shell sends it again, which is nobody's impatience
        self._hear(number, frame)

    def end(self) -> None:
        """Hear at once what has not been sent again yet."""
        for timer in self._timers:
            timer.cancel()
            timer.join()
        if self._waiting:
            self._hear(self._waiting.pop(), None)

    def _unraised(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """Send again what was raised where nothing can be, as in a callback of a weak reference."""
        if unraisable.exc_type is KeyboardInterrupt:
            signal.signal(self._last, self.take)
            self._send_later(self._last)
        else:
            self._report(unraisable)

    def _send_later(self, number: int) -> None:
        self._waiting.append(number)
        self._timers.append(threading.Timer(_AGAIN_SECONDS, self._send, (threading.get_ident(),)))
        self._timers[-1].daemon = True
        self._timers[-1].start()

    def _send(self, thread: int) -> None:
        signal.pthread_kill(thread, self._waiting.pop())


def _must_end(frame: FrameType | None) -> bool:
    """Whether the code that a signal came to is not to be cut short, as the exception would be lost.

    So it is where LLVM has called it, as where compiled code is loaded: through that none can pass, and one may leave LLVM in
    the middle of its work, which ends the process.
    """
    while frame is not None:
        if frame.f_code.co_name in _TO_THE_END or str(frame.f_globals.get("__name__")).startswith("llvmlite.binding"):
            return True
        frame = frame.f_back
    return False


def _is_ignored_hangup(number: signal.Signals) -> bool:
    return number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN
