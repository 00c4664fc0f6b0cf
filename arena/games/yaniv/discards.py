"""All discards of a hand, and how each of them lies (RULES.md 5.2, 5.5).

A discard is one whole number: its mask over the places of the hand << 6 | its arrangement.
"""

import numpy as np

from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, popcount
from arena.engine.rng import Words
from arena.games.yaniv.rows import HAND, JOKER, RANK, RANKS, SUIT, row_length

RUN = 32  # arrangement of a run: RUN + starting rank; of a set: 8 * first end + last end, as places in the hand; single: 0

NATURAL_BIT = np.array([0, *[1 << card for card in range(JOKER)], *[0] * 11], np.int64)
RANK_BIT = np.array([0, *[1 << rank for _ in range(4) for rank in range(RANKS)], *[1 << RANKS] * 11], np.int64)
NO_KINGS = sum(0xFFF << 13 * suit for suit in range(4))  # cards that have a next higher one in their suit
TO_JACKS = sum(0x7FF << 13 * suit for suit in range(4))  # cards that have two higher ones


@jit
def discards(hand: int, joker_pair: bool, out: Words, begin: int) -> int:
    """Write the codes of all discards of a hand from `out[begin]` on, ascending; return where they end (RULES.md 5.2, 5.5)."""
    suited = ranks = paired = 0
    for place in range(HAND):  # this loop has no branch, as no processor can guess it
        field = hand >> 6 * place & 63
        suited |= NATURAL_BIT[field]
        paired |= ranks & RANK_BIT[field]
        ranks |= RANK_BIT[field]
        out[begin + place] = 64 << place
    size = row_length(hand)
    count = begin + size
    doubles = 0
    if paired:
        doubles = _doubles(hand)
        count = _without_doubles(doubles, size, out, begin)
    singles = count
    if not joker_pair:
        paired &= ~(1 << RANKS)
    if paired:
        count = _sets(hand, size, doubles, paired, out, count)
    jokers = 0
    near = suited & suited >> 1 & suited >> 2 & TO_JACKS
    if ranks >> RANKS:
        while jokers < size and hand >> 6 * (size - 1 - jokers) & 63 > JOKER:
            jokers += 1
        near = suited if jokers > 1 else suited & (suited >> 1 & NO_KINGS | suited >> 2 & TO_JACKS)
    if near:
        count = _runs(hand, size - jokers, jokers, doubles, out, count)
    for end in range(singles, count):  # insertion sort: the list is short and nearly in order
        code = out[end]
        at = end
        while at > begin and out[at - 1] > code:
            out[at] = out[at - 1]
            at -= 1
        out[at] = code
    return count


@jit
def laid_row(hand: int, action: int) -> int:
    """How a discard lies: a set with its chosen ends, a run ascending with its jokers where they stand."""
    mask = action >> 6
    arrangement = action & 63
    row = 0
    shift = 0
    if arrangement > RUN:
        jokers = mask
        while jokers and hand >> 6 * lowest_bit(jokers) & 63 <= JOKER:
            jokers &= jokers - 1
        naturals = mask & ~jokers
        rank = arrangement - RUN - 1
        while mask:
            field = JOKER + 1
            if naturals:
                field = hand >> 6 * lowest_bit(naturals) & 63
                if RANK[field] == rank:
                    naturals &= naturals - 1
                else:
                    field = JOKER + 1
            row |= field << shift
            shift += 6
            rank += 1
            mask &= mask - 1
        return row
    last = 0
    if arrangement:
        first = arrangement >> 3
        row = hand >> 6 * first & 63
        shift = 6
        last = hand >> 6 * (arrangement & 7) & 63
        mask &= ~(1 << first | 1 << (arrangement & 7))
    while mask:
        row |= (hand >> 6 * lowest_bit(mask) & 63) << shift
        shift += 6
        mask &= mask - 1
    return row | last << shift


@jit
def _doubles(hand: int) -> int:
    """The places of a hand that hold the same card as the place before, as a mask."""
    same = hand ^ hand << 6
    doubles = 0
    for place in range(1, row_length(hand)):
        doubles |= (same >> 6 * place & 63 == 0) << place
    return doubles


@jit
def _without_doubles(doubles: int, size: int, out: Words, begin: int) -> int:
    """Write the single discards: of equal cards the first place."""
    count = begin
    for place in range(size):
        out[count] = 64 << place
        count += 1 - (doubles >> place & 1)
    return count


@jit
def _sets(hand: int, size: int, doubles: int, paired: int, out: Words, count: int) -> int:
    """Write all sets: of each rank in the hand every two or more cards, with every choice of the two at the ends."""
    while paired:
        rank = lowest_bit(paired)
        paired &= paired - 1
        group = 0
        for place in range(size):
            if RANK[hand >> 6 * place & 63] == rank:
                group |= 1 << place
        mask = 0
        while mask != group:
            mask = (mask - group) & group
            if mask & (mask - 1) and (mask & doubles) >> 1 & ~mask == 0:  # of equal cards the lower places are used
                firsts = mask & ~doubles
                while firsts:
                    first = lowest_bit(firsts)
                    firsts &= firsts - 1
                    lasts = mask >> (first + 1) << (first + 1)
                    while lasts:
                        last = lowest_bit(lasts)
                        lasts &= lasts - 1
                        if doubles >> last & 1 == 0 or last == first + 1:
                            out[count] = mask << 6 | first << 3 | last
                            count += 1
    return count


@jit
def _runs(hand: int, naturals: int, jokers: int, doubles: int, out: Words, count: int) -> int:
    """Write all runs: of each suit every choice of natural cards, of jokers to fill the gaps, and of the starting rank."""
    place = 0
    while place < naturals:
        suit = SUIT[hand >> 6 * place & 63]
        group = 0
        while place < naturals and SUIT[hand >> 6 * place & 63] == suit:
            group |= 1 << place
            place += 1
        group &= ~doubles
        mask = 0
        while mask != group:
            mask = (mask - group) & group
            cards = popcount(mask)
            low = RANK[hand >> 6 * lowest_bit(mask) & 63]
            top = mask
            while top & (top - 1):
                top &= top - 1
            high = RANK[hand >> 6 * lowest_bit(top) & 63]
            for used in range(max(high - low + 1 - cards, 3 - cards, 0), jokers + 1):
                length = cards + used
                whole = mask | ((1 << used) - 1) << naturals
                for start in range(max(high - length + 1, 0), min(low, RANKS - length) + 1):
                    out[count] = whole << 6 | RUN | (start + 1)
                    count += 1
    return count
