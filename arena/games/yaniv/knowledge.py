"""What a seat of Yaniv sees, the worlds that it may be in, and what it learns from an action (RULES.md 5.5)."""

import numpy as np

from arena.engine.jit import jit
from arena.engine.machine import stack_array
from arena.engine.rng import Words, below, next_word, shuffle_fast
from arena.engine.state import show
from arena.games.yaniv.discards import laid_row
from arena.games.yaniv.memory import count_unseen, put
from arena.games.yaniv.rows import CARD_IDS, JOKER, RANK, row_length
from arena.games.yaniv.state import (
    CALL,
    CLASSES,
    DRAW,
    MAX_DECK,
    MAX_SEATS,
    OLDER,
    ROUND_OVER,
    SLAP,
    SLAP_DOWN,
    START,
    TAKEN,
    State,
    hand_row,
)

SEEN_CALL, SEEN_DISCARD, SEEN_DRAW, SEEN_HOLD, SEEN_SLAP = (kind << 40 for kind in range(1, 6))  # kinds of seen codes
SEEN_KIND = 7 << 40


@jit
def observe(s: State, seat: int, out: State) -> None:
    """Hide the deal seed, the stock, and of other hands all but size and what was taken openly; a call opens all hands."""
    show(s, seat, out)
    if s.turn == seat:
        out.drawn = s.drawn
    if s.phase >= ROUND_OVER:
        for player in range(MAX_SEATS):
            out.hand[player] = s.hand[player]
            out.origin[player] = s.origin[player]


@jit
def determinize(s: State, seat: int, rng: Words) -> None:
    """Deal the unseen cards of each stock, in random order, to the hidden places that were filled from it (RULES.md 5.5)."""
    cards = stack_array(CARD_IDS, np.int64)  # how many of each card id
    hidden = s.phase < ROUND_OVER
    if s.turn != seat:
        s.drawn = 0
    for player in range(s.seats):
        if hidden and player != seat:
            s.hand[player] = s.known[player]
            s.origin[player] = 0
    count = 0
    for origin in range(OLDER + CLASSES - 1, TAKEN, -1):  # the present stock last: its array keeps what is left
        older = origin - OLDER
        if older >= 0 and s.piles[2 + 2 * older] == 0:
            continue
        count_unseen(s, seat, origin, cards)
        count = 0
        for card in range(JOKER + 1):
            for _ in range(cards[card]):
                s.stock[count] = card
                count += 1
        player = int(s.turn)  # first, as in the phase slap the card that it drew must match
        for _ in range(s.seats):
            if hidden and player != seat:
                wanted = s.hand_size[player] - row_length(hand_row(s, player))
                if older >= 0:
                    wanted = s.held[older * MAX_SEATS + player]
                for _ in range(wanted):
                    taken = below(rng, count)
                    if older < 0 and s.drawn == 0 and s.phase == SLAP and s.turn == player:
                        while RANK[s.stock[taken] + 1] != RANK[int(s.laid) & 63]:
                            taken = below(rng, count)
                        s.drawn = s.stock[taken] + 1
                    count -= 1
                    card = int(s.stock[taken]) & 63
                    s.stock[taken] = s.stock[count]
                    s.stock[count] = 0
                    put(s, player, card, origin)
            player = player + 1 if player + 1 < s.seats else 0
    shuffle_fast(s.stock, count, rng)
    for i in range(count, MAX_DECK):
        s.stock[i] = 0
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def seen_action(s: State, action: int, viewer: int) -> int:
    """The cards of a discard, the end that was taken, or that a card came from the stock; a hold only to its own seat."""
    if s.phase == START:
        return SEEN_CALL if action == CALL else SEEN_DISCARD | laid_row(hand_row(s, int(s.turn)), action)
    if s.phase == DRAW:
        return SEEN_DRAW | action
    if action == SLAP_DOWN:
        return SEEN_SLAP | int(s.drawn)
    return SEEN_HOLD if s.turn == viewer else 0
