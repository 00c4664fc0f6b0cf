"""What people at a table of Hisatsu are told: what to do, what a request then bears, where a card cannot go, and what a
perfect memory knows (docs/tables.md).
"""

from typing import Any

from arena.engine.outcomes import Fact
from arena.games.hisatsu.state import DECK, VALUES
from arena.games.hisatsu.view import HisatsuView, Slot


def task(view: HisatsuView) -> Fact:
    """Place a card, or discard one."""
    return Fact(key="task_act", values={"n": view.turns_left[view.seat]})


def prospects(view: HisatsuView) -> dict[str, Fact]:
    """The sum of the cards on a request after each placement, as far as the seat knows it."""
    return {action: _prospect(slot, value) for action, (slot, value) in view.placements.items()}


def _prospect(slot: Slot, value: int) -> Fact:
    known = value + sum(card.value or 0 for card in slot.cards)
    hidden = sum(card.value is None for card in slot.cards)
    key = "prospect_hidden" if hidden else "prospect_over" if known > slot.hp else "prospect_sum"
    return Fact(key=key, values={"sum": known, "hp": slot.hp, "n": hidden})


def refusals(view: HisatsuView) -> list[tuple[str, str, str, str, dict[str, Any], str]]:
    """Why the 7 cannot go to a request with one-point cards. Every card can be discarded, so none is refused altogether."""
    if VALUES not in view.hand:
        return []
    seven, zone = f"{view.seat}:{VALUES}", f"hand-{view.seat}"
    return [
        (zone, seven, "why_seven", "3.2", {"animal": [f"request:{slot.name}"]}, f"slot-{slot.place}")
        for slot in view.row
        if slot.chips
    ]


def known(view: HisatsuView) -> list[tuple[str, list[tuple[str, int]], int | None]]:
    """The cards of each other seat that were never open, those that must be in its hand, and the requests still to come."""
    found: list[tuple[str, list[tuple[str, int]], int | None]] = []
    for seat in range(view.seats):
        if seat != view.seat:
            unseen = view.unseen[seat]
            in_hand = [value for value in unseen if _must_be_in_hand(view, seat, value)]
            if in_hand != unseen:
                found.append(("known_unseen", _number_cards(seat, unseen), seat))
            found.append(("known_hand", _number_cards(seat, in_hand), seat))
    found.append(("known_stock", [(f"request:{name}", 1) for name in _stock(view)], None))
    return [group for group in found if group[1]]


def _must_be_in_hand(view: HisatsuView, seat: int, value: int) -> bool:
    """Whether an unseen card of a seat can lie nowhere else: face-down cards may be any but a 7, face-down passes any."""
    is_anything_hidden = view.hand_sizes[seat] < len(view.unseen[seat])
    has_passed = bool(view.position.get("passed", [""] * view.seats)[seat])
    return not is_anything_hidden or (value == VALUES and not has_passed)


def _number_cards(seat: int, values: list[int]) -> list[tuple[str, int]]:
    return [(f"{seat}:{value}", 1) for value in values]


def _stock(view: HisatsuView) -> list[str]:
    """The requests that were never in the row, in the order of the deck."""
    position = view.position
    seen = {slot.name for slot in view.row}.union(*position["captured"], *position["failed"])
    return [name for name, *_numbers in position.get("deck", DECK.default) if name not in seen]
