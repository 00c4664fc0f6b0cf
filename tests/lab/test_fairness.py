"""Nobody has an advantage in real time but a shorter way to the server, and no tick waits for anybody."""

import pytest

from lab.fairness import races

MOST = 4.0
"""Standard deviations that chance explains: more have a probability of 1 in 16,000."""


@pytest.mark.parametrize("slots", [300, pytest.param(2_000, marks=pytest.mark.slow)])
def test_equal_delays_win_equally_often(slots: int) -> None:
    found = races(slots)
    assert found.slots >= slots and sum(found.won) == found.slots
    assert [duel.delay_ms for duel in found.duels] == [0, 75, 150]
    assert all(abs(duel.deviation) < MOST and min(duel.won) > 0 for duel in found.duels)
    assert found.ticks_held == 0


def test_a_seat_that_is_slower_is_found_out() -> None:
    found = races(300, (0, 0, 0, 150))
    assert found.won[3] < found.expected[3] - 10
