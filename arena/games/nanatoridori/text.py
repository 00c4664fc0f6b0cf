"""Nana Toridori in words: actions, positions and events as text, both ways (docs/notation.md; plain Python)."""

from collections.abc import Sequence
from typing import Any

from arena.engine.game import Document
from arena.engine.position import Fields, seed_text
from arena.errors import PositionError
from arena.games.nanatoridori.knowledge import HIDDEN, SEEN
from arena.games.nanatoridori.memory import block_sizes
from arena.games.nanatoridori.reading import PHASES, from_position
from arena.games.nanatoridori.state import (
    ADVANCED,
    DRAWN,
    DROP,
    DUEL,
    FIRST,
    FRONTS,
    KEEPS,
    KIND,
    MARKS,
    MATCH_OVER,
    PASS,
    PLAYS,
    RECORD,
    ROUND_OVER,
    ROW,
    SECOND,
    TAKE,
    TAKES,
    TOSS,
    VALUES,
)

__all__ = [
    "action_texts", "cards_of", "closed_position", "describe", "event_texts", "from_position", "hand_of", "known_of",
    "masked_position",
    "parse_action", "to_position",
]  # fmt: skip

_KINDS = {"play": PLAYS, "pass": PASS, "take": TAKES, "drop": DROP, "keep": KEEPS, "toss": TOSS}
_WORDS = {kind: word for word, kind in _KINDS.items()}
_ARGUMENTS = {"play": (2, 3), "pass": (0, 1), "take": (1,), "drop": (0,), "keep": (1,), "toss": (0,)}
_VARIANTS = ("basic", "advanced", "duel")
_HIDDEN = "?"


def action_texts(_s: Any, actions: Sequence[int]) -> list[str]:
    """`play I C`, `play I C +F`, `pass`, `pass V`, `take P`, `drop`, `keep P`, `toss`."""
    return [_action_text(action) for action in actions]


def parse_action(_s: Any, text: str) -> int:
    """The action that a text names; raises PositionError for a text that names none."""
    word, *numbers = text.split(" ")
    if len(numbers) not in _ARGUMENTS.get(word, ()):
        raise PositionError(f"action: {text!r} is none of play I C, play I C +F, pass, pass V, take P, drop, keep P, toss")
    fronts = 0
    if len(numbers) == 3:
        fronts = _number(text, numbers.pop().removeprefix("+"), 1, FRONTS) if numbers[2][:1] == "+" else _number(text, "", 0, 0)
    lowest = {"play": (0, 1), "pass": (1,)}.get(word, (0,))
    highest = {"play": (63, 63), "pass": (VALUES,)}.get(word, (63,))
    first, second = [*(_number(text, *bounds) for bounds in zip(numbers, lowest, highest)), 0, 0][:2]
    return _KINDS[word] << KIND | first << FIRST | second << SECOND | fronts


def event_texts(s: Any, seen: int) -> list[tuple[int, str]]:
    """The own action as it was; of another seat's the cards that everybody sees, but no place in its hand."""
    return [(int(s.turn), _heard_text(seen & ~SEEN) if seen & SEEN else _action_text(seen))]


def to_position(s: Any) -> Document:
    """The whole position, hidden cards too."""
    s = Fields(s)
    document = _position(s)
    document["hands"] = [hand_of(s, seat) for seat in range(s.seats)]
    stock = cards_of(s.stock, 0, int(s.num_stock))[::-1]
    document["unused" if s.variant == DUEL else "stock"] = stock
    document["drawn"] = str(s.drawn) if s.drawn else None
    if s.variant == DUEL:
        document["fronts"] = [_fronts_of(s, seat) for seat in range(2)]
    document["rng"] = seed_text(s.seed)
    return document


def masked_position(s: Any, seat: int) -> Document:
    """What `seat` knows, from the seen state alone: `?` for each hidden card; `memory`: blocks known to be in hands."""
    s = Fields(s)
    document = _position(s)
    document["hands"] = [hand_of(s, other) if other == seat else _HIDDEN * int(s.hand_size[other]) for other in range(s.seats)]
    document["unused" if s.variant == DUEL else "stock"] = _HIDDEN * int(s.num_stock)
    is_open = s.front_visible == 1
    if s.phase == DRAWN:
        document["drawn"] = _drawn_text(s, seat)
    if s.variant == DUEL:
        document["fronts"] = [
            _fronts_of(s, other) if is_open or other == seat else _HIDDEN * int(s.num_fronts[other]) for other in range(2)
        ]
    return document


def closed_position(s: Any) -> Document:
    """The table at the end of a round, for people: all hands open, the stock hidden. It cannot be played on."""
    s = Fields(s)
    document = _public_position(s)
    document["hands"] = [hand_of(s, seat) for seat in range(s.seats)]
    document["unused" if s.variant == DUEL else "stock"] = _HIDDEN * int(s.num_stock)
    if s.variant == DUEL:
        document["fronts"] = [_fronts_of(s, seat) for seat in range(2)]
    return document | ({"round_over": True} if s.phase == ROUND_OVER else {})


