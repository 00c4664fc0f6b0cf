"""When a ladder counts neighbours as separable: all of them are looked at at once."""

import numpy as np
from numpy.typing import NDArray

from arena.ratings.models import BATCH_MODEL
from arena.tournament.formats.ladder.look import LEAST_DEALS, Look
from arena.tournament.formats.ladder.state import Leg


def look(chances_of_neighbours: list[float]) -> Look:
    """Bots from the best to the worst, and how likely equal ones would differ as much as each and the next."""
    bots = 1 + len(chances_of_neighbours)
    chances = np.full((bots, bots), 1e-9)
    for above, chance in enumerate(chances_of_neighbours):
        chances[above, above + 1] = chances[above + 1, above] = chance
    enough: NDArray[np.int64] = np.full(bots, LEAST_DEALS)
    leg = Leg(0, tuple(range(bots)), 1.0, True, 1000, model=BATCH_MODEL)
    names = tuple((f"bot_{number:02}", 1) for number in range(bots))
    return Look(
        names, np.arange(bots, 0, -1.0), np.full(bots, 2.0), enough.astype(float), enough, enough, chances, leg, 17.4
    )  # fmt: skip


def test_what_is_clear_for_one_pair_is_not_for_one_of_eleven() -> None:
    assert look([0.02]).is_apart().all()
    among_many = look([0.02] + [0.4] * 10)
    assert not among_many.is_apart().any() and among_many.are_separable(0, 1), "as one pair, looked at alone"


def test_the_clear_pairs_leave_more_error_for_the_others() -> None:
    assert look([1e-6] * 10 + [0.04]).is_apart().all()
    assert look([1e-6] * 9 + [0.04, 0.04]).is_apart().tolist() == [True] * 9 + [False] * 3


def test_a_bot_meets_the_neighbour_from_whom_it_is_not_separable() -> None:
    tables = list(look([1e-6, 0.02, 0.4, 1e-6]).tables(range(5), 2))
    assert {1, 2} in map(set, tables) or {2, 3} in map(set, tables)
