"""Other ways to count: Bradley-Terry beside choix, rank probabilities, seats, and which matches are worth a look."""

import math

import numpy as np
import pytest

from arena.ratings import explain
from arena.ratings.error_bars import ErrorBars, joint_bars, rank_probabilities
from arena.ratings.pairs import seat_advantage
from arena.ratings.second_opinions import ELO_PER_LOGIT, bradley_terry, is_low_good, second_opinions
from arena.records import Ending, MatchRecord
from helpers.records import collected, make_record, make_seat, played


def with_phantom(better: np.ndarray) -> np.ndarray:
    bots = len(better)
    wins = np.zeros((bots + 1, bots + 1))
    wins[:bots, :bots] = better
    wins[:bots, bots] = wins[bots, :bots] = 0.5
    return wins


@pytest.mark.parametrize("bots", [2, 3, 7, 40])
def test_strengths_are_those_of_choix(bots: int) -> None:
    rng = np.random.default_rng(bots)
    better = rng.integers(0, 60, (bots, bots)) / 2.0 * (rng.random((bots, bots)) < 0.7)
    np.fill_diagonal(better, 0.0)
    import choix  # brings scipy.stats, which takes as long to import as everything else

    expected = choix.ilsr_pairwise_dense(with_phantom(better), max_iter=10_000, tol=1e-12)[:bots]
    assert bradley_terry(better) == pytest.approx(expected - expected.mean(), abs=1e-7)


def test_a_bot_that_always_wins_a_million_times_has_a_finite_strength() -> None:
    strengths = bradley_terry(np.array([[0.0, 1e6], [0.0, 0.0]]))
    assert strengths == pytest.approx([7.255, -7.255], abs=0.001)  # choix does not converge here
    ladder = bradley_terry(np.triu(np.full((40, 40), 1e4), 1))
    assert np.all(np.diff(ladder) < 0) and np.all(np.isfinite(ladder))


def test_tables_of_four_give_the_strengths_of_plackett_and_luce() -> None:
    rng = np.random.default_rng(3)
    true = np.array([1.0, 0.5, 0.2, -0.1, -0.6, -1.0])
    records = []
    for _ in range(4000):
        table = rng.permutation(6)[:4]
        order = table[np.argsort(-(true[table] + rng.gumbel(size=4)))]
        records.append(played(*((f"bot_{bot}", place + 1, place) for place, bot in enumerate(order))))
    found = {one.bot: one.elo / ELO_PER_LOGIT for one in second_opinions(collected(*records))}
    assert [found[f"bot_{bot}"] for bot in range(6)] == pytest.approx(true, abs=0.1)


def scored(*seats: tuple[str, int, float]) -> MatchRecord:
    return make_record(
        0, tuple(make_seat(bot, place, unit=unit, score=score) for unit, (bot, place, score) in enumerate(seats))
    )


def test_ties_teams_and_bots_that_never_played() -> None:
    tied = {one.bot: one for one in second_opinions(collected(scored(("alice", 1, 5.0), ("bob", 1, 5.0))))}
    assert tied["alice"].elo == pytest.approx(0.0, abs=1e-6)
    assert [one.elo_rank for one in tied.values()] == [one.rivals_rank for one in tied.values()] == [1, 1]
    assert tied["alice"].rivals_beaten == 0.5
    teams = [played(("alice", 1, 0), ("bob", 1, 0), ("carol", 3, 1), ("dora", 3, 1))]
    found = {one.bot: one for one in second_opinions(collected(*teams))}
    assert found["alice"].rivals == 2 and found["alice"].elo == pytest.approx(found["bob"].elo) and found["dora"].elo < 0
    assert second_opinions(collected()) == []


def test_low_points_may_be_good_ones() -> None:
    yaniv = collected(scored(("alice", 1, 3.0), ("bob", 2, 90.0)), scored(("bob", 1, 20.0), ("alice", 2, 40.0)))
    assert is_low_good(yaniv) and not is_low_good(collected(scored(("alice", 1, 9.0), ("bob", 2, 3.0))))
    ranks = {one.bot: (one.score_rank, one.mean_score) for one in second_opinions(yaniv)}
    assert ranks == {"alice": (1, 21.5), "bob": (2, 55.0)}


