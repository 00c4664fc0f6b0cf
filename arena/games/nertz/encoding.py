"""Nertz as numbers for learning programs: what a seat knows, and what each of its legal moves brings (docs/encodings.md).

Units are counted from the own one, seats from the own one. What everybody sees of all layouts is in public_features.py.
"""

from itertools import accumulate

from arena.engine.contract import Actions, Features
from arena.engine.encoding import Plane
from arena.engine.jit import jit
from arena.engine.machine import bit_length, lowest_bit, popcount
from arena.games.nertz.layout import ACCEPTS, card_of, from_pile, legal_mask, nertz_top, to_pile, waste_top
from arena.games.nertz.options import KINDS, MAX_SEATS
from arena.games.nertz.public_features import (
    FACE,
    LONG_DELAY,
    MOVE_KINDS,
    PUBLIC_PLANES,
    encode_card,
    encode_public,
    flipped,
    move_kind,
)
from arena.games.nertz.state import (
    CALL,
    CARD,
    DECK,
    EVERY,
    FLIP,
    FOUNDATIONS,
    LINE,
    NERTZ,
    NERTZ_FOUND,
    NERTZ_WORK,
    NO_CARD,
    PILES,
    PLAY,
    RANK_COUNT,
    UNITS,
    WASTE_FOUND,
    WASTE_WORK,
    WORK_FOUND,
    WORK_WORK,
    State,
)
from arena.games.nertz.state import CODES as CODE_COUNT

MANY_TICKS = 500.0  # most rounds are over by then
MANY_FLIPPED = 10.0  # cards
LARGE_BONUS = 50.0  # points
LARGE_TARGET = 1000.0  # points

PLANES = (
    Plane("phase", 2, "the phase: play, the round is over"),
    Plane("nertz", FACE, "the open card of the own Nertz pile: its rank, A to K, and its suit, S, H, D, C; empty without one"),
    Plane("waste", FACE, "the open card of the own waste, likewise"),
    Plane("flip", FACE, "the card that the next flip opens, likewise; empty if the seat does not know it"),
    Plane("work", PILES * FACE, "the top card of each own work pile, likewise"),
    Plane("work_cards", PILES, "the cards in each own work pile, of 13"),
    Plane("work_bottoms", PILES, "the rank of the bottom card of each own work pile, of 13; 0 for an empty slot"),
    Plane("work_wanted", PILES, "for each own work pile: whether some foundation takes its top card"),
    Plane("wanted", DECK, "the cards that some foundation takes, by card id (SA, HA, DA, CA, S2, ...)"),
    Plane("legal", CODE_COUNT, "the legal moves of the own seat, by action code"),
    Plane("coming", 1, "1 over the flips until a known card of the stock can be played as things stand; 0 if none is known"),
    Plane("units", UNITS, "which units play"),
    Plane("nertz_cards", UNITS, "the cards in each unit's Nertz pile, of 13"),
    Plane("laid", UNITS, "the cards of each unit on the foundations, of 52"),
    Plane("stock", UNITS, "the cards in each unit's stock, of 35"),
    Plane("wastes", UNITS, "the cards in each unit's waste, of 35"),
    Plane("nertz_wanted", UNITS, "for each unit: whether some foundation takes its open Nertz card"),
    Plane("points", UNITS, "what each unit would get if the round ended now, of 52", -0.5),
    Plane("totals", UNITS, "each unit's total, as a share of the target; at least -1, at most 1", -1.0),
    Plane("reaches", UNITS, "for each unit: whether the total would reach the target if the round ended now"),
    Plane("foundations", 1, "the foundations that were opened, of 24"),
    Plane("busy", MAX_SEATS, "which seats have a move running that takes more ticks"),
    Plane("due", 1, "the ticks until the own running move counts, tenths; at most 1"),
    Plane("failed", 1, "whether the own last move failed"),
    Plane("idle", 1, "the ticks in which all have waited, as a share of the idle window"),
    Plane("stall", 1, "the ticks without progress, as a share of the stall window"),
    Plane("stuck", 1, "how often everybody was stuck since the last progress, as a share of the limit"),
    Plane("tick", 1, "the ticks of the round, of 500; at most 1"),
    Plane("rounds", 1, "the number of the round, as a share of the rounds that the match may have"),
    Plane("latency", 3, "the option latency: none, declared, measured"),
    Plane("delays", KINDS, "the own delays: flip, call, to a foundation, to work, work to work; tenths, at most 1"),
    Plane("options", 3, "the options: teams, empty_from_work, partial_moves"),
    Plane("flip_size", 1, "the option flip, tenths; at most 1"),
    Plane("call_bonus", 1, "the option call_bonus, of 50; at most 1"),
    Plane("target", 1, "the option target, of 1000; at most 1"),
    *PUBLIC_PLANES,
)
(
    _PHASE, _NERTZ, _WASTE, _FLIP, _WORK, _WORK_CARDS, _BOTTOMS, _WORK_WANTED, _WANTED, _LEGAL, _COMING, _UNITS, _NERTZ_CARDS,
    _LAID, _STOCK, _WASTES, _NERTZ_WANTED, _POINTS, _TOTALS, _REACHES, _FOUNDATIONS, _BUSY, _DUE, _FAILED, _IDLE, _STALL,
    _STUCK, _TICK, _ROUNDS, _LATENCY, _DELAYS, _OPTIONS, _FLIP_SIZE, _CALL_BONUS, _TARGET, _PUBLIC, *_, _SIZE,
) = accumulate((plane.size for plane in PLANES), initial=0)  # fmt: skip

