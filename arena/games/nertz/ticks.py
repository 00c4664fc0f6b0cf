"""One tick: the choices of all seats take effect, in the order of their priority (RULES.md 4.3); rounds, and their ends."""

import numpy as np

from arena.engine.jit import jit
from arena.engine.machine import popcount, stack_array
from arena.engine.rng import shuffle
from arena.games.nertz.layout import card_of, flip, lay_on_work, legal_mask, loosen, shift_work, take
from arena.games.nertz.options import DECLARED, KINDS, MAX_SEATS, NONE
from arena.games.nertz.state import (
    BEGUN,
    CALL,
    CARD,
    DEALING,
    DECK,
    FLIP,
    FOUNDATIONS,
    LINE,
    MATCH_OVER,
    MOVE_BITS,
    NERTZ,
    NERTZ_FOUND,
    NERTZ_WORK,
    NO_CARD,
    PILES,
    PLAY,
    PRIORITY,
    RANK_COUNT,
    ROUND_OVER,
    UNITS,
    WAIT,
    WORK_WORK,
    State,
)

CODE_BITS = 6  # an action is a code, and above it the ticks that it took where latency is measured
CODE_MASK = (1 << CODE_BITS) - 1
IN_SEAT_ORDER = sum(seat << 4 * seat for seat in range(MAX_SEATS))
ACES = 0b1111


@jit
def choose(s: State, action: int) -> None:
    """Note the choice of the seat to choose; the last one lets the tick happen. A busy seat's move stays as it is."""
    seat = int(s.turn)
    if s.since[seat] == 0:
        code = action & CODE_MASK
        s.pending[seat] = code + 1
        if s.latency != NONE:
            s.due[seat] = s.tick + (delay_of(s, seat, code) if s.latency == DECLARED else action >> CODE_BITS)
    s.turn = seat + 1
    if s.turn == s.seats:
        _resolve(s)


@jit
def delay_of(s: State, seat: int, code: int) -> int:
    """Ticks that a move of a seat takes, as declared; waiting takes none."""
    if code == WAIT:
        return 0
    kind = 4
    if code < NERTZ_FOUND:
        kind = code - FLIP
    elif code < NERTZ_WORK:
        kind = 2
    elif code < WORK_WORK:
        kind = 3
    return int(s.delays[KINDS * seat + kind])


@jit
def seen_move(s: State, seat: int) -> int:
    """What everybody sees of the choice of a seat in this tick: a code + 1, BEGUN, or 0 for nothing."""
    if s.due[seat] > s.tick:
        return BEGUN if s.since[seat] == 0 else 0
    return int(s.pending[seat]) if s.pending[seat] - 1 > WAIT else 0


@jit
def order_of(s: State) -> int:
    """The priority order of this tick, 4 bits a seat, the first one lowest: as given, else drawn from the deal's seed."""
    if s.priority != 0:
        return s.priority
    drawn = stack_array(MAX_SEATS, np.int8)
    for seat in range(MAX_SEATS):
        drawn[seat] = seat
    shuffle(drawn, s.seats, s.seed[:], int(s.round_number), PRIORITY, s.tick)
    order = 0
    for place in range(s.seats):
        order |= int(drawn[place]) << 4 * place
    return order


@jit
def wanted_cards(s: State) -> int:
    """The cards that some foundation takes: all aces, and the next card of each open pile."""
    wanted = ACES
    for k in range(s.num_piles + 0):
        if s.pile_size[k] < RANK_COUNT:
            wanted |= 1 << 4 * int(s.pile_size[k]) + int(s.pile_suit[k])
    return wanted


