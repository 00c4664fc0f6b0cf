"""The last two contests of Naga, solved: in equilibrium nobody can do better, whatever is known of how the other plays.

Twelve cards are hidden at the selections of contest 6: five in each hand, and two of which each seat gets one for Eltam. Both
seats know that, so they face the same game: 792 hands for each, 21 of which go with a given one, and all deals count as equally
likely, as in `determinize`. At Eltam the strongest cards are best, whatever the other selects. So what is to be found is how
often each hand makes each selection of contest 6 (regret_matching.py).
"""

import numpy as np
from numpy.typing import NDArray

from arena.engine.contract import Numbers
from arena.engine.jit import jit, unchecked
from arena.engine.rng import Words
from arena.games.naga.knowledge import selected, unseen_cards
from arena.games.naga.regret_matching import Payoffs, equilibrium
from arena.games.naga.rules import contest_strength, field_cards_won
from arena.games.naga.state import CONTESTS, DECK, ELTAM, FIELD_CARDS, SELECT, STATE, THREE_OF_FIVE, TWO_OF_THREE, State

ROUNDS = 16  # of regret matching: after so many the shares hardly change
HAND = 5
_HIDDEN = 12
_SETS = 1 << _HIDDEN
_ELTAM_CARDS = 3
_OTHERS = 21  # hands of five among the seven cards that a hand does not hold


def _sets(size: int) -> NDArray[np.int64]:
    """All sets of so many hidden cards: masks over the hidden cards in ascending order."""
    return np.array([cards for cards in range(_SETS) if cards.bit_count() == size])


HANDS, THREES = _sets(HAND), _sets(3)
_NUMBERS = np.searchsorted(HANDS, np.arange(_SETS))  # of a hand among HANDS
_MOST_CHOICES = len(HANDS) * len(THREE_OF_FIVE)


@jit
def is_solvable(s: State) -> bool:
    """Whether this is a selection of the last two contests."""
    return bool(s.phase == SELECT and s.contest >= CONTESTS - 1)


@jit
def solve(s: State, seat: int, rounds: int, shares: Numbers) -> None:
    """Write how often `seat` makes each of its legal selections. `s`: what the seat sees, `is_solvable`."""
    hand = int(s.hand[seat])
    if s.contest == CONTESTS:
        _choose_strongest(s, hand, shares)
        return
    hidden = hand | unseen_cards(s, seat)
    strengths, eltam = np.zeros(_SETS, np.int64), np.zeros(_SETS, np.int64)
    _write_strengths(s, hidden, strengths, eltam)
    choices, starts = np.empty(_MOST_CHOICES, np.int64), np.zeros(len(HANDS) + 1, np.int64)
    _write_choices(strengths, eltam, choices, starts)
    results = np.empty(9)
    first, second = field_cards_won(s)
    _write_results(second - first if seat == 1 else first - second, results)
    pairs = np.empty((_OTHERS * len(HANDS), 2), np.int64)
    payoffs = np.empty(_write_pairs(starts, pairs), np.float32)
    _write_payoffs(starts, pairs, choices, strengths, eltam, results, payoffs)
    own, other = np.empty(int(starts[len(HANDS)])), np.empty(int(starts[len(HANDS)]))
    equilibrium(starts, starts, pairs, payoffs, rounds, own, other)
    number = int(_NUMBERS[_within(hidden, hand)])
    for i in range(len(THREE_OF_FIVE)):
        shares[i] = 0.0
        cards = selected(int(HANDS[number]), int(THREE_OF_FIVE[i]))
        for at in range(int(starts[number]), int(starts[number + 1])):
            if choices[at] == cards:
                shares[i] = own[at]


def warm() -> None:
    """Solve a selection of contest 6, so that nothing is compiled in a bot's time: the hidden cards are the last ones."""
    states = np.zeros(1, STATE)
    s = states[0]
    s.phase, s.contest, s.place = SELECT, CONTESTS - 1, ELTAM - 1
    s.field[:] = range(FIELD_CARDS)
    s.num_shown = DECK - FIELD_CARDS - _HIDDEN
    s.shown[: s.num_shown] = range(FIELD_CARDS, DECK - _HIDDEN)
    s.hand[0] = (1 << DECK) - (1 << DECK - HAND)
    if is_solvable(s):
        solve(s, 0, 1, np.zeros(len(THREE_OF_FIVE)))


@jit
def _choose_strongest(s: State, hand: int, shares: Numbers) -> None:
    """Write 1 for the first one of the strongest selections at Eltam, 0 for the others."""
    best = -1
    chosen = 0
    for i in range(len(TWO_OF_THREE)):
        shares[i] = 0.0
        strength = contest_strength(s, selected(hand, int(TWO_OF_THREE[i])), ELTAM)
        if strength > best:
            best = strength
            chosen = i
    shares[chosen] = 1.0