ACTION_PLANES = (
    Plane(
        "kind",
        MOVE_KINDS,
        "wait, flip, call; to a foundation from Nertz pile, waste, work; to work from Nertz pile, waste, work",
    ),
    Plane("card", FACE, "the card that moves (of several, the first), or that a flip opens, as in `nertz`"),
    Plane("source", PILES, "the work pile that cards leave"),
    Plane("target", PILES, "the work pile that cards come to"),
    Plane("count", 1, "how many cards move, of 13"),
    Plane("to_slot", 1, "whether they come to an empty slot"),
    Plane("turns_over", 1, "whether a flip turns the waste over"),
    Plane("contested", 1, "to a foundation: whether another unit has the same card open, and may be first"),
    Plane("followed", 1, "to a foundation: whether an open card of another unit could follow onto it"),
    Plane("lets_out", 1, "to a foundation: whether that is another unit's Nertz card"),
    Plane("nertz_goes", 1, "whether the Nertz card that is open now can be played after the move"),
    Plane("waste_goes", 1, "whether the waste card that is then open can be played, as far as the seat knows it"),
    Plane("works_go", 1, "how many work piles then have a top card that goes to a foundation, of 4"),
    Plane("slots", 1, "how many slots are then empty, of 4"),
    Plane("ends", 1, "call: what the own unit gets, of 52; at least 0"),
    Plane("is_ahead", 1, "call: whether no other unit would then have a higher total"),
)
(
    _KIND, _CARD, _SOURCE, _AIM, _COUNT, _TO_SLOT, _TURNS_OVER, _CONTESTED, _FOLLOWED, _LETS_OUT, _NERTZ_GOES, _WASTE_GOES,
    _WORKS_GO, _SLOTS, _ENDS, _IS_AHEAD, _ACTION_SIZE,
) = accumulate((plane.size for plane in ACTION_PLANES), initial=0)  # fmt: skip
# factors: a division takes longer
_OF_RANKS, _OF_NERTZ, _OF_DECK, _OF_LINE, _OF_FOUNDATIONS = (
    1 / whole for whole in (RANK_COUNT, NERTZ, DECK, LINE, FOUNDATIONS)
)
_OF_TICKS, _OF_DELAY, _OF_FLIPPED = 1 / MANY_TICKS, 1 / LONG_DELAY, 1 / MANY_FLIPPED
_OF_BONUS, _OF_TARGET = 1 / LARGE_BONUS, 1 / LARGE_TARGET

CODES: tuple[int, ...] | None = tuple(range(CODE_COUNT))
"""What each code means is in RULES.md 4.2."""


@jit
def encode(s: State, seat: int, out: Features) -> None:
    """Write PLANES. `s`: the state as `observe` shows it to `seat`."""
    for i in range(_SIZE):
        out[i] = 0.0
    unit = seat >> s.teams
    out[_PHASE + (0 if s.phase == PLAY else 1)] = 1.0
    _encode_layout(s, unit, out)
    wanted = s.wanted
    while wanted:
        out[_WANTED + lowest_bit(wanted)] = 1.0
        wanted &= wanted - 1
    legal = legal_mask(s, seat)
    while legal:
        out[_LEGAL + lowest_bit(legal)] = 1.0
        legal &= legal - 1
    _encode_units(s, unit, out)
    _encode_course(s, seat, out)
    encode_public(s, seat, out[_PUBLIC:])


