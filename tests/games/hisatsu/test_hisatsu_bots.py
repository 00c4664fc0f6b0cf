"""The house bots of Hisatsu: the reckoner beats the greedy one, and that one chance, at the smallest and the largest table."""

from functools import partial

import pytest

from arena.agent import LoadedBot, read_bot
from arena.games import load
from arena.match import play
from arena.match.in_process import InProcessSeat
from arena.records import Ending
from helpers.paths import HOUSE_BOTS
from helpers.setups import setup_of

GAME = load("hisatsu")


def better_share(strong: str, weak: str, seats: int, deals: int) -> float:
    """One strong bot among weak ones, every deal in all rotations: how often it is placed better than each, a tie is half."""
    files = [read_bot(HOUSE_BOTS / f"{name}.py") for name in (strong, *[weak] * (seats - 1))]
    points = 0.0
    for deal in range(deals):
        for rotation in range(seats):
            bots = [files[(seat + rotation) % seats] for seat in range(seats)]
            setup = setup_of(GAME, bots, deal, rotation)
            table = [InProcessSeat(partial(LoadedBot, bot), seed, {}) for bot, seed in zip(bots, setup.bot_seeds)]
            record = play(GAME, setup, table)
            for seat in table:
                seat.__exit__()
            assert {row.ending for row in record.seats} == {Ending.PLAYED}, record.notes
            places = [row.place for row in record.seats]
            own = places.pop(-rotation % seats)
            points += sum((own < other) + (own == other) / 2 for other in places) / (seats - 1)
    return points / (deals * seats)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 5])
@pytest.mark.parametrize(("strong", "weak"), [("hisatsu_greedy", "random_bot"), ("hisatsu_reckoner", "hisatsu_greedy")])
def test_order_of_strength(strong: str, weak: str, seats: int) -> None:
    assert better_share(strong, weak, seats, deals=12) > 0.6
