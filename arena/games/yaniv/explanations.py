"""What a person at a table of Yaniv is told: what to do, what stays in the hand, why a card cannot be played now, and what a
perfect memory knows.
"""

from collections import Counter
from typing import Any

from arena.engine.outcomes import Fact
from arena.games.yaniv.rows import CARDS
from arena.games.yaniv.state import CLASSES, OLDER
from arena.games.yaniv.view import YanivView

TURN = "5.2"  # the section of RULES.md
PREVIOUS, LAID = "previous", "laid"  # zones of the table


def task(view: YanivView) -> Fact:
    """Lay cards or call, then draw; perhaps slap."""
    if view.phase == "draw":
        return Fact(key="task_draw")
    if view.phase == "slap":
        return Fact(key="task_slap", values={"card": [view.drawn or ""]})
    return Fact(key="task_call" if view.can_call else "task_discard", values={"n": view.hand_value, "most": view.threshold})


def prospects(view: YanivView) -> dict[str, Fact]:
    """The points that stay in the hand after each discard."""
    return {
        action: Fact(key="prospect_left", values={"n": view.hand_value - view.value(cards)})
        for action, cards in view.discards.items()
    }


def refusals(view: YanivView) -> list[tuple[str, str, str, str, dict[str, Any]]]:
    """(zone, card, why, rule, values) of each card of the own hand or the discards that is part of no legal action."""
    hand = f"hand-{view.seat}"
    if view.phase == "start":
        return [_refusal(PREVIOUS, card, "why_discard_first") for card in dict.fromkeys(view.previous)]
    laid = [_refusal(LAID, card, "why_just_laid") for card in dict.fromkeys(view.laid)]
    if view.phase == "slap":
        held = [card for card in dict.fromkeys(view.hand) if card != view.drawn]
        previous = [_refusal(PREVIOUS, card, "why_drawn_already") for card in dict.fromkeys(view.previous)]
        return [_refusal(hand, card, "why_slap_drawn_only", drawn=[view.drawn]) for card in held] + previous + laid
    ends = set(view.takeable.values())
    middle = [card for card in dict.fromkeys(view.previous) if card not in ends]
    return [
        *(_refusal(hand, card, "why_draw_now") for card in dict.fromkeys(view.hand)),
        *(_refusal(PREVIOUS, card, "why_no_end", ends=view.ends) for card in middle),
        *laid,
    ]


def known(view: YanivView) -> list[tuple[str, list[tuple[str, int]], int | None]]:
    """What nobody has shown yet, what each seat is known to hold because it was taken openly, and what has been buried."""
    hands = [
        ("known_own" if seat == view.seat else "known_hand", cards, None if seat == view.seat else seat)
        for seat, cards in enumerate(view.known)
    ]
    unseen = [("known_unseen", view.unseen, None), ("known_earlier", earlier(view), None)]
    groups = [*unseen, *hands, ("known_buried", view.buried, None)]
    return [(title, _counted(cards), seat) for title, cards, seat in groups if cards]


def earlier(view: YanivView) -> list[str]:
    """The unseen cards that are hidden in other hands for certain: they came there before the last reshuffle."""
    memory = view.position["memory"] or {}
    found = Counter(card for group in memory.get("earlier", ()) for card in group["cards"])
    if not found:
        return []
    older = {str(OLDER + number) for number in range(CLASSES)}
    found.subtract(card for card, origin in zip(view.hand, memory["own"]) if origin in older)
    return [card for card in CARDS.texts for _ in range(found[card])]


def _counted(cards: list[str]) -> list[tuple[str, int]]:
    counts = Counter(cards)
    return [(card, counts[card]) for card in CARDS.texts if counts[card]]


def _refusal(zone: str, card: str, why: str, **values: Any) -> tuple[str, str, str, str, dict[str, Any]]:
    return zone, card, why, TURN, {"card": [card], **values}
