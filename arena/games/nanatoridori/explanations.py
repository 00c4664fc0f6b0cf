"""What people at a table of Nana Toridori are told: what to do, why a card cannot be played, what they could know."""

from collections import Counter
from itertools import groupby
from typing import Any

from arena.engine.outcomes import Fact
from arena.games.nanatoridori.state import VALUES
from arena.games.nanatoridori.view import NanaView

Refusal = tuple[str, str, str, str, dict[str, Any]]


def task(view: NanaView) -> Fact:
    """Lead, beat or pass, take or drop, keep or toss."""
    if view.beaten:
        return Fact(key="task_take", values={"cards": str(view.beaten.value) * view.beaten.size})
    if view.phase == "drawn":
        return Fact(key="task_keep", values={"card": str(view.drawn)})
    if view.table is None:
        return Fact(key="task_lead")
    table = {"cards": str(view.table.value) * view.table.size}
    return Fact(key="task_beat" if view.plays else "task_pass", values=table)


def prospects(view: NanaView) -> dict[str, Fact]:
    """The plays that end the round for the seat."""
    played = {action: play.cards for action, play in view.plays.items()}
    return {action: Fact(key="prospect_out") for action, cards in played.items() if cards == len(view.hand)}


def refusals(view: NanaView) -> list[Refusal]:
    """Why a card cannot be played: its run is too weak, no equal card is in the hand, or another choice comes first.

    Runs of the same value are named once, by the longest one that is too weak.
    """
    hand, front = f"hand-{view.seat}", f"front-{view.seat}"
    fronts = view.fronts[view.seat]
    if view.phase != "turn":
        why, rule, values = _choice_first(view)
        zones = [(hand, value) for value in dict.fromkeys(view.hand)] + [(front, value) for value in dict.fromkeys(fronts)]
        return [(zone, str(value), why, rule, values) for zone, value in zones]
    found = [(hand, *_too_weak(view, value, size)) for value, size in _weak_runs(view).items()]
    if view.table is None:
        lonely = [value for value in dict.fromkeys(fronts) if value not in view.hand]
        found += [(front, str(value), "why_front", "1.4", {}) for value in lonely]
    return found


def known(view: NanaView) -> list[tuple[str, list[tuple[str, int]], int | None]]:
    """How many cards of each value are unseen, what was taken openly into each hand, how many were discarded."""
    found: list[tuple[str, list[tuple[str, int]], int | None]] = [("known_unseen", _counts(view.unseen), None)]
    for seat in view.others:
        taken = Counter({value: sum(size for size, of in view.known[seat] if of == value) for value in range(1, VALUES + 1)})
        found.append(("known_hand", _counts(taken), seat))
    found.append(("known_discards", _counts(Counter(view.discards)), None))
    return [group for group in found if group[1]]


def _choice_first(view: NanaView) -> tuple[str, str, dict[str, Any]]:
    """Cards were beaten or drawn: it must be said what becomes of them before anything else is played."""
    if view.beaten:
        return "why_beaten", "1.2", {"beaten": str(view.beaten.value) * view.beaten.size}
    return "why_drawn", "1.4" if view.variant == "duel" else "1.2", {"drawn": str(view.drawn)}


def _weak_runs(view: NanaView) -> dict[int, int]:
    """Value, length of its longest run that cannot be played."""
    found: dict[int, int] = {}
    for value, run in groupby(view.hand):
        size = len(list(run))
        if size + view.fronts[view.seat].count(value) < _needed(view, value):
            found[value] = max(size, found.get(value, 0))
    return found


def _needed(view: NanaView, value: int) -> int:
    """How many cards of a value beat the table."""
    if view.table is None:
        return 1
    return view.table.size + (value <= view.table.value)


def _too_weak(view: NanaView, value: int, size: int) -> tuple[str, str, str, dict[str, Any]]:
    """Why a run does not beat the table, with the front cards that could be added to it."""
    assert view.table is not None, "on an empty table everything can be played"
    fronts, needed = view.fronts[view.seat].count(value), _needed(view, value)
    if view.hand.count(value) + fronts >= needed:
        why = "why_apart"
    else:
        why = "why_low" if size + fronts == view.table.size else "why_few"
    own, table = str(value) * (size + fronts), str(view.table.value) * view.table.size
    return str(value), why, "1.2", {"own": own, "table": table, "value": str(value), "needed": needed}


def _counts(cards: Counter[int]) -> list[tuple[str, int]]:
    return [(str(value), cards[value]) for value in range(1, VALUES + 1) if cards[value]]
