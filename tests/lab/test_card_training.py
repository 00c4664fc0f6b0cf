"""The training that is measured on a graphics card, tried with the lanes of a card on this processor."""

import pytest

from helpers.lanes import ProcessorLanes


@pytest.mark.slow
def test_a_training_plays_learns_and_tells_how_strong_it_is() -> None:
    pytest.importorskip("torch")
    from lab.card_training import STEPS, train

    said: list[str] = []
    found = train("naga", 3.0, ProcessorLanes(), said.append, count=32, ended=60)
    assert found.choices >= 32 * STEPS and found.choices % (32 * STEPS) == 0
    assert -1.0 <= found.places_before <= 1.0 and -1.0 <= found.places_after <= 1.0
    assert found.choices_per_second == pytest.approx(found.choices / found.seconds)
