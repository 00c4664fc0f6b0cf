"""What chance decides in Nertz, and what a position is worth (arena/engine/contract.py says what each function is for)."""

import math

import numpy as np

from arena.engine.contract import SAMPLED, Numbers
from arena.engine.jit import jit
from arena.engine.machine import stack_array
from arena.engine.rng import Words, next_word, shuffle_fast
from arena.games.nertz.options import DECLARED, MAX_SEATS, NONE
from arena.games.nertz.rollout import evaluate, part_behind
from arena.games.nertz.rules import places
from arena.games.nertz.stakes import LOGISTIC
from arena.games.nertz.state import (
    CALL,
    DECK,
    FLIP,
    MATCH_OVER,
    NERTZ_FOUND,
    NERTZ_WORK,
    SEEN,
    WAIT,
    WASTE_WORK,
    State,
)
from arena.games.nertz.ticks import CODE_BITS, CODE_MASK, delay_of

ROUND_SPREAD, SPREAD = 60.0, 4.0  # squared points: of the lead that a round brings, and for each point to the target


@jit
def redraw(s: State, rng: Words) -> None:
    """Shuffle, unit by unit, the cards that its seats have not seen, and draw another seed for priorities and deals."""
    cards = stack_array(DECK, np.int64)
    for unit in range(s.seats >> s.teams):
        count = 0
        for place in range(s.num_nertz[unit] - 1):
            cards[count] = s.nertz[unit, place]
            count += 1
        for place in range(s.num_line[unit] + 0):
            if s.line[unit, place] & SEEN == 0:
                cards[count] = s.line[unit, place]
                count += 1
        shuffle_fast(cards, count, rng)
        for place in range(s.num_nertz[unit] - 1):
            count -= 1
            s.nertz[unit, place] = cards[count]
        for place in range(s.num_line[unit] + 0):
            if s.line[unit, place] & SEEN == 0:
                count -= 1
                s.line[unit, place] = cards[count]
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def alternatives(s: State, action: int) -> int:
    """The last choice of a tick lets it happen: unseen cards may be turned up, and the order of the seats may count."""
    if s.turn + 1 < s.seats:
        return 0
    claims = 0
    moved = 0  # units
    for seat in range(s.seats):
        code = _due_code(s, seat, action)
        if code <= WAIT:
            continue
        unit = seat >> s.teams
        if _opens(s, unit, code) or moved >> unit & 1 == 1:
            return SAMPLED
        moved |= 1 << unit
        claims += CALL <= code < NERTZ_WORK
    return SAMPLED if claims > 1 else 0


@jit
def arrange(_s: State, _action: int, _alternative: int) -> float:
    """Never called: what may come is sampled."""
    return 0.0


@jit
def _due_code(s: State, seat: int, action: int) -> int:
    """The code of a seat's move that takes effect in this tick, `action` being the last seat's choice; WAIT for none."""
    if seat < s.turn or s.since[seat] > 0:
        return int(s.pending[seat]) - 1 if s.due[seat] <= s.tick else WAIT
    code = action & CODE_MASK
    if s.latency == NONE:
        return code
    delay = delay_of(s, seat, code) if s.latency == DECLARED else action >> CODE_BITS
    return WAIT if delay > 0 else code


@jit
def _opens(s: State, unit: int, code: int) -> bool:
    """Whether a move of a unit may turn up a card that nobody has seen."""
    if code == FLIP:
        waste = int(s.num_waste[unit])
        unseen = 0
        for place in range(waste, min(waste + int(s.flip), int(s.num_line[unit]))):
            unseen += s.line[unit, place] & SEEN == 0
        return unseen > 0
    return s.num_nertz[unit] > 1 and (code == NERTZ_FOUND or NERTZ_WORK <= code < WASTE_WORK)


@jit
def value(s: State, constants: Numbers, out: Numbers) -> None:
    """The chance that a unit ends before another one: by how many points it will have more than they have on average."""
    if s.phase == MATCH_OVER:
        reached = stack_array(MAX_SEATS, np.int64)
        reached[:] = 0
        places(s, reached)
        for seat in range(s.seats):
            out[seat] = part_behind(s, seat, reached)
        return
    evaluate(s, constants, out)
    highest = 0
    for unit in range(s.seats >> s.teams):
        highest = max(highest, int(s.totals[unit]))
    width = math.sqrt(ROUND_SPREAD + SPREAD * max(0, s.target - highest))
    for seat in range(s.seats):
        out[seat] = 1.0 / (1.0 + math.exp(-LOGISTIC * out[seat] / width))
