"""Balanced samples of tables: every pair of bots meets equally often, within one, without playing all combinations.

Cyclic designs (R. C. Bose, "On the construction of balanced incomplete block designs", Annals of Eugenics 9, 1939): the bots
stand in a ring, and a base table is turned through all its places. Each bot then sits at as many tables as there are seats,
and all pairs that stand equally far apart meet equally often. So only the distances inside the base tables have to be evened
out, over all deals together: by annealing (S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated
annealing", Science 220, 1983), one place of one base table after the other.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from functools import cache

from arena.engine import rng

TRIES = 100  # at a base table that is not there yet
STEPS = 60_000  # at most; most samples are even after some hundreds
WARMEST, COLDEST = 3.0, 0.15  # temperatures, in squares of meetings
_KEY = b"arena balanced tables"  # public: who meets whom is no secret


@cache
def base_tables(bots: int, seats: int, count: int, together: int = 1) -> tuple[tuple[int, ...], ...]:
    """`count` base tables, each of `seats` different places of a ring of `bots`, the distances in them as even as found.

    A pure function of its arguments. At turn t of a base table sit the bots (place + t) modulo `bots`. Each `together` of them
    are for one deal: where that can be, no two of their turns are the same table.
    """
    dice = rng.seed_words(rng.derive(_KEY, bots, seats, count))
    rng.seed_fast(dice, dice.copy())
    tables: list[list[int]] = []
    for place in range(count):
        tables.append(ordered_sample(bots, seats, dice))
        for _ in range(TRIES):
            if not _is_repeated(bots, tables, place, together):
                break
            tables[place] = ordered_sample(bots, seats, dice)
    # by distance: one turned pair is met from both ends where it stands opposite
    worth = [0, *(2 if 2 * apart == bots else 1 for apart in range(1, bots // 2 + 1))]
    met = [0] * len(worth)
    for table in tables:
        for one, other in itertools.combinations(table, 2):
            apart = _apart(one, other, bots)
            met[apart] += worth[apart]
    if not bots > seats > 1:
        return tuple(map(tuple, tables))
    for step in range(STEPS):
        if step % 64 == 0 and max(met[1:]) - min(met[1:]) <= 1:
            break
        temperature = WARMEST * (COLDEST / WARMEST) ** (step / STEPS)
        number = rng.below(dice, count)
        table = tables[number]
        place, new = rng.below(dice, seats), rng.below(dice, bots)
        if new in table:
            continue
        changes: dict[int, int] = {}
        for other in (other for other in table if other != table[place]):
            for apart, sign in ((_apart(table[place], other, bots), -1), (_apart(new, other, bots), 1)):
                changes[apart] = changes.get(apart, 0) + sign * worth[apart]
        # squares of all pairs' meetings; of the opposite pairs there are half as many
        rise = sum(more * (more + 2 * met[apart]) / worth[apart] for apart, more in changes.items())
        if rise <= 0 or rng.below(dice, 1 << 30) < math.exp(-rise / temperature) * (1 << 30):
            old, table[place] = table[place], new
            if _is_repeated(bots, tables, number, together):
                table[place] = old
                continue
            for apart, more in changes.items():
                met[apart] += more
    return tuple(map(tuple, tables))


def has_repeats(bots: int, tables: Sequence[Sequence[int]], together: int) -> bool:
    """Whether a deal has the same table twice, so that matches of it would be played twice."""
    return any(_is_repeated(bots, tables, place, together) for place in range(len(tables)))


def _is_repeated(bots: int, tables: Sequence[Sequence[int]], place: int, together: int) -> bool:
    """Whether a base table comes to lie on itself or on another one of its deal before it has been turned all round."""
    turned = {frozenset((one + turn) % bots for one in tables[place]) for turn in range(bots)}
    first = place - place % together
    others = (set(tables[other]) for other in range(first, min(first + together, len(tables))) if other != place)
    return len(turned) < bots or any(other in turned for other in others)


def ring_meetings(bots: int, tables: Iterable[Sequence[int]]) -> tuple[int, int]:
    """How often the pairs that meet least and most sit at one of these base tables, each turned through all places."""
    met = [0] * (bots // 2 + 1)
    for table in tables:
        for one, other in itertools.combinations(table, 2):
            apart = _apart(one, other, bots)
            met[apart] += 2 if 2 * apart == bots else 1
    return min(met[1:]), max(met[1:])


def ordered_sample(size: int, count: int, dice: rng.Words) -> list[int]:
    """`count` different numbers below `size`, in random order."""
    left = list(range(size))
    return [left.pop(rng.below(dice, len(left))) for _ in range(count)]


def _apart(one: int, other: int, bots: int) -> int:
    """Distance in the ring."""
    return min((one - other) % bots, (other - one) % bots)
