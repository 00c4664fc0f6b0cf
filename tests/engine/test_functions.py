"""Functions of numbers with a fraction beside mpmath's: how near they come, and the same bits compiled and in plain Python."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from arena.engine import jit
from arena.engine.functions import exponential, hyperbolic_tangent, power

DIGITS = 60
COUNT = 1500
EXPONENTS = 40
EXPONENTIAL, TANGENT, POWER = range(3)
LEAST_NORMAL = 2.0**-1022


def all_of(numbers: Any, out: Any) -> None:
    """A column for each function; powers with all exponents in turn."""
    for place in range(len(numbers)):
        number = float(numbers[place])  # of numpy's own numbers plain Python would say that they overflow
        out[place, EXPONENTIAL] = exponential(number)
        out[place, TANGENT] = hyperbolic_tangent(number)
        out[place, POWER] = power(number, place % EXPONENTS)


def values(function: int, numbers: NDArray[np.float64], *, is_compiled: bool = True) -> NDArray[np.float64]:
    found = np.zeros((len(numbers), 3))
    (jit.bind(all_of, jit.ENGINE) if is_compiled else all_of)(numbers, found)
    return found[:, function].copy()


def spread(most: float, seed: int) -> NDArray[np.float64]:
    """Numbers of both signs, many small ones and many up to `most`, and both ends of it."""
    rng = np.random.default_rng(seed)
    even = rng.uniform(-most, most, COUNT // 2)
    tiny = rng.choice([-1, 1], COUNT // 2) * most * 2.0 ** -rng.uniform(0, 60, COUNT // 2)
    return np.concatenate([even, tiny, [-most, most, 0.0]])


def errors(found: NDArray[np.float64], exact: list[Any]) -> NDArray[np.float64]:
    """How far numbers are from the exact ones, in units of their last place."""
    with mpmath.workdps(DIGITS):
        return np.array([
            float(abs(mpmath.mpf(float(one)) - other) / math.ulp(float(other))) for one, other in zip(found, exact, strict=True)
        ])  # fmt: skip


def exactly(function: Any, numbers: NDArray[np.float64]) -> list[Any]:
    with mpmath.workdps(DIGITS):
        return [function(mpmath.mpf(float(number))) for number in numbers]


@pytest.mark.parametrize("most", [1.0, 30.0, 708.0])
def test_the_exponential_function_is_nearly_as_near_as_can_be(most: float) -> None:
    """0.5 would be the nearest number always."""
    numbers = spread(most, 1)
    assert errors(values(EXPONENTIAL, numbers), exactly(mpmath.exp, numbers)).max() <= 0.52


@pytest.mark.parametrize("most", [0.3, 1.0, 25.0])
def test_the_hyperbolic_tangent_is_right_to_the_last_places(most: float) -> None:
    numbers = np.concatenate([spread(most, 2), np.nextafter([0.3, 20.0], 0), np.nextafter([0.3, 20.0], 30)])
    found, exact = values(TANGENT, numbers), exactly(mpmath.tanh, numbers)
    assert errors(found, exact).max() <= 3.5


def test_a_power_is_right_to_the_last_place() -> None:
    """A number nearer to the exact one there is not."""
    numbers = np.concatenate([np.random.default_rng(3).uniform(0.5, 1.5, COUNT), np.linspace(-2, 2, 10 * EXPONENTS)])
    found = values(POWER, numbers)
    with mpmath.workdps(DIGITS):
        exact = [float(mpmath.mpf(float(number)) ** (place % EXPONENTS)) for place, number in enumerate(numbers)]
    assert found.tolist() == exact


@pytest.mark.parametrize(("function", "most"), [(EXPONENTIAL, 709.0), (TANGENT, 25.0), (POWER, 2.0)])
def test_the_bits_are_the_same_compiled_and_in_plain_python(function: int, most: float) -> None:
    numbers = spread(most, 4)
    assert values(function, numbers).tobytes() == values(function, numbers, is_compiled=False).tobytes()


BOTH = pytest.mark.parametrize("is_compiled", [False, True])


@BOTH
def test_the_exponential_function_of_special_numbers(is_compiled: bool) -> None:
    """What would be no normal number is 0; what has no number is infinite."""
    ends = [-708.0, -708.0000001, 709.0, 709.0000001, 1e300, -1e300, math.inf, -math.inf, 0.0, -0.0, 5e-324, -5e-324]
    found = values(EXPONENTIAL, np.array(ends), is_compiled=is_compiled).tolist()
    assert found[0] > LEAST_NORMAL and found[2] < math.inf
    assert [found[place] for place in (0, 2)] == pytest.approx([math.exp(-708), math.exp(709)], rel=1e-15)
    assert found[1:2] + found[3:] == [0.0, math.inf, math.inf, 0.0, math.inf, 0.0, 1.0, 1.0, 1.0, 1.0]
    assert math.isnan(values(EXPONENTIAL, np.array([math.nan]), is_compiled=is_compiled)[0])


@BOTH
def test_the_hyperbolic_tangent_of_special_numbers(is_compiled: bool) -> None:
    numbers = np.array([0.0, -0.0, math.inf, -math.inf, 20.0, -20.0, 1e300, 5e-324, -5e-324, 1e-300])
    found = values(TANGENT, numbers, is_compiled=is_compiled)
    expected = [0.0, -0.0, 1.0, -1.0, 1.0, -1.0, 1.0, 5e-324, -5e-324, 1e-300]
    assert found.tolist() == expected and np.signbit(found).tolist() == np.signbit(expected).tolist()
    assert math.isnan(values(TANGENT, np.array([math.nan]), is_compiled=is_compiled)[0])


@BOTH
def test_the_hyperbolic_tangent_of_the_opposite_is_the_opposite(is_compiled: bool) -> None:
    numbers = spread(25.0, 5)
    opposite = values(TANGENT, -numbers, is_compiled=is_compiled)
    assert opposite.tobytes() == (-values(TANGENT, numbers, is_compiled=is_compiled)).tobytes()


@BOTH
def test_powers_of_special_numbers(is_compiled: bool) -> None:
    """By exponents 0, 1, 2, where the others come to their limits, too: a power that is too small is 0."""
    for base in (0.0, -0.0, -3.0, 1.0, 1e-160, 1e-200, 5e-324, 1e154):
        assert values(POWER, np.full(3, base), is_compiled=is_compiled).tolist() == [1.0, base, base * base], base
    for base in (math.inf, 1e308, math.nan):
        assert values(POWER, np.array([base]), is_compiled=is_compiled).tolist() == [1.0]
