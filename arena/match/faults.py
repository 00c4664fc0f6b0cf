"""What a bot's fault costs: the policy of a tournament, and the places of a match in which bots forfeited."""

from collections.abc import Sequence

import msgspec

FORFEIT, SUBSTITUTE = "forfeit", "substitute"


class FaultPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a bot's fault costs (docs/formats.md, "Endings")."""

    policy: str = FORFEIT
    """`forfeit`: the first fault loses the match; `substitute`: a random legal action replaces the faulty one."""
    max_faults: int = 3
    """How many faults lose the match, if faults are answered with `substitute`."""
    retire_after: int = 5
    """How many forfeits in a row, in plan order, retire a bot: its other matches are not played. So do as many void matches
    in all, if they are a quarter of its matches and more than any other bot's share (tournament/formats/schedule.py)."""


def settle_places(places: Sequence[int], units: Sequence[int], faults: dict[int, int], *, has_one_loser: bool) -> list[int]:
    """The final places: units that forfeited come last, the earliest fault lowest; the others keep their order.

    `places` and `units`: the place by score and the unit of each seat; `faults`: the decision of the first fault of each
    seat that forfeited; `has_one_loser`: whether the game names only a loser: then all that did not forfeit win.

    >>> settle_places([1, 2, 3], [0, 1, 2], {0: 7}, has_one_loser=False)
    [3, 1, 2]
    >>> settle_places([1, 1, 3], [0, 1, 2], {0: 7, 1: 3}, has_one_loser=True)
    [2, 3, 1]
    """
    if not faults:
        return list(places)
    earliest: dict[int, int] = {}
    for seat, decision in faults.items():
        earliest[units[seat]] = min(decision, earliest.get(units[seat], decision))
    # A seat's key: (forfeited?, how bad); equal keys share a place.
    keys = [
        (1, -earliest[unit]) if unit in earliest else (0, 0 if has_one_loser else place) for place, unit in zip(places, units)
    ]
    return [1 + sum(other < key for other in keys) for key in keys]
