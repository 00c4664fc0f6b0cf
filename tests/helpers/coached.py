"""Views of random matches, for the tests of what people are told at a table."""

from collections.abc import Iterator
from typing import Any

from arena.engine.random_tables import Table, decisions, make_table
from arena.engine.room import Game, States


def view_of(game: Game, states: States, seat: int, codes: list[int] | None = None) -> Any:
    """What a seat sees of these states; `codes`: its legal actions, if it is to choose."""
    codes = game.legal_list(states) if codes is None else codes
    return game.view(game, game.observed(states, seat), seat, codes=codes, events=list, clock=None)


def views(game: Game, matches: int, most: int = 12) -> Iterator[tuple[Table, Any]]:
    """Views of seats that have to choose, up to `most` of each of so many random matches of all variants."""
    for seed in range(matches):
        table = make_table(game, seed)
        course = list(decisions(table))
        for moment in course[:: max(1, len(course) // most)]:
            yield table, view_of(game, moment.states, moment.seat, moment.codes)
