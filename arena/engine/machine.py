"""What rules and search take from the machine itself: bits of a word, memory, the clock. Compiled functions call these by name.

Each is plain Python below, and has a body of its own in compiled code: one instruction, or a few.
"""

import time
from types import SimpleNamespace
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.typing.npydecl import parse_dtype
from numba.extending import intrinsic, lower_builtin, overload, type_callable
from numba.np.arrayobj import make_array, populate_array

_WORD = 8  # bytes: what working memory is aligned to


def popcount(mask: int) -> int:
    """Number of set bits of a mask of at most 62 bits."""
    return int(mask).bit_count()


def lowest_bit(mask: int) -> int:
    """Index of the lowest set bit of a non-zero mask of at most 62 bits."""
    value = int(mask)
    return (value & -value).bit_length() - 1


def bit_length(mask: int) -> int:
    """How many bits a mask of at most 62 bits needs: the index of its highest set bit + 1, or 0."""
    return int(mask).bit_length()


def copy_state(s: Any, out: Any) -> None:
    """Overwrite `out` with all of `s`, a state of the same game: one block of memory, in compiled code."""
    out.setfield(np.void(s.tobytes()), f"V{s.dtype.itemsize}")


def stack_array(size: int, kind: Any) -> Any:
    """Working memory: an uninitialised array [size] on the stack of the compiled function that asks for it.

    It is gone when that function returns, so it must not be returned; functions that are called may use it. A call that is
    reached again, in a loop, gives the same memory with what it held. `size`: a number, or the name of a constant of the
    module, as the compiler has to know it; where it varies, the most that is possible, and then a slice. `kind`: of the
    numbers, such as `np.int64`. A graphics card has no other memory; a processor need not allocate, free, count references.
    """
    return np.empty(size, kind)


def stack_states(states: Any) -> Any:
    """Working memory as `stack_array`: an uninitialised array of one record of the same type as those in `states`."""
    return np.empty(1, states.dtype)


def array_at(address: int, shape: tuple[int, ...], kind: Any) -> Any:
    """The array that lies at an address, in C order. Whoever calls keeps it alive, and knows its shape and kind of numbers.

    For entries that get many arrays: Python hands over a list of addresses in less time than the arrays.
    """
    described = {"version": 3, "data": (address, False), "shape": shape, "typestr": np.dtype(kind).str}
    return np.asarray(SimpleNamespace(__array_interface__=described))


def columns_at(address: int, shape: tuple[int, ...], kind: Any) -> Any:
    """The array that lies at an address with its first axis side by side (Fortran's order), as `array_at`."""
    return array_at(address, shape[::-1], kind).T


def add_together(out: Any, place: int, number: int) -> None:
    """Add a number to a place of an array to which the lanes of a card add at the same time."""
    out[place] += number


def thread_nanoseconds() -> int:
    """CPU time of the calling thread so far; about half a microsecond to read, in compiled code too."""
    return time.thread_time_ns()


OWNING_NOTHING = (stack_array, stack_states, array_at, columns_at)
"""What gives arrays that need no count of references."""


@type_callable(stack_array)  # type: ignore[untyped-decorator]
def _type_of_stack_array(_context: Any) -> Any:
    def typed(size: Any, kind: Any) -> Any:
        if not isinstance(size, types.IntegerLiteral):
            raise TypingError("stack_array: the size must be a number, or the name of a constant of the module")
        if size.literal_value < 1:
            raise TypingError(f"stack_array: the size must be at least 1, not {size.literal_value}")
        number = parse_dtype(kind)
        return None if number is None else types.Array(number, 1, "C")

    return typed


@lower_builtin(stack_array, types.IntegerLiteral, types.Any)  # type: ignore[untyped-decorator]
def _build_stack_array(context: Any, builder: Any, signature: Any, _args: Any) -> Any:
    """Lay the array on the stack of the function that asks: an overload is a function of its own, whose memory ends with it."""
    return _on_stack(context, builder, signature.return_type, signature.args[0].literal_value)


