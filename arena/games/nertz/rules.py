"""Nertz for 2 to 6 seats, and for teams of two with 6, 8, 10 or 12: real time cut into exact ticks.

Rules, sources and our decisions O-Z1..O-Z15: RULES.md beside this file.

Left out: five points for kings, adding cards under a Nertz pile, other house rules (O-Z8).
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import jit
from arena.engine.machine import lowest_bit
from arena.engine.options import OptionValue
from arena.engine.rng import Words
from arena.engine.state import begin
from arena.games.nertz.knowledge import determinize_state, observe_state
from arena.games.nertz.layout import legal_mask
from arena.games.nertz.options import NONE, measured_tick, resolve, units_of
from arena.games.nertz.state import (
    BEGUN,
    MATCH_OVER,
    MAX_ACTIONS,
    MOVE_BITS,
    OPTIONS,
    PLAY,
    ROUND_OVER,
    SEATS,
    STATE,
    WAIT,
    State,
)
from arena.games.nertz.ticks import CODE_BITS, CODE_MASK, choose, deal_round, delay_of, seen_move

# What arena/engine/contract.py looks for in this module, although it stands in another.
__all__ = ["MAX_ACTIONS", "OPTIONS", "SEATS", "STATE", "VERSION"]

VERSION = 1

SEEN_OWN = 1 << 61  # the own choice, code + 1, before the tick is resolved
SEEN_TICK = 1 << 60  # all moves of a tick, MOVE_BITS a seat


def resolve_options(resolved: dict[str, OptionValue], seats: int, given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """`teams` follows the number of seats where it is not given, `delays` the latency."""
    return resolve(resolved, seats, given)


def units(seats: int, resolved: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """Two neighbours are a team where `teams` says so."""
    return units_of(seats, resolved)


def ms_per_tick(resolved: Mapping[str, OptionValue]) -> int | None:
    """CPU milliseconds of thinking that make a tick of delay; None where thinking costs no ticks."""
    return measured_tick(resolved)


def delayed(action: int, ticks: int) -> int:
    """An action that took `ticks` to think of (latency=measured): what `step` then gets."""
    return action | ticks << CODE_BITS


@jit
def deal(s: State, seats: int, options: Words, seed: Words) -> None:
    """Start a match: its options, then the first round."""
    begin(s, seats, options, seed)
    s.round_number = 1
    deal_round(s)


@jit
def legal_actions(s: State, out: Words) -> int:
    """The codes of RULES.md 4.2; a busy seat can only wait."""
    codes = legal_mask(s, int(s.turn))
    count = 0
    while codes != 0:
        out[count] = lowest_bit(codes)
        codes &= codes - 1
        count += 1
    return count


@jit
def step(s: State, action: int) -> None:
    """The choice of one seat; the last seat's choice lets the tick happen."""
    choose(s, action)


@jit
def current_seat(s: State) -> int:
    """The seat to choose: in seat order, none sees the others' choices."""
    return int(s.turn)


@jit
def num_seats(s: State) -> int:
    """How many seats play: 2 to 12."""
    return int(s.seats)


@jit
def is_simultaneous(s: State) -> bool:
    """Whether all seats choose together: they do in every tick."""
    return s.phase == PLAY


@jit
def is_round_over(s: State) -> bool:
    """Whether somebody called, the round is blocked, or its ticks ran out."""
    return s.phase >= ROUND_OVER


@jit
def is_terminal(s: State) -> bool:
    """Whether the match is over."""
    return s.phase == MATCH_OVER


@jit
def next_round(s: State) -> None:
    """Everybody shuffles and deals anew."""
    s.round_number += 1
    deal_round(s)


@jit
def scores(s: State, out: NDArray[np.float64]) -> None:
    """Totals of the units, by seat."""
    for seat in range(s.seats):
        out[seat] = s.totals[seat >> s.teams]


@jit
def places(s: State, out: Words) -> None:
    """The winner first, the others by total (RULES.md 4.5)."""
    for seat in range(s.seats):
        out[seat] = 1
        for other in range(s.seats):
            if _ranking(s, other >> s.teams) > _ranking(s, seat >> s.teams):
                out[seat] += 1


@jit
def has_one_loser(_s: State) -> bool:
    """Places go by totals."""
    return False


@jit
def observe(s: State, seat: int, out: State) -> None:
    """Hide the deal seed, priorities, others' choices, covered cards that the seat has not seen (RULES.md 4.6)."""
    observe_state(s, seat, out)


@jit
def determinize(s: State, seat: int, rng: Words) -> None:
    """Deal the unseen cards in random order, unit by unit, and draw hidden choices anew (RULES.md 4.6)."""
    determinize_state(s, seat, rng)


@jit
def seen_action(s: State, action: int, viewer: int) -> int:
    """The own choice at once; with the last choice of a tick, all moves that take effect, and who has begun a longer one."""
    seat = int(s.turn)
    if seat + 1 < s.seats:
        return SEEN_OWN | (action & CODE_MASK) + 1 if seat == viewer else 0
    seen = SEEN_TICK
    for player in range(seat):
        seen |= seen_move(s, player) << MOVE_BITS * player
    return seen | _seen_last(s, seat, action, viewer) << MOVE_BITS * seat


@jit
def _seen_last(s: State, seat: int, action: int, viewer: int) -> int:
    """What is seen of the choice that ends the choices of a tick: a code + 1, BEGUN, or 0 for nothing."""
    if s.since[seat] > 0:
        return seen_move(s, seat)
    code = action & CODE_MASK
    takes_time = s.latency != NONE and delay_of(s, seat, code) + (action >> CODE_BITS) > 0
    if takes_time and viewer != seat:
        return BEGUN
    return code + 1 if code > WAIT else 0


@jit
def _ranking(s: State, unit: int) -> int:
    """The higher, the better the place: a caller that has reached the target is above all."""
    if s.caller > 0 and s.caller - 1 >> s.teams == unit and s.totals[unit] >= s.target:
        return 1 << 40
    return int(s.totals[unit])