@jit
def action_features(s: State, seat: int, actions: Actions, count: int, out: Features) -> None:
    """Write ACTION_PLANES, one row for each legal action."""
    unit = seat >> s.teams
    rivals, nertz = _rival_cards(s, unit)
    for i in range(count):
        row = out[i]
        for place in range(_ACTION_SIZE):
            row[place] = 0.0
        code = int(actions[i])
        card = NO_CARD
        if code == FLIP:
            card = flipped(s, unit, 1)
            row[_TURNS_OVER] = s.num_waste[unit] == s.num_line[unit]
        elif code == CALL:
            points = _points(s, unit, unit)
            row[_ENDS] = min(1.0, max(0.0, points * _OF_DECK))
            row[_IS_AHEAD] = _is_ahead(s, unit, points)
        elif code >= NERTZ_FOUND:
            card = card_of(s, unit, code)
            row[_COUNT] = _OF_RANKS
            if code < NERTZ_WORK:
                row[_CONTESTED] = rivals >> card & 1
                row[_FOLLOWED] = rivals >> card + 4 & 1
                row[_LETS_OUT] = nertz >> card + 4 & 1
        encode_card(card, row, _CARD)
        _encode_way(s, unit, code, card, row)
        _encode_after(s, unit, code, card, row)


@jit
def _encode_layout(s: State, unit: int, out: Features) -> None:
    """The planes of the own layout."""
    encode_card(nertz_top(s, unit), out, _NERTZ)
    encode_card(waste_top(s, unit), out, _WASTE)
    encode_card(flipped(s, unit, 1), out, _FLIP)
    playable = s.wanted
    for i in range(PILES):
        pile = s.work[unit, i]
        if pile == 0:
            playable = EVERY
            continue
        top = lowest_bit(pile)
        playable |= ACCEPTS[top]
        encode_card(top, out, _WORK + i * FACE)
        out[_WORK_CARDS + i] = popcount(pile) * _OF_RANKS
        out[_BOTTOMS + i] = ((bit_length(pile) - 1 >> 2) + 1) * _OF_RANKS
        out[_WORK_WANTED + i] = s.wanted >> top & 1
    flips = 1
    while s.num_waste[unit] + (flips - 1) * s.flip < s.num_line[unit]:
        if playable >> flipped(s, unit, flips) & 1:
            out[_COMING] = 1.0 / flips
            break
        flips += 1


@jit
def _encode_units(s: State, own: int, out: Features) -> None:
    """The planes with a number for each unit."""
    units = s.seats >> s.teams
    unit = own
    for place in range(units):
        out[_UNITS + place] = 1.0
        out[_NERTZ_CARDS + place] = s.num_nertz[unit] * _OF_NERTZ
        out[_LAID + place] = popcount(s.laid[unit]) * _OF_DECK
        out[_STOCK + place] = (s.num_line[unit] - s.num_waste[unit]) * _OF_LINE
        out[_WASTES + place] = s.num_waste[unit] * _OF_LINE
        out[_NERTZ_WANTED + place] = s.wanted >> nertz_top(s, unit) & 1
        points = _points(s, unit, -1) if s.phase == PLAY else 0
        total = s.totals[unit] + points
        out[_POINTS + place] = points * _OF_DECK
        out[_TOTALS + place] = min(1.0, max(-1.0, s.totals[unit] / s.target))
        out[_REACHES + place] = total >= s.target
        unit = unit + 1 if unit + 1 < units else 0


@jit
def _encode_course(s: State, seat: int, out: Features) -> None:
    """The planes of time, delays and options."""
    player = seat
    for place in range(s.seats):
        out[_BUSY + place] = s.since[player] > 0
        player = player + 1 if player + 1 < s.seats else 0
    if s.since[seat] > 0:
        out[_DUE] = min(1.0, max(0.0, (s.due[seat] - s.tick) * _OF_DELAY))
    out[_FOUNDATIONS] = s.num_piles * _OF_FOUNDATIONS
    out[_FAILED] = s.failed >> seat & 1
    out[_IDLE] = min(1.0, s.idle / s.idle_window)
    out[_STALL] = min(1.0, s.stall / s.stall_window)
    out[_STUCK] = min(1.0, s.stuck / max(1, s.stuck_limit))
    out[_TICK] = min(1.0, s.tick * _OF_TICKS)
    out[_ROUNDS] = min(1.0, s.round_number / s.max_rounds)
    out[_LATENCY + int(s.latency)] = 1.0
    for kind in range(KINDS):
        out[_DELAYS + kind] = min(1.0, s.delays[KINDS * seat + kind] * _OF_DELAY)
    out[_OPTIONS] = s.teams
    out[_OPTIONS + 1] = s.empty_from_work
    out[_OPTIONS + 2] = s.partial_moves
    out[_FLIP_SIZE] = min(1.0, s.flip * _OF_FLIPPED)
    out[_CALL_BONUS] = min(1.0, s.call_bonus * _OF_BONUS)
    out[_TARGET] = min(1.0, s.target * _OF_TARGET)


