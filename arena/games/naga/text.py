"""Naga in words: cards, actions, positions and events as text, both ways (docs/notation.md; plain Python)."""

from collections.abc import Sequence
from typing import Any

from arena.engine.position import PositionReader, require_whole_deck
from arena.engine.room import Document, States
from arena.errors import ConfigError, PositionError
from arena.games import load
from arena.games.naga import rules
from arena.games.naga.hands import strength
from arena.games.naga.knowledge import SEEN_SELECT, selected, unpacked
from arena.games.naga.state import (
    CARDS,
    CONTESTS,
    DECK,
    DESIGNATE,
    ELTAM,
    FIRST_CARD,
    GAME_OVER,
    MATCH_OVER,
    SELECT,
    SHOWN,
    TRUMPS,
)

PLACE_NAMES = ("", "Kut", "Onotoa", "Avoria", "Eltam", "Siritas", "Cheles", "Eil")
TRUMP_NAMES = ("", "dark", "fire", "wood", "water", "earth", "light", "wind")

_KEYS = ("places", "won", "hands", "stock", "parent", "contest", "place", "pending", "shown", "games")
_PHASES = {"designate": DESIGNATE, "select": SELECT, "over": MATCH_OVER}
_WON = {0: 1, 1: 2, "tie": 3}
_HIDDEN = "?"


def action_texts(s: Any, actions: Sequence[int]) -> list[str]:
    """`field N` or `select C C C`."""
    if s.phase == DESIGNATE:
        return [f"field {action}" for action in actions]
    hand = CARDS.listing(int(s.hand[s.turn]))
    return ["select " + " ".join(card for i, card in enumerate(hand) if action >> i & 1) for action in actions]


def parse_action(s: Any, text: str) -> int:
    """The inverse; raises PositionError for a text that is no action of this game or names a card that is not held."""
    kind, *words = text.split(" ")
    if s.phase == DESIGNATE:
        if kind != "field" or len(words) != 1 or words[0] not in list("1234567"):
            raise PositionError(f'action: "field N" with a place from 1 to 7 is needed now, not {text!r}')
        return int(words[0])
    if kind != "select" or not words:
        raise PositionError(f'action: "select C C C" is needed now, not {text!r}')
    hand = CARDS.listing(int(s.hand[s.turn]))
    for word in words:
        if word not in hand:
            raise PositionError(f"action: {text!r} names {word!r}; the hand is {' '.join(hand)}")
    places = [hand.index(word) for word in words]
    if places != sorted(set(places)):
        raise PositionError(f"action: {text!r} must name its cards once each, in ascending card id")
    return sum(1 << place for place in places)


def event_texts(_s: Any, seen: int) -> list[tuple[int, str]]:
    """A designation, or the revealed selections: seat 0's, then seat 1's."""
    if not seen & SEEN_SELECT:
        return [(int(rules.chooser(_s)), f"field {seen}")]
    selections = [(seat, unpacked(seen, seat)) for seat in range(2)]
    if not selections[1][1]:  # the own choice, before the reveal, is not an event
        return []
    return [(seat, "select " + " ".join(CARDS.text(card) for card in cards)) for seat, cards in selections]


def to_position(s: Any) -> Document:
    """Everything, hidden cards too."""
    document = _public_position(s)
    document["hands"] = [CARDS.listing(int(s.hand[seat])) for seat in range(2)]
    document["stock"] = [CARDS.text(int(s.stock[i])) for i in reversed(range(s.num_stock))]
    document["pending"] = [_selection(s, seat) for seat in range(2)]
    document["rng"] = "".join(f"{int(word):08x}" for word in s.seed)
    return document


def masked_position(s: Any, seat: int) -> Document:
    """What `seat` knows, from the observed state alone: `?` for each hidden card."""
    document = _public_position(s)
    hands = [[_HIDDEN] * int(rules.hand_size(s)) for _ in range(2)]
    hands[seat] = CARDS.listing(int(s.hand[seat]))
    pending = [_selection(s, 0), _selection(s, 1)]
    if seat == 1 and s.phase == SELECT and s.turn == 1:
        pending[0] = [_HIDDEN] * (2 if s.contest == CONTESTS else 3)
    document["hands"] = hands
    document["stock"] = [_HIDDEN] * int(s.num_stock)
    document["pending"] = pending
    return document


def from_position(document: Document) -> States:
    """The state of a position; raises PositionError that names the key."""
    game = load("naga")
    reader = PositionReader(document, "naga", _KEYS)
    reader.whole("seats", 2, 2, default=2)
    try:
        options = game.resolve_options(reader.mapping("options"), 2)
    except ConfigError as error:
        raise PositionError(str(error)) from None
    states = game.deal(2, options, reader.seed())
    s = states[0]
    _read_course(reader, s)
    _read_cards(reader, s)
    return states