@pytest.mark.parametrize("degrees", [math.inf, 9])
def test_the_probability_to_be_first_is_that_of_the_difference(degrees: float) -> None:
    from scipy import stats

    covariance = np.array([[1.0, 0.6], [0.6, 2.0]])
    chances = rank_probabilities(np.array([25.0, 24.0]), ErrorBars(covariance, degrees, math.nan), np.random.default_rng(1))
    deviation = math.sqrt(1.0 + 2.0 - 2 * 0.6)
    expected = stats.norm.cdf(1.0 / deviation) if math.isinf(degrees) else stats.t.cdf(1.0 / deviation, degrees)
    assert chances[0, 0] == pytest.approx(expected, abs=0.02)  # four standard errors of 10,000 draws
    assert chances.sum(axis=0) == pytest.approx(1.0) and chances.sum(axis=1) == pytest.approx(1.0)


def test_bots_that_err_together_keep_their_order() -> None:
    together = ErrorBars(np.full((2, 2), 9.0), math.inf, math.nan)
    assert rank_probabilities(np.array([25.1, 25.0]), together, np.random.default_rng(1)).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert rank_probabilities(np.zeros(0), ErrorBars(np.zeros((0, 0)), math.inf, math.nan), np.random.default_rng(1)).size == 0


def test_joint_bars_are_of_the_mean_of_pools_with_independent_deals() -> None:
    one = ([("alice", 1), ("bob", 1)], ErrorBars(np.array([[4.0, 1.0], [1.0, 2.0]]), 9, math.nan))
    other = ([("bob", 1), ("carol", 1), ("alice", 1)], ErrorBars(np.diag([6.0, 5.0, 8.0]), 4, math.nan))
    bots, bars = joint_bars([one, other])
    assert bots == [("alice", 1), ("bob", 1)]
    assert bars.covariance.tolist() == [[3.0, 0.25], [0.25, 2.0]] and bars.degrees == 4
    assert joint_bars([])[0] == []


def test_seats_are_compared_over_deals() -> None:
    records = [
        make_record(0, tuple(make_seat(bot, place, unit=seat) for seat, (bot, place) in enumerate(seats)), deal=deal)
        for deal in range(10)
        for seats in ([("alice", 1), ("bob", 2)], [("bob", 1), ("alice", 2 if deal else 1)])
    ]
    first, second = seat_advantage(collected(*records))
    assert (first.seats, first.seat, first.matches, first.wins, first.mean_place) == (2, 0, 20, 1.0, 1.0)
    assert (first.better, second.better) == pytest.approx((0.975, 0.025))
    assert first.half_width == pytest.approx(2.262157 * 0.025, rel=1e-4)  # t(9) times the standard error of ten deals
    single = seat_advantage(collected(records[0]))
    assert single[0].half_width is None


def test_in_teams_a_seat_is_compared_with_other_teams() -> None:
    found = seat_advantage(collected(played(("alice", 1, 0), ("bob", 1, 0), ("carol", 3, 1), ("dora", 3, 1))))
    assert [share.better for share in found] == [1.0, 1.0, 0.0, 0.0]
    assert [share.better for share in seat_advantage(collected(played(("alice", 1, 0), ("bob", 1, 0))))] == [0.5, 0.5]


def test_matches_worth_a_look() -> None:
    def crashed(bot: str) -> MatchRecord:
        return make_record(0, (make_seat("alice", 1, unit=0), make_seat(bot, 2, unit=1, ending=Ending.CRASH)))

    rows = collected(
        scored(("alice", 1, 9.0), ("bob", 2, 1.0)), crashed("bob"), crashed("bob"), crashed("carol"),
        scored(("bob", 1, 9.0), ("alice", 2, 8.5)), scored(("alice", 1, 4.0), ("bob", 2, 3.0)),
        scored(("alice", 1, 4.0), ("bob", 1, 4.0)),
    )  # fmt: skip
    assert explain.faults(rows, 9) == [1, 3, 2] and explain.faults(rows, 2) == [1, 3]
    assert explain.closest(rows, 2) == [4, 5] and explain.closest(rows, 9) == [4, 5, 0]
    assert explain.losses(rows, 1) == [(4, 0), (0, 1), (3, 2)]
    assert explain.closest(collected(), 3) == explain.faults(collected(), 3) == explain.losses(collected(), 3) == []
