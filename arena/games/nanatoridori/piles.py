"""Where cards go in Nana Toridori: out of and into hands, off the stock, to the discards (RULES.md 1.2, 1.4)."""

from arena.engine.jit import jit
from arena.games.nanatoridori.state import FRONTS, ROW, State


@jit
def take_out(s: State, seat: int, place: int, count: int) -> None:
    """Take `count` cards out of a hand from `place` on; the gap closes."""
    first = (seat << ROW) + place
    end = (seat << ROW) + s.hand_size[seat]
    for i in range(first, end - count):
        s.hand[i] = s.hand[i + count]
    for i in range(end - count, end):
        s.hand[i] = 0
    s.hand_size[seat] -= count


@jit
def top(s: State) -> int:
    """Take the top card of the stock."""
    s.num_stock -= 1
    card = int(s.stock[s.num_stock] & 7)
    s.stock[s.num_stock] = 0
    return card


@jit
def insert(s: State, gap: int, value: int, count: int) -> None:
    """Put equal cards as one block at a gap of the hand of the seat to act."""
    first = s.turn << ROW
    for i in range(first + s.hand_size[s.turn] - 1, first + gap - 1, -1):
        s.hand[i + count] = s.hand[i]
    for i in range(first + gap, first + gap + count):
        s.hand[i] = value
    s.hand_size[s.turn] += count


@jit
def discard(s: State, value: int, count: int) -> None:
    """Add equal cards at the end of the discard pile."""
    for _ in range(count):
        s.discard[s.num_discard] = value
        s.num_discard += 1


@jit
def remove_front(s: State, seat: int, value: int) -> None:
    """Take one front card of a value away; the other one moves up."""
    first = FRONTS * seat
    if s.fronts[first] == value:
        s.fronts[first] = s.fronts[first + 1]
    s.fronts[first + 1] = 0
    s.num_fronts[seat] -= 1
