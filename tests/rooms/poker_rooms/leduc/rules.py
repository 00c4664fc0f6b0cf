"""Leduc hold'em for 2 seats: six cards, two streets. Rules and sources: RULES.md beside this file."""

from collections.abc import Mapping

from arena.engine.contract import Numbers
from arena.engine.jit import jit
from arena.engine.options import OptionValue
from arena.engine.rng import Words, shuffle
from arena.engine.state import begin
from poker_rooms.leduc.knowledge import determinize, observe, seen_action
from poker_rooms.leduc.state import (
    ANTE,
    BETS,
    CALL,
    DECK,
    FOLD,
    HAND_OVER,
    LONGEST,
    MATCH_OVER,
    MAX_ACTIONS,
    MAX_RAISES,
    NOBODY,
    OPTIONS,
    PLAY,
    RAISE,
    SEATS,
    STATE,
    STREETS,
    State,
)

__all__ = ["MAX_ACTIONS", "OPTIONS", "SEATS", "STATE", "determinize", "observe", "seen_action"]

VERSION = 1

_DEALING = 1  # purpose of a random stream


def resolve_options(resolved: dict[str, OptionValue], _seats: int, _given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """Nothing depends on the number of seats."""
    return resolved


def units(_seats: int, _resolved: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """Every seat plays for itself."""
    return (0, 1)


@jit
def deal(s: State, seats: int, options: Words, seed: Words) -> None:
    """The first hand of a match."""
    begin(s, seats, options, seed)
    s.hand = 1
    _deal_hand(s)


@jit
def legal_actions(s: State, out: Words) -> int:
    """Fold where there is something to pay, check or call, raise while the street allows it."""
    if s.phase != PLAY:
        return 0
    count = 0
    if s.paid[0] != s.paid[1]:
        out[count] = FOLD
        count += 1
    out[count] = CALL
    count += 1
    if s.raises < MAX_RAISES:
        out[count] = RAISE
        count += 1
    return count


@jit
def step(s: State, action: int) -> None:
    """A fold ends the hand; a call that answers somebody ends the street."""
    s.line[s.num_line] = action + 1
    s.num_line += 1
    s.actions += 1
    if action == FOLD:
        s.folded = s.turn
        _end_hand(s)
        return
    s.paid[s.turn] = s.paid[1 - s.turn]
    if action == RAISE:
        s.paid[s.turn] += BETS[s.street]
        s.raises += 1
    if action == CALL and s.actions > 1:
        _end_street(s)
    else:
        s.turn = 1 - s.turn


@jit
def current_seat(s: State) -> int:
    """The seat to choose."""
    return s.turn


@jit
def num_seats(_s: State) -> int:
    """Always two."""
    return 2


@jit
def is_simultaneous(_s: State) -> bool:
    """Never."""
    return False


@jit
def is_round_over(s: State) -> bool:
    """Whether a hand of the match is over."""
    return s.phase != PLAY


@jit
def is_terminal(s: State) -> bool:
    """Whether the last hand is over."""
    return s.phase == MATCH_OVER


@jit
def next_round(s: State) -> None:
    """The next hand, begun by the other seat."""
    s.hand += 1
    _deal_hand(s)


@jit
def scores(s: State, out: Numbers) -> None:
    """The chips that each seat has won in the hands that are over."""
    for seat in range(2):
        out[seat] = s.won[seat]


@jit
def places(s: State, out: Words) -> None:
    """By chips; equal = both first."""
    for seat in range(2):
        out[seat] = 2 if s.won[seat] < s.won[1 - seat] else 1


@jit
def has_one_loser(_s: State) -> bool:
    """Places go by score."""
    return False


@jit
def starter(s: State) -> int:
    """Who begins both streets: seat 0 in the first hand, then in turn."""
    return (s.hand - 1) % 2


@jit
def winner(s: State) -> int:
    """Who has won: the other after a fold; else a pair with the public card, else the higher rank. NOBODY for a tie."""
    if s.folded != NOBODY:
        return 1 - s.folded
    first = s.cards[0] // 2
    second = s.cards[1] // 2
    public = s.cards[2] // 2
    if first == second:
        return NOBODY
    if first == public or second == public:
        return 0 if first == public else 1
    return 0 if first > second else 1


@jit
def _deal_hand(s: State) -> None:
    for card in range(DECK):
        s.cards[card] = card
    shuffle(s.cards[:], DECK, s.seed[:], s.hand, _DEALING, 0)
    for i in range(LONGEST):
        s.line[i] = 0
    s.num_line = 0
    s.paid[0] = ANTE
    s.paid[1] = ANTE
    s.folded = NOBODY
    s.phase = PLAY
    _begin_street(s, 1)


@jit
def _begin_street(s: State, street: int) -> None:
    s.street = street
    s.raises = 0
    s.actions = 0
    s.turn = starter(s)


@jit
def _end_street(s: State) -> None:
    if s.street == STREETS:
        _end_hand(s)
    else:
        _begin_street(s, s.street + 1)


@jit
def _end_hand(s: State) -> None:
    """The loser's chips in the pot go to the winner."""
    best = winner(s)
    if best != NOBODY:
        s.won[best] += s.paid[1 - best]
        s.won[1 - best] -= s.paid[1 - best]
    s.turn = 0
    s.phase = MATCH_OVER if s.hand == s.hands else HAND_OVER
