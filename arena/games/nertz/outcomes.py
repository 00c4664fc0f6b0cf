"""What a tick of Nertz led to, and how a round ended, for people: races lost, foundations completed, Nertz piles emptied,
who called, and the points of every unit (RULES.md 4.3, 4.5).
"""

from collections.abc import Iterator, Sequence
from typing import Any

from arena.cards import SUITS
from arena.engine.outcomes import Cell, Fact, RoundResult, SeatResult
from arena.engine.position import Fields
from arena.games.nertz.state import CARDS, PLAY, RANK_COUNT, ROUND_OVER
from arena.games.nertz.text import closed_position as table
from arena.games.nertz.words import moved_card, units_in

__all__ = ["led_to", "result", "table"]

COLUMNS = ("laid", "result_nertz", "this_round", "total")


def led_to(before: Any, events: Sequence[tuple[int, str]], after: Any) -> list[Fact]:
    """Return what the moves of a tick led to. `before`, `after`: the states around it as the viewer sees them."""
    old, new = Fields(before), Fields(after)
    if new.phase == PLAY and new.tick == old.tick:
        return []  # somebody has still to choose
    facts = [_failed(old, new, seat, move) for seat, move in events if new.failed >> seat & 1]
    for k in range(new.num_piles):
        if new.pile_size[k] == RANK_COUNT > _size(old, k):
            king = CARDS.text(4 * (RANK_COUNT - 1) + new.pile_suit[k])
            facts.append(Fact(key="led_completed", seats=_members(new, _top_unit(new, k)), values={"card": [king]}))
    for unit in range(units_in(new)):
        if old.num_nertz[unit] and not new.num_nertz[unit]:
            facts.append(Fact(key="led_emptied", seats=_members(new, unit)))
    if new.stuck > old.stuck:
        facts.append(Fact(key="led_stuck", values={"n": int(new.stuck), "all": int(new.stuck_limit)}))
    return facts + (list(result(before, 0, after).facts) if new.phase >= ROUND_OVER else [])


def _failed(old: Fields, new: Fields, seat: int, move: str) -> Fact:
    """A move that came to nothing: of a card that goes to a foundation, with who came first."""
    card = moved_card(old, seat >> old.teams, move)
    if card is None:
        return Fact(key="led_failed", seats=(seat,))
    first = [who for unit in _winners(old, new, card) for who in _members(new, unit) if who != seat]
    if first and move.endswith("found"):
        return Fact(key="led_lost_race", seats=(seat, *first), values={"card": [card]})
    return Fact(key="led_failed_card", seats=(seat,), values={"card": [card]})


def _winners(old: Fields, new: Fields, card: str) -> Iterator[int]:
    """The units that laid a card of this kind on a foundation in the tick."""
    rank, suit = divmod(CARDS.texts.index(card), len(SUITS))
    for k in range(new.num_piles):
        if new.pile_suit[k] == suit and new.pile_size[k] == rank + 1 > _size(old, k):
            yield _top_unit(new, k)


def _size(s: Fields, k: int) -> int:
    return int(s.pile_size[k]) if k < s.num_piles else 0


def _top_unit(s: Fields, k: int) -> int:
    """The unit whose card lies on top of a foundation."""
    return int(s.pile_units[k]) >> 4 * (int(s.pile_size[k]) - 1) & 15


def _members(s: Fields, unit: int) -> tuple[int, ...]:
    return (2 * unit, 2 * unit + 1) if s.teams else (unit,)


def result(before: Any, _action: int, ended: Any) -> RoundResult:
    """Return how the round ended. `before`: the state in which the last action was chosen; `ended`: that after it."""
    before, ended = Fields(before), Fields(ended)
    caller = ended.caller - 1 if ended.caller else None
    fact = Fact(key="nobody_called") if caller is None else Fact(key="called", seats=(caller,))
    rows = []
    for unit in range(units_in(ended)):
        seats = _members(ended, unit)
        old, new = int(before.totals[unit]), int(ended.totals[unit])
        bonus = ended.call_bonus if caller in seats else 0
        marks = (Fact(key="result_bonus", values={"n": int(bonus)}),) if bonus else ()
        cells = (
            Cell(now=int(ended.laid[unit]).bit_count()), Cell(now=int(ended.num_nertz[unit])), Cell(now=new - old),
            Cell(now=new, change=new - old),
        )  # fmt: skip
        rows.append(SeatResult(seats=seats, cells=cells, facts=marks))
    return RoundResult(facts=(fact, _most(ended, before)), columns=COLUMNS, rows=tuple(rows))


def _most(ended: Fields, before: Fields) -> Fact:
    """Return who got the most points in the round."""
    points = [int(ended.totals[unit]) - int(before.totals[unit]) for unit in range(units_in(ended))]
    best = [unit for unit, those in enumerate(points) if those == max(points)]
    seats = tuple(seat for unit in best for seat in _members(ended, unit))
    return Fact(key="result_most" if len(seats) == 1 else "result_most_shared", seats=seats, values={"n": max(points)})