@jit
def deal_round(s: State) -> None:
    """Each unit's own deck: 13 to the Nertz pile, four work piles of one card, the rest is the stock."""
    cards = stack_array(DECK, np.int8)
    units = s.seats >> s.teams
    for unit in range(UNITS):
        for card in range(DECK):
            cards[card] = card
        if unit < units:
            shuffle(cards, DECK, s.seed[:], int(s.round_number), DEALING, unit)
        for place in range(NERTZ):
            s.nertz[unit, place] = cards[place] + 1 if unit < units else 0
        for pile in range(PILES):
            s.work[unit, pile] = 1 << int(cards[NERTZ + pile]) if unit < units else 0
        for place in range(LINE):
            s.line[unit, place] = cards[NERTZ + PILES + place] + 1 if unit < units else 0
        s.num_nertz[unit] = NERTZ if unit < units else 0
        s.num_line[unit] = LINE if unit < units else 0
        s.num_waste[unit] = 0
        s.laid[unit] = 0
    for k in range(FOUNDATIONS):
        s.pile_units[k] = 0
        s.pile_suit[k] = 0
        s.pile_size[k] = 0
    s.num_piles = 0
    s.wanted = ACES
    s.tick = 0
    s.idle = 0
    s.stall = 0
    s.stuck = 0
    s.failed = 0
    s.moves = 0
    s.caller = 0
    s.phase = PLAY
    _clear_choices(s)


@jit
def _clear_choices(s: State) -> None:
    for seat in range(MAX_SEATS):
        s.pending[seat] = 0
        s.due[seat] = 0
        s.since[seat] = 0
        s.could[seat] = 0
    s.turn = 0
    s.priority = 0


@jit
def _resolve(s: State) -> None:
    """Resolve all moves that are due, in one loop over the seats in priority order; then test what ends with the tick."""
    moves = 0
    for seat in range(s.seats):
        moves |= seen_move(s, seat) << MOVE_BITS * seat
    s.moves = moves
    doomed = _begin_moves(s) if s.latency != NONE else 0
    order = order_of(s) if _does_order_matter(s) else IN_SEAT_ORDER
    even, odd = _aims(s) if s.teams == 1 else (0, 0)
    free = (1 << int(s.num_piles)) - 1  # foundations that were there at the start of the tick and have not grown in it
    flipped = 0  # units
    failed = 0
    is_idle = True
    is_progress = False
    for place in range(s.seats):
        seat = order >> 4 * place & 15
        code = int(s.pending[seat]) - 1
        if code != WAIT or s.since[seat] > 0:
            is_idle = False
        if code == WAIT or s.due[seat] > s.tick:
            continue
        unit = seat >> s.teams
        if code == CALL:
            if s.caller == 0:
                s.caller = seat + 1
        elif doomed >> seat & 1 == 1:
            failed |= 1 << seat
        elif code == FLIP:
            if flipped >> unit & 1 == 1 or s.num_line[unit] == 0:
                failed |= 1 << seat
            else:
                flip(s, unit)
                flipped |= 1 << unit
        else:
            card = card_of(s, unit, code)
            aim = (odd if seat & 1 == 1 else even) >> 6 * unit & CARD
            left = _play(s, unit, code, card, free) if s.teams == 0 or card == aim else -1
            if left < 0:
                failed |= 1 << seat
            else:
                free = left
                is_progress |= code < WORK_WORK
    s.failed = failed
    s.idle = s.idle + 1 if is_idle else 0
    s.stall += 1
    if is_progress:
        s.wanted = wanted_cards(s)
        s.stall = 0
        s.stuck = 0
    _end_moves(s)
    _end_tick(s)


@jit
def _play(s: State, unit: int, code: int, card: int, free: int) -> int:
    """Move a card as the layout now is. Gives the foundations that are then still free in this tick, or -1: it failed."""
    if card == NO_CARD:
        return -1
    if code >= WORK_WORK:
        shift_work(s, unit, code, card)
        return free
    if code >= NERTZ_WORK:
        return free if lay_on_work(s, unit, code, card) else -1
    pile = _found(s, unit, card, free)
    if pile < 0:
        return -1
    take(s, unit, code, card)
    return free & ~(1 << pile)


