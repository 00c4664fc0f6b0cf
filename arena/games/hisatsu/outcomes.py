"""How a match of Hisatsu Shigotonin ended, for people: what was captured, what failed, and the score (RULES.md 3.3)."""

from typing import Any

from arena.engine.game import Document
from arena.engine.outcomes import Cell, Fact, RoundResult, SeatResult
from arena.engine.position import Fields
from arena.games.hisatsu import rules
from arena.games.hisatsu.state import FAILURE
from arena.games.hisatsu.text import to_position

__all__ = ["result", "table"]

COLUMNS = ("result_captured", "one_point", "result_failed", "score")


def table(ended: Any) -> Document:
    """The table at the end, all cards open that were dealt."""
    document = to_position(ended)
    del document["rng"]
    return document | {"stock": ["?"] * len(document["stock"])}


def result(_before: Any, _action: int, ended: Any) -> RoundResult:
    """Return how the match ended. `ended`: the state after the last action."""
    scores = [int(rules.score(ended, seat)) for seat in range(ended["seats"])]
    ended = Fields(ended)
    best = [seat for seat, score in enumerate(scores) if score == max(scores)]
    fact = Fact(key="result_best" if len(best) == 1 else "result_shared", seats=tuple(best), values={"n": max(scores)})
    rows = []
    for seat, score in enumerate(scores):
        lost = FAILURE * int(ended.num_failed[seat])
        points = int(ended.points[seat])
        cells = (Cell(now=score - points + lost), Cell(now=points), Cell(now=-lost), Cell(now=score))
        rows.append(SeatResult(seats=(seat,), cells=cells))
    return RoundResult(facts=(fact,), columns=COLUMNS, rows=tuple(rows))
