"""What compiled code takes from the machine: bits, states copied whole, arrays at addresses, working memory on the stack."""

from typing import Any

import numba
import numpy as np
import pytest

from arena import games
from arena.engine import jit, machine

BOTH = pytest.mark.parametrize("is_compiled", [False, True])
KIND = np.dtype((np.record, np.dtype([("number", "i8"), ("table", "u4", (2, 2)), ("few", "i1", (3,))], align=True)))
LENGTH = 5
TOO_SMALL = 0


def entry(function: Any, is_compiled: bool) -> Any:
    return jit.bind(function, jit.ENGINE) if is_compiled else function


@pytest.mark.parametrize("mask", [1, 2, 0b1010_0000, (1 << 50) | 1, (1 << 61) - 1])
def test_bits(mask: int) -> None:
    assert machine.popcount(mask) == bin(mask).count("1")
    assert machine.lowest_bit(mask) == len(bin(mask)) - 1 - bin(mask).rindex("1")


def copy_first(states: Any) -> None:
    machine.copy_state(states[0], states[1])


def last_at(address: int) -> float:
    return float(machine.array_at(address, (2, 3), np.float64)[1, 2])


@BOTH
def test_a_state_is_copied_whole_and_no_further(is_compiled: bool) -> None:
    """With the gaps between its fields: states are compared by their bytes."""
    assert KIND.itemsize == 32 and sum(kind.itemsize for kind, _ in (KIND.fields or {}).values()) == 27
    states = np.frombuffer(bytearray(range(3 * KIND.itemsize)), KIND)
    before = [state.tobytes() for state in states]
    entry(copy_first, is_compiled)(states)
    assert [state.tobytes() for state in states] == [before[0], before[0], before[2]]


@BOTH
def test_an_array_is_found_by_its_address(is_compiled: bool) -> None:
    last = entry(last_at, is_compiled)
    numbers = np.arange(6.0)
    assert last(numbers.ctypes.data) == 5.0
    numbers[5] = 7.0
    assert last(numbers.ctypes.data) == 7.0


def test_an_array_at_an_address_may_be_empty() -> None:
    empty = np.zeros((0, 4))
    assert machine.array_at(empty.ctypes.data, empty.shape, np.float64).shape == (0, 4)


@jit.generic
def fill(numbers: Any, first: float) -> None:
    for i in range(len(numbers)):
        numbers[i] = first + i


@jit.generic
def add_up(numbers: Any) -> float:
    """From memory of its own, filled with something else after it was read."""
    copy = machine.stack_array(LENGTH, np.float64)
    total = 0.0
    for i in range(len(numbers)):
        copy[i] = numbers[i]
        total += copy[i]
    copy[:] = -1.0
    return total


def all_kinds(out: Any) -> None:
    """Five arrays of one function, all written before the first is read; each is passed on."""
    wide, narrow = machine.stack_array(LENGTH, np.int64), machine.stack_array(LENGTH, np.int8)
    double, single = machine.stack_array(LENGTH, np.float64), machine.stack_array(LENGTH, np.float32)
    flags = machine.stack_array(LENGTH, np.bool_)
    fill(wide, 1 << 40)
    fill(narrow, 100)
    fill(double, 0.1)
    fill(single, 0.5)
    flags[:] = True
    flags[2] = False
    out[0] = add_up(wide)
    out[1] = add_up(narrow)
    out[2] = add_up(double)
    out[3] = add_up(single)
    out[4] = add_up(flags)


@BOTH
def test_arrays_of_one_function_and_of_those_that_it_calls_do_not_overlap(is_compiled: bool) -> None:
    out = np.zeros(5)
    entry(all_kinds, is_compiled)(out)
    assert out.tolist() == [5 * 2**40 + 10, 510, sum(0.1 + i for i in range(5)), 12.5, 4]


def rounds(count: int) -> float:
    """Memory asked for in a loop, of which a slice is used, and by a function that is called in it."""
    total = 0.0
    for number in range(count):
        numbers = machine.stack_array(LENGTH, np.int64)
        numbers[:] = 0
        part = numbers[: number % LENGTH]
        fill(part, number)
        total += add_up(part) + add_up(numbers)
    return total


@BOTH
def test_memory_may_be_asked_for_again_and_again(is_compiled: bool) -> None:
    """A million times 40 bytes for each of two arrays would not fit into any stack."""
    count = 1_000_000 if is_compiled and jit.ENABLED else 100
    expected = sum(2 * (number + i) for number in range(count) for i in range(number % LENGTH))
    assert entry(rounds, is_compiled)(count) == expected


def swap(states: Any) -> None:
    spare = machine.stack_states(states)
    machine.copy_state(states[0], spare[0])  # all bytes: an assignment in plain Python leaves gaps as they were
    machine.copy_state(states[1], states[0])
    machine.copy_state(spare[0], states[1])


@BOTH
def test_a_state_of_working_memory_is_like_those_of_an_array(is_compiled: bool) -> None:
    states = np.frombuffer(bytearray(range(3 * KIND.itemsize)), KIND)
    before = [state.tobytes() for state in states]
    entry(swap, is_compiled)(states)
    assert [state.tobytes() for state in states] == [before[1], before[0], before[2]]


def of_a_size_that_varies(count: int) -> int:
    return int(machine.stack_array(count, np.int64)[0])


def of_a_sum(_count: int) -> int:
    return int(machine.stack_array(LENGTH + 1, np.int64)[0])


def of_nothing(_count: int) -> int:
    return len(machine.stack_array(TOO_SMALL, np.int64))


@pytest.mark.skipif(not jit.ENABLED, reason="the compiler is off")
@pytest.mark.parametrize(
    ("function", "why"),
    [
        (of_a_size_that_varies, "the name of a constant"),
        (of_a_sum, "the name of a constant"),
        (of_nothing, "at least 1, not 0"),
    ],
)
def test_sizes_that_the_compiler_does_not_know_are_refused(function: Any, why: str) -> None:
    with pytest.raises(numba.TypingError, match=why):
        jit.bind(function, jit.ENGINE)(3)


def beyond(place: int) -> int:
    numbers = machine.stack_array(LENGTH, np.int64)
    numbers[:] = 1
    return int(numbers[place])


@BOTH
def test_indices_into_working_memory_are_checked(is_compiled: bool) -> None:
    read = entry(beyond, is_compiled)
    assert read(LENGTH - 1) == 1
    with pytest.raises(IndexError):
        read(LENGTH)


@pytest.mark.parametrize("name", games.names())
def test_each_number_of_a_games_record_lies_at_a_multiple_of_its_size(name: str) -> None:
    """In every record of an array; and compiled code is told so, as it would else read byte by byte on a graphics card."""
    record = games.load(name).rules.STATE
    assert record.itemsize % 8 == 0
    assert all(offset % kind.base.itemsize == 0 for kind, offset in record.fields.values())
    assert numba.from_dtype(record).aligned
