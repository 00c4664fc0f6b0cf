"""Reading a position of Nertz: every mistake is refused with an error that names the key (docs/notation.md)."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from arena.cards import RANKS, SUITS
from arena.engine.game import Document, States
from arena.engine.position import PositionReader, require_whole_deck
from arena.errors import PositionError
from arena.games import load
from arena.games.nertz.layout import ACCEPTS, legal_mask
from arena.games.nertz.options import DECLARED, MEASURED, NONE
from arena.games.nertz.state import (
    BEGUN,
    CARDS,
    FOUNDATIONS,
    LINE,
    MATCH_OVER,
    MOVE_BITS,
    NERTZ,
    PILES,
    PLAY,
    SEEN,
    SHOWN,
    UNITS,
    WAIT,
)
from arena.games.nertz.ticks import delay_of, order_of, wanted_cards
from arena.games.nertz.words import BEGUN_WORD, SEEN_DIGIT, SHOWN_DIGIT, UNSEEN_DIGIT, code_of, default_memory

_KEYS = (
    "units", "foundations", "tick", "pending", "due", "priority", "idle", "stall", "stuck", "failed", "totals", "caller",
    "memory",
)  # fmt: skip
_UNIT_KEYS = ("nertz", "work", "stock", "waste")
_PHASES = {"play": PLAY, "over": MATCH_OVER}
_FLAGS = {UNSEEN_DIGIT: 0, SEEN_DIGIT: SEEN, SHOWN_DIGIT: SEEN | SHOWN}
_MOST = 1_000_000  # points, far beyond any match


def from_position(document: Document) -> States:
    """The state of a position; raises PositionError that names the key."""
    reader, states = load("nertz").open(document, _KEYS)
    reader.refuse(("starter",), "in Nertz: nobody starts")
    s = states[0]
    _read_course(reader, s)
    _read_cards(reader, s)
    _read_memory(reader, s)
    _read_priority(reader, s)
    _read_choices(reader, s)
    return states


def _read_course(reader: PositionReader, s: Any) -> None:
    """Read how far the match has come: phase, round, tick, counters, totals, who called."""
    seats, is_over = int(s.seats), reader.word("phase", _PHASES) == "over"
    s.phase = MATCH_OVER if is_over else PLAY
    s.round_number = reader.whole("round", 1, int(s.max_rounds), default=1)
    s.tick = reader.whole("tick", 0, int(s.tick_limit) - (not is_over), default=0)
    s.idle = reader.whole("idle", 0, int(s.idle_window) - (not is_over), default=0)
    s.stall = reader.whole("stall", 0, int(s.stall_window) - (not is_over), default=0)
    s.stuck = reader.whole("stuck", 0, int(s.stuck_limit), default=0)
    units = seats >> int(s.teams)
    totals = reader.listing("totals") or [0] * units
    for unit, total in enumerate(reader.as_listing(totals, "totals", units)):
        s.totals[unit] = reader.as_whole(total, f"totals[{unit}]", -_MOST, _MOST)
    is_decided = any(s.totals[unit] >= s.target for unit in range(units))
    if is_decided and not is_over:
        raise PositionError(f"totals: the target {s.target} is reached, so the match is over")
    if is_over and not is_decided and s.round_number < s.max_rounds:
        raise PositionError(f"phase: the match is not over: nobody has reached the target {s.target}")
    failed = [reader.as_whole(seat, f"failed[{at}]", 0, seats - 1) for at, seat in enumerate(reader.listing("failed"))]
    if failed != sorted(set(failed)):
        raise PositionError(f"failed: seats in ascending order are needed, not {failed}")
    s.failed = sum(1 << seat for seat in failed)
    if is_over:
        reader.refuse(("turn", "pending", "due", "priority"), "when the match is over")
    else:
        reader.refuse(("caller",), "while a round is played")
        s.turn = reader.whole("turn", 0, seats - 1)
    s.caller = 0 if reader.is_empty("caller") else 1 + reader.whole("caller", 0, seats - 1)


def _read_cards(reader: PositionReader, s: Any) -> None:
    """Foundations and layouts; each unit has all cards of its own deck."""
    units = int(s.seats) >> int(s.teams)
    laid = _read_foundations(reader, s, units)
    for unit, layout in enumerate(reader.listing("units", units)):
        key = f"units[{unit}]"
        if not isinstance(layout, dict):
            raise PositionError(f"{key}: an object with {', '.join(_UNIT_KEYS)} is needed, not {layout!r}")
        for name in layout:
            if name not in _UNIT_KEYS:
                raise PositionError(f"{key}: no such key {name!r}; known: {', '.join(_UNIT_KEYS)}")
        nertz, stock, waste = (reader.cards(layout.get(name), f"{key}.{name}", CARDS) for name in ("nertz", "stock", "waste"))
        if len(nertz) > NERTZ:
            raise PositionError(f"{key}.nertz: a Nertz pile has at most {NERTZ} cards, not {len(nertz)}")
        if len(stock) + len(waste) > LINE:
            raise PositionError(f"{key}.stock: stock and waste have at most {LINE} cards, not {len(stock) + len(waste)}")
        given = reader.as_listing(layout.get("work") or [[]] * PILES, f"{key}.work", PILES)
        work = [_read_pile(reader, pile, f"{key}.work[{at}]") for at, pile in enumerate(given)]
        try:
            require_whole_deck([*nertz, *stock, *waste, *laid[unit], *(card for pile in work for card in pile)], CARDS)
        except PositionError as error:
            raise PositionError(f"{key}: {error}") from None
        line = [*waste, *stock]
        s.nertz[unit] = [card + 1 for card in nertz] + [0] * (NERTZ - len(nertz))
        s.line[unit] = [card + 1 for card in line] + [0] * (LINE - len(line))
        s.work[unit] = [sum(1 << card for card in pile) for pile in work]
        s.laid[unit] = sum(1 << card for card in laid[unit])
        s.num_nertz[unit], s.num_line[unit], s.num_waste[unit] = len(nertz), len(waste) + len(stock), len(waste)
    if s.caller and s.num_nertz[int(s.caller) - 1 >> int(s.teams)]:
        raise PositionError(f"caller: seat {s.caller - 1} cannot have called, its Nertz pile is not empty")


def _read_pile(reader: PositionReader, pile: object, key: str) -> list[int]:
    """A work pile: ranks descend one by one, colours alternate."""
    cards = reader.cards(pile, key, CARDS)
    for lower, upper in pairwise(cards):
        if not int(ACCEPTS[lower]) >> upper & 1:
            raise PositionError(f"{key}: {CARDS.text(upper)} cannot lie on {CARDS.text(lower)}")
    return cards


def _read_foundations(reader: PositionReader, s: Any, units: int) -> list[list[int]]:
    """The cards of each unit that lie in the middle."""
    laid: list[list[int]] = [[] for _ in range(UNITS)]
    piles = reader.listing("foundations")
    if len(piles) > FOUNDATIONS:
        raise PositionError(f"foundations: at most {FOUNDATIONS} are possible, not {len(piles)}")
    for k, pile in enumerate(piles):
        key = f"foundations[{k}]"
        if not isinstance(pile, dict) or set(pile) != {"suit", "units"}:
            raise PositionError(f"{key}: an object with suit and units is needed, not {pile!r}")
        if not isinstance(pile["suit"], str) or pile["suit"] not in list(SUITS):
            raise PositionError(f"{key}.suit: one of {', '.join(SUITS)} is needed, not {pile['suit']!r}")
        suit, owners = SUITS.index(pile["suit"]), reader.as_listing(pile["units"], f"{key}.units")
        if not 1 <= len(owners) <= len(RANKS):
            raise PositionError(f"{key}.units: 1 to {len(RANKS)} cards are needed, not {len(owners)}")
        s.pile_units[k] = 0
        for rank, owner in enumerate(owners):
            unit = reader.as_whole(owner, f"{key}.units[{rank}]", 0, units - 1)
            laid[unit].append(4 * rank + suit)
            s.pile_units[k] |= unit << 4 * rank
        s.pile_suit[k], s.pile_size[k] = suit, len(owners)
    s.num_piles = len(piles)
    s.wanted = wanted_cards(s)
    return laid


def _read_memory(reader: PositionReader, s: Any) -> None:
    """Read who has seen which place; without this key the waste counts as flipped at once, and the stock as never flipped."""
    memory = reader.mapping("memory")
    for key in memory:
        if key not in ("seen", "moves", "since", "could"):
            raise PositionError(f"memory: no such key {key!r}; known: seen, moves, since, could")
    s.moves = 0
    for seat, text in enumerate(_per_seat(reader, memory.get("moves"), "memory.moves", int(s.seats))):
        if text is not None:
            move = BEGUN if text == BEGUN_WORD and s.latency != NONE else 1 + code_of(text, f"memory.moves[{seat}]")
            if move == WAIT + 1:
                raise PositionError(f"memory.moves[{seat}]: to wait is not seen as a move")
            s.moves |= move << MOVE_BITS * seat
    units = int(s.seats) >> int(s.teams)
    lines = [(int(s.num_line[unit]), int(s.num_waste[unit])) for unit in range(units)]
    given = memory.get("seen") or [default_memory(*line) for line in lines]
    for unit, digits in enumerate(reader.as_listing(given, "memory.seen", units)):
        line, waste = lines[unit]
        if not isinstance(digits, str) or len(digits) != line or set(digits) - set(_FLAGS):
            raise PositionError(f"memory.seen[{unit}]: a digit 0 to 2 for each of {line} cards is needed, not {digits!r}")
        if UNSEEN_DIGIT in digits[:waste] or (waste and digits[waste - 1] != SHOWN_DIGIT):
            raise PositionError(f"memory.seen[{unit}]: a waste was seen by its unit (1), its top by everybody (2): {digits!r}")
        s.line[unit, :line] |= np.array([_FLAGS[digit] for digit in digits], np.uint8)


def _read_priority(reader: PositionReader, s: Any) -> None:
    """The order of this tick; seat order when it is left out. What the seed draws anyway is not kept."""
    if s.phase != PLAY:
        return
    seats = int(s.seats)
    order = reader.listing("priority") or list(range(seats))
    order = [reader.as_whole(seat, f"priority[{at}]", 0, seats - 1) for at, seat in enumerate(order)]
    if sorted(order) != list(range(seats)):
        raise PositionError(f"priority: each of the {seats} seats once is needed, not {order}")
    packed = sum(seat << 4 * place for place, seat in enumerate(order))
    s.priority = packed if packed != int(order_of(s)) else 0


def _read_choices(reader: PositionReader, s: Any) -> None:
    """The choices of earlier seats in this tick, and under latency the moves that run on."""
    if s.phase != PLAY:
        return
    seats, latency = int(s.seats), int(s.latency)
    pending = _per_seat(reader, reader.listing("pending"), "pending", seats)
    memory = reader.mapping("memory")
    if latency == NONE:
        reader.refuse(("due",), "with latency=none")
        if memory.get("since") or memory.get("could"):
            raise PositionError("memory.since: no move runs on with latency=none")
    due = _per_seat(reader, reader.listing("due"), "due", seats)
    since = _per_seat(reader, memory.get("since"), "memory.since", seats)
    could = _per_seat(reader, memory.get("could"), "memory.could", seats)
    legal = [int(legal_mask(s, seat)) for seat in range(seats)]
    for seat in range(seats):
        if pending[seat] is None:
            if seat < s.turn:
                raise PositionError(f"pending[{seat}]: seat {seat} chooses before seat {s.turn} and must have chosen")
            for key, value in (("due", due), ("memory.since", since), ("memory.could", could)):
                if value[seat] is not None:
                    raise PositionError(f"{key}[{seat}]: seat {seat} has no pending move")
            continue
        code = code_of(pending[seat], f"pending[{seat}]")
        s.pending[seat] = code + 1
        begun = int(s.tick)
        if latency != NONE:
            s.due[seat] = reader.as_whole(due[seat], f"due[{seat}]", int(s.tick), (1 << 31) - 1)
            begun = _begun(reader, s, seat, since[seat])
        if begun == s.tick:
            _check_fresh(s, seat, code, legal[seat])
            if could[seat] is not None:
                raise PositionError(f"memory.could[{seat}]: seat {seat} has chosen in this tick")
        else:
            s.since[seat] = begun + 1
            s.could[seat] = _read_could(reader, could[seat], f"memory.could[{seat}]", legal[seat] | 1 << code)
            if not int(s.could[seat]) >> code & 1:
                raise PositionError(f"memory.could[{seat}]: the pending move must be among them")


def _per_seat(reader: PositionReader, values: object, key: str, seats: int) -> Sequence[Any]:
    return reader.as_listing(values or [None] * seats, key, seats)


def _begun(reader: PositionReader, s: Any, seat: int, since: object) -> int:
    """The tick in which a seat's pending move was chosen."""
    tick, code = int(s.tick), int(s.pending[seat]) - 1
    if s.latency == DECLARED:
        begun = int(s.due[seat]) - int(delay_of(s, seat, code))
        if not (0 <= begun <= tick) or (begun < tick and code == WAIT):
            raise PositionError(f"due[{seat}]: tick {s.due[seat]} does not go with the declared delay")
        if since is not None and since != begun:
            raise PositionError(f"memory.since[{seat}]: {begun} follows from due and the declared delay, not {since!r}")
        return begun
    assert s.latency == MEASURED
    if since is not None:
        return reader.as_whole(since, f"memory.since[{seat}]", 0, tick - 1)
    return tick if seat < s.turn else max(tick - 1, 0)


def _check_fresh(s: Any, seat: int, code: int, legal: int) -> None:
    if seat >= s.turn:
        raise PositionError(f"pending[{seat}]: seat {seat} chooses after seat {s.turn} and cannot have chosen yet")
    if not legal >> code & 1:
        raise PositionError(f"pending[{seat}]: that move is not legal here")


def _read_could(reader: PositionReader, texts: object, key: str, default: int) -> int:
    if texts is None:
        return default
    return sum({1 << code_of(text, f"{key}[{at}]") for at, text in enumerate(reader.as_listing(texts, key))})
