"""What ships with the rooms is what its note says, foresees more than the room's rule, and is small."""

import numpy as np
import pytest

from arena.engine.net import FILE, KINDS, read_note
from arena.games import load, names
from arena.learning.fit import calibration, log_loss, shares
from arena.learning.selfplay import default_table, rollout_rows

LEARNT = [name for name in names() if load(name).nets.nets]
FRESH = 99  # seed of positions that no training has seen
LARGEST = 300_000  # bytes of the files of all rooms


def test_some_room_has_learnt() -> None:
    assert "nanatoridori" in LEARNT
    assert sum((load(name).folder / FILE).stat().st_size for name in LEARNT) < LARGEST


@pytest.mark.parametrize("name", LEARNT)
def test_the_note_names_the_game_and_a_generation_that_was_accepted(name: str) -> None:
    note = read_note(load(name).folder)
    assert note.game == name and note.sha256 == load(name).nets.sha256 and set(note.seats) <= set(load(name).seats)
    assert any(found["accepted"] for found in note.generations) and note.command.startswith(f"arena train {name} ")
    assert set(load(name).nets.nets) <= set(KINDS)


@pytest.mark.parametrize("name", LEARNT)
def test_networks_foresee_more_than_the_rule_in_rounds_that_they_have_not_seen(name: str) -> None:
    game = load(name)
    rows = rollout_rows(default_table(game), 8_000, FRESH)
    value, belief = game.nets.nets["value"], game.nets.nets["belief"]
    wanted, ruled = (
        np.clip((numbers.reshape(-1) - value.low) / (value.high - value.low), 0.0, 1.0)
        for numbers in (rows.outcomes, rows.judged)
    )
    found = shares(value, rows.sketches.reshape(-1, rows.sketches.shape[-1]))
    assert log_loss(found, wanted) < log_loss(ruled, wanted) - 0.05
    assert calibration(found, wanted) < 0.03
    are_true = np.concatenate([np.ones(len(rows)), np.zeros(len(rows))])
    assert log_loss(shares(belief, np.concatenate([rows.clues, rows.drawn])), are_true) < 0.55
