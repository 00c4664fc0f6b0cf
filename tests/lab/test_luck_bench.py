"""What `python -m lab luck` measures: matches of simple players and of searches, on deals of its own for each seed."""

import numpy as np
import pytest

from arena.errors import ConfigError
from arena.games import load
from arena.ratings.simple_matches import play_searched_matches, play_simple_matches
from lab import luck, luck_boards
from lab.luck import SEARCHES, SLIPS, measure, tables


def test_matches_between_searches_are_corrected_as_all_others_are() -> None:
    game = load("naga")
    first, again = (play_searched_matches(game, 2, range(3, 5), (2, 5)) for _ in range(2))
    assert (first.luck == again.luck).all() and (first.shares == again.shares).all()
    assert first.shares.sum(axis=2) == pytest.approx(np.ones((2, 2))) and first.events >= 4 * 4
    assert first.luck.sum(axis=3) == pytest.approx(np.zeros((2, 2, 2)), abs=1e-9)
    dealt = play_simple_matches(game, 2, range(3, 5)).by_seat[:, :, 0]
    assert first.by_seat[:, :, 0] == pytest.approx(dealt)  # the same cards, whoever plays


def test_what_is_measured_is_what_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(luck, "SIMULATED", 20)
    monkeypatch.setattr(luck, "DECIDED", 10)
    monkeypatch.setattr(luck_boards, "BOARDS", 20)
    asked = tables(["naga"], (), {"series": "first_to:2"})
    assert [(at.game, at.seats, at.options) for at in asked] == [("naga", 2, {"series": "first_to:2"})]
    assert [at.seats for at in tables(["yaniv"])] == [2, 3] and [at.seats for at in tables(["yaniv"], [4])] == [4]
    with pytest.raises(ConfigError):
        tables(["naga"], [3])
    said: list[str] = []
    fair, certain, boards = measure(asked, 8, 4, 1, 1, said.append)
    assert [row.players for row in fair][-1] == SEARCHES and SLIPS in [row.players for row in fair] and len(said) == 5
    assert [row.matches for row in fair] == [8, 8, 8, 4] and fair[0].events > 14.0
    assert certain[0].deals == 4 and boards[0].game == "naga"
