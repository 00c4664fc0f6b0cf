"""Nertz in words: actions, events, positions, the table (notation.md; plain Python). Reading positions: reading.py."""

from collections.abc import Sequence
from typing import Any

from arena.errors import PositionError
from arena.game import Document
from arena.games.nertz import rules
from arena.games.nertz.layout import from_pile, to_pile
from arena.games.nertz.options import DECLARED, KINDS, NONE
from arena.games.nertz.reading import from_position
from arena.games.nertz.state import CARD, CARDS, CODES, MATCH_OVER, PILES, PLAY, ROUND_OVER, SEEN, SHOWN
from arena.games.nertz.ticks import order_of
from arena.games.nertz.words import ACTIONS, code_of, default_memory, seen_digits, stock_and_waste, work_cards
from arena.options import OptionValue

__all__ = [
    "action_texts",
    "describe",
    "event_texts",
    "from_position",
    "masked_position",
    "parse_action",
    "to_position",
]

_HIDDEN = "?"


def action_texts(_s: Any, actions: Sequence[int]) -> list[str]:
    """`wait`, `flip`, `call`, `nertz found`, `work I work J` and so on."""
    return [ACTIONS[action] for action in actions]


def parse_action(_s: Any, text: str) -> int:
    """The inverse; raises PositionError for a text that is no action of this game."""
    return code_of(text, "action")


def event_texts(s: Any, seen: int) -> list[tuple[int, str]]:
    """All moves that count in a tick, in seat order; waiting, and a move that has only begun, are no events."""
    if not seen & rules.SEEN_TICK:
        return []  # the own choice, before the tick is resolved
    fields = [(seat, seen >> rules.SEEN_BITS * seat & (1 << rules.SEEN_BITS) - 1) for seat in range(s.seats)]
    return [(seat, ACTIONS[field - 1]) for seat, field in fields if field not in (0, rules.BEGUN)]


def to_position(s: Any) -> Document:
    """Everything, hidden cards too."""
    document = _public_position(s)
    seats, units = int(s.seats), _units(s)
    for unit in range(units):
        document["units"][unit] |= {
            "nertz": [CARDS.text(int(s.nertz[unit, place]) - 1) for place in range(s.num_nertz[unit])],
            **stock_and_waste(s, unit, lambda _value: True),
        }
    if s.phase == PLAY:
        document["pending"] = [_choice(s, seat) for seat in range(seats)]
        if s.latency != NONE:
            document["due"] = [int(s.due[seat]) if s.pending[seat] else None for seat in range(seats)]
        order = int(order_of(s))
        document["priority"] = [order >> 4 * place & 15 for place in range(seats)]
    document["rng"] = "".join(f"{int(word):08x}" for word in s.seed)
    return document


def masked_position(s: Any, seat: int) -> Document:
    """What `seat` knows, from the observed state alone: `?` for hidden cards and choices; known places stay clear."""
    document = _public_position(s)
    seats, own = int(s.seats), seat >> int(s.teams)
    for unit in range(_units(s)):
        known = SEEN if unit == own else SHOWN
        count = int(s.num_nertz[unit])
        top = [CARDS.text(int(s.nertz[unit, count - 1]) - 1)] if count else []
        document["units"][unit] |= {
            "nertz": [_HIDDEN] * (count - 1) + top,
            **stock_and_waste(s, unit, lambda value, known=known: value & known),
        }
    if s.phase == PLAY:
        has_chosen = [bool(player < s.turn or s.since[player]) for player in range(seats)]
        document["pending"] = [_HIDDEN if chosen else None for chosen in has_chosen]
        document["pending"][seat] = _choice(s, seat)
        if s.latency != NONE:
            document["due"] = [_HIDDEN if chosen else None for chosen in has_chosen]
            document["due"][seat] = int(s.due[seat]) if s.pending[seat] else None
        document["priority"] = [_HIDDEN] * seats
    return document


