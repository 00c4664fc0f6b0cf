"""What everybody remembers of a hand: the blocks that were taken openly (RULES.md 1.5).

Per seat and value one number holds how many blocks of each size are known, three bits per size, the largest size lowest.
Only what all seats have seen goes in: never which physical card was played, nor where in the hand it lay.
"""

from arena.engine.jit import jit
from arena.games.nanatoridori.state import COPIES, MARKS, State

_TOP = 3 * COPIES
_ALL = (1 << 31) - 1  # widens, too


@jit
def known_blocks(s: State, seat: int, value: int, size: int) -> int:
    """How many blocks of `size` cards of a value everybody knows to be in a hand."""
    blocks = s.known[(seat << MARKS) + value] & _ALL
    return int(blocks >> _TOP - 3 * size & (15 if size == 1 else 7))


@jit
def known_cards(s: State, seat: int, value: int) -> int:
    """How many cards of a value everybody knows to be in a hand."""
    count = 0
    if s.known[(seat << MARKS) + value] != 0:
        for size in range(1, COPIES + 1):
            count += size * known_blocks(s, seat, value, size)
    return count


@jit
def remember(s: State, seat: int, value: int, count: int) -> None:
    """Note that a block went into a hand openly."""
    s.known[(seat << MARKS) + value] += 1 << _TOP - 3 * count


@jit
def forget(s: State, seat: int, value: int, count: int) -> None:
    """Note that cards were played from a hand: a known block of that size, else cards of the largest known blocks (O-N9)."""
    place = (seat << MARKS) + value
    if s.known[place] == 0:
        return
    if known_blocks(s, seat, value, count) > 0:
        s.known[place] -= 1 << _TOP - 3 * count
        return
    for size in range(COPIES, 0, -1):
        while count > 0 and known_blocks(s, seat, value, size) > 0:
            s.known[place] -= 1 << _TOP - 3 * size
            if count < size:
                s.known[place] += 1 << _TOP - 3 * (size - count)
            count -= size


def block_sizes(blocks: int) -> list[int]:
    """The sizes, ascending, that one number of `known` holds (plain Python, for texts and views)."""
    if not blocks:
        return []
    return [size for size in range(1, COPIES + 1) for _ in range(blocks >> _TOP - 3 * size & (15 if size == 1 else 7))]
