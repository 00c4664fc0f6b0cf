"""Naga in words: cards, actions, positions and events as text, both ways (docs/notation.md; plain Python)."""

from collections.abc import Sequence
from typing import Any

from arena.engine.game import Document
from arena.engine.position import Fields, PositionReader, seed_text
from arena.errors import ConfigError, PositionError
from arena.games import load
from arena.games.naga import rules
from arena.games.naga.hands import strength
from arena.games.naga.knowledge import SEEN_SELECT, selected, unpacked
from arena.games.naga.reading import from_position
from arena.games.naga.state import (
    CARDS,
    CONTESTS,
    DESIGNATE,
    ELTAM,
    FIRST_CARD,
    GAME_OVER,
    MATCH_OVER,
    RECORD,
    SELECT,
    TRUMPS,
)
from arena.games.naga.words import HIDDEN, PHASES, PLACE_NAMES, TRUMP_NAMES, WON, field_cards, parse_action, series_text

__all__ = [
    "action_texts", "closed_position", "compare", "describe", "event_texts", "from_position", "masked_position", "parse_action",
    "to_position",
]  # fmt: skip


def action_texts(s: Any, actions: Sequence[int]) -> list[str]:
    """`field N` or `select C C C`."""
    s = Fields(s)
    if s.phase == DESIGNATE:
        return [f"field {action}" for action in actions]
    bits = [(1 << i, card) for i, card in enumerate(CARDS.listing(s.hand[s.turn]))]
    return ["select " + " ".join([card for bit, card in bits if action & bit]) for action in actions]


def event_texts(_s: Any, seen: int) -> list[tuple[int, str]]:
    """A designation, or the revealed selections: seat 0's, then seat 1's."""
    if not seen & SEEN_SELECT:
        return [(int(rules.chooser(_s)), f"field {seen}")]
    selections = [(seat, unpacked(seen, seat)) for seat in range(2)]
    if not selections[1][1]:  # the own choice, before the reveal, is not an event
        return []
    return [(seat, "select " + " ".join(CARDS.text(card) for card in cards)) for seat, cards in selections]


def to_position(s: Any) -> Document:
    """The whole position, hidden cards too."""
    s = Fields(s)
    document = _position(s)
    document["hands"] = [CARDS.listing(int(s.hand[seat])) for seat in range(2)]
    document["stock"] = [CARDS.text(int(s.stock[i])) for i in reversed(range(s.num_stock))]
    document["pending"] = [_selection(s, seat) for seat in range(2)]
    document["rng"] = seed_text(s.seed)
    return document


def masked_position(s: Any, seat: int) -> Document:
    """What `seat` knows, from the seen state alone: `?` for each hidden card."""
    s = Fields(s)
    document = _position(s)
    hands = [[HIDDEN] * int(rules.hand_size(s.record))] * 2
    hands[seat] = CARDS.listing(int(s.hand[seat]))
    pending = [_selection(s, 0), _selection(s, 1)]
    if seat == 1 and s.phase == SELECT and s.turn == 1:
        pending[0] = [HIDDEN] * (2 if s.contest == CONTESTS else 3)
    document["hands"] = hands
    document["stock"] = [HIDDEN] * int(s.num_stock)
    document["pending"] = pending
    return document


def closed_position(s: Any) -> Document:
    """The table at the end of a game, for people: both hands open, the stock hidden. It cannot be played on."""
    s = Fields(s)
    document = _public_position(s)
    document["hands"] = [CARDS.listing(int(s.hand[seat])) for seat in range(2)]
    document["stock"] = [HIDDEN] * int(s.num_stock)
    document["pending"] = [None, None]
    return document | ({"round_over": True} if s.phase == GAME_OVER else {})


def describe(s: Any, seat: int | None) -> str:
    """The game as a table of places, the hands that the viewer knows and what was played."""
    s = Fields(s)
    lines = [
        f"Naga, game {s.round_number} of {series_text(s)}, contest {s.contest}; "
        f"games {s.games[0]}:{s.games[1]}; seat {s.parent} is parent"
    ]
    for place in range(1, 8):
        cards = " ".join(field_cards(s, place))
        owner = {0: "", 1: "seat 0", 2: "seat 1", 3: "tied"}[int(s.won[place])]
        mark = " <- contested" if place == s.place else ""
        lines.append(f"  {place} {PLACE_NAMES[place]:8}{cards:10}trump {TRUMP_NAMES[place]:6}{owner}{mark}")
    for player in range(2):
        known = seat is None or seat == player
        hand = " ".join(CARDS.listing(int(s.hand[player]))) if known else f"{int(rules.hand_size(s.record))} cards"
        chosen = _selection(s, player) if known else None
        lines.append(f"  seat {player}: {hand}" + (f"; chose {' '.join(chosen)}" if chosen else ""))
    shown = " ".join(CARDS.text(int(s.shown[i])) for i in range(s.num_shown))
    lines.append(f"  played: {shown or 'nothing yet'}; stock {s.num_stock}")
    return "\n".join(lines)


def compare(case: Document) -> int | str:
    """The winner of a case with `place`, `left`, `right` and `options`: 0 (left), 1 (right) or "tie"."""
    reader = PositionReader(case, "naga", ("name", "place", "left", "right", "winner"))
    try:
        options = load("naga").resolve_options(reader.mapping("options"), 2)
    except ConfigError as error:
        raise PositionError(str(error)) from None
    codes = {option.name: option.encode(options[option.name])[0] for option in rules.OPTIONS}
    place = reader.whole("place", 1, 7)
    size = 5 if place == ELTAM else 4
    values = []
    for side in ("left", "right"):
        cards = reader.cards(reader.listing(side, size), side, CARDS)
        if len(set(cards)) < size:
            raise PositionError(f"{side}: a hand cannot hold a card twice")
        mask, trump = sum(1 << card for card in cards), int(TRUMPS[place])
        values.append(strength(mask, size, trump, codes["none_compare"], codes["moon_class"], codes["moon_duplicate"]))
    return "tie" if values[0] == values[1] else 0 if values[0] > values[1] else 1


def _selection(s: Any, seat: int) -> list[str] | None:
    mask = int(s.pending[seat])
    return CARDS.listing(selected(int(s.hand[seat]), mask)) if mask else None


def _position(s: Any) -> Document:
    """The position with all keys and what all seats know. Raises ValueError between two rounds."""
    if s.phase == GAME_OVER:
        raise ValueError("between two games there is no position: deal the next game first")
    return _public_position(s)


def _public_position(s: Any) -> Document:
    """Likewise, and at the end of a game; callers fill in what is hidden."""
    phase = next(name for name, code in PHASES.items() if code == (MATCH_OVER if s.phase == GAME_OVER else s.phase))
    return {
        "game": "naga",
        "options": RECORD.option_values(s),
        "seats": 2,
        "round": int(s.round_number),
        "turn": None if s.phase >= GAME_OVER else int(s.turn),
        "phase": phase,
        "parent": int(s.parent),
        "contest": int(s.contest),
        "place": int(s.place) or None,
        "places": {
            str(place): [CARDS.text(card) for card in s.field[FIRST_CARD[place] : FIRST_CARD[place + 1]]]
            for place in range(1, 8)
        },
        "won": {
            str(place): next(text for text, code in WON.items() if code == s.won[place])
            for place in range(1, 8)
            if s.won[place]
        },
        "hands": [],
        "stock": [],
        "pending": [],
        "shown": [CARDS.text(int(s.shown[i])) for i in range(s.num_shown)],
        "games": [int(s.games[seat]) for seat in range(2)],
    }
