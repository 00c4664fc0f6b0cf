"""Reading positions of Leduc hold'em: the hand is dealt as the position says, and its actions are played again."""

from typing import Any

from arena.engine.game import Document, States
from arena.engine.position import PositionReader, require_whole_deck
from arena.errors import PositionError
from arena.games import load
from poker_rooms.leduc import rules
from poker_rooms.leduc.state import CARDS, DECK, MATCH_OVER, PLAY

ACTIONS = ("fold", "call", "raise")
PHASES = {"play": PLAY, "over": MATCH_OVER}

_MOST_CHIPS = 13  # in one hand, of one seat


def from_position(document: Document) -> States:
    """The state of a position; raises PositionError that names the key."""
    game = load("leduc")
    reader, states = game.open(document, ("actions", "cards", "won"))
    s = states[0]
    s.hand = reader.whole("round", 1, int(s.hands), default=1)
    s.turn = rules.starter(s)
    if not reader.is_empty("starter") and reader.whole("starter", 0, 1) != s.turn:
        raise PositionError(f"starter: seat {s.turn} begins hand {s.hand}")
    cards = reader.cards(reader.listing("cards"), "cards", CARDS, DECK)
    require_whole_deck(cards, CARDS)
    for i in range(DECK):
        s.cards[i] = cards[i]
    _play(reader, game.new_actions(), s)
    _read_won(reader, s)
    return states


def _play(reader: PositionReader, out: Any, s: Any) -> None:
    """Play the actions; whose turn it is, and whether the match is over, must follow from them."""
    for place, text in enumerate(reader.listing("actions")):
        legal = [int(code) for code in out[: rules.legal_actions(s, out)]]
        if text not in [ACTIONS[code] for code in legal]:
            raise PositionError(f"actions[{place}]: {text!r} cannot be played here")
        rules.step(s, ACTIONS.index(text))
    phase = reader.word("phase", PHASES)
    if s.phase != PHASES[phase]:
        raise PositionError(f"phase: not {phase} after these actions")
    if s.phase == MATCH_OVER:
        reader.refuse(("turn",), "when the match is over")
    elif reader.whole("turn", 0, 1) != s.turn:
        raise PositionError(f"turn: seat {s.turn} is to choose after these actions")


def _read_won(reader: PositionReader, s: Any) -> None:
    """Chips won; what a match of so many hands cannot bring is refused."""
    over = int(s.hand) - (s.phase == PLAY)
    given = reader.listing("won") or [0, 0]
    for seat, chips in enumerate(reader.as_listing(given, "won", 2)):
        s.won[seat] = reader.as_whole(chips, f"won[{seat}]", -_MOST_CHIPS * over, _MOST_CHIPS * over)
    if s.won[0] + s.won[1] != 0:
        raise PositionError("won: what one seat has won the other has lost")