def describe(s: Any, seat: int | None) -> str:
    """The table: every seat with what the viewer knows of its hand, the cards on the table, the discards."""
    s = Fields(s)
    variant, phase = int(s.variant), int(s.phase)
    number, starter = int(s.round_number), int(s.starter)
    lines = [f"Nana Toridori, {_VARIANTS[variant]}, round {number}; seat {starter} started"]
    doing = {TAKE: "take or drop", DRAWN: "keep or toss"}.get(phase, "play or pass" if s.table_count else "lead")
    unit = "points" if variant == ADVANCED else "penguins"
    out = [int(player) for player in s.out[: s.num_out]]
    for player in range(s.seats):
        words = f"  seat {player}: {unit} {s.totals[player]}, "
        if player in out and not s.hand_size[player]:
            words += f"out as number {out.index(player) + 1}"
        elif seat in (None, player):
            words += hand_of(s, player)
        else:
            known = " ".join(known_of(s, player))
            words += f"{s.hand_size[player]} cards" + (f", among them {known}" if known else "")
        if variant == DUEL:
            is_shown = seat in (None, player) or s.front_visible
            fronts = _fronts_of(s, player) if is_shown else _HIDDEN * int(s.num_fronts[player])
            words += f"; in front {fronts or 'nothing'}"
        lines.append(words + (f"  <- {doing}" if phase < ROUND_OVER and player == s.turn else ""))
    table = f"{_block(s.table_value, s.table_count)} by seat {s.table_owner}, passes {s.passes}"
    lines.append("  table: " + (table if s.table_count else "empty"))
    if phase == TAKE:
        lines.append(f"  beaten: {_block(s.beaten_value, s.beaten_count)}")
    if phase == DRAWN:
        lines.append(f"  drawn: {_drawn_text(s, seat)}")
    stock = "" if variant == DUEL else f"stock {s.num_stock}; "
    lines.append(f"  {stock}discards: {cards_of(s.discard, 0, int(s.num_discard)) or 'none'}")
    return "\n".join(lines)


def cards_of(cards: Any, first: int, count: int) -> str:
    """`count` cards of a row of cards from `first` on, as digits."""
    return "".join(map(str, cards[first : first + count]))


def hand_of(s: Any, seat: int) -> str:
    """A hand in its order."""
    return cards_of(s.hand, seat << ROW, int(s.hand_size[seat]))


def known_of(s: Any, seat: int) -> list[str]:
    """The blocks that everybody knows to be in a hand, ascending by value, then by size."""
    marks = s.known[seat << MARKS : seat + 1 << MARKS]
    if not any(marks):
        return []
    return [_block(value, size) for value, blocks in enumerate(marks) for size in block_sizes(blocks)]


def _action_text(action: int) -> str:
    kind, first, second, fronts = action >> KIND, action >> FIRST & 63, action >> SECOND & 63, action & 3
    word = _WORDS[kind]
    if kind == PLAYS:
        return f"play {first} {second}" + (f" +{fronts}" if fronts else "")
    if kind in (TAKES, KEEPS) or (kind == PASS and first):
        return f"{word} {first}"
    return word


def _heard_text(seen: int) -> str:
    kind, value, count, fronts = seen >> KIND, seen >> FIRST & 63, seen >> SECOND & 63, seen & 3
    word = _WORDS[kind]
    if kind == PLAYS:
        return f"play {_HIDDEN} {count}" + (f" +{fronts}" if fronts else "") + f" of {value}"
    if not value:
        return word
    return f"{word} {_HIDDEN if value == HIDDEN else value}"


def _number(text: str, digits: str, lowest: int, highest: int) -> int:
    """A whole number without superfluous signs."""
    is_plain = digits.isascii() and digits.isdigit() and len(digits) <= 2 and str(int(digits)) == digits
    if not is_plain or not lowest <= int(digits) <= highest:
        raise PositionError(f"action: {text!r} does not name places, counts or values as whole numbers in their ranges")
    return int(digits)


def _block(value: int, count: int) -> str:
    return str(value) * int(count)


def _drawn_text(s: Any, seat: int | None) -> str:
    """The drawn card as `seat` may see it (None: everything)."""
    is_seen = seat is None or s.turn == seat or (s.variant == DUEL and s.front_visible)
    return str(s.drawn) if is_seen else _HIDDEN


def _fronts_of(s: Any, seat: int) -> str:
    return cards_of(s.fronts, FRONTS * seat, int(s.num_fronts[seat]))


def _position(s: Any) -> Document:
    """The position with all keys and what all seats know. Raises ValueError between two rounds."""
    if s.phase == ROUND_OVER:
        raise ValueError("between two rounds there is no position: deal the next round first")
    return _public_position(s)


def _public_position(s: Any) -> Document:
    """Likewise, and at the end of a round; callers fill in what is hidden."""
    phase, seats, variant = int(s.phase), int(s.seats), int(s.variant)
    table = {"value": int(s.table_value), "count": int(s.table_count), "owner": int(s.table_owner)}
    known = [known_of(s, seat) for seat in range(seats)]
    document: Document = {
        "game": "nanatoridori",
        "options": RECORD.option_values(s),
        "seats": seats,
        "round": int(s.round_number),
        "turn": None if phase >= ROUND_OVER else int(s.turn),
        "phase": next(name for name, code in PHASES.items() if code == (MATCH_OVER if phase == ROUND_OVER else phase)),
        "starter": int(s.starter),
        "hands": [],
        "stock": "",
        "discard": cards_of(s.discard, 0, int(s.num_discard)),
        "table": table if s.table_count else None,
        "drawn": None,
        "beaten": {"value": int(s.beaten_value), "count": int(s.beaten_count)} if phase == TAKE else None,
        "passes": int(s.passes),
        "out": [int(seat) for seat in s.out[: s.num_out]],
        "points" if variant == ADVANCED else "penguins": [int(s.totals[seat]) for seat in range(seats)],
        "memory": {"known": known} if any(known) else None,
    }
    return document
