"""How a round of Nertz ended, for people: who called, and the points of every unit (RULES.md 4.5)."""

from typing import Any

from arena.engine.outcomes import Cell, Fact, RoundResult, SeatResult
from arena.engine.position import Fields
from arena.games.nertz.text import closed_position as table
from arena.games.nertz.words import units_in

__all__ = ["result", "table"]

COLUMNS = ("laid", "result_nertz", "this_round", "total")


def result(before: Any, _action: int, ended: Any) -> RoundResult:
    """Return how the round ended. `before`: the state in which the last action was chosen; `ended`: that after it."""
    before, ended = Fields(before), Fields(ended)
    caller = ended.caller - 1 if ended.caller else None
    fact = Fact(key="nobody_called") if caller is None else Fact(key="called", seats=(caller,))
    rows = []
    for unit in range(units_in(ended)):
        seats = (2 * unit, 2 * unit + 1) if ended.teams else (unit,)
        old, new = int(before.totals[unit]), int(ended.totals[unit])
        bonus = ended.call_bonus if caller in seats else 0
        marks = (Fact(key="result_bonus", values={"n": int(bonus)}),) if bonus else ()
        cells = (
            Cell(now=int(ended.laid[unit]).bit_count()), Cell(now=int(ended.num_nertz[unit])), Cell(now=new - old),
            Cell(now=new, change=new - old),
        )  # fmt: skip
        rows.append(SeatResult(seats=seats, cells=cells, facts=marks))
    return RoundResult(facts=(fact,), columns=COLUMNS, rows=tuple(rows))
