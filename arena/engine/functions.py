"""Functions of numbers with a fraction that give the same bits on every machine: sums and products alone, in one order.

What the C library of a system or of a card gives for `exp` differs in the last digit, and in a match that can be the choice
between two actions. Compiled code never contracts what is written here.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import generic

_PARTS = 128  # of a power of two
_BITS = 200  # behind the point, of what the table is worked out from
_PER_LN2 = _PARTS / math.log(2.0)
_LN2_HIGH, _LN2_LOW = float.fromhex("0x1.62e42fefa0000p-8"), float.fromhex("0x1.cf79abc9e3b39p-47")  # of one part
# A polynomial for exp(r) - 1 - r: Arm's optimized routines, math/exp_data.c, which glibc has, too.
_C2, _C3 = float.fromhex("0x1.ffffffffffdbdp-2"), float.fromhex("0x1.555555555543cp-3")
_C4, _C5 = float.fromhex("0x1.55555cf172b91p-5"), float.fromhex("0x1.1111167a4d017p-7")
_LEAST, _MOST = -708.0, 709.0  # within these the result is a normal number
_SPLIT = 134217729.0  # 2^27 + 1: halves the digits of a number
_NEAR = 0.3  # here the Pade approximant of tanh is exact to the last digits, and 1 - exp(-2x) is not
_FAR = 20.0  # from here on tanh is 1 to all digits


def _roots() -> NDArray[np.float64]:
    """[128, 2]: the powers of two from 0 to 1 in steps of 1/128, and what each lacks, as a share of it."""
    step = 2 << _BITS
    for _ in range(_PARTS.bit_length() - 1):
        step = math.isqrt(step << _BITS)
    exact = [1 << _BITS]
    for _ in range(_PARTS - 1):
        exact.append(exact[-1] * step >> _BITS)
    kept = [one / (1 << _BITS) for one in exact]  # rounded once, as quotients of whole numbers are
    whole = [int(math.ldexp(one, _BITS)) for one in kept]
    return np.array([(high, (one - own) / own) for one, high, own in zip(exact, kept, whole)])


_ROOTS: Any = _roots()
_POWERS: Any = np.array([math.ldexp(1.0, power) for power in range(-1022, 1024)])


@generic
def exponential(x: float) -> float:
    """The exponential function, right to 0.52 units in the last place; 0 below -708, infinity above 709."""
    if not _LEAST <= x <= _MOST:
        return x if x != x else math.inf if x > 0.0 else 0.0
    steps = math.floor(x * _PER_LN2 + 0.5)
    r = (x - steps * _LN2_HIGH) - steps * _LN2_LOW
    whole = int(steps) >> 7
    part = int(steps) & (_PARTS - 1)
    squared = r * r
    root = _ROOTS[part, 0]
    rest = (_ROOTS[part, 1] + r + squared * (_C2 + r * _C3)) + squared * squared * (_C4 + r * _C5)
    return float((root + root * rest) * _POWERS[whole + 1022])


@generic
def hyperbolic_tangent(x: float) -> float:
    """The hyperbolic tangent, right to 3.5 units in the last place; of what is no number the same."""
    size = abs(x)
    if size < _NEAR:
        squared = x * x
        above = x * (135135.0 + squared * (17325.0 + squared * (378.0 + squared)))
        return above / (135135.0 + squared * (62370.0 + squared * (3150.0 + squared * 28.0)))
    value = 1.0
    if size < _FAR:
        left = exponential(-2.0 * size)
        value = (1.0 - left) / (1.0 + left)
    return x if x != x else value if x > 0.0 else -value


@generic
def power(base: float, exponent: int) -> float:
    """A number to the power of a whole number of 0 or more, right to the last place: its rounding errors are carried along.

    Not for results that are too large for a number.
    """
    value = 1.0
    rest = 0.0
    for _ in range(exponent):
        product = value * base
        rest = rest * base + _lost(value, base, product)
        value = product + rest
        rest -= value - product
    return value


@generic
def _lost(a: float, b: float, product: float) -> float:
    """What a product lacks of the exact one (Dekker 1971, "A floating-point technique for extending the precision")."""
    scaled = _SPLIT * a
    a_high = scaled - (scaled - a)
    scaled = _SPLIT * b
    b_high = scaled - (scaled - b)
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
