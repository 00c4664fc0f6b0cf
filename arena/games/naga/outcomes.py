"""How a game of Naga ended, for people: who won how many field cards, and how the series stands (RULES.md 2.2, 2.6)."""

from typing import Any

from arena.engine.outcomes import Cell, Fact, RoundResult, SeatResult
from arena.engine.position import Fields
from arena.games.naga.rules import fields_won
from arena.games.naga.text import closed_position as table

__all__ = ["result", "table"]


def result(before: Any, _action: int, ended: Any) -> RoundResult:
    """Return how the game ended. `before`: the state in which the last action was chosen; `ended`: that after it."""
    cards = [fields_won(ended, seat) for seat in range(2)]
    before, ended = Fields(before), Fields(ended)
    if cards[0] == cards[1]:
        fact = Fact(key="result_drawn", values={"n": cards[0]})
    else:
        winner = 0 if cards[0] > cards[1] else 1
        fact = Fact(key="result_game", seats=(winner,), values={"n": cards[winner], "other": cards[1 - winner]})
    rows = []
    for seat in range(2):
        old, new = int(before.games[seat]), int(ended.games[seat])
        rows.append(SeatResult(seats=(seat,), cells=(Cell(now=cards[seat]), Cell(now=new, change=new - old))))
    return RoundResult(facts=(fact,), columns=("field_cards", "games_won"), rows=tuple(rows))
