"""Kuhn poker for 2 seats: three cards, one bet. Rules and sources: RULES.md beside this file."""

from collections.abc import Mapping

from arena.engine.contract import Numbers
from arena.engine.jit import jit
from arena.engine.machine import bit_length
from arena.engine.options import OptionValue
from arena.engine.rng import Words, shuffle
from arena.engine.state import begin
from poker_rooms.kuhn.knowledge import determinize, observe, seen_action
from poker_rooms.kuhn.state import BET, ENDS, MAX_ACTIONS, OPTIONS, PASS, SEATS, START, STATE, State

__all__ = ["MAX_ACTIONS", "OPTIONS", "SEATS", "STATE", "determinize", "observe", "seen_action"]

VERSION = 1

_DEALING = 1  # purpose of a random stream


def resolve_options(resolved: dict[str, OptionValue], _seats: int, _given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """There are no options."""
    return resolved


def units(_seats: int, _resolved: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """Every seat plays for itself."""
    return (0, 1)


@jit
def deal(s: State, seats: int, options: Words, seed: Words) -> None:
    """Shuffle three cards."""
    begin(s, seats, options, seed)
    for card in range(3):
        s.cards[card] = card
    shuffle(s.cards[:], 3, s.seed[:], 1, _DEALING, 0)
    s.line = START


@jit
def legal_actions(s: State, out: Words) -> int:
    """Pass or bet, until the hand is over."""
    if is_terminal(s):
        return 0
    out[0] = PASS
    out[1] = BET
    return 2


@jit
def step(s: State, action: int) -> None:
    """Write the action behind the line."""
    s.line = 2 * s.line + action


@jit
def current_seat(s: State) -> int:
    """The seats take turns, seat 0 first."""
    return (bit_length(s.line) - 1) % 2


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
    """A match is one hand."""
    return is_terminal(s)


@jit
def is_terminal(s: State) -> bool:
    """Both have passed, or a bet was answered."""
    return s.line in ENDS


@jit
def next_round(_s: State) -> None:
    """There is none."""


@jit
def scores(s: State, out: Numbers) -> None:
    """The chips that each seat has won: 1 without a called bet, else 2."""
    out[0] = 0
    if is_terminal(s):
        stake = 2 if s.line % 4 == 0b11 else 1
        out[0] = stake if _winner(s) == 0 else -stake
    out[1] = -out[0]


@jit
def places(s: State, out: Words) -> None:
    """The winner is first."""
    winner = _winner(s)
    out[winner] = 1
    out[1 - winner] = 2


@jit
def has_one_loser(_s: State) -> bool:
    """Places go by score."""
    return False


@jit
def _winner(s: State) -> int:
    """Who passes after a bet gives up; else the higher card wins."""
    if s.line == 0b110:
        return 0
    if s.line == 0b1010:
        return 1
    return 0 if s.cards[0] > s.cards[1] else 1
