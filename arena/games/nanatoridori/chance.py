"""What chance decides in Nana Toridori, and what a position is worth (arena/engine/contract.py explains each function)."""

import numpy as np

from arena.engine.contract import Numbers
from arena.engine.jit import jit
from arena.engine.machine import stack_array
from arena.engine.rng import Words, next_word, shuffle_fast
from arena.games.nanatoridori.piles import insert, take_out
from arena.games.nanatoridori.rollout import evaluate
from arena.games.nanatoridori.state import ADVANCED, DRAWN, DUEL, KIND, MAX_SEATS, PASS, ROUND_OVER, ROW, VALUES, State


@jit
def redraw(s: State, rng: Words) -> None:
    """Shuffle the stock, and draw another seed for what will be dealt. In a duel all dealt cards have been seen."""
    shuffle_fast(s.stock, s.num_stock, rng)
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def alternatives(s: State, action: int) -> int:
    """A pass draws a card of one of seven values; in a duel it takes up a front card, which is known."""
    return VALUES if action >> KIND == PASS and s.variant != DUEL and s.num_stock > 0 else 0


@jit
def arrange(s: State, _action: int, alternative: int) -> float:
    """Put a card of the value `alternative` + 1 on top of the stock, if there is one."""
    copies = 0
    at = 0
    for place in range(s.num_stock):
        if s.stock[place] == alternative + 1:
            copies += 1
            at = place
    if copies > 0:
        s.stock[at] = s.stock[s.num_stock - 1]
        s.stock[s.num_stock - 1] = alternative + 1
    return float(copies / s.num_stock)


@jit
def value(s: State, constants: Numbers, out: Numbers) -> None:
    """The chance not to lose the match, as rounds go on between equals; in the advanced rules, what the round is worth.

    Who loses the round loses a penguin, and with the last one the match.
    """
    _round_value(s, constants, out)
    if s.variant == ADVANCED:
        return
    safe = stack_array(MAX_SEATS, np.float64)
    penguins = stack_array(MAX_SEATS, np.int64)
    for seat in range(s.seats):
        penguins[seat] = s.totals[seat]
        safe[seat] = out[seat]
    if s.phase >= ROUND_OVER:
        for seat in range(s.seats):
            out[seat] = 1.0 - _doom(penguins, s.seats, seat)
        return
    for seat in range(s.seats):
        out[seat] = 1.0
    for loser in range(s.seats):
        penguins[loser] -= 1
        for seat in range(s.seats):
            out[seat] -= (1.0 - safe[loser]) * _doom(penguins, s.seats, seat)
        penguins[loser] += 1


@jit
def _round_value(s: State, constants: Numbers, out: Numbers) -> None:
    """What the round is worth by `evaluate`; a drawn card lies where it helps most beside equal cards, or is tossed."""
    evaluate(s, constants, out)
    if s.phase != DRAWN:
        return
    kept = stack_array(MAX_SEATS, np.float64)
    before = 0
    first = s.turn << ROW
    for place in range(s.hand_size[s.turn]):
        card = int(s.hand[first + place])
        if card == s.drawn and before != card:
            insert(s, place, s.drawn, 1)
            evaluate(s, constants, kept)
            take_out(s, s.turn, place, 1)
            if kept[s.turn] > out[s.turn]:
                for seat in range(s.seats):
                    out[seat] = kept[seat]
        before = card


@jit
def _doom(penguins: Words, seats: int, seat: int) -> float:
    """The chance that a seat is the first without penguins, if each seat is equally likely to lose each round.

    Each seat has two penguins at most.
    """
    for other in range(seats):
        if penguins[other] == 0:
            return 1.0 if other == seat else 0.0
    with_two = 0
    for other in range(seats):
        with_two += other != seat and penguins[other] == 2
    one = two = 0.0  # with one penguin, with two, while so many others have two
    for others in range(with_two + 1):
        one = (1.0 + others * one) / seats
        two = (one + others * two) / seats
    return two if penguins[seat] == 2 else one
