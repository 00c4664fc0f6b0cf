"""How a round of Yaniv ended, for people: who called, what everybody held, and what became of the totals (RULES.md 5.3)."""

from typing import Any

from arena.engine.outcomes import Cell, Fact, RoundResult, SeatResult
from arena.games.yaniv.rows import hand_value
from arena.games.yaniv.rules import PENALTY
from arena.games.yaniv.state import CALL, START
from arena.games.yaniv.text import closed_position as table
from arena.games.yaniv.words import plain

__all__ = ["result", "table"]

COLUMNS = ("in_hand", "result_points", "total")


def result(before: Any, action: int, ended: Any) -> RoundResult:
    """Return how the round ended. `before`: the state in which the last action was chosen; `ended`: that after it."""
    before, ended = plain(before), plain(ended)
    seats = [seat for seat in range(ended.seats) if not before.dropped[seat]]
    held = {seat: hand_value(int(ended.hand[seat])) for seat in seats}
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
