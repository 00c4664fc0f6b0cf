"""What an action of Yaniv led to, and how a round ended, for people: calls, penalties, lowered totals (RULES.md 5.3)."""

from collections.abc import Sequence
from typing import Any

from arena.engine.outcomes import Cell, Fact, RoundResult, SeatResult
from arena.games.yaniv.rows import hand_value, row_length
from arena.games.yaniv.rules import PENALTY
from arena.games.yaniv.state import CALL, ROUND_OVER, START
from arena.games.yaniv.text import closed_position as table
from arena.games.yaniv.words import cards_of, plain

__all__ = ["led_to", "result", "table"]

COLUMNS = ("in_hand", "result_points", "total")


def led_to(before: Any, events: Sequence[tuple[int, str]], after: Any) -> list[Fact]:
    """Return what an event led to. `before`, `after`: the states around it as the viewer sees them."""
    old, new = plain(before), plain(after)
    seat, text = int(old.turn), events[0][1] if events else "hold"  # which others do not hear of
    facts = []
    if new.reshuffles > old.reshuffles:
        facts.append(Fact(key="led_reshuffle"))
    is_seen = row_length(old.hand[seat]) == old.hand_size[seat]
    if text == "draw stock" and is_seen and new.hand[seat]:
        card = _added(cards_of(old.hand[seat]), cards_of(new.hand[seat]))
        facts.append(Fact(key="led_drew", seats=(seat,), values={"card": [card]}))
    if new.phase >= ROUND_OVER:
        facts += _end(result(before, CALL if text == "call" else CALL - 1, after))
    return facts


def _added(before: list[str], after: list[str]) -> str:
    """The card that a hand has got."""
    for card in before:
        after.remove(card)
    return after[0]


def _end(found: RoundResult) -> list[Fact]:
    """The end of a round as facts: who ended it, then what became of each seat's total."""
    facts = list(found.facts)
    for row in found.rows:
        points, total = row.cells[1:]
        assert points is not None and total is not None
        marks = {fact.key: fact for fact in row.facts}
        values = {"n": points.now, "total": total.now}
        lowered = marks.get("result_lowered")
        if lowered is not None:
            facts.append(Fact(key="led_lowered", seats=row.seats, values={**values, **lowered.values, "points": points.now}))
        elif points.now:
            facts.append(Fact(key="led_points", seats=row.seats, values=values))
        if "result_dropped" in marks:
            facts.append(Fact(key="led_dropped", seats=row.seats))
    return facts


def result(before: Any, action: int, ended: Any) -> RoundResult:
    """Return how the round ended. `before`: the state in which the last action was chosen; `ended`: that after it."""
    before, ended = plain(before), plain(ended)
    seats = [seat for seat in range(ended.seats) if not before.dropped[seat]]
    held = {seat: int(hand_value(int(ended.hand[seat]))) for seat in seats}
    caller = int(before.turn) if before.phase == START and action == CALL else None
    beaters = [seat for seat in seats if caller is not None and seat != caller and held[seat] <= held[caller]]
    if caller is None:
        facts = [Fact(key="nobody_called")]
    elif beaters:
        facts = [Fact(key="beaten", seats=(caller, *beaters), values={"n": held[caller], "penalty": PENALTY})]
    else:
        facts = [Fact(key="called", seats=(caller,), values={"n": held[caller]})]
    rows = []
    for seat in seats:
        points = held[seat] if seat != caller else held[seat] + PENALTY if beaters else 0
        old, new = int(before.totals[seat]), int(ended.totals[seat])
        marks = [Fact(key="assaf")] if seat in beaters else []
        if new != old + points:
            marks.append(Fact(key="result_lowered", values={"n": old + points, "lowered": new}))
        if ended.dropped[seat]:
            marks.append(Fact(key="result_dropped"))
        cells = (Cell(now=held[seat]), Cell(now=points), Cell(now=new, change=new - old))
        rows.append(SeatResult(seats=(seat,), cells=cells, facts=tuple(marks)))
    return RoundResult(facts=tuple(facts), columns=COLUMNS, rows=tuple(rows))
