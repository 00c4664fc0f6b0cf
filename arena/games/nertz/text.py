"""Nertz in words: actions, events, positions, the table (docs/notation.md; plain Python). Reading positions: reading.py."""

from collections.abc import Sequence
from typing import Any

from arena.cards import SUITS
from arena.engine.game import Document
from arena.engine.options import OptionValue
from arena.engine.position import Fields, seed_text
from arena.games.nertz import rules
from arena.games.nertz.options import DECLARED, KINDS, NONE
from arena.games.nertz.reading import from_position
from arena.games.nertz.state import CODES, PILES, PLAY, RECORD, ROUND_OVER
from arena.games.nertz.ticks import CODE_MASK, order_of
from arena.games.nertz.words import (
    ACTIONS,
    BEGUN_WORD,
    HIDDEN,
    code_of,
    default_memory,
    foundation_top,
    knowledge,
    moves_of,
    nertz_cards,
    seen_digits,
    stock_and_waste,
    units_in,
    work_cards,
)

__all__ = [
    "action_texts",
    "closed_position",
    "describe",
    "event_texts",
    "from_position",
    "masked_position",
    "parse_action",
    "to_position",
]


def action_texts(_s: Any, actions: Sequence[int]) -> list[str]:
    """`wait`, `flip`, `call`, `nertz found`, `work I work J` and so on."""
    return [ACTIONS[action & CODE_MASK] for action in actions]


def parse_action(_s: Any, text: str) -> int:
    """The action that a text names; raises PositionError for a text that names none."""
    return code_of(text, "action")


def event_texts(s: Any, seen: int) -> list[tuple[int, str]]:
    """The moves that count in a tick, in seat order; waiting, and a move that has only begun, are no events."""
    if seen & rules.SEEN_OWN:
        return []  # not before the tick is resolved
    return [(seat, move) for seat, move in enumerate(moves_of(seen, int(s.seats))) if move not in (None, BEGUN_WORD)]


def to_position(s: Any) -> Document:
    """The whole position, hidden cards too."""
    fields = Fields(s)
    document = _opened(_position(fields), fields)
    if fields.phase == PLAY:
        seats = range(fields.seats)
        document["pending"] = [_choice(fields, seat) for seat in seats]
        if fields.latency != NONE:
            document["due"] = [fields.due[seat] if fields.pending[seat] else None for seat in seats]
        order = int(order_of(s))
        document["priority"] = [order >> 4 * place & 15 for place in seats]
    document["rng"] = seed_text(fields.seed)
    return document


def masked_position(s: Any, seat: int) -> Document:
    """What `seat` knows, from the seen state alone: `?` for hidden cards and choices; known places stay clear."""
    fields = Fields(s)
    document = _position(fields)
    for unit, layout in enumerate(document["units"]):
        layout["nertz"] = [HIDDEN] * (fields.num_nertz[unit] - 1) + nertz_cards(fields, unit)[-1:]
        layout.update(stock_and_waste(fields, unit, knowledge(fields, unit, seat)))
    if fields.phase == PLAY:
        marks = [HIDDEN if player < fields.turn or fields.since[player] else None for player in range(fields.seats)]
        document["pending"] = [*marks[:seat], _choice(fields, seat), *marks[seat + 1 :]]
        if fields.latency != NONE:
            due = fields.due[seat] if fields.pending[seat] else None
            document["due"] = [*marks[:seat], due, *marks[seat + 1 :]]
        document["priority"] = [HIDDEN] * fields.seats
    return document


def closed_position(s: Any) -> Document:
    """The table at the end of a round, for people: all cards open. It cannot be played on."""
    fields = Fields(s)
    document = _opened(_public_position(fields), fields)
    return document | ({"round_over": True} if fields.phase == ROUND_OVER else {})


def _opened(document: Document, fields: Fields) -> Document:
    """The document with every card of every unit."""
    for unit, layout in enumerate(document["units"]):
        layout["nertz"] = nertz_cards(fields, unit)
        layout.update(stock_and_waste(fields, unit, lambda _value: True))
    return document


