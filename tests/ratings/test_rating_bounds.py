"""Ratings hold their numbers for all settings that a config may have, and what fails all the same loses nothing."""

import itertools
import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.errors import ConfigError
from arena.ratings import standings
from arena.ratings.comparisons import SMALLEST_DIFFERENCE, believe, converge, curvature, form, new_workspace, score
from arena.ratings.order import history
from arena.ratings.patterns import patterns_of
from arena.ratings.rows import PoolRows
from arena.ratings.running import RunningRatings
from arena.ratings.settings import (
    BATCH,
    LEAST_DRAW_PROBABILITY,
    LEAST_POINTS,
    LEAST_RATIO,
    MOST_DISTANCE,
    MOST_POINTS,
    MOST_RATIO,
    ONLINE,
    OVERALLS,
    Anchor,
    RatingSettings,
    checked_settings,
    settings_of,
)
from arena.ratings.standings import Rated, rate
from arena.ratings.trueskill_batch import MAX_SWEEPS, NEWTON_SWEEPS, State, solve
from arena.reports.board import without_numbers
from arena.reports.printed import print_board
from arena.reports.terminal import MarkdownPage
from helpers.records import make_record, make_seat
from helpers.results import make_manifest

NARROW = RatingSettings(draw_probability=0.001, beta=0.5)
SURE = RatingSettings(mu=0.999, sigma=9.99e-5, beta=1e-6, tau=0.0, draw_probability=0.001)