def describe(s: Any, seat: int | None) -> str:
    """The game as a table of places, the hands that the viewer knows and what was played."""
    lines = [
        f"Naga, game {s.round_number} of {_series_text(s)}, contest {s.contest}; "
        f"games {s.games[0]}:{s.games[1]}; seat {s.parent} is parent"
    ]
    for place in range(1, 8):
        cards = " ".join(CARDS.listing(int(rules.field_mask(s, place))))
        owner = {0: "", 1: "seat 0", 2: "seat 1", 3: "tied"}[int(s.won[place])]
        mark = " <- contested" if place == s.place else ""
        lines.append(f"  {place} {PLACE_NAMES[place]:8}{cards:10}trump {TRUMP_NAMES[place]:6}{owner}{mark}")
    for player in range(2):
        known = seat is None or seat == player
        hand = " ".join(CARDS.listing(int(s.hand[player]))) if known else f"{int(rules.hand_size(s))} cards"
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


def _series_text(s: Any) -> str:
    return f"{s.series_count}" if s.series_kind == 0 else f"a race to {s.series_count}"


def _selection(s: Any, seat: int) -> list[str] | None:
    mask = int(s.pending[seat])
    return CARDS.listing(selected(int(s.hand[seat]), mask)) if mask else None


def _public_position(s: Any) -> Document:
    """All keys, with what both seats know; hidden ones are filled in by the callers."""
    if s.phase == GAME_OVER:
        raise ValueError("between two games there is no position: deal the next game first")
    vector = [s.majority, s.none_compare, s.moon_class, s.moon_duplicate, s.draw_parent, s.series_kind, s.series_count]
    options, at = {}, 0
    for option in rules.OPTIONS:
        options[option.name] = option.decode([int(code) for code in vector[at : at + option.width]])
        at += option.width
    phase = next(name for name, code in _PHASES.items() if code == s.phase)
    return {
        "game": "naga",
        "options": options,
        "seats": 2,
        "round": int(s.round_number),
        "turn": None if s.phase == MATCH_OVER else int(s.turn),
        "phase": phase,
        "parent": int(s.parent),
        "contest": int(s.contest),
        "place": int(s.place) or None,
        "places": {
            str(place): [CARDS.text(int(s.field[i])) for i in range(FIRST_CARD[place], FIRST_CARD[place + 1])]
            for place in range(1, 8)
        },
        "won": {
            str(place): next(text for text, code in _WON.items() if code == s.won[place])
            for place in range(1, 8)
            if s.won[place]
        },
        "hands": [],
        "stock": [],
        "pending": [],
        "shown": [CARDS.text(int(s.shown[i])) for i in range(s.num_shown)],
        "games": [int(s.games[seat]) for seat in range(2)],
    }


def _read_course(reader: PositionReader, s: Any) -> None:
    """Where the game stands: phase, turn, contest, place, parent, results."""
    reader.refuse(("starter",), "in Naga: the chooser follows from parent and contest")
    phase = reader.word("phase", _PHASES)
    s.phase = _PHASES[phase]
    s.round_number = reader.whole("round", 1, 32000, default=1)
    s.parent = reader.whole("parent", 0, 1)
    s.contest = reader.whole("contest", 1, CONTESTS)
    games = reader.listing("games") or [0, 0]
    for seat, won in enumerate(reader.as_listing(games, "games", 2)):
        s.games[seat] = reader.as_whole(won, f"games[{seat}]", 0, int(s.round_number))
    _read_won(reader, s)
    if phase == "designate":
        reader.refuse(("place",), "while a place is being designated")
        if s.contest == CONTESTS:
            raise PositionError("contest: Eltam (7) is never designated; the phase must be select")
        s.place = 0
        s.turn = reader.whole("turn", 0, 1)
        if s.turn != rules.chooser(s):
            raise PositionError(f"turn: seat {rules.chooser(s)} designates contest {s.contest}, not seat {s.turn}")
    elif phase == "select":
        s.turn = reader.whole("turn", 0, 1)
        s.place = reader.whole("place", 1, 7)
        if (s.place == ELTAM) != (s.contest == CONTESTS) or s.won[s.place]:
            raise PositionError(f"place: place {s.place} cannot be contested in contest {s.contest}")
    else:
        reader.refuse(("turn", "place"), "when the match is over")
        s.turn = s.place = 0
    _check_games(s)


