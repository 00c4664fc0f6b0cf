"""Hisatsu Shigotonin in words: actions, positions and events as text, both ways (docs/notation.md; plain Python)."""

from collections.abc import Sequence
from typing import Any

from arena.engine.game import Document
from arena.engine.position import Fields, seed_text
from arena.errors import PositionError
from arena.games.hisatsu import rules
from arena.games.hisatsu.knowledge import hidden_cards
from arena.games.hisatsu.reading import from_position
from arena.games.hisatsu.state import DECK, NO_REQUEST, RECORD, SEEN_HIDDEN, TURNS, VALUES
from arena.games.hisatsu.view import request_name, turns_taken, values_of

__all__ = ["action_texts", "describe", "event_texts", "from_position", "masked_position", "parse_action", "to_position"]

_HIDDEN = "?"
_DIGITS = "1234567"


def action_texts(s: Any, actions: Sequence[int]) -> list[str]:
    """`place V S` or `discard V`."""
    seats = int(s["seats"])
    return [_action_text(str(action % VALUES + 1), action // VALUES, seats) for action in actions]


def parse_action(s: Any, text: str) -> int:
    """The action that a text names; raises PositionError for a text that names none at this table."""
    kind, *words = text.split(" ")
    slots = _DIGITS_FROM_0[: s.seats - 1]
    if kind == "place" and len(words) == 2 and words[0] in list(_DIGITS) and words[1] in list(slots):
        return int(words[1]) * VALUES + int(words[0]) - 1
    if kind == "discard" and len(words) == 1 and words[0] in list(_DIGITS):
        return int((s.seats - 1) * VALUES) + int(words[0]) - 1
    raise PositionError(f'action: "place V S" (card 1 to 7 on slot 0 to {slots[-1]}) or "discard V" is needed, not {text!r}')


def event_texts(s: Any, seen: int) -> list[tuple[int, str]]:
    """What the seat to act did, with `?` for a card that is face down."""
    if seen >= SEEN_HIDDEN:
        return [(int(s.turn), _action_text(_HIDDEN, seen - SEEN_HIDDEN, int(s.seats)))]
    return [(int(s.turn), action_texts(s, [seen - 1])[0])]


def to_position(s: Any) -> Document:
    """The whole position, hidden cards too."""
    s = Fields(s)
    document = _public_position(s)
    document["hands"] = ["".join(map(str, values_of(int(s.hand[seat])))) for seat in range(s.seats)]
    document["stock"] = _names(s, s.stock, s.num_stock)[::-1]
    document["rng"] = seed_text(s.seed)
    return document


def masked_position(s: Any, seat: int) -> Document:
    """What `seat` knows, from the seen state alone: `?` for each hidden card."""
    s = Fields(s)
    document = _public_position(s)
    hands = [_HIDDEN * (VALUES - turns) for turns in turns_taken(s)]
    hands[seat] = "".join(map(str, values_of(int(s.hand[seat]))))
    document["hands"] = hands
    document["stock"] = [_HIDDEN] * int(s.num_stock)
    for slot in document["row"]:
        for card in slot["cards"] if slot else []:
            if card[2] == "down" and card[0] != seat:
                card[1] = _HIDDEN
    if "passed" in document:
        document["passed"] = [
            cards if owner == seat else _HIDDEN * len(cards) for owner, cards in enumerate(document["passed"])
        ]
    return document


def describe(s: Any, seat: int | None) -> str:
    """The row with the cards on it, then every seat with what the viewer knows of it, as lines of text."""
    s = Fields(s)
    turns = turns_taken(s)
    over = rules.is_terminal(s.record)
    lines = [f"Hisatsu Shigotonin, {'over' if over else f'turn {max(turns[int(s.turn)] + 1, 1)} of {TURNS}'}"]
    lines[0] += f"; seat {s.starter} started; stock {s.num_stock}"
    for place in range(s.seats - 1):
        lines.append(f"  {place} {_slot_words(s, place, seat)}")
    for player in range(s.seats):
        known = seat is None or seat == player
        hand = "".join(map(str, values_of(int(s.hand[player])))) if known else _HIDDEN * (VALUES - turns[player])
        words = f"  seat {player}: hand {hand}, score {int(rules.score(s.record, player))}"
        words += _list_words("one-point cards", [str(s.points[player])] if s.points[player] else [])
        words += _list_words("captured", _names(s, s.captured[player], s.num_captured[player]))
        words += _list_words("failed", _names(s, s.failed[player], s.num_failed[player]))
        words += _list_words("discards", [_digits(s.discards[player], s.num_discards[player])])
        passed = _digits(s.passed[player], s.num_passed[player])
        words += _list_words("passed", [passed if known else _HIDDEN * len(passed)])
        lines.append(words + (" <-" if not over and player == s.turn else ""))
    return "\n".join(lines)


_DIGITS_FROM_0 = "0123"


def _action_text(card: str, slot: int, seats: int) -> str:
    return f"place {card} {slot}" if slot < seats - 1 else f"discard {card}"


def _public_position(s: Any) -> Document:
    """The position with all keys and what the state holds of row and passes; callers fill in hands and stock."""
    seats, over = int(s.seats), bool(rules.is_terminal(s.record))
    document: Document = {
        "game": "hisatsu",
        "options": RECORD.option_values(s),
        "seats": seats,
        "round": 1,
        "turn": None if over else int(s.turn),
        "phase": "over" if over else "act",
        "starter": int(s.starter),
        "row": [_slot_document(s, place) for place in range(seats - 1)],
        "stock": [],
        "hands": [],
        "discards": [_digits(s.discards[seat], s.num_discards[seat]) for seat in range(seats)],
        "points": [int(s.points[seat]) for seat in range(seats)],
        "captured": [_names(s, s.captured[seat], s.num_captured[seat]) for seat in range(seats)],
        "failed": [_names(s, s.failed[seat], s.num_failed[seat]) for seat in range(seats)],
        "turns": turns_taken(s),
    }
    deck = RECORD.option_value(s, DECK)
    if deck != DECK.default:
        document["deck"] = deck
    if s.pass_discard == 1:
        document["passed"] = [_digits(s.passed[seat], s.num_passed[seat]) for seat in range(seats)]
    return document


def _slot_document(s: Any, place: int) -> Document | None:
    request = int(s.request[place])
    if request == NO_REQUEST:
        return None
    hidden = int(hidden_cards(s.record, place))
    cards = s.cards[place][: s.num_cards[place]]
    return {
        "name": request_name(s, request),
        "chips": int(s.chips[place]),
        "cards": [[card >> 3, card & 7, "down" if i < hidden else "up"] for i, card in enumerate(cards)],
    }


def _slot_words(s: Any, place: int, seat: int | None) -> str:
    """A request in one line: its numbers, and every card as owner:value, a hidden one in brackets."""
    request = int(s.request[place])
    if request == NO_REQUEST:
        return "empty"
    words = f"{request_name(s, request):12} hp {s.hp[request]:3}, points {s.worth[request]:2}, chips {s.chips[place]}"
    hidden = int(hidden_cards(s.record, place))
    for i, card in enumerate(s.cards[place][: s.num_cards[place]]):
        value = _HIDDEN if i < hidden and seat not in (None, card >> 3) else str(card & 7)
        words += f" ({card >> 3}:{value})" if i < hidden else f" {card >> 3}:{value}"
    return words


def _list_words(label: str, words: list[str]) -> str:
    return f", {label} {', '.join(words)}" if any(words) else ""


def _names(s: Any, requests: Any, count: int) -> list[str]:
    return [request_name(s, request) for request in requests[:count]]


def _digits(values: Any, count: int) -> str:
    return "".join(map(str, values[:count]))
