"""What people at a table of Naga are told: what to do, what hand their cards make, why a card cannot be played, and what a
perfect memory knows (docs/tables.md).
"""

from typing import Any

from arena.engine.outcomes import Fact
from arena.games.naga.outcomes import hand_fact, hand_of
from arena.games.naga.state import CARDS, ELTAM
from arena.games.naga.view import NagaView


def task(view: NagaView) -> Fact:
    """Designate a place, or choose cards for the contested one."""
    if view.phase == "designate":
        return Fact(key="task_designate")
    assert view.place is not None, "in phase select a place is contested"
    terms = {"place": f"place_{view.place}", "attribute": view.trump(view.place)}
    return Fact(key="task_select", values={"n": 2 if view.place == ELTAM else 3}, terms=terms)


def prospects(view: NagaView) -> dict[str, Fact]:
    """The hand that each selection makes."""
    if view.place is None:
        return {}
    trump = view.trump(view.place)
    return {
        action: hand_fact("prospect_hand", view.seat, hand_of(view.state, cards), trump)
        for action, cards in view.selections.items()
    }


def refusals(view: NagaView) -> list[tuple[str, str, str, str, dict[str, Any]]]:
    """Why the hand, Eltam and the contested places wait while a place is designated. In a contest every card may be chosen."""
    if view.phase != "designate":
        return []
    found = [(f"hand-{view.seat}", card, "why_designate", "2.2") for card in view.hand]
    found += [(f"place-{ELTAM}", card, "why_eltam", "2.2") for card in view.field[ELTAM]]
    found += [(f"place-{place}", card, "why_contested", "2.2") for place in view.won for card in view.field[place]]
    return [(*refusal, {}) for refusal in found]


def known(view: NagaView) -> list[tuple[str, list[tuple[str, int]], int | None]]:
    """The cards that were never seen, and those that were played; without a stock the unseen ones are the other hand."""
    other = 1 - view.seat
    unseen = [(card, 1) for card in view.unseen]
    played = [(card, 1) for card in sorted(view.played, key=CARDS.texts.index)]
    groups = [("known_unseen", unseen, None) if view.stock else ("known_hand", unseen, other), ("known_played", played, None)]
    return [group for group in groups if group[1]]
