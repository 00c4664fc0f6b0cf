"""What a seat of Nana Toridori sees, the worlds that it may be in, and what it learns from an action (RULES.md 1.5)."""

import numpy as np

from arena.engine.jit import jit
from arena.engine.machine import stack_array
from arena.engine.rng import Words, next_word, shuffle_fast
from arena.engine.state import show
from arena.games.nanatoridori.memory import known_blocks, known_cards
from arena.games.nanatoridori.state import (
    COPIES,
    DECK,
    DRAWN,
    DUEL,
    FIRST,
    FRONTS,
    KEEPS,
    KIND,
    MARKS,
    MAX_SEATS,
    PASS,
    PLAYS,
    ROW,
    TAKES,
    TOSS,
    VALUES,
    State,
)

SEEN = 1 << 20  # marks what another seat hears: as an action, but a = a card's value, or HIDDEN, never a place in a hand
_BY_VALUE = VALUES + 1  # numbers, and one in vain
HIDDEN = 63  # a = the value of a face-down front card


@jit
def observe(s: State, seat: int, out: State) -> None:
    """Hide the deal seed, the stock, other hands, a card drawn by another, and in a duel the other's face-down fronts."""
    show(s, seat, out)
    for i in range(FRONTS * MAX_SEATS):
        if s.front_visible == 1 or i // FRONTS == seat:
            out.fronts[i] = s.fronts[i]
    if sees_drawn(s, seat):
        out.drawn = s.drawn


@jit
def determinize(s: State, seat: int, rng: Words) -> None:
    """Fill all hidden places with the unseen cards in random order; known blocks lie anywhere among a hand's other cards."""
    cards = stack_array(DECK, np.int64)
    count = _unseen_cards(s, seat, cards)
    shuffle_fast(cards, count, rng)
    for player in range(s.seats):
        if player != seat:
            count = _fill_hand(s, player, cards, count, rng)
    if s.phase == DRAWN and not sees_drawn(s, seat):
        count -= 1
        s.drawn = cards[count]
    if s.variant == DUEL and s.front_visible == 0:
        other = 1 - seat
        for i in range(s.num_fronts[other]):
            count -= 1
            s.fronts[FRONTS * other + i] = cards[count]
    for i in range(count):
        s.stock[i] = cards[i]
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def seen_action(s: State, action: int, viewer: int) -> int:
    """The own action as it is; of another seat's the cards that everybody sees, but no place in its hand."""
    if viewer == s.turn:
        return action
    kind = action >> KIND
    place = action >> FIRST & 63
    if kind == PLAYS:
        value = int(s.hand[(s.turn << ROW) + place] & 7)
        return SEEN | value << FIRST | action & (1 << FIRST) - 1
    if kind == PASS and place > 0 and s.front_visible == 0:
        place = HIDDEN
    elif kind in (TAKES, KEEPS):
        place = 0
    elif kind == TOSS:
        place = s.drawn
    return int(SEEN | kind << KIND | place << FIRST)


@jit
def sees_drawn(s: State, seat: int) -> bool:
    """Whether a seat may see the drawn card: its drawer, and in a duel everybody if it lay open in front."""
    return s.turn == seat or (s.variant == DUEL and s.front_visible == 1)


@jit
def _unseen_cards(s: State, seat: int, cards: Words) -> int:
    """Write every card that a seat cannot place, ascending, return how many."""
    left = stack_array(_BY_VALUE, np.int64)
    for value in range(VALUES + 1):
        left[value] = COPIES
        for player in range(s.seats):
            if player != seat:
                left[value] -= known_cards(s, player, value)
    for i in range(seat << ROW, (seat << ROW) + s.hand_size[seat]):
        left[s.hand[i]] -= 1
    for i in range(s.num_discard):
        left[s.discard[i]] -= 1
    if s.variant == DUEL:
        for i in range(2 * FRONTS):
            player = i // FRONTS
            if i % FRONTS < s.num_fronts[player] and (player == seat or s.front_visible == 1):
                left[s.fronts[i]] -= 1
    left[s.table_value] -= s.table_count
    left[s.beaten_value] -= s.beaten_count
    if s.phase == DRAWN and sees_drawn(s, seat):
        left[s.drawn] -= 1
    count = 0
    for value in range(1, VALUES + 1):
        for _ in range(left[value]):
            cards[count] = value
            count += 1
    return count


@jit
def _fill_hand(s: State, player: int, cards: Words, count: int, rng: Words) -> int:
    """Fill a hand, in random order, with the blocks known to be there and unseen cards from the end of `cards`."""
    pieces = stack_array(DECK, np.int64)  # value << 4 | size of a block; 0 = an unseen card
    pieces[:] = 0
    number = 0
    free = s.hand_size[player]
    for value in range(1, VALUES + 1):
        if s.known[(player << MARKS) + value] != 0:
            for size in range(1, COPIES + 1):
                for _ in range(known_blocks(s, player, value, size)):
                    pieces[number] = value << 4 | size
                    number += 1
                    free -= size
    number += free
    shuffle_fast(pieces, number, rng)
    place = player << ROW
    for i in range(number):
        if pieces[i] == 0:
            count -= 1
            s.hand[place] = cards[count]
            place += 1
        else:
            for _ in range(pieces[i] & 15):
                s.hand[place] = pieces[i] >> 4
                place += 1
    return count
