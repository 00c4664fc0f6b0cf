"""Yaniv in words: cards, actions, positions and events as text, both ways (docs/notation.md; plain Python)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.engine.game import Document
from arena.engine.position import seed_text
from arena.errors import PositionError
from arena.games.yaniv import rules
from arena.games.yaniv.discards import laid_row
from arena.games.yaniv.history import turns_of
from arena.games.yaniv.knowledge import SEEN_CALL, SEEN_DISCARD, SEEN_DRAW, SEEN_HOLD, SEEN_KIND, SEEN_SLAP
from arena.games.yaniv.reading import from_position
from arena.games.yaniv.rows import CARDS, hand_value
from arena.games.yaniv.state import CALL, CLASSES, DRAW, FRESH, LAST, MATCH_OVER, MAX_SEATS, RECORD, ROUND_OVER, SLAP
from arena.games.yaniv.words import HIDDEN, PHASES, cards_of, pile_cards, plain, row_words

__all__ = [
    "action_texts", "closed_position", "describe", "event_texts", "from_position", "masked_position", "parse_action",
    "to_position",
]  # fmt: skip

_DRAWS = ("draw stock", "draw first", "draw last")
_SLAPS = ("hold", "slap")


def action_texts(s: Any, actions: Sequence[int]) -> list[str]:
    """`call`, `discard C ...`, `draw stock`, `draw first`, `draw last`, `draw K`, `hold`, `slap`."""
    s = plain(s)
    phase = s.phase
    if phase == DRAW:
        return [_draw_text(action) for action in actions]
    if phase == SLAP:
        return [_SLAPS[action] for action in actions]
    hand = s.hand[s.turn]
    return ["call" if action == CALL else _discard_text(laid_row(hand, action)) for action in actions]


def parse_action(s: Any, text: str) -> int:
    """The action that a text names; raises PositionError for a text that names no legal action of the seat to choose."""
    codes = np.zeros(rules.MAX_ACTIONS, np.int64)
    legal = [int(code) for code in codes[: rules.legal_actions(s, codes)]]
    texts = action_texts(s, legal)
    if text not in texts:
        raise PositionError(f"action: {text!r} is not legal; legal: {', '.join(texts) or 'nothing, the match is over'}")
    return legal[texts.index(text)]


def event_texts(s: Any, seen: int) -> list[tuple[int, str]]:
    """The event that one action is, as text, without what is hidden."""
    kind, content = seen & SEEN_KIND, seen & ~SEEN_KIND
    if kind == SEEN_DISCARD:
        text = _discard_text(content)
    elif kind == SEEN_DRAW:
        text = _draw_text(content)
    else:
        text = {SEEN_CALL: "call", SEEN_HOLD: "hold", SEEN_SLAP: "slap"}[kind]
    return [(int(s.turn), text)]


def to_position(s: Any) -> Document:
    """The whole position, hidden cards too."""
    s = plain(s)
    document = _position(s)
    seats = int(s.seats)
    document["hands"] = [cards_of(int(s.hand[seat])) for seat in range(seats)]
    document["stock"] = [CARDS.text(int(s.stock[i])) for i in reversed(range(s.num_stock))]
    document["drawn"] = CARDS.text(int(s.drawn) - 1) if s.drawn else None
    document["rng"] = seed_text(s.seed)
    origins = [_origins(s, seat) for seat in range(seats)]
    recent = _recent(s)
    if recent or s.reshuffles or any(origin.strip(str(FRESH)) for origin in origins):
        document["memory"] = {"origins": origins, "reshuffles": int(s.reshuffles), "recent": recent}
    return document


def masked_position(s: Any, seat: int) -> Document:
    """What `seat` knows, from the seen state alone: `?` for each hidden card; `memory`: what it may remember of them."""
    s = plain(s)
    document = _position(s)
    seats = int(s.seats)
    is_open = s.phase >= ROUND_OVER
    document["hands"] = [
        cards_of(int(s.hand[other])) if is_open or other == seat else [HIDDEN] * int(s.hand_size[other])
        for other in range(seats)
    ]
    document["stock"] = [HIDDEN] * int(s.num_stock)
    if s.phase == SLAP:
        document["drawn"] = CARDS.text(int(s.drawn) - 1) if s.turn == seat else HIDDEN
    known = [cards_of(int(s.known[other])) for other in range(seats)]
    earlier = [
        {"cards": pile_cards(s, 1 + older), "held": [int(s.held[older * MAX_SEATS + other]) for other in range(seats)]}
        for older in range(CLASSES)
        if s.piles[2 + 2 * older]
    ]
    recent = _recent(s)
    if any(known) or earlier or recent:
        document["memory"] = {"known": known, "earlier": earlier, "own": _origins(s, seat), "recent": recent}
    return document


def closed_position(s: Any) -> Document:
    """The table at the end of a round, for people: all hands open, the stock hidden. It cannot be played on."""
    s = plain(s)
    document = _public_position(s)
    document["hands"] = [cards_of(int(s.hand[seat])) for seat in range(s.seats)]
    document["stock"] = [HIDDEN] * int(s.num_stock)
    return document | ({"round_over": True} if s.phase == ROUND_OVER else {})


def describe(s: Any, seat: int | None) -> str:
    """The table: every seat with what the viewer knows of its hand, the discards, the stock."""
    s = plain(s)
    phase = int(s.phase)
    turn = -1 if phase >= ROUND_OVER else int(s.turn)
    lines = [f"Yaniv, round {s.round_number}, turn {s.turns + 1}; seat {s.starter} started"]
    for player in range(s.seats):
        words = f"  seat {player}: total {s.totals[player]:3}, "
        if s.dropped[player]:
            words += f"dropped out in round {s.dropped[player]}, "
        if seat is None or seat == player or phase >= ROUND_OVER:
            hand = int(s.hand[player])
            words += f"{row_words(hand)} ({hand_value(hand)} points)"
        else:
            known = int(s.known[player])
            words += f"{s.hand_size[player]} cards" + (f", known {row_words(known)}" if known else "")
        lines.append(words + (f"  <- {('discard or call', 'draw', 'slap or hold')[phase]}" if player == turn else ""))
    laid = f"; laid now: {row_words(int(s.laid))}" if s.laid else ""
    lines.append(f"  previous discard: {row_words(int(s.previous))}{laid}")
    lines.append(f"  stock {s.num_stock}; buried: {' '.join(pile_cards(s, 0)) or 'nothing'}")
    return "\n".join(lines)


def _discard_text(row: int) -> str:
    return "discard " + " ".join(cards_of(row))


def _draw_text(action: int) -> str:
    return _DRAWS[action] if action <= LAST else f"draw {action - LAST}"


def _origins(s: Any, seat: int) -> str:
    """How each card of a hand came there, a digit per card."""
    return "".join(str(int(s.origin[seat]) >> 2 * place & 3) for place in range(s.hand_size[seat]))


def _recent(s: Any) -> list[Document]:
    """The last turns, each with its discard and the card that was taken openly."""
    return [{"laid": cards_of(laid), "taken": CARDS.text(taken - 1) if taken else None} for laid, taken in turns_of(s)]


def _position(s: Any) -> Document:
    """The position with all keys and what all seats know. Raises ValueError between two rounds."""
    if s.phase == ROUND_OVER:
        raise ValueError("between two rounds there is no position: deal the next round first")
    return _public_position(s)


def _public_position(s: Any) -> Document:
    """Likewise, and at the end of a round; callers fill in what is hidden."""
    phase, seats = int(s.phase), int(s.seats)
    document: Document = {
        "game": "yaniv",
        "options": RECORD.option_values(s),
        "seats": seats,
        "round": int(s.round_number),
        "turn": None if phase >= ROUND_OVER else int(s.turn),
        "phase": next(name for name, code in PHASES.items() if code == (MATCH_OVER if phase == ROUND_OVER else phase)),
        "starter": int(s.starter),
        "hands": [],
        "stock": [],
        "previous": cards_of(int(s.previous)),
        "laid": cards_of(int(s.laid)),
        "buried": pile_cards(s, 0),
        "drawn": None,
        "from": "stock" if phase == SLAP else None,
        "turns": int(s.turns),
        "totals": [int(s.totals[seat]) for seat in range(seats)],
    }
    if s.mode == 1:
        document["dropped"] = [int(s.dropped[seat]) for seat in range(seats)]
    return document | {"memory": None}
