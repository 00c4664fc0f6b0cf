"""What an action of Nana Toridori led to, and how a round ended, for people: cards beaten, taken and dropped, who went out
and who lost a penguin (RULES.md 1.2 to 1.4).
"""

from collections.abc import Sequence
from typing import Any

from arena.engine.outcomes import Cell, Fact, RoundResult, SeatResult
from arena.engine.position import Fields
from arena.games.nanatoridori.state import ADVANCED, DUEL, ROUND_OVER, TAKE
from arena.games.nanatoridori.text import closed_position as table

__all__ = ["led_to", "result", "table"]


def led_to(before: Any, events: Sequence[tuple[int, str]], after: Any) -> list[Fact]:
    """Return what an event led to. `before`, `after`: the states around it as the viewer sees them."""
    old, new = Fields(before), Fields(after)
    ((seat, text),) = events
    kind = text.split(" ")[0]
    facts = _settled(old, seat, kind)
    if kind == "play" and old.table_count:
        facts.append(Fact(key="led_beats", seats=(seat, int(old.table_owner)), values={"cards": _block(old, "table")}))
    if kind == "pass" and new.drawn and new.variant != DUEL:
        facts.append(Fact(key="led_drew", seats=(seat,), values={"card": str(new.drawn)}))
    for place in range(old.num_out, new.num_out):
        facts.append(_gone(int(new.out[place]), place + 1, is_played=kind == "play"))
    if kind == "play" and old.table_count and new.phase != TAKE:
        facts.append(Fact(key="led_dropped", values={"cards": _block(old, "table")}))
    if new.phase >= ROUND_OVER:
        return facts + list(result(before, 0, after).facts[1:])
    if kind != "play" and old.table_count and not new.table_count:
        facts.append(Fact(key="led_cleared", seats=(int(new.turn),), values={"cards": _block(old, "table")}))
    return facts


def _settled(old: Fields, seat: int, kind: str) -> list[Fact]:
    """What became of the beaten cards, where that was chosen."""
    keys = {"take": "led_took", "drop": "led_dropped"}
    return [Fact(key=keys[kind], seats=(seat,), values={"cards": _block(old, "beaten")})] if kind in keys else []


def _gone(seat: int, number: int, is_played: bool) -> Fact:
    """Somebody is out; in a duel also by a pass of the other seat."""
    return Fact(key="led_out" if is_played else "led_survives", seats=(seat,), values={"n": number})


def _block(s: Fields, name: str) -> str:
    """The cards on the table, or the beaten ones."""
    return str(getattr(s, f"{name}_value")) * int(getattr(s, f"{name}_count"))


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