def describe(s: Any, seat: int | None) -> str:
    """The table: foundations, then every unit's layout with what the viewer knows of it."""
    line = f"Nertz, round {s.round_number}, tick {s.tick}"
    if s.stuck:
        line += f", stuck {s.stuck} of {s.stuck_limit}"
    if s.phase >= ROUND_OVER:
        line += f"; the round is over, {f'seat {s.caller - 1} called' if s.caller else 'nobody called'}"
    failed = [str(player) for player in range(s.seats) if s.failed >> player & 1]
    lines = [line + (f"; failed: seat {', '.join(failed)}" if failed else "")]
    piles = [_foundation(s, k) for k in range(s.num_piles)]
    lines.append("  foundations: " + (" ".join(f"{pile['suit']}{_RANKS[len(pile['units']) - 1]}" for pile in piles) or "none"))
    for unit in range(_units(s)):
        is_own = seat is None or seat >> int(s.teams) == unit
        cards = stock_and_waste(s, unit, lambda value, known=SEEN if is_own else SHOWN: value & known)
        count = int(s.num_nertz[unit])
        top = CARDS.text(int(s.nertz[unit, count - 1]) - 1) if count else "empty"
        work = " | ".join(" ".join(work_cards(s, unit, pile)) or "-" for pile in range(PILES))
        members = f"team {unit} (seats {2 * unit}, {2 * unit + 1})" if s.teams else f"seat {unit}"
        lines.append(f"  {members}: total {s.totals[unit]}, nertz {count} {top}; work {work}")
        lines.append(f"    waste {' '.join(cards['waste']) or 'empty'}; stock {len(cards['stock'])}")
    for player in range(s.seats):
        if seat in (None, player) and s.pending[player]:
            until = f", counts in tick {s.due[player]}" if s.due[player] > s.tick else ""
            lines.append(f"  seat {player} chose {_choice(s, player)}{until}")
    return "\n".join(lines)


_RANKS = "A23456789TJQK"


def _units(s: Any) -> int:
    return int(s.seats) >> int(s.teams)


def _choice(s: Any, seat: int) -> str | None:
    return ACTIONS[int(s.pending[seat]) - 1] if s.pending[seat] else None


def _foundation(s: Any, k: int) -> dict[str, Any]:
    units = int(s.pile_units[k])
    return {"suit": "SHDC"[s.pile_suit[k]], "units": [units >> 4 * rank & 15 for rank in range(s.pile_size[k])]}


def _options(s: Any) -> dict[str, OptionValue]:
    delays = [[int(s.delays[KINDS * seat + kind]) for kind in range(KINDS)] for seat in range(s.seats)]
    return {
        "teams": bool(s.teams),
        "target": int(s.target),
        "flip": int(s.flip),
        "call_bonus": int(s.call_bonus),
        "empty_from_work": bool(s.empty_from_work),
        "partial_moves": bool(s.partial_moves),
        "idle_window": int(s.idle_window),
        "stall_window": int(s.stall_window),
        "stuck_limit": int(s.stuck_limit),
        "tick_limit": int(s.tick_limit),
        "max_rounds": int(s.max_rounds),
        "latency": ("none", "declared", "measured")[s.latency],
        "delays": delays if s.latency == DECLARED else [],
        "ms_per_tick": int(s.ms_per_tick),
    }


def _public_position(s: Any) -> Document:
    """All keys, with what all seats know; hidden ones are filled in by the callers."""
    if s.phase == ROUND_OVER:
        raise ValueError("between two rounds there is no position: deal the next round first")
    seats, units, is_over = int(s.seats), _units(s), s.phase == MATCH_OVER
    document: Document = {
        "game": "nertz",
        "options": _options(s),
        "seats": seats,
        "round": int(s.round_number),
        "turn": None if is_over else int(s.turn),
        "phase": "over" if is_over else "play",
        "units": [{"nertz": [], "work": [work_cards(s, unit, pile) for pile in range(PILES)]} for unit in range(units)],
        "foundations": [_foundation(s, k) for k in range(s.num_piles)],
        "tick": int(s.tick),
        "pending": None if is_over else [],
        "priority": None if is_over else [],
        "idle": int(s.idle),
        "stall": int(s.stall),
        "stuck": int(s.stuck),
        "failed": [seat for seat in range(seats) if s.failed >> seat & 1],
        "totals": [int(s.totals[unit]) for unit in range(units)],
        "caller": int(s.caller) - 1 if s.caller else None,
    }
    return document | {"memory": _memory(s)}


def _memory(s: Any) -> Document | None:
    """What everybody remembers: who has seen which place of a line, and since when busy seats are busy."""
    units, seats = range(_units(s)), range(s.seats)
    memory: Document = {}
    digits = [seen_digits(s, unit) for unit in units]
    if digits != [default_memory(int(s.num_line[unit]), int(s.num_waste[unit])) for unit in units]:
        memory["seen"] = digits
    if any(s.since[seat] for seat in seats):
        memory["since"] = [int(s.since[seat]) - 1 if s.since[seat] else None for seat in seats]
        memory["could"] = [_codes(int(s.could[seat])) if s.since[seat] else None for seat in seats]
    return memory or None


def _codes(mask: int) -> list[str]:
    return [ACTIONS[code] for code in range(CODES) if mask >> code & 1]
