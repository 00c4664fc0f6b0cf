"""The signals by which a program is stopped: Ctrl-C, SIGTERM, and SIGHUP of a terminal that is closed. All are heard here."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

FROM_TERMINALS = frozenset({signal.SIGINT, signal.SIGHUP})
"""The signals that a terminal sends to all processes of a command, where the first process ends the others."""

_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_AGAIN_SECONDS = 0.01
_LOSING = frozenset({"__del__", "__set_name__"})  # functions whose exceptions Python passes over, or takes for others
_IMPORTS = "importlib._bootstrap"  # here some are called when a weak reference ends, which loses them, too

Hear = Callable[[int, FrameType | None], object]


@contextlib.contextmanager
def heard_by(hear: Hear) -> Iterator[None]:
    """Meanwhile these signals go to `hear`. It is for the main thread; elsewhere it does nothing.

    Under `nohup`, which ignores SIGHUP, that is not heard.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's business
        return

    def take(number: int, frame: FrameType | None) -> None:
        if _loses_exceptions(frame):
            _send_again(number)
            return
        if number == signal.SIGHUP:
            signal.signal(number, signal.SIG_IGN)  # a shell sends it again, which is nobody's impatience
        hear(number, frame)

    before = {number: signal.signal(number, take) for number in _STOPS if not _is_ignored_hangup(number)}
    try:
        yield
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


def _loses_exceptions(frame: FrameType | None) -> bool:
    """Whether an exception in the code that a signal came to would be lost.

    So it is where LLVM has called it, as where compiled code is loaded: through that none can pass, and one may leave LLVM in
    the middle of its work, which ends the process.
    """
    if frame is not None and (frame.f_code.co_name in _LOSING or frame.f_globals.get("__name__") == _IMPORTS):
        return True
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith("llvmlite.binding"):
            return True
        frame = frame.f_back
    return False


def _send_again(number: int) -> None:
    """Send a signal to this thread once more, a little later."""
    later = threading.Timer(_AGAIN_SECONDS, signal.pthread_kill, (threading.get_ident(), number))
    later.daemon = True
    later.start()


def _is_ignored_hangup(number: signal.Signals) -> bool:
    return number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN
