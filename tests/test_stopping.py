"""Signals that stop a program are heard, also where what they come to cannot pass an exception on."""

import ctypes
import signal
import threading
import weakref
from collections.abc import Callable, Iterator

import pytest

from arena.stopping import heard_by, interrupt

STOPS = (signal.SIGINT, signal.SIGTERM)
CALLED = """
def {}(number, done):
    signal.raise_signal(number)
    done.append(number)
"""
TO_THE_END = {
    "LLVM calls back": ("llvmlite.binding.executionengine", "notified"),
    "an object ends": ("arena.some", "__del__"),
    "a class gets its names": ("functools", "__set_name__"),
}
"""What is not to be cut short: module and function."""


def called(module: str, function: str) -> Callable[[int, list[int]], None]:
    """A function of this name that sends a signal to its own process."""
    names: dict[str, object] = {"__name__": module, "signal": signal}
    exec(CALLED.format(function), names)
    return names[function]  # type: ignore[return-value]


@pytest.mark.parametrize("number", STOPS)
@pytest.mark.parametrize(("module", "function"), TO_THE_END.values(), ids=TO_THE_END)
def test_a_signal_that_comes_where_exceptions_are_lost_is_heard_when_that_is_done(
    module: str, function: str, number: int
) -> None:
    """Raised at once, it was lost in six of 361 runs of `arena verify`, and one ended by a fault of the memory."""
    done: list[int] = []
    with pytest.raises(KeyboardInterrupt), heard_by(interrupt):
        called(module, function)(number, done)
        threading.Event().wait(60.0)
    assert done == [number]


def test_it_is_heard_at_the_latest_when_the_context_ends() -> None:
    """Later it would come to who did not ask for it, and end the process."""
    heard: list[int] = []
    with heard_by(lambda number, _: heard.append(number)):
        called("arena.some", "__del__")(signal.SIGTERM, [])
    assert heard == [signal.SIGTERM]


def test_what_a_destructor_calls_is_not_cut_short_either() -> None:
    done: list[int] = []

    class Dying:
        def __del__(self) -> None:
            called("arena.some", "closes")(signal.SIGINT, done)

    with pytest.raises(KeyboardInterrupt), heard_by(interrupt):
        Dying()
        threading.Event().wait(60.0)
    assert done == [signal.SIGINT]


def test_nothing_is_raised_through_a_callback_from_c() -> None:
    done: list[int] = []
    in_llvm = called("llvmlite.binding.executionengine", "_raw_object_cache_notify")
    with pytest.raises(KeyboardInterrupt), heard_by(interrupt):
        ctypes.CFUNCTYPE(None)(lambda: in_llvm(signal.SIGINT, done))()
        assert done == [signal.SIGINT]
        threading.Event().wait(60.0)


@pytest.mark.parametrize("number", [*STOPS, signal.SIGHUP])
@pytest.mark.usefixtures("hangup")
def test_it_is_not_lost_in_a_callback_of_a_weak_reference(number: int) -> None:
    kept = set[int]()
    with pytest.raises(KeyboardInterrupt), heard_by(interrupt):
        watched = weakref.ref(kept, lambda _: signal.raise_signal(number))
        del kept
        assert watched() is None
        threading.Event().wait(60.0)


@pytest.mark.parametrize("number", STOPS)
def test_elsewhere_a_signal_is_heard_at_once(number: int) -> None:
    before, done = signal.getsignal(number), list[int]()
    with pytest.raises(KeyboardInterrupt), heard_by(interrupt):
        signal.raise_signal(number)
        done.append(number)
    assert not done
    assert signal.getsignal(number) is before


@pytest.fixture
def hangup() -> Iterator[None]:
    """Undoes what becomes of SIGHUP, which is meant for a process that ends."""
    before = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hangup")
def test_a_terminal_is_closed_once() -> None:
    """Its shell sends the signal again, which must not count as a second Ctrl-C."""
    with heard_by(interrupt):
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGHUP)
    signal.raise_signal(signal.SIGHUP)


@pytest.mark.usefixtures("hangup")
def test_nohup_is_heeded() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with heard_by(interrupt):
        signal.raise_signal(signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_llvm_calls_back_in_the_module_that_is_looked_for() -> None:
    from llvmlite.binding.executionengine import ExecutionEngine

    assert ExecutionEngine._raw_object_cache_notify.__module__.startswith("llvmlite.binding")
