"""How a round of Nana Toridori ended, for people: who went out in which order, and who lost a penguin (RULES.md 1.3, 1.4)."""

from typing import Any

from arena.engine.outcomes import Cell, Fact, RoundResult, SeatResult
from arena.engine.position import Fields
from arena.games.nanatoridori.state import ADVANCED
from arena.games.nanatoridori.text import closed_position as table

__all__ = ["result", "table"]


def result(before: Any, _action: int, ended: Any) -> RoundResult:
    """Return how the round ended. `before`: the state in which the last action was chosen; `ended`: that after it."""
    before, ended = Fields(before), Fields(ended)
    seats = range(ended.seats)
    out = [int(seat) for seat in ended.out[: ended.num_out]]
    (loser,) = [seat for seat in seats if seat not in out]
    has_points = ended.variant == ADVANCED
    facts = [
        Fact(key="result_out_first", seats=(out[0],)),
        Fact(key="result_no_points" if has_points else "result_penguin", seats=(loser,)),
    ]
    rows = []
    for seat in [*out, loser]:
        old, new = int(before.totals[seat]), int(ended.totals[seat])
        order = Cell(now=out.index(seat) + 1) if seat in out else None
        cells = (order, Cell(now=int(ended.hand_size[seat])), Cell(now=new, change=new - old))
        rows.append(SeatResult(seats=(seat,), cells=cells))
    return RoundResult(
        facts=tuple(facts), columns=("result_order", "result_left", "points" if has_points else "penguins"), rows=tuple(rows)
    )
