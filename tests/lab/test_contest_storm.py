"""A contest in a storm: server, ladder, checker and tables are killed while authors submit, look, watch and play."""

from pathlib import Path

import pytest

from lab.contest import _lags, contest_cost

KILLS = 3


@pytest.mark.slow
def test_nothing_is_lost_or_doubled_when_everything_is_killed(tmp_path: Path) -> None:
    cost = contest_cost(tmp_path, authors=2, seconds=4.0, kills=KILLS, seed=1, say=print)
    assert cost.is_right, cost.wrong
    assert sum(cost.kills.values()) == KILLS and cost.left == 0
    assert cost.confirmed == sum(cost.states.values()) > 0 and not {"waiting", "checking"} & set(cost.states)
    assert cost.matches > 0


def test_the_time_of_a_board_is_that_from_the_newest_match_it_knows() -> None:
    commits = [(1.0, 10), (2.0, 20), (3.0, 20), (4.0, 30)]
    assert _lags([(1.5, 10), (2.25, 20), (2.75, 20), (4.5, 30)], commits) == [250.0, 500.0]
    assert _lags([(1.5, 10)], commits) == _lags([], commits) == _lags([(1.0, 1)], []) == []
