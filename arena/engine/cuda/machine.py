"""What compiled functions take from the machine itself (arena/engine/machine.py), with bodies for a card.

They are registered for numba-cuda when this module is imported: code that is lowered calls them by the names that it has.
"""

from typing import Any

import llvmlite.ir
import numba.cuda
import numpy as np
from numba.cuda import cgutils, types
from numba.cuda.extending import intrinsic, overload
from numba.cuda.np.numpy_support import carray, farray

from arena.engine import machine

KNOWN = (
    machine.popcount, machine.lowest_bit, machine.bit_length, machine.copy_state, machine.stack_array, machine.stack_states,
    machine.array_at, machine.columns_at, machine.add_together,
)  # fmt: skip
"""The functions that a card has."""


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


@overload(machine.stack_array, prefer_literal=True, inline="always")  # type: ignore[untyped-decorator]
def _stack_array(size: Any, kind: Any) -> Any:
    if not isinstance(size, types.IntegerLiteral):
        return None
    count, number = size.literal_value, kind.dtype
    return lambda size, kind: numba.cuda.local.array(count, number)


@overload(machine.stack_states, inline="always")  # type: ignore[untyped-decorator]
def _stack_states(states: Any) -> Any:
    record = states.dtype
    return lambda states: numba.cuda.local.array(1, record)


# Plain lambdas: numba compares the two signatures, annotations included.
overload(machine.copy_state)(lambda s, out: lambda s, out: _copy_record(s, out))
overload(machine.popcount)(lambda mask: lambda mask: np.int64(numba.cuda.popc(np.int64(mask))))
overload(machine.lowest_bit)(lambda mask: lambda mask: np.int64(numba.cuda.ffs(np.int64(mask))) - 1)
overload(machine.bit_length)(lambda mask: lambda mask: 64 - np.int64(numba.cuda.clz(np.int64(mask))))
overload(machine.add_together)(lambda out, place, number: lambda out, place, number: numba.cuda.atomic.add(out, place, number))
overload(machine.array_at, inline="always")(
    lambda address, shape, kind: lambda address, shape, kind: carray(_pointer(address), shape, kind)
)
overload(machine.columns_at, inline="always")(
    lambda address, shape, kind: lambda address, shape, kind: farray(_pointer(address), shape, kind)
)