@jit
def _encode_way(s: State, unit: int, code: int, card: int, row: Features) -> None:
    """The kind of a move, from where and to where it goes, and how many cards."""
    row[_KIND + move_kind(code)] = 1.0
    if code >= WORK_WORK:
        source = from_pile(code)
        row[_SOURCE + source] = 1.0
        _encode_aim(s, unit, to_pile(code), row)
        row[_COUNT] = popcount(s.work[unit, source] & (2 << card) - 1) * _OF_RANKS
    elif code >= NERTZ_WORK:
        _encode_aim(s, unit, code - NERTZ_WORK & 3, row)
    elif code >= WORK_FOUND:
        row[_SOURCE + code - WORK_FOUND] = 1.0


@jit
def _encode_aim(s: State, unit: int, pile: int, row: Features) -> None:
    row[_AIM + pile] = 1.0
    row[_TO_SLOT] = s.work[unit, pile] == 0


@jit
def _encode_after(s: State, unit: int, code: int, card: int, row: Features) -> None:
    """What the own layout then offers, if nobody else moves."""
    wanted = s.wanted
    if NERTZ_FOUND <= code < NERTZ_WORK:
        wanted |= 1 << card + 4
    playable = wanted
    for i in range(PILES):
        pile = _pile_after(s, unit, code, card, i)
        if pile == 0:
            playable = EVERY
            row[_SLOTS] += 0.25
        else:
            playable |= ACCEPTS[lowest_bit(pile)]
            if wanted >> lowest_bit(pile) & 1:
                row[_WORKS_GO] += 0.25
    if code != NERTZ_FOUND and not NERTZ_WORK <= code < WASTE_WORK:
        row[_NERTZ_GOES] = playable >> nertz_top(s, unit) & 1
    waste = waste_top(s, unit)
    if code == FLIP:
        waste = card
    elif code == WASTE_FOUND or WASTE_WORK <= code < WORK_WORK:
        count = s.num_waste[unit] - 1
        waste = (int(s.line[unit, count - 1]) & CARD) - 1 if count > 0 else NO_CARD
    row[_WASTE_GOES] = playable >> waste & 1


@jit
def _pile_after(s: State, unit: int, code: int, card: int, i: int) -> int:
    """A work pile after a move of this unit."""
    pile = int(s.work[unit, i])
    if code >= WORK_WORK:
        source = from_pile(code)
        moved = int(s.work[unit, source]) & (2 << card) - 1
        if i == source:
            pile ^= moved
        elif i == to_pile(code):
            pile |= moved
    elif code >= NERTZ_WORK:
        if i == code - NERTZ_WORK & 3:
            pile |= 1 << card
    elif code == WORK_FOUND + i:
        pile ^= 1 << card
    return pile


@jit
def _rival_cards(s: State, own: int) -> tuple[int, int]:
    """The open cards of the other units, and those of their Nertz piles alone, as masks."""
    cards = nertz = 0
    for unit in range(s.seats >> s.teams):
        if unit != own:
            nertz |= 1 << nertz_top(s, unit)
            cards |= 1 << waste_top(s, unit)
            for i in range(PILES):
                pile = s.work[unit, i]
                cards |= pile & -pile
    return (cards | nertz) & EVERY, nertz & EVERY


@jit
def _points(s: State, unit: int, caller: int) -> int:
    """What a unit would get if the round ended now; `caller`: the unit that calls, -1 for none."""
    return int(popcount(s.laid[unit]) - 2 * s.num_nertz[unit] + (s.call_bonus if unit == caller else 0))


@jit
def _is_ahead(s: State, own: int, points: int) -> bool:
    """Whether no other unit's total would be above the own one if the round ended now and brought the own unit `points`."""
    for unit in range(s.seats >> s.teams):
        if unit != own and s.totals[unit] + _points(s, unit, -1) > s.totals[own] + points:
            return False
    return True