def between(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers of all magnitudes from `low` to `high`, the ends among them."""
    inside = st.floats(math.log(low), math.log(high)).map(lambda power: min(high, max(low, math.exp(power))))
    return st.one_of(st.just(low), st.just(high), inside)


@st.composite
def allowed(draw: Any) -> RatingSettings:
    """Settings from all corners of what a config may have."""
    beta = draw(between(LEAST_POINTS, MOST_POINTS))
    sigma = draw(between(max(LEAST_POINTS, LEAST_RATIO * beta * 1.001), min(MOST_POINTS, MOST_RATIO * beta * 0.999)))
    far = min(MOST_POINTS, MOST_DISTANCE * beta * 0.999)
    mu = draw(st.sampled_from([0.0, min(25.0, far), far]))
    headline = draw(st.sampled_from([BATCH, ONLINE]))
    tau = draw(st.one_of(st.just(0.0), between(LEAST_POINTS, min(MOST_POINTS, MOST_RATIO * beta * 0.999))))
    draws = draw(between(LEAST_DRAW_PROBABILITY, 1 - LEAST_DRAW_PROBABILITY))
    return checked_settings(
        RatingSettings(
            mu=mu, sigma=sigma, beta=beta, tau=tau, draw_probability=draws, headline=headline,
            overall=draw(st.sampled_from([None, *OVERALLS])),
            anchor=Anchor("bot_0", draw(st.sampled_from([0.0, far]))) if headline == BATCH and draw(st.booleans()) else None,
        )
    )  # fmt: skip


def pool(kind: str, matches: int, seats: int, *, bots: int = 4, seed: int = 0, luck: bool = False) -> PoolRows:
    """A pool in which the results are of one `kind`: the worst that there are, and any."""
    rng = np.random.default_rng(seed)
    starts, numbers, units, places = [0], [], [], []
    for match in range(matches):
        chosen = rng.permutation(bots)[:seats].tolist()
        own = [0, 1, 0, 1] if kind == "teams" and len(chosen) == 4 else list(range(len(chosen)))
        scores: list[Any] = {
            "in order": [-bot for bot in chosen],
            "one always wins": [bot == 0 for bot in chosen],
            "all draws": [0] * len(chosen),
            "winners": rng.integers(0, 2, len(chosen)).tolist(),
            "one upset": [bot if match == 0 else -bot for bot in chosen],
        }.get(kind) or rng.random(len(chosen)).tolist()
        scores = [scores[unit] for unit in own]
        numbers += chosen
        units += own
        places += [1 + sum(other > one for other in scores) for one in scores]
        starts.append(len(numbers))
    rows = len(numbers)
    return PoolRows(
        tuple((f"bot_{number}", 1) for number in range(bots)), np.array(starts, np.int64),
        np.arange(matches, dtype=np.int32) // 2, np.array(numbers, np.int32), np.array(units, np.int8),
        np.array(places, np.int8), np.zeros(rows, np.float32), rng.random(rows) < 0.3, rng.normal(size=rows) if luck else None,
    )  # fmt: skip


KINDS = ("in order", "one always wins", "all draws", "winners", "one upset", "teams", "any")


@settings(max_examples=60)
@example(NARROW, "winners", 60, 3, False, 0)
@example(NARROW, "one always wins", 60, 3, True, 0)
@example(SURE, "in order", 1, 2, False, 1)
@given(
    allowed(), st.sampled_from(KINDS), st.sampled_from([1, 2, 3, 12, 60]), st.integers(2, 4), st.booleans(), st.integers(0, 9)
)
def test_all_ratings_are_numbers_wherever_the_settings_are(
    asked: RatingSettings, kind: str, matches: int, seats: int, luck: bool, seed: int
) -> None:
    pools = {
        "first": pool(kind, matches, seats, seed=seed, luck=luck),
        "second": pool("any", 4, 2, seed=seed, luck=luck),
        "not played": pool("any", 0, 2),
    }
    for rating in rate(pools, asked):
        assert all(map(math.isfinite, (rating.mu, rating.sigma, rating.rating, rating.low, rating.high))), rating
        assert rating.low <= rating.mu <= rating.high and rating.sigma >= 0.0
        assert rating.pool == "overall" or rating.rank is not None
    assert all(math.isfinite(point.mu) and point.sigma > 0.0 for point in history(pools, asked, points=3))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sigma", [0.01, 2.0, 16.0])
def test_all_matches_agree_in_the_end(kind: str, sigma: float) -> None:
    asked = RatingSettings(beta=1.0, sigma=sigma, draw_probability=0.01)
    patterns = patterns_of(pool(kind, 60, 3))
    assert solve(patterns, patterns.counts, State.new(patterns, asked), asked) < NEWTON_SWEEPS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("draws", [LEAST_DRAW_PROBABILITY, 0.1, 1 - LEAST_DRAW_PROBABILITY])
def test_few_matches_of_which_little_was_known_agree_in_the_end_too(kind: str, draws: float) -> None:
    asked = RatingSettings(beta=1.0, sigma=20.0, draw_probability=draws)
    for matches, seats, seed in itertools.product((2, 3, 4, 6, 12), (2, 3, 4), (0, 1)):
        patterns = patterns_of(pool(kind, matches, seats, seed=seed))
        state = State.new(patterns, asked)
        assert solve(patterns, patterns.counts, state, asked) < MAX_SWEEPS
        assert np.mean(state.mu) == pytest.approx(asked.mu)
        if kind == "all draws":
            assert state.mu == pytest.approx(asked.mu, abs=1e-6), "nobody is better than others"


CONTRASTS = [(1.0, 1e-3, 3, "tied"), (50.0, 1e-3, 3, "tied"), (1000.0, 1e-3, 4, "tied"), (1e3, 1e-2, 4, "two places")]


@pytest.mark.parametrize(("sigma", "margin", "teams", "places"), CONTRASTS)
def test_a_match_is_worked_out_to_the_last_digits(sigma: float, margin: float, teams: int, places: str) -> None:
    """Against the textbook's formulas with 80 digits, in which differences of large numbers do no harm."""
    means = np.array([25.0, 25.0 + sigma, 25.0 - 0.3 * sigma, 25.0 + 0.1 * sigma])[:teams]
    variances = np.array([sigma**2, 1.5 * sigma**2, 0.5 * sigma**2, sigma**2])[:teams] + 1.0
    ranks = np.ones(teams, np.int8) if places == "tied" else np.array([1, 2, 2, 2], np.int8)[:teams]
    work = new_workspace()
    found, pairs = form(np.arange(teams, dtype=np.int8), ranks, margin, False, work)
    believe(means, variances, teams, found, work)
    converge(found, pairs, SMALLEST_DIFFERENCE, work)
    scores, slopes = exact_match(means, variances, ranks.tolist(), margin)
    for one in range(teams):
        assert score(one, teams, work) == pytest.approx(float(scores[one]), rel=1e-8, abs=1e-12 / sigma)
        for other in range(teams):
            assert curvature(one, other, work) == pytest.approx(float(slopes[one, other]), rel=1e-8, abs=1e-14 / sigma**2)


def exact_match(means: Any, variances: Any, places: list[int], margin: float) -> tuple[Any, Any]:
    """Scores and curvatures by expectation propagation with dense matrices and mpmath's normal distribution."""
    with mpmath.workdps(80):
        teams = len(places)
        prior = mpmath.diag([1 / mpmath.mpf(variance) for variance in variances])
        before = mpmath.matrix([mpmath.mpf(mean) for mean in means])
        precision, shift = prior.copy(), prior * before
        pairs = [
            (one, other)
            for one in range(teams)
            for other in range(teams)
            if places[other] == places[one] + 1 or (other > one and places[other] == places[one])
        ]
        cuts = dict.fromkeys(pairs, (mpmath.mpf(0), mpmath.mpf(0)))
        edge = mpmath.mpf(margin) * mpmath.sqrt(2)
        for _ in range(400):
            change = mpmath.mpf(0)
            for pair in pairs:
                along = mpmath.matrix(teams, 1)
                along[pair[0]], along[pair[1]] = 1, -1
                width, at = cuts[pair]
                precision -= along * along.T * width
                shift -= along * at
                covariance = precision**-1
                variance, middle = (along.T * covariance * along)[0], (along.T * covariance * shift)[0]
                high = edge if places[pair[0]] == places[pair[1]] else mpmath.inf
                low = -edge if high == edge else edge
                mean, left = cut_off(middle, variance, low, high)
                cuts[pair] = (1 / left - 1 / variance, mean / left - middle / variance)
                change = max(change, abs(cuts[pair][1] - at) * mpmath.sqrt(left))
                precision += along * along.T * cuts[pair][0]
                shift += along * cuts[pair][1]
            if change < 1e-20:
                break
        covariance = precision**-1
        return prior * (covariance * shift - before), prior - prior * covariance * prior


def cut_off(middle: Any, variance: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Mean and variance of a normal variable between two bounds."""
    deviation = mpmath.sqrt(variance)
    a, b = (low - middle) / deviation, (high - middle) / deviation
    mass = (mpmath.erfc(a / mpmath.sqrt(2)) - mpmath.erfc(b / mpmath.sqrt(2))) / 2
    at_low, at_high = mpmath.npdf(a), mpmath.npdf(b)
    mean = (at_low - at_high) / mass
    far = 0 if mpmath.isinf(b) else b * at_high
    return middle + deviation * mean, variance * (1 + (a * at_low - far) / mass - mean**2)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"beta": 0.01}, "ratings.sigma: with beta 0.01, from 1e-05 to 1 "),
        ({"sigma": 0.001}, "ratings.sigma: with beta 4.16667, from 0.00416667 to 416.667"),
        ({"beta": 1e-6, "sigma": 1e-5, "mu": 25.0}, "ratings.mu: with beta 1e-06, at most 1"),
        ({"tau": 1e6}, "ratings.tau: with beta 4.16667, at most 416.667"),
        ({"beta": 1e-2, "sigma": 0.1, "anchor": Anchor("alice", -1e6)}, "ratings.anchor.mu: with beta 0.01, at most 10000"),
    ],
)
def test_settings_that_leave_too_few_digits_are_refused_before_anything_is_played(changes: Any, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        checked_settings(RatingSettings(**changes))
    assert expected in str(caught.value)
    assert settings_of({"beta": 0.01}).beta == 0.01, "a folder from before stays readable"


def failing(*_: Any) -> Any:
    raise np.linalg.LinAlgError("Singular matrix")


def test_a_rating_that_fails_leaves_the_matches_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings, "bars_by", failing)
    found = rate({"yaniv": pool("any", 10, 2)}, RatingSettings())
    shown = [rating for rating in found if rating.model == "trueskill-batch"]
    assert all(rating.rank is None and math.isfinite(rating.mu) for rating in shown)
    assert sum(rating.matches for rating in shown if rating.pool == "yaniv") == 20
    assert without_numbers(shown) == ["yaniv"]
    page = MarkdownPage()
    print_board(make_manifest(pools=("yaniv",), config={"ratings": {"headline": "batch"}}), found, page)
    assert "no rating in yaniv" in page.text


def test_a_rating_without_numbers_is_noticed_while_matches_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    running = RunningRatings(RatingSettings(), {"yaniv": [("one", 1), ("other", 1)]})
    running.add(make_record(0, (make_seat("one", 1), make_seat("other", 2, unit=1)), pool="yaniv"))
    assert all(rating.rank is not None for rating in running.ratings())
    monkeypatch.setattr("arena.ratings.trueskill_batch._solve", failing)
    running.add(make_record(1, (make_seat("one", 1), make_seat("other", 2, unit=1)), pool="yaniv"))
    batch = [rating for rating in running.ratings() if rating.model == "trueskill-batch"]
    assert all(rating.rank is None and rating.mu == 25.0 for rating in batch)


def test_what_has_failed_is_told_from_what_holds() -> None:
    rows = pool("any", 10, 2)
    good = standings.rated_pool("trueskill", "yaniv", rows, RatingSettings())
    assert good.checked(RatingSettings()) is good
    beliefs = type(good.beliefs)(good.beliefs.mu * np.nan, good.beliefs.sigma)
    bad = Rated(good.model, good.pool, good.bots, beliefs, good.bars, good.counts, good.ranks_by)
    assert bad.checked(RatingSettings()).has_failed