@jit
def _write_strengths(s: State, hidden: int, strengths: Words, eltam: Words) -> None:
    """Write by sets of three: their strength at the contested place, and what the best two of them reach at Eltam."""
    for i in range(len(THREES)):
        three = int(THREES[i])
        cards = selected(hidden, three)
        strengths[three] = contest_strength(s, cards, int(s.place))
        best = -1
        for k in range(len(TWO_OF_THREE)):
            best = max(best, contest_strength(s, selected(cards, int(TWO_OF_THREE[k])), ELTAM))
        eltam[three] = best


@jit
def _write_choices(strengths: Words, eltam: Words, choices: Words, starts: Words) -> None:
    """Write the selections of each hand, but for those than which another one is never worse, here and at Eltam."""
    count = 0
    for number in range(len(HANDS)):
        hand = int(HANDS[number])
        for i in range(len(THREE_OF_FIVE)):
            cards = selected(hand, int(THREE_OF_FIVE[i]))
            if not _is_replaceable(hand, i, strengths, eltam):
                choices[count] = cards
                count += 1
        starts[number + 1] = count


@jit
def _is_replaceable(hand: int, place: int, strengths: Words, eltam: Words) -> bool:
    """Whether another selection is never worse than the one at a place; of two that are worth the same, the later one is."""
    cards = selected(hand, int(THREE_OF_FIVE[place]))
    for i in range(len(THREE_OF_FIVE)):
        other = selected(hand, int(THREE_OF_FIVE[i]))
        is_other = i < place or (i > place and not _is_never_worse(hand, cards, other, strengths, eltam))
        if is_other and _is_never_worse(hand, other, cards, strengths, eltam):
            return True
    return False


@jit
def _is_never_worse(hand: int, cards: int, than: int, strengths: Words, eltam: Words) -> bool:
    """Whether a selection of a hand is at least as strong as another one, and leaves at least as much for Eltam."""
    if strengths[cards] < strengths[than]:
        return False
    kept, other = hand & ~cards, hand & ~than
    drawn = (_SETS - 1) & ~hand
    while drawn:
        card = drawn & -drawn
        drawn &= drawn - 1
        if eltam[kept | card] < eltam[other | card]:
            return False
    return True


@jit
def _write_results(lead: int, results: Numbers) -> None:
    """Write what the game brings: nine numbers, for a lost, tied or won contest 6 each by a lost, tied or won Eltam.

    A game that ends before Eltam because it is decided (O-G1) ends as it would after it.
    """
    for single in range(-1, 2):
        for eltam in range(-1, 2):
            final = lead + single + _ELTAM_CARDS * eltam
            results[3 * (single + 1) + eltam + 1] = 0.5 + 0.5 * (int(final > 0) - int(final < 0))


@jit
def _write_pairs(starts: Words, pairs: Words) -> int:
    """Write which hands can meet; gives how many payoffs there are."""
    count = 0
    size = 0
    for number in range(len(HANDS)):
        rest = (_SETS - 1) & ~int(HANDS[number])
        firsts = rest
        while firsts:
            first = firsts & -firsts
            firsts &= firsts - 1
            seconds = firsts
            while seconds:
                other = int(_NUMBERS[rest & ~first & ~(seconds & -seconds)])
                seconds &= seconds - 1
                pairs[count, 0] = number
                pairs[count, 1] = other
                count += 1
                size += (starts[number + 1] - starts[number]) * (starts[other + 1] - starts[other])
    return size


@unchecked
def _write_payoffs(
    starts: Words, pairs: Words, choices: Words, strengths: Words, eltam: Words, results: Numbers, payoffs: Payoffs
) -> None:
    """Write what each pair of selections brings to the first seat: the mean over both ways to deal the stock's two cards."""
    at = 0
    for pair in range(len(pairs)):
        hand, other_hand = HANDS[pairs[pair, 0]], HANDS[pairs[pair, 1]]
        stock = (_SETS - 1) & ~hand & ~other_hand
        one = stock & -stock
        two = stock & ~one
        for a in range(starts[pairs[pair, 0]], starts[pairs[pair, 0] + 1]):
            strength, kept = strengths[choices[a]], hand & ~choices[a]
            with_one, with_two = eltam[kept | one], eltam[kept | two]
            for b in range(starts[pairs[pair, 1]], starts[pairs[pair, 1] + 1]):
                left = other_hand & ~choices[b]
                single = 3 * (1 + _sign(strength, strengths[choices[b]]))
                payoffs[at] = 0.5 * (
                    results[single + 1 + _sign(with_one, eltam[left | two])]
                    + results[single + 1 + _sign(with_two, eltam[left | one])]
                )
                at += 1


@unchecked
def _sign(first: int, second: int) -> int:
    return int(first > second) - int(first < second)


@jit
def _within(cards: int, chosen: int) -> int:
    """The mask over `cards`, ascending, of those that are chosen: the inverse of `selected`."""
    mask = 0
    bit = 1
    while cards:
        if chosen & cards & -cards:
            mask |= bit
        cards &= cards - 1
        bit <<= 1
    return mask
