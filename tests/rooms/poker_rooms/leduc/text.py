"""Leduc hold'em in words: actions, positions and events as text (docs/notation.md; plain Python). Reading: reading.py."""

from collections.abc import Sequence
from typing import Any

from arena.engine.game import Document
from arena.engine.position import seed_text
from arena.errors import PositionError
from poker_rooms.leduc import rules
from poker_rooms.leduc.knowledge import is_known
from poker_rooms.leduc.reading import ACTIONS, PHASES, from_position
from poker_rooms.leduc.state import CARDS, DECK, HAND_OVER, MATCH_OVER, RECORD

__all__ = ["action_texts", "describe", "event_texts", "from_position", "masked_position", "parse_action", "to_position"]


def action_texts(_s: Any, actions: Sequence[int]) -> list[str]:
    """`fold`, `call` or `raise`."""
    return [ACTIONS[action] for action in actions]


def parse_action(_s: Any, text: str) -> int:
    """The inverse for one action; raises PositionError for any other text."""
    if text not in ACTIONS:
        raise PositionError(f"action: one of {', '.join(ACTIONS)} is needed, not {text!r}")
    return ACTIONS.index(text)


def event_texts(s: Any, seen: int) -> list[tuple[int, str]]:
    """Who has acted, and how."""
    return [(int(s.turn), ACTIONS[seen - 1])]


def to_position(s: Any) -> Document:
    """Everything, hidden cards too."""
    cards = [CARDS.text(int(card)) for card in s.cards]
    return {**_public(s), "cards": cards, "rng": seed_text(s.seed)}


def masked_position(s: Any, seat: int) -> Document:
    """What `seat` knows, from the seen state alone: `?` for each hidden card."""
    return {**_public(s), "cards": _known(s, seat)}


def describe(s: Any, seat: int | None) -> str:
    """The hand in three lines, as `seat` sees it; with all cards for None."""
    first, second, public, *_ = _known(s, seat)
    course = ", ".join(_actions(s)) or "nothing yet"
    turn = "the hand is over" if rules.is_round_over(s) else f"seat {int(s.turn)} to choose"
    return (
        f"  hand {int(s.hand)} of {int(s.hands)}; won so far: {int(s.won[0])} and {int(s.won[1])}\n"
        f"  seat 0: {first} ({int(s.paid[0])} paid), seat 1: {second} ({int(s.paid[1])} paid), public: {public}\n"
        f"  played: {course}; {turn}"
    )


def _public(s: Any) -> Document:
    """What both seats know."""
    if s.phase == HAND_OVER:
        raise ValueError("between two hands there is no position: deal the next hand first")
    return {
        "game": "leduc",
        "options": RECORD.option_values(s),
        "seats": 2,
        "round": int(s.hand),
        "turn": None if s.phase == MATCH_OVER else int(s.turn),
        "phase": next(name for name, code in PHASES.items() if code == s.phase),
        "starter": int(rules.starter(s)),
        "actions": _actions(s),
        "won": [int(won) for won in s.won],
    }


def _known(s: Any, seat: int | None) -> list[str]:
    """The six cards as a seat knows them; all for None."""
    return [CARDS.text(int(s.cards[i])) if seat is None or is_known(s, seat, i) else "?" for i in range(DECK)]


def _actions(s: Any) -> list[str]:
    return [ACTIONS[int(s.line[i]) - 1] for i in range(s.num_line)]