def _read_won(reader: PositionReader, s: Any) -> None:
    won = reader.mapping("won")
    for place in range(8):
        s.won[place] = 0
    for key, result in won.items():
        place = reader.as_whole(int(key) if key in list("1234567") else key, f"won.{key}", 1, 7)
        if isinstance(result, bool) or not isinstance(result, int | str) or result not in _WON:
            raise PositionError(f'won.{key}: 0, 1 or "tie" is needed, not {result!r}')
        s.won[place] = _WON[result]
    over = s.phase == MATCH_OVER
    played = int(s.contest) if over else int(s.contest) - 1
    if len(won) != played:
        raise PositionError(f"won: {played} contested places are needed in contest {s.contest}, not {len(won)}")
    if s.won[ELTAM] and not (over and s.contest == CONTESTS):
        raise PositionError("won.4: Eltam is contested last")
    if over and s.contest == CONTESTS and not s.won[ELTAM]:
        raise PositionError("won.4: Eltam was contested last and must have a result")


def _check_games(s: Any) -> None:
    """The series must be able to stand where it stands, and a running game must not be decided already."""
    finished = int(s.round_number) if s.phase == MATCH_OVER else int(s.round_number) - 1
    if s.games[0] + s.games[1] > finished:
        raise PositionError(f"games: {s.games[0]}:{s.games[1]} is more than the {finished} finished games")
    if s.phase == MATCH_OVER:
        winner = rules._game_winner(s)
        if not rules._is_decided(s):
            raise PositionError("phase: the last game is not decided, so the match is not over")
        if winner >= 0 and s.games[winner] == 0:
            raise PositionError(f"games: seat {winner} won the last game, so it has at least 1")
        if not rules.is_series_over(s):
            raise PositionError(f"phase: the series {_series_text(s)} is not over at {s.games[0]}:{s.games[1]}")
    else:
        s.contest -= 1
        decided = s.contest > 0 and rules._is_decided(s)
        s.contest += 1
        if decided:
            raise PositionError("won: the game is decided already, so its phase cannot go on")
        s.round_number -= 1
        over = s.round_number > 0 and rules.is_series_over(s)
        s.round_number += 1
        if over:
            raise PositionError(f"games: the series is over at {s.games[0]}:{s.games[1]}")


def _read_cards(reader: PositionReader, s: Any) -> None:
    """Cards by where they lie; conservation; pending selections."""
    places = reader.mapping("places")
    for key in places:
        if key not in list("1234567"):
            raise PositionError(f"places.{key}: no such place; known: 1 to 7")
    field = [
        card
        for place in range(1, 8)
        for card in reader.cards(places.get(str(place)), f"places.{place}", CARDS, 3 if place == ELTAM else 1)
    ]
    played = len(reader.mapping("won"))
    shown = reader.cards(reader.listing("shown"), "shown", CARDS, min(played, 6) * 6 + (4 if played == CONTESTS else 0))
    hands = [
        reader.cards(hand, f"hands[{seat}]", CARDS, int(rules.hand_size(s)))
        for seat, hand in enumerate(reader.listing("hands", 2))
    ]
    stock = reader.cards(reader.listing("stock"), "stock", CARDS)
    require_whole_deck([*field, *shown, *stock, *hands[0], *hands[1]], CARDS)
    for i, card in enumerate(field):
        s.field[i] = card
    for i in range(SHOWN):
        s.shown[i] = shown[i] if i < len(shown) else 0
    s.num_shown = len(shown)
    for i in range(DECK):
        s.stock[i] = stock[len(stock) - 1 - i] if i < len(stock) else 0
    s.num_stock = len(stock)
    for seat in range(2):
        s.hand[seat] = sum(1 << card for card in hands[seat])
    _read_pending(reader, s)


def _read_pending(reader: PositionReader, s: Any) -> None:
    s.pending[0] = s.pending[1] = 0
    if s.phase != SELECT:
        reader.refuse(("pending",), "outside the phase select")
        return
    pending = reader.listing("pending") or [None, None]
    reader.as_listing(pending, "pending", 2)
    if pending[1]:
        raise PositionError("pending[1]: seat 1 chooses last, its selection is never pending")
    if bool(pending[0]) != (s.turn == 1):
        raise PositionError(f"pending[0]: seat 0 {'must have' if s.turn == 1 else 'cannot have'} chosen when turn is {s.turn}")
    if pending[0]:
        size = 2 if s.contest == CONTESTS else 3
        cards = reader.cards(pending[0], "pending[0]", CARDS, size)
        turn, s.turn = int(s.turn), 0
        s.pending[0] = parse_action(s, "select " + " ".join(CARDS.text(card) for card in cards))
        s.turn = turn
