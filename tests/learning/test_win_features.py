"""The network for luck as it is made: rows that belong together, a fit that repeats, and a file that says what it holds."""

from pathlib import Path

import numpy as np
import pytest

from arena.engine.game import Game
from arena.engine.net import Net
from arena.engine.net_files import FILE, read_nets
from arena.errors import ConfigError
from arena.games import load, luck_nets
from arena.learning.training.networks import log_loss, predicted_shares
from arena.learning.training.win_features import PairRows, fit_value, joined, played_rows, players_of, targets_of, write_value

YANIV, NAGA = load("yaniv"), load("naga")
FRESH = 77  # seed of matches that no training has seen


@pytest.fixture(scope="module")
def rows() -> PairRows:
    return played_rows(YANIV, 2, 8_000, FRESH)


def test_rows_of_a_round_share_its_end(rows: PairRows) -> None:
    place = np.arange(len(rows))
    is_end, goes_on = rows.ends == place, rows.ends >= 0
    assert is_end.sum() > 100 and (rows.ends[goes_on] >= place[goes_on]).all()
    assert (rows.matches[rows.ends[goes_on]] == rows.matches[goes_on]).all() and is_end[rows.ends[goes_on]].all()
    turned = rows.is_turned[goes_on]
    own, at_end = rows.results[goes_on], rows.results[rows.ends[goes_on]]
    assert turned.any() and not turned.all() and (np.where(turned, 1.0 - own, own) == at_end).all()


def test_what_a_round_brings_is_what_is_said_at_its_end() -> None:
    inputs = np.array([[1.0], [1.0], [-2.0], [5.0]], np.float32)
    found = PairRows(inputs, np.array([1.0, 0.0, 1.0, 0.0]), np.array([2, 2, 2, -1]), np.array([0, 1, 0, 0]) == 1, np.zeros(4))
    end = Net(
        np.ones((1, 1), np.float32), np.full(1, 10.0, np.float32), np.ones(1, np.float32), -8.0
    )  # the logit of x is 2 + x
    assert targets_of(end, found) == pytest.approx([0.5, 0.5, 0.5, 0.0])
    moved = joined([found, found])
    assert moved.ends.tolist() == [2, 2, 2, -1, 6, 6, 6, -1]


def test_players_differ_within_the_ranges_of_the_room() -> None:
    players = players_of(YANIV, 1)
    assert (players[0] == YANIV.constants).all() and len(np.unique(players, axis=0)) == len(players)
    for place, constant in enumerate(YANIV.rollout.CONSTANTS):
        assert ((players[:, place] >= constant.low) & (players[:, place] <= constant.high)).all()


def test_the_same_seed_makes_the_same_network_and_its_file_says_how(tmp_path: Path) -> None:
    fitted = [fit_value(YANIV, 3_000, seed) for seed in (1, 1, 2)]
    assert fitted[0].nets.sha256 == fitted[1].nets.sha256 != fitted[2].nets.sha256
    note = write_value(YANIV, tmp_path, fitted[0], command="arena train yaniv --luck", seed=1)
    assert read_nets(tmp_path).sha256 == fitted[0].nets.sha256 == note.sha256 and note.seats == (2, 3)
    with np.load(tmp_path / FILE) as arrays:
        assert arrays["value_weights"].dtype == np.float16  # half the space, and nothing is lost


def test_a_match_of_one_round_is_learnt_from_as_it_ends() -> None:
    """There is no end of a round before that of the match, so no first network; and few moments, so more of them are rows."""
    rows = played_rows(NAGA, 2, 2_000, FRESH)
    assert (rows.ends == -1).all() and set(np.unique(rows.results)) <= {0.0, 0.5, 1.0}
    assert len(rows) / len(np.unique(rows.matches)) > 3
    assert fit_value(NAGA, 2_000, 1).nets.seats == {2}


def test_a_room_without_prospects_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"hisatsu has no win_features.py"):
        fit_value(load("hisatsu"), 2_000, 1)


@pytest.mark.parametrize(("game", "seats", "better"), [(YANIV, 2, 0.1), (YANIV, 3, 0.1), (NAGA, 2, 0.08)])
def test_what_ships_foresees_matches_that_it_has_not_seen(game: Game, seats: int, better: float) -> None:
    net, rows = luck_nets(game).nets["value"], played_rows(game, seats, 8_000, FRESH)
    found = predicted_shares(net, rows.inputs)
    base = np.full(len(rows), rows.results.mean())
    assert log_loss(found, rows.results) < log_loss(base, rows.results) - better
