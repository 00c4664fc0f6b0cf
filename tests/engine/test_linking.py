"""Compiled functions that call each other: lowered once each, linked whole into what Python calls, with indices checked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from arena import games, search
from arena.engine import jit, linking
from arena.engine.linking import Entry
from arena.engine.machine import array_at, stack_array
from arena.engine.rng import below, seed_words
from arena.games.naga import hands

pytestmark = pytest.mark.skipif(not jit.ENABLED, reason="the compiler is off")

NUMBERS = np.arange(10)


def entry(function: Any) -> Entry:
    return Entry(function, jit.SETTINGS)


@jit.generic
def at(numbers: Any, place: int) -> int:
    return int(numbers[place])


@jit.generic
def twice(numbers: Any, place: int) -> int:
    return 2 * at(numbers, place)


@jit.generic
def in_vain(numbers: Any, place: int) -> int:
    """Its call of `at` goes away when it is optimized, so that nothing refers to `at` when this is linked."""
    at(numbers, 0)
    return place


def both(numbers: Any, place: int) -> int:
    return in_vain(numbers, place) + twice(numbers, place) + at(numbers, 3)


def test_an_entry_links_all_that_it_reaches() -> None:
    assert entry(both)(NUMBERS, 2) == both(NUMBERS, 2) == 9


def strengths(hand: int, trump: int) -> int:
    return hands.strength(hand, 4, trump, 0, 0, 0) + hands.strength(hand, 5, trump, 1, 1, 0)


def test_what_an_entry_links_is_private_to_it() -> None:
    """So the optimizer may inline what is called once, and passes nothing that nobody reads."""
    compiled = entry(strengths)
    compiled(0b1111, 1)
    (found,) = compiled.overloads.values()
    linkages = {function.name: function.linkage.name for function in found.library.get_defined_functions()}
    assert any("strength" in name and "strengths" not in name for name in linkages)  # it is too long to be inlined twice
    assert all("strengths" in name for name, linkage in linkages.items() if linkage != "internal")


def test_a_constant_and_a_number_share_a_signature() -> None:
    entry(both)(NUMBERS, 2)
    entry(both)(NUMBERS.copy(), 3)
    assert len(at._numba_type_.dispatcher.overloads) == 1  # type: ignore[attr-defined]


def test_indices_are_checked_at_every_depth() -> None:
    with pytest.raises(IndexError):
        entry(both)(NUMBERS, 10)


def test_an_entry_may_call_another_one() -> None:
    """Compiled code gets the other one linked: nothing is compiled twice, and no wrapper for Python is called."""
    inner = entry(both)

    def outer(numbers: Any, place: int) -> int:
        return inner(numbers, place) + 1

    assert entry(outer)(NUMBERS, 2) == 10
    assert not inner.overloads


def test_functions_that_numba_compiles_alone_may_call_ours() -> None:
    """A bot's author uses numba, too, and calls a game's functions from there."""

    @numba.njit  # type: ignore[untyped-decorator]
    def alone(rng: Any, hand: int) -> int:
        return below(rng, 100) + hands.strength(hand, 4, 1, 0, 0, 0)

    assert alone(seed_words(7), 0b1111) == below(seed_words(7), 100) + hands.strength(0b1111, 4, 1, 0, 0, 0)


def test_functions_of_compiled_code_are_plain_for_python() -> None:
    assert [below(rng, 6) for rng in [seed_words(1)] for _ in range(5)] == [
        entry(lambda rng: below(rng, 6))(rng) for rng in [seed_words(1)] for _ in range(5)
    ]


@jit.generic
def evens(count: int) -> Any:
    """A new array: who calls this owns it."""
    numbers = np.empty(count, np.int64)
    for i in range(count):
        numbers[i] = 2 * i
    return numbers


@jit.generic
def rest(numbers: Any) -> Any:
    """A view: of what is given, with a reference of its own."""
    return numbers[1:]


@jit.generic
def total(numbers: Any) -> int:
    """Views that nobody else gets."""
    both, found = (numbers[1:], numbers[:2]), 0
    for number in both[0]:
        found += number
    return found + int(both[1][1])


def owned(numbers: Any, count: int) -> int:
    mine = rest(rest(evens(count)))
    numbers = rest(numbers)
    return total(mine) + total(rest(numbers)) + total(evens(count)[3:])


def test_arrays_are_freed_once_and_no_sooner() -> None:
    found, numbers = entry(owned), np.arange(6)
    expected = found(numbers, 8)
    assert expected == owned(numbers, 8)
    with allocations() as kept:
        assert {found(numbers, 8) for _ in range(1000)} == {expected}
    assert kept() == 0
    assert numbers.tolist() == list(range(6))


@jit.generic
def of_the_heap(count: int) -> int:
    numbers = np.empty(4, np.int64)
    numbers[:] = count
    return int(numbers[1:].sum())


@jit.generic
def of_the_stack(count: int) -> int:
    numbers = stack_array(4, np.int64)
    numbers[:] = count
    return int(numbers[1:3][1]) + total(numbers)


@jit.generic
def at_an_address(address: int) -> int:
    return int(array_at(address, (10,), np.int64)[3:][0])


@pytest.mark.parametrize(("function", "counts"), [(of_the_heap, True), (of_the_stack, False), (at_an_address, False)])
def test_references_are_counted_only_where_an_array_of_the_heap_is_made(
    function: Any, counts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide, decided = linking._owns_arrays, {}

    def owns_arrays(state: Any) -> bool:
        decided[state.func_id.func_name] = decide(state)
        return decided[state.func_id.func_name]

    monkeypatch.setattr(linking, "_owns_arrays", owns_arrays)
    assert entry(lambda number: function(number))(NUMBERS.ctypes.data) == function(NUMBERS.ctypes.data)
    (found,) = function._numba_type_.dispatcher.overloads.values()
    assert decided[function.__name__] == ("NRT_" in str(found.library.own_module())) == counts


def shown(numbers: Any, count: int) -> Any:
    return (rest(numbers), rest(evens(count)))


def test_arrays_that_are_given_back_stay_alive() -> None:
    found, numbers = entry(shown), np.arange(6)
    with allocations() as kept:
        views = [found(numbers, 8) for _ in range(100)]
        junk = [found(np.arange(count), count) for count in range(2, 100)]
        del junk
        assert {(tuple(given), tuple(made)) for given, made in views} == {((1, 2, 3, 4, 5), (2, 4, 6, 8, 10, 12, 14))}
        del views
    assert kept() == 0


@pytest.mark.parametrize("name", games.names())
def test_rooms_and_searches_free_what_they_allocate(name: str) -> None:
    game = games.load(name)
    seats = game.seats[0]
    with allocations() as kept:
        for seed in range(3):
            states = game.deal(seats, game.resolve_options({}, seats), seed)
            seat = game.engine.current_seat(states)
            for method in ("ismcts", "pimc", "flat"):
                search.search(
                    game,
                    game.observed(states, seat),
                    seat,
                    game.legal_list(states),
                    search.Settings(iterations=20, method=method),
                )
            game.engine.play_random(states, seed_words(seed), game.new_actions(), 1 << 20)
    assert kept() == 0


@contextmanager
def allocations() -> Iterator[Callable[[], int]]:
    """How many arrays of compiled code were allocated within, and are not freed."""
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    after = before

    def kept() -> int:
        return int(after.alloc - before.alloc - (after.free - before.free))

    try:
        yield kept
    finally:
        after = rtsys.get_allocation_stats()
        _nrt_python.memsys_disable_stats()
