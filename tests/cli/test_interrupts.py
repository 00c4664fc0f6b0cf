"""Ctrl-C and its like: in what LLVM calls or a destructor, where Python would lose it; and what is said of it."""

import ctypes
import signal
import weakref
from collections.abc import Iterator

import pytest

from arena.cli import main
from arena.cli.shared.exit_codes import INTERRUPTED
from arena.cli.shared.running import Interrupts


def pressed_in(name: str) -> None:
    """Press Ctrl-C in a function of this name, which C calls."""
    places: dict[str, object] = {"raise_signal": signal.raise_signal, "SIGINT": signal.SIGINT}
    exec(f"def {name}():\n    raise_signal(SIGINT)\n    return 0\n", places)
    ctypes.CFUNCTYPE(ctypes.c_int)(places[name])()


def test_it_is_heeded_at_once_and_in_a_callback_from_llvm_at_the_next_look() -> None:
    interrupts, before = Interrupts(), signal.getsignal(signal.SIGINT)
    with interrupts.heeded():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        interrupts.look()  # it was raised already
        pressed_in("_raw_object_cache_notify")
        with pytest.raises(KeyboardInterrupt):
            interrupts.look()
        interrupts.look()
    assert signal.getsignal(signal.SIGINT) is before


class Dying:
    """Presses Ctrl-C as it goes."""

    def __init__(self) -> None:
        self.is_disposed = [False]

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)
        self.is_disposed[0] = True


def test_it_is_held_back_in_a_destructor_which_goes_on_to_its_end() -> None:
    interrupts = Interrupts()
    with interrupts.heeded():
        dying = Dying()
        is_disposed = dying.is_disposed
        del dying
        assert is_disposed == [True]
        with pytest.raises(KeyboardInterrupt):
            interrupts.look()


def test_it_is_not_lost_in_a_callback_of_a_weak_reference() -> None:
    interrupts, kept = Interrupts(), set[int]()
    with interrupts.heeded():
        watched = weakref.ref(kept, lambda _: signal.raise_signal(signal.SIGINT))
        del kept
        assert watched() is None
        with pytest.raises(KeyboardInterrupt):
            interrupts.look()


def test_sigterm_is_as_ctrl_c_is() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with Interrupts().heeded(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.fixture
def hangup() -> Iterator[None]:
    """Undoes what becomes of SIGHUP, which is meant for a process that ends."""
    before = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hangup")
def test_a_terminal_is_closed_once() -> None:
    """Its shell sends the signal again, which must not count as a second Ctrl-C."""
    with Interrupts().heeded():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGHUP)
    signal.raise_signal(signal.SIGHUP)


@pytest.mark.usefixtures("hangup")
def test_nohup_is_heeded() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with Interrupts().heeded():
        signal.raise_signal(signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_llvmlite_calls_back_by_the_names_that_are_looked_for() -> None:
    from llvmlite.binding.executionengine import ExecutionEngine

    assert hasattr(ExecutionEngine, "_raw_object_cache_notify") and hasattr(ExecutionEngine, "_raw_object_cache_getbuffer")


def test_a_command_that_is_interrupted_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def waits() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "command", lambda _name: waits)
    assert main.main(["doctor"]) == INTERRUPTED
    assert capsys.readouterr().err == "\narena: interrupted\n"