@type_callable(stack_states)  # type: ignore[untyped-decorator]
def _type_of_stack_states(_context: Any) -> Any:
    def typed(states: Any) -> Any:
        is_known = isinstance(states, types.Array) and isinstance(states.dtype, types.Record)
        return types.Array(states.dtype, 1, "C") if is_known else None

    return typed


@lower_builtin(stack_states, types.Array)  # type: ignore[untyped-decorator]
def _build_stack_states(context: Any, builder: Any, signature: Any, _args: Any) -> Any:
    return _on_stack(context, builder, signature.return_type, 1)


def _on_stack(context: Any, builder: Any, array_type: Any, size: int) -> Any:
    """An array over memory of the entry block: there it is part of the frame, wherever in the function it is asked for."""
    kind = context.get_data_type(array_type.dtype)
    count = llvmlite.ir.Constant(llvmlite.ir.IntType(64), size)
    with builder.goto_entry_block():
        memory = builder.alloca(kind, count)
        memory.align = _WORD
    array = make_array(array_type)(context, builder)
    item = context.get_constant(types.intp, context.get_abi_sizeof(kind))
    shape = [context.get_constant(types.intp, size)]
    populate_array(array, data=memory, shape=shape, strides=[item], itemsize=item, meminfo=None)
    return array._getvalue()


@intrinsic  # type: ignore[untyped-decorator]
def _thread_nanoseconds(_typing: Any) -> Any:
    """The C library's `clock_gettime` by its name: an address, as ctypes gives one, could not be cached."""

    def build(_context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        word, number = llvmlite.ir.IntType(64), llvmlite.ir.IntType(32)
        pair = llvmlite.ir.ArrayType(word, 2)  # struct timespec: seconds, nanoseconds
        read = cgutils.get_or_insert_function(
            builder.module, llvmlite.ir.FunctionType(number, [number, pair.as_pointer()]), "clock_gettime"
        )
        place = cgutils.alloca_once(builder, pair)
        builder.call(read, [llvmlite.ir.Constant(number, time.CLOCK_THREAD_CPUTIME_ID), place])
        seconds, rest = (builder.load(cgutils.gep_inbounds(builder, place, 0, part)) for part in range(2))
        return builder.add(builder.mul(seconds, llvmlite.ir.Constant(word, 10**9)), rest)

    return types.int64(), build


@intrinsic  # type: ignore[untyped-decorator]
def _pointer(_typing: Any, _address: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.voidptr(types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def _copy_record(_typing: Any, source: Any, target: Any) -> Any:
    def build(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        cgutils.raw_memcpy(builder, args[1], args[0], llvmlite.ir.Constant(llvmlite.ir.IntType(64), source.size), 1)
        return context.get_dummy_value()

    return types.void(source, target), build


@intrinsic  # type: ignore[untyped-decorator]
def _population_count(_typing: Any, _mask: Any) -> Any:
    return types.int64(types.int64), lambda _context, builder, _signature, args: builder.ctpop(args[0])


@intrinsic  # type: ignore[untyped-decorator]
def _count_trailing_zeros(_typing: Any, _mask: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], llvmlite.ir.Constant(llvmlite.ir.IntType(1), 0))

    return types.int64(types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def _count_leading_zeros(_typing: Any, _mask: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], llvmlite.ir.Constant(llvmlite.ir.IntType(1), 0))

    return types.int64(types.int64), build


def _add(out, place, number):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202  # as for the lambdas below
    out[place] += number


overload(thread_nanoseconds)(lambda: lambda: _thread_nanoseconds())
# Plain lambdas: numba compares the two signatures, annotations included.
overload(array_at)(lambda address, shape, kind: lambda address, shape, kind: numba.carray(_pointer(address), shape, kind))
overload(columns_at)(lambda address, shape, kind: lambda address, shape, kind: numba.farray(_pointer(address), shape, kind))
overload(add_together)(lambda out, place, number: _add)
overload(copy_state)(lambda s, out: (lambda s, out: _copy_record(s, out)) if s == out else None)
overload(popcount)(lambda mask: lambda mask: _population_count(mask))
overload(bit_length)(lambda mask: lambda mask: 64 - _count_leading_zeros(mask))
overload(lowest_bit)(lambda mask: lambda mask: _count_trailing_zeros(mask))
