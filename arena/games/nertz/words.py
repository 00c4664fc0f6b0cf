"""The words that positions and actions of Nertz are written with, both ways."""

from collections.abc import Callable

from arena.engine.position import Fields
from arena.errors import PositionError, nearest
from arena.games.nertz.layout import from_pile, to_pile
from arena.games.nertz.state import BEGUN, CARD, CARDS, CODES, MOVE_BITS, MOVE_MASK, PILES, SEEN, SHOWN, WORK_WORK

ACTIONS: tuple[str, ...] = (
    "wait",
    "flip",
    "call",
    "nertz found",
    "waste found",
    *(f"work {i} found" for i in range(PILES)),
    *(f"nertz work {j}" for j in range(PILES)),
    *(f"waste work {j}" for j in range(PILES)),
    *(f"work {int(from_pile(code))} work {int(to_pile(code))}" for code in range(WORK_WORK, CODES)),
)
"""The text of each action, by its code."""

HIDDEN = "?"
_TEXTS = (HIDDEN, *CARDS.texts)  # by the number of a card, from 1; 0 = hidden or none
UNSEEN_DIGIT, SEEN_DIGIT, SHOWN_DIGIT = "012"
BEGUN_WORD = "begun"
_CODES = {text: code for code, text in enumerate(ACTIONS)}


def code_of(text: object, key: str) -> int:
    """The code of an action; raises PositionError that names `key`."""
    code = _CODES.get(text) if isinstance(text, str) else None
    if code is None:
        raise PositionError(f"{key}: {text!r} is no action; {nearest(str(text), ACTIONS)}")
    return code


def moves_of(packed: int, seats: int) -> list[str | None]:
    """The moves of a tick by seat, as everybody saw them: None for nothing, `begun` for one that takes more ticks."""
    fields = [packed >> MOVE_BITS * seat & MOVE_MASK for seat in range(seats)]
    return [BEGUN_WORD if field == BEGUN else ACTIONS[field - 1] if field else None for field in fields]


def work_cards(s: Fields, unit: int, pile: int) -> list[str]:
    """A work pile, bottom first."""
    return CARDS.listing(s.work[unit][pile])[::-1]


def moved_card(s: Fields, unit: int, move: str) -> str | None:
    """The card that a move of a unit takes from the top of a pile; None for a move of none, or of several cards."""
    source, *pile = move.split(" ")
    cards: list[str] = []
    if source == "nertz":
        cards = nertz_cards(s, unit)
    elif source == "waste":
        cards = stock_and_waste(s, unit, bool)["waste"]
    elif pile[-1:] == ["found"]:
        cards = work_cards(s, unit, int(pile[0]))
    return cards[-1] if cards else None


def stock_and_waste(s: Fields, unit: int, is_known: Callable[[int], object]) -> dict[str, list[str]]:
    """Stock (top first) and waste (bottom first), `?` where a place's value is not known."""
    cards = [_TEXTS[value & CARD] if is_known(value) else HIDDEN for value in s.line[unit][: s.num_line[unit]]]
    waste = s.num_waste[unit]
    return {"stock": cards[waste:], "waste": cards[:waste]}


def nertz_cards(s: Fields, unit: int) -> list[str]:
    """A Nertz pile, bottom first, `?` where the state does not say."""
    return [_TEXTS[card] for card in s.nertz[unit][: s.num_nertz[unit]]]


def seen_digits(s: Fields, unit: int) -> str:
    """A digit for each place, waste from the bottom, then stock from the top: seen by 0 nobody, 1 its unit, 2 everybody."""
    values = s.line[unit][: s.num_line[unit]]
    return "".join(SHOWN_DIGIT if value & SHOWN else SEEN_DIGIT if value & SEEN else UNSEEN_DIGIT for value in values)


def default_memory(line: int, waste: int) -> str:
    """The digits where nothing else is said: the waste was flipped at once, the stock never."""
    return SEEN_DIGIT * (waste - 1) + SHOWN_DIGIT * (waste > 0) + UNSEEN_DIGIT * (line - waste)


def knowledge(s: Fields, unit: int, seat: int) -> Callable[[int], int]:
    """Whether a seat knows the card at a place of a unit's line, from the value of the place."""
    return (SEEN if seat >> s.teams == unit else SHOWN).__and__


def foundation_top(s: Fields, k: int) -> str:
    """The open card of a foundation."""
    return CARDS.text(4 * (s.pile_size[k] - 1) + s.pile_suit[k])


def units_in(s: Fields) -> int:
    """How many units play."""
    return int(s.seats) >> int(s.teams)
