"""Reading a position of Naga: every mistake is refused with an error that names the key (docs/notation.md)."""

from typing import Any

from arena.engine.game import Document, States
from arena.engine.position import PositionReader, require_whole_deck
from arena.errors import PositionError
from arena.games import load
from arena.games.naga import rules
from arena.games.naga.state import CARDS, CONTESTS, DECK, ELTAM, MATCH_OVER, SELECT, SHOWN
from arena.games.naga.words import PHASES, WON, parse_action, series_text

_KEYS = ("places", "won", "hands", "stock", "parent", "contest", "place", "pending", "shown", "games")


def from_position(document: Document) -> States:
    """The state of a position; raises PositionError that names the key."""
    reader, states = load("naga").open(document, _KEYS)
    s = states[0]
    _read_course(reader, s)
    _read_cards(reader, s)
    return states


def _read_course(reader: PositionReader, s: Any) -> None:
    """Read how far the game has come: phase, turn, contest, place, parent, results."""
    reader.refuse(("starter",), "in Naga: the chooser follows from parent and contest")
    phase = reader.word("phase", PHASES)
    s.phase = PHASES[phase]
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
        if isinstance(result, bool) or not isinstance(result, int | str) or result not in WON:
            raise PositionError(f'won.{key}: 0, 1 or "tie" is needed, not {result!r}')
        s.won[place] = WON[result]
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
            raise PositionError(f"phase: the series {series_text(s)} is not over at {s.games[0]}:{s.games[1]}")
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
