"""The evaluation of Nana Toridori gives the advantage of being next to the seat that plays next."""

import random

import numpy as np
import pytest

from arena.engine.game import States
from arena.games.nanatoridori.rollout import TO_MOVE
from arena.games.nanatoridori.state import DRAWN, TAKE, TURN
from helpers.nanatoridori_tables import GAME


def favoured(states: States) -> list[int]:
    """The seats that the constant `to_move` helps."""
    found = []
    for worth in (0.0, 1.0):
        constants, out = GAME.constants, np.zeros(6)
        constants[TO_MOVE] = worth
        GAME.rollout.evaluate(states[0], constants, out)
        found.append(out[: int(states[0].seats)])
    return [int(seat) for seat in np.flatnonzero(found[1] > found[0] + 1e-9)]


@pytest.mark.parametrize("seats", [2, 4])
def test_the_next_seat_to_play_is_the_one_that_gains(seats: int) -> None:
    """Played on: the seat of the next turn, whatever becomes of the cards that are taken or kept."""
    chance, engine, seen = random.Random(seats), GAME.engine, set()
    for deal in range(12):
        states = GAME.deal(seats, GAME.resolve_options({}, seats), deal)
        while not engine.is_round_over(states):
            later = GAME.from_bytes(states.tobytes())
            while not engine.is_round_over(later) and later[0].phase != TURN:
                engine.step(later, GAME.legal_list(later)[-1])
            if not engine.is_round_over(later):
                assert favoured(states) == [int(later[0].turn)], f"deal {deal}, phase {states[0].phase}"
                seen.add(int(states[0].phase))
            engine.step(states, chance.choice(GAME.legal_list(states)))
    assert seen == {TURN, TAKE, DRAWN}