@jit
def _begin_moves(s: State) -> int:
    """Latency: note which moves run on, and give the seats whose due move is not legal at the start of this tick."""
    doomed = 0
    for seat in range(s.seats):
        if s.due[seat] <= s.tick:
            if s.since[seat] > 0:
                since = s.since[seat]
                s.since[seat] = 0
                if legal_mask(s, seat) >> int(s.pending[seat]) - 1 & 1 == 0:
                    doomed |= 1 << seat
                s.since[seat] = since
        elif s.since[seat] == 0:
            s.could[seat] = legal_mask(s, seat)
            s.since[seat] = s.tick + 1
    return doomed


@jit
def _end_moves(s: State) -> None:
    """Forget the choices that took effect; moves that run on stay."""
    for seat in range(s.seats):
        if s.due[seat] <= s.tick:
            s.pending[seat] = 0
            s.due[seat] = 0
            s.since[seat] = 0
            s.could[seat] = 0
    s.turn = 0
    s.priority = 0


@jit
def _does_order_matter(s: State) -> bool:
    """Whether two seats claim something in the middle, or two mates move: else no order needs to be drawn."""
    claims = 0
    moved = 0  # units
    for seat in range(s.seats):
        code = int(s.pending[seat]) - 1
        if code > WAIT and s.due[seat] <= s.tick:
            if CALL <= code < NERTZ_WORK:
                claims += 1
            unit = seat >> s.teams
            if moved >> unit & 1 == 1:
                return True
            moved |= 1 << unit
    return claims > 1


@jit
def _aims(s: State) -> tuple[int, int]:
    """The card that each seat would move at the start of the tick, 6 bits a team: of the first mates, of the second."""
    even = 0
    odd = 0
    for seat in range(s.seats):
        code = int(s.pending[seat]) - 1
        if code >= NERTZ_FOUND:
            unit = seat >> 1
            aim = card_of(s, unit, code) << 6 * unit
            if seat & 1 == 1:
                odd |= aim
            else:
                even |= aim
    return even, odd


@jit
def _found(s: State, unit: int, card: int, free: int) -> int:
    """Lay a card on the oldest fitting one of the foundations in the mask `free`, or an ace beside them; its number, or -1."""
    suit = card & 3
    size = card >> 2
    pile = -1
    if size == 0:
        pile = int(s.num_piles)
        s.num_piles += 1
        s.pile_suit[pile] = suit
    else:
        for k in range(s.num_piles + 0):
            if s.pile_suit[k] == suit and s.pile_size[k] == size and free >> k & 1 == 1:
                pile = k
                break
        if pile < 0:
            return pile
    s.pile_size[pile] = size + 1
    s.pile_units[pile] |= unit << 4 * size
    s.laid[unit] |= 1 << card
    return pile


@jit
def _end_tick(s: State) -> None:
    """The tests at the end of a tick: a call, the limit of ticks, everybody stuck."""
    s.tick += 1
    if s.caller > 0 or s.tick >= s.tick_limit:
        _end_round(s)
    elif s.idle >= s.idle_window or s.stall >= s.stall_window:
        if s.stuck >= s.stuck_limit:
            _end_round(s)
            return
        for unit in range(s.seats >> s.teams):
            loosen(s, unit)
        s.idle = 0
        s.stall = 0
        s.stuck += 1


@jit
def _end_round(s: State) -> None:
    """Score the round (RULES.md 4.5)."""
    is_over = s.round_number >= s.max_rounds
    for unit in range(s.seats >> s.teams):
        s.totals[unit] += popcount(s.laid[unit]) - 2 * s.num_nertz[unit]
        if s.caller > 0 and s.caller - 1 >> s.teams == unit:
            s.totals[unit] += s.call_bonus
        if s.totals[unit] >= s.target:
            is_over = True
    s.phase = MATCH_OVER if is_over else ROUND_OVER
    _clear_choices(s)
