"""The compiled functions of one game as functions of a card, out of the very sources that the CPU's are made of.

What `jit.jit`, `jit.generic` and their like mark is taken as plain Python, and the names in it that stand for other compiled
functions are bound to those of the card. A stub of contract.py is bound to the one game.
"""

import dis
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, cast

import numba.cuda
from numba.core.registry import CPUDispatcher

from arena.engine import jit
from arena.engine.cuda import machine
from arena.engine.linking import Chosen


class Lowering:
    """The functions of the card for one game, each made when it is first asked for."""

    def __init__(self, record: Any, instead: Mapping[str, Callable[..., Any]]) -> None:
        """`record`: the dtype of the game's states; `instead`: what takes the place of stubs, by their names."""
        self._record = record
        self._instead = instead
        self._lowered: dict[Callable[..., Any], Any] = {}

    def of(self, function: Callable[..., Any]) -> Any:
        """The function of the card, as kernels and other such functions call it."""
        found = self._lowered.get(function)
        if found is None:
            plain: FunctionType = function.py_func if isinstance(function, CPUDispatcher) else cast(FunctionType, function)
            scope = dict(plain.__globals__)
            rebound = FunctionType(plain.__code__, scope, plain.__name__, plain.__defaults__, plain.__closure__)
            # numba tells functions apart by these:
            rebound.__module__, rebound.__qualname__ = plain.__module__, plain.__qualname__
            found = self._lowered[function] = numba.cuda.jit(rebound, device=True)
            for name in _globals_of(plain):
                scope[name] = self._bound(scope[name])
        return found

    def _bound(self, value: Any) -> Any:
        """What a name stands for on the card: another function if it is a compiled one, else the same."""
        if isinstance(value, CPUDispatcher):
            return self.of(value)
        if not isinstance(value, FunctionType) or value in machine.KNOWN:
            return value
        if value in jit.WRITTEN:
            return self.of(jit.WRITTEN[value](self._record))
        called = getattr(value, "_dispatcher", None)
        if isinstance(called, Chosen):
            other = self._instead.get(value.__name__)
            return self.of(called.function_of(jit.record_type(self._record)) if other is None else other)
        return value if called is None else self.of(value)


def _globals_of(function: FunctionType) -> set[str]:
    """The names of the module that a function reads."""
    read = {one.argval for one in dis.get_instructions(function.__code__) if one.opname == "LOAD_GLOBAL"}
    return read & function.__globals__.keys()
