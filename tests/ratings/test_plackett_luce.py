"""Plackett-Luce strengths: against choix, against every order counted out, and as a board uses them."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.ratings.choices import Likelihood
from arena.ratings.models import PLACKETT_LUCE
from arena.ratings.order import in_order
from arena.ratings.plackett_luce import POINTS_PER_LOGIT, Prior, in_one_order, most_likely, rate
from arena.ratings.plackett_luce_bars import error_bars
from arena.ratings.rows import PoolRows
from arena.ratings.settings import Anchor, RatingSettings
from arena.ratings.standings import rated_pool
from lab.coverage import coverages

SETTINGS = RatingSettings(headline="plackett-luce")
POINTS = POINTS_PER_LOGIT * SETTINGS.beta


def pool(
    tables: list[tuple[int, ...]], places: list[tuple[int, ...]], *, units: tuple[int, ...] | None = None,
    names_loser: bool = False, bots: int = 5, deal_of: int = 1,
) -> PoolRows:  # fmt: skip
    sizes, deals = [len(table) for table in tables], np.arange(len(tables), dtype=np.int32) // deal_of
    own = np.concatenate([units or range(size) for size in sizes]).astype(np.int8)
    return PoolRows(
        tuple((f"bot{number}", 1) for number in range(bots)), np.cumsum([0, *sizes]), deals,
        np.concatenate(tables).astype(np.int32), own, np.concatenate(places).astype(np.int8), np.zeros(len(own), np.float32),
        np.zeros(len(own), np.bool_), named_losers=np.full(len(tables), names_loser),
    )  # fmt: skip


def played(matches: int, seats: int, bots: int = 5, seed: int = 1) -> tuple[PoolRows, NDArray[np.float64]]:
    """Matches of bots of known strengths, in which earlier seats are better."""
    stream = np.random.default_rng(seed)
    strengths = stream.normal(0.0, 0.8, bots)
    tables = [tuple(stream.choice(bots, seats, replace=False).tolist()) for _ in range(matches)]
    shown = [strengths[list(table)] + np.linspace(0.4, -0.4, seats) + stream.gumbel(size=seats) for table in tables]
    return pool(tables, [tuple((1 + (-one).argsort().argsort()).tolist()) for one in shown], bots=bots, deal_of=2), strengths


def test_strengths_are_those_of_choix_where_there_are_no_ties_seats_or_phantoms() -> None:
    choix = pytest.importorskip("choix")
    rows, _ = played(400, 4)
    rankings = [
        rows.bots[4 * match : 4 * match + 4][np.argsort(rows.places[4 * match : 4 * match + 4])] for match in range(400)
    ]
    likelihood = Likelihood.of(rows)
    found = most_likely(likelihood, Prior(5, phantoms=1e-9, seat_spread=1e-6), np.zeros(likelihood.parameters))[:5]
    expected = choix.opt_rankings(5, rankings, alpha=1e-10)
    assert found - found.mean() == pytest.approx(expected - expected.mean(), abs=1e-5)


def test_strengths_are_those_of_openspiel_at_tables_of_two_with_ties() -> None:
    """Its Elo ratings are the most likely Bradley-Terry strengths, a draw being half a win."""
    elo = pytest.importorskip("pyspiel").elo
    stream = np.random.default_rng(7)
    tables = [tuple(stream.permutation(5)[:2].tolist()) for _ in range(600)]
    places = [
        ((1, 1), (1, 2), (2, 1))[stream.choice(3, p=[0.2, 0.45, 0.35] if one < two else [0.2, 0.35, 0.45])]
        for one, two in tables
    ]
    wins, draws = np.zeros((5, 5), int), np.zeros((5, 5), int)
    for (one, two), (first, second) in zip(tables, places):
        if first == second:
            draws[one, two] += 1
            draws[two, one] += 1
        else:
            wins[(one, two) if first < second else (two, one)] += 1
    options = elo.default_elo_options()
    options.smoothing_factor, options.max_iterations = 0.0, 100_000
    expected = np.array(elo.compute_ratings_from_matrices(wins.tolist(), draws.tolist(), options)) * math.log(10) / 400
    likelihood = Likelihood.of(pool(tables, places))
    found = most_likely(likelihood, Prior(5, phantoms=1e-9, seat_spread=1e-6), np.zeros(likelihood.parameters))[:5]
    assert found - found.mean() == pytest.approx(expected - expected.mean(), abs=1e-4)


def by_counting(rows: PoolRows, values: NDArray[np.float64]) -> float:
    """The log likelihood, all orders of ties written out."""
    total, bots = 0.0, len(rows.bots_by_number)
    for match in range(rows.matches):
        own = slice(int(rows.starts[match]), int(rows.starts[match + 1]))
        strength: dict[int, float] = {}
        place: dict[int, int] = {}
        for seat, (bot, unit, at) in enumerate(zip(rows.bots[own], rows.units[own], rows.places[own])):
            strength[unit] = strength.get(unit, 0.0) + values[bot] + values[bots + seat]
            place[unit] = min(at, place.get(unit, at))
        from_end = bool(rows.names_loser[match]) and len(set(place.values())) > 1
        sign = -1.0 if from_end else 1.0
        groups = [[unit for unit in place if place[unit] == at] for at in sorted(set(place.values()), key=lambda at: sign * at)]
        compared = groups[:-1] if from_end else groups
        logs = []
        for orders in product(*(permutations(group) for group in compared)):
            left, log = dict(strength), 0.0
            for unit in (unit for order in orders for unit in order):
                log += sign * strength[unit] - math.log(sum(math.exp(sign * one) for one in left.values()))
                del left[unit]
            logs.append(log)
        total += sum(logs) / len(logs)
    return total


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        (pool([(0, 1, 2), (2, 1, 3), (4, 0)], [(1, 2, 2), (1, 1, 3), (1, 1)]), "ties"),
        (pool([(0, 1, 2, 3)], [(1, 1, 1, 1)]), "all tied"),
        (pool([(0, 1, 2, 3), (3, 2, 1, 4)], [(1, 2, 1, 2), (2, 1, 2, 1)], units=(0, 1, 0, 1)), "teams"),
        (pool([(0, 1, 2, 3), (3, 2, 1, 4)], [(1, 1, 4, 1), (1, 3, 1, 4)], names_loser=True), "one loser, and a forfeit"),
        (pool([(0, 1, 2, 3), (1, 2, 3, 4)], [(1, 3, 3, 1), (1, 1, 1, 1)], names_loser=True), "two losers; none"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_the_likelihood_is_the_mean_over_all_orders_written_out(rows: PoolRows, what: str) -> None:
    likelihood, stream = Likelihood.of(rows), np.random.default_rng(3)
    values = stream.normal(0.0, 1.0, likelihood.parameters)
    sizes = sorted(set(np.diff(rows.starts).tolist()))
    if sizes == [2, 3]:  # by_counting has seats of tables of three alone
        values[5:7] = values[7:9]
        seats = np.concatenate([values[:5], values[7:]])
    else:
        seats = values
    assert likelihood.value(values) == pytest.approx(by_counting(rows, seats), rel=1e-12)
    step = 1e-6 * np.eye(len(values))
    slopes = [(likelihood.value(values + one) - likelihood.value(values - one)) / 2e-6 for one in step]
    assert likelihood.slope(values) == pytest.approx(slopes, abs=1e-7)
    curvatures = [(likelihood.slope(values - one) - likelihood.slope(values + one)) / 2e-6 for one in step]
    assert likelihood.information(values) == pytest.approx(np.array(curvatures), abs=1e-7)


def test_many_that_tie_are_equal_whatever_their_numbers() -> None:
    found = rate(pool([tuple(range(9))], [(1,) * 8 + (9,)], bots=9), SETTINGS)
    assert np.ptp(found.mu[:8]) < 1.0 and found.mu[8] < found.mu[:8].min()


def test_seats_that_are_better_make_no_bot_better() -> None:
    """Of two equals one sits first in four of five matches, and who sits first wins four of five."""
    tables = [(0, 1)] * 800 + [(1, 0)] * 200
    rows = pool(tables, [(1, 2)] * 640 + [(2, 1)] * 160 + [(1, 2)] * 160 + [(2, 1)] * 40, bots=2)
    found = rate(rows, SETTINGS)
    assert found.mu[0] == pytest.approx(found.mu[1], abs=0.2)  # 1.8 without seats
    likelihood = Likelihood.of(rows)
    seats = most_likely(likelihood, Prior(2), np.zeros(likelihood.parameters))[2:]
    assert seats[0] - seats[1] == pytest.approx(math.log(4), abs=0.08)


def test_strengths_come_back_and_stand_where_the_settings_say() -> None:
    rows, strengths = played(3000, 4)
    found = rate(rows, SETTINGS)
    assert (found.mu - 25.0) / POINTS == pytest.approx(strengths - strengths.mean(), abs=0.15)
    held = rate(rows, RatingSettings(headline="plackett-luce", anchor=Anchor("bot2", 10.0)))
    assert held.mu[2] == 10.0 and held.mu - held.mu[0] == pytest.approx(found.mu - found.mu[0])
    assert rate(pool([(0, 1)], [(1, 2)]), SETTINGS).mu == pytest.approx(25.0, abs=3.0)  # one match, and three that never played


def test_no_order_changes_a_digit() -> None:
    rows, _ = played(60, 3)
    one = rated_pool(PLACKETT_LUCE, "pool", rows, SETTINGS)
    other = rated_pool(PLACKETT_LUCE, "pool", in_order(rows, np.random.default_rng(5).permutation(60)), SETTINGS)
    assert one.ratings() == other.ratings()
    assert in_one_order(rows).matches == 60


def test_the_bootstrap_is_as_wide_as_fits_to_deals_drawn_again() -> None:
    rows, _ = played(400, 3)
    bars = error_bars(rows, rate(rows, SETTINGS), SETTINGS)
    stream, fitted = np.random.default_rng(2), []
    for _ in range(150):
        drawn = stream.integers(0, 200, 200)
        again = in_order(rows, np.column_stack([2 * drawn, 2 * drawn + 1]).ravel())
        fitted.append(rate(again, SETTINGS).mu)
    expected = 1.96 * np.std(np.array(fitted) - np.mean(fitted, axis=1, keepdims=True), axis=0)
    assert bars.half_widths() == pytest.approx(expected, rel=0.2) and bars.degrees == 199
    assert bars.saved == pytest.approx(1.0, abs=0.2)


def test_its_intervals_hold_for_a_newcomer_too() -> None:
    (found,) = coverages(30, "newcomer of 3 deals, 2 seats", model=PLACKETT_LUCE)
    assert found.newcomers is not None and found.newcomers >= 0.9 and found.pairs >= 0.9 and found.intervals >= 0.9
