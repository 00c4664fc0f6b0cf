"""Kuhn poker in words: actions, positions and events as text, both ways (docs/notation.md; plain Python)."""

from collections.abc import Sequence
from typing import Any

from arena.engine.game import Document, States
from arena.engine.position import PositionReader, require_whole_deck, seed_text
from arena.errors import PositionError
from arena.games import load
from poker_rooms.kuhn import rules
from poker_rooms.kuhn.knowledge import is_showdown
from poker_rooms.kuhn.state import CARDS

ACTIONS = ("pass", "bet")

_PHASES = ("play", "over")


def action_texts(_s: Any, actions: Sequence[int]) -> list[str]:
    """`pass` or `bet`."""
    return [ACTIONS[action] for action in actions]


def parse_action(_s: Any, text: str) -> int:
    """The inverse for one action; raises PositionError for any other text."""
    if text not in ACTIONS:
        raise PositionError(f'action: "pass" or "bet" is needed, not {text!r}')
    return ACTIONS.index(text)


def event_texts(s: Any, seen: int) -> list[tuple[int, str]]:
    """Who has acted, and how."""
    return [(int(rules.current_seat(s)), ACTIONS[seen - 1])]


def to_position(s: Any) -> Document:
    """Everything, hidden cards too."""
    cards = [CARDS.text(int(card)) for card in s.cards]
    return {**_public(s), "cards": cards, "rng": seed_text(s.seed)}


def masked_position(s: Any, seat: int) -> Document:
    """What `seat` knows, from the seen state alone: `?` for each hidden card."""
    return {**_public(s), "cards": _known(s, seat)}


def from_position(document: Document) -> States:
    """The state of a position; raises PositionError that names the key."""
    reader, states = load("kuhn").open(document, ("actions", "cards"))
    reader.refuse(("starter",), "in Kuhn poker")
    reader.whole("round", 1, 1, default=1)
    s = states[0]
    for place, text in enumerate(reader.listing("actions")):
        if rules.is_terminal(s) or text not in ACTIONS:
            raise PositionError(f"actions[{place}]: {text!r} cannot be played here")
        rules.step(s, ACTIONS.index(text))
    _check_course(reader, s)
    cards = reader.cards(reader.listing("cards"), "cards", CARDS, 3)
    require_whole_deck(cards, CARDS)
    for i in range(3):
        s.cards[i] = cards[i]
    return states


def describe(s: Any, seat: int | None) -> str:
    """The hand in two lines, as `seat` sees it; with all cards for None."""
    first, second, _ = _known(s, seat)
    course = ", ".join(_actions(s)) or "nothing yet"
    turn = "the hand is over" if rules.is_terminal(s) else f"seat {rules.current_seat(s)} to choose"
    return f"  seat 0: {first}, seat 1: {second}\n  played: {course}; {turn}"


def _public(s: Any) -> Document:
    """What both seats know."""
    over = bool(rules.is_terminal(s))
    return {
        "game": "kuhn",
        "options": {},
        "seats": 2,
        "round": 1,
        "turn": None if over else int(rules.current_seat(s)),
        "phase": _PHASES[over],
        "actions": _actions(s),
    }


def _known(s: Any, seat: int | None) -> list[str]:
    """The three cards as a seat knows them; all for None."""
    is_open = seat is None or bool(is_showdown(s))
    return [CARDS.text(int(s.cards[i])) if is_open or i == seat else "?" for i in range(3)]


def _actions(s: Any) -> list[str]:
    """The binary digits of the line behind its leading 1."""
    return [ACTIONS[int(digit)] for digit in f"{int(s.line):b}"[1:]]


def _check_course(reader: PositionReader, s: Any) -> None:
    """Whose turn it is, and whether the hand is over, must follow from the actions."""
    if reader.word("phase", _PHASES) != _PHASES[bool(rules.is_terminal(s))]:
        raise PositionError(f"phase: {_PHASES[bool(rules.is_terminal(s))]} after these actions")
    if rules.is_terminal(s):
        reader.refuse(("turn",), "when the hand is over")
    elif reader.whole("turn", 0, 1) != rules.current_seat(s):
        raise PositionError(f"turn: seat {rules.current_seat(s)} is to choose after these actions")
