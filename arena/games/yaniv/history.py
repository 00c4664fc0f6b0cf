"""The last turns of a round of Yaniv, as everybody saw them: what was laid, and what was taken. No rule depends on them.

A turn is one number: its discard as a row, a slapped card too; then the card that was taken openly, as card id + 1, or 0 for a
card from the stock. Turn t of the round stands at place t % RECENT of `recent`. Whose turn it was follows from whose it is now.
"""

from collections.abc import Iterator
from typing import Any

from arena.engine.jit import jit
from arena.games.yaniv.rows import HAND
from arena.games.yaniv.state import RECENT, State

TAKEN_AT = 6 * (HAND + 1)  # the bits below are the discard
LAID = (1 << TAKEN_AT) - 1
_PLACE = RECENT - 1  # RECENT is a power of two: a remainder takes longer


@jit
def note_turn(s: State, taken: int) -> None:
    """Note the turn that ends. `taken`: the card that was taken openly, as card id + 1, shifted to TAKEN_AT; else 0."""
    s.recent[s.turns & _PLACE] = s.laid | taken


@jit
def turn_ago(s: State, back: int) -> int:
    """A turn of this round as one number: 1 = the last one that ended, up to RECENT; 0 where there is none."""
    return int(s.recent[s.turns - back & _PLACE]) if back <= s.turns else 0


def turns_of(s: Any) -> Iterator[tuple[int, int]]:
    """The turns that a state remembers, the last one last: the discard as a row, the card taken openly as card id + 1, or 0.

    `s`: plain fields.
    """
    for back in range(min(RECENT, s.turns), 0, -1):
        turn = s.recent[s.turns - back & _PLACE]
        if turn:
            yield turn & LAID, turn >> TAKEN_AT


def put_turn(s: Any, back: int, laid: int, taken: int) -> None:
    """Write a turn into a state that is read. `back`: as in `turn_ago`; `laid`, `taken`: as `turns_of` gives them."""
    s.recent[int(s.turns) - back & _PLACE] = laid | taken << TAKEN_AT