def describe(s: Any, seat: int | None) -> str:
    """The table: foundations, then every unit's layout with what the viewer knows of it."""
    fields = Fields(s)
    lines = [_headline(fields)]
    lines.append("  foundations: " + (" ".join(foundation_top(fields, k) for k in range(fields.num_piles)) or "none"))
    for unit in range(units_in(fields)):
        cards = stock_and_waste(fields, unit, (lambda _value: True) if seat is None else knowledge(fields, unit, seat))
        nertz = nertz_cards(fields, unit)
        work = " | ".join(" ".join(work_cards(fields, unit, pile)) or "-" for pile in range(PILES))
        members = f"team {unit} (seats {2 * unit}, {2 * unit + 1})" if fields.teams else f"seat {unit}"
        top = nertz[-1] if nertz else ""
        lines.append(f"  {members}: total {fields.totals[unit]}, nertz {len(nertz)} {top}".rstrip() + f"; work {work}")
        known = [card for card in cards["stock"] if card != HIDDEN]
        stock = f"{len(cards['stock'])}" + (f" ({' '.join(cards['stock'])})" if known else "")
        lines.append(f"    waste {' '.join(cards['waste']) or 'empty'}; stock {stock}")
    lines += _choices(fields, seat)
    return "\n".join(lines)


def _choices(s: Fields, viewer: int | None) -> list[str]:
    """A line for each seat that has chosen in this tick or is busy, with what the viewer knows of its move."""
    lines = []
    for player in range(s.seats):
        if player < s.turn or s.since[player]:
            words = _choice(s, player) if viewer in (None, player) else HIDDEN
            busy = f", busy since tick {s.since[player] - 1}" if s.since[player] else ""
            until = f", counts in tick {s.due[player]}" if viewer in (None, player) and s.due[player] > s.tick else ""
            lines.append(f"  seat {player} chose {words}{busy}{until}")
    return lines


def _headline(s: Fields) -> str:
    line = f"Nertz, round {s.round_number}, tick {s.tick}"
    if s.stuck:
        line += f", stuck {s.stuck} of {s.stuck_limit}"
    if s.phase >= ROUND_OVER:
        line += f"; the round is over, {f'seat {s.caller - 1} called' if s.caller else 'nobody called'}"
    failed = [str(player) for player in range(s.seats) if s.failed >> player & 1]
    return line + (f"; failed: seat {', '.join(failed)}" if failed else "")


def _choice(s: Fields, seat: int) -> str | None:
    return ACTIONS[s.pending[seat] - 1] if s.pending[seat] else None


def _foundation(s: Fields, k: int) -> dict[str, Any]:
    return {"suit": SUITS[s.pile_suit[k]], "units": [s.pile_units[k] >> 4 * rank & 15 for rank in range(s.pile_size[k])]}


def _options(s: Fields) -> dict[str, OptionValue]:
    delays = [s.delays[KINDS * seat : KINDS * (seat + 1)] for seat in range(s.seats)]
    return RECORD.option_values(s) | {"delays": delays if s.latency == DECLARED else []}


def _position(s: Fields) -> Document:
    """The position with all keys and what all seats know. Raises ValueError between two rounds."""
    if s.phase == ROUND_OVER:
        raise ValueError("between two rounds there is no position: deal the next round first")
    return _public_position(s)


def _public_position(s: Fields) -> Document:
    """Likewise, and at the end of a round; callers fill in what is hidden."""
    units, is_over = units_in(s), s.phase >= ROUND_OVER
    return {
        "game": "nertz",
        "options": _options(s),
        "seats": s.seats,
        "round": s.round_number,
        "turn": None if is_over else s.turn,
        "phase": "over" if is_over else "play",
        "units": [{"nertz": [], "work": [work_cards(s, unit, pile) for pile in range(PILES)]} for unit in range(units)],
        "foundations": [_foundation(s, k) for k in range(s.num_piles)],
        "tick": s.tick,
        "pending": None,
        "due": None,
        "priority": None,
        "idle": s.idle,
        "stall": s.stall,
        "stuck": s.stuck,
        "failed": [seat for seat in range(s.seats) if s.failed >> seat & 1],
        "totals": s.totals[:units],
        "caller": s.caller - 1 if s.caller else None,
        "memory": _memory(s),
    }


def _memory(s: Fields) -> Document | None:
    """What everybody remembers: who has seen which place of a line, the last tick's moves, since when busy seats are busy."""
    units, seats = range(units_in(s)), range(s.seats)
    memory: Document = {}
    digits = [seen_digits(s, unit) for unit in units]
    if digits != [default_memory(s.num_line[unit], s.num_waste[unit]) for unit in units]:
        memory["seen"] = digits
    if s.moves:
        memory["moves"] = moves_of(s.moves, s.seats)
    if any(s.since):
        memory["since"] = [s.since[seat] - 1 if s.since[seat] else None for seat in seats]
        memory["could"] = [_codes(s.could[seat]) if s.since[seat] else None for seat in seats]
    return memory or None


def _codes(mask: int) -> list[str]:
    return [ACTIONS[code] for code in range(CODES) if mask >> code & 1]
