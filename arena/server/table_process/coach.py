"""What a room with a `coach.py` tells people: why a card cannot be played, and what a perfect memory knows."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol, cast

from arena import games
from arena.agent.view import View
from arena.server.table_process.messages import Known, Refusal


class Coach(Protocol):
    """The functions of a room's coach.py. They look at the view of one seat, and at nothing else."""

    def refusals(self, view: Any) -> Sequence[tuple[Any, ...]]:
        """(zone, card, why, rule, values) of each card of the seat that is part of no legal action; see Refusal.

        With the zone as a sixth value of a card that only cannot go to that zone.
        """
        ...

    def known(self, view: Any) -> Sequence[tuple[str, Sequence[tuple[str, int]], int | None]]:
        """(title, [(card, how many)], seat or None) of each group; see Known."""
        ...


@cache  # to find a room takes longer than all else that is said at a decision
def coach_of(game: str) -> Coach | None:
    """The coach of a room; None for a room without one. Raises ConfigError for an unknown game."""
    return cast("Coach | None", games.coach(game))


def refusals(view: View) -> list[Refusal]:
    """Why cards of the seat cannot be played now; empty for a room without a coach."""
    coach = coach_of(view.game)
    if coach is None:
        return []
    return [
        Refusal(zone=zone, card=card, why=why, rule=rule, values=values, to=to[0] if to else "")
        for zone, card, why, rule, values, *to in coach.refusals(view)
    ]


def known(view: View) -> list[Known]:
    """What a perfect memory knows beyond the table; empty for a room without a coach."""
    coach = coach_of(view.game)
    groups = [] if coach is None else coach.known(view)
    return [Known(title=title, cards=list(cards), seat=seat) for title, cards, seat in groups]
