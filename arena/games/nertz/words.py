"""The words that positions and actions of Nertz are written with, both ways."""

from collections.abc import Callable
from typing import Any

from arena.errors import PositionError, nearest
from arena.games.nertz.layout import from_pile, to_pile
from arena.games.nertz.state import CARD, CARDS, CODES, PILES, SEEN, SHOWN, WORK_WORK

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
"""By code."""

UNSEEN_DIGIT, SEEN_DIGIT, SHOWN_DIGIT = "012"
_CODES = {text: code for code, text in enumerate(ACTIONS)}


def code_of(text: object, key: str) -> int:
    """The code of an action; raises PositionError that names `key`."""
    code = _CODES.get(text) if isinstance(text, str) else None
    if code is None:
        raise PositionError(f"{key}: {text!r} is no action; {nearest(str(text), ACTIONS)}")
    return code


def work_cards(s: Any, unit: int, pile: int) -> list[str]:
    """A work pile, bottom first."""
    return CARDS.listing(int(s.work[unit, pile]))[::-1]


def stock_and_waste(s: Any, unit: int, is_known: Callable[[int], object]) -> dict[str, list[str]]:
    """Stock (top first) and waste (bottom first), `?` where a place's value is not known."""
    values = [int(s.line[unit, place]) for place in range(s.num_line[unit])]
    cards = [CARDS.text((value & CARD) - 1) if is_known(value) else "?" for value in values]
    waste = int(s.num_waste[unit])
    return {"stock": cards[waste:], "waste": cards[:waste]}


def seen_digits(s: Any, unit: int) -> str:
    """Who has seen each place, waste from the bottom, then stock from the top: 0 nobody, 1 its unit, 2 everybody."""
    values = [int(s.line[unit, place]) for place in range(s.num_line[unit])]
    return "".join(SHOWN_DIGIT if value & SHOWN else SEEN_DIGIT if value & SEEN else UNSEEN_DIGIT for value in values)


def default_memory(line: int, waste: int) -> str:
    """The digits where nothing else is said: the waste was flipped at once, the stock never."""
    return SEEN_DIGIT * (waste - 1) + SHOWN_DIGIT * (waste > 0) + UNSEEN_DIGIT * (line - waste)
