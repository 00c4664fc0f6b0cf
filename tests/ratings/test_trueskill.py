"""The compiled TrueSkill against the `trueskill` package, in the tails against numbers of 60 digits, and without any order."""

import math
import random
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
import trueskill

from arena.ratings import trueskill_batch
from arena.ratings.factor_graph import new_workspace, normal_above, normal_between, update
from arena.ratings.rows import PoolRows
from arena.ratings.settings import RatingSettings

SETTINGS = RatingSettings(draw_probability=0.1)  # as the package: not as ties say
EXACT = (
    lambda x, mu=0, sigma=1: 0.5 * math.erfc((mu - x) / (sigma * math.sqrt(2))),
    lambda x, mu=0, sigma=1: math.exp(-(((x - mu) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi)),
    lambda x, mu=0, sigma=1: NormalDist(mu, sigma).inv_cdf(x),
)  # what scipy's normal distribution gives, called directly
TEAMS = [(1,) * 2, (1,) * 3, (1,) * 4, (1,) * 6, (1,) * 10, (2, 2), (2,) * 3, (2,) * 6, (3, 1, 2)]

# mpmath 1.3 with 400 digits: low -> mean, variance of a standard normal above it.
ABOVE = {
    -8.0: (5.052271083536895e-15, 0.9999999999999596),
    0.0: (0.7978845608028654, 0.3633802276324187),
    3.0: (3.2830986549304364, 0.07055918678526811),
    10.0: (10.098093233962512, 0.009445377825656262),
    40.0: (40.02496884720726, 0.0006226683785913888),
    200.0: (200.00499975003123, 2.499625078104772e-05),
    10000.0: (10000.000099999997, 9.99999940000005e-09),
}


@pytest.mark.parametrize("low", ABOVE)
def test_tails_have_all_digits(low):
    assert normal_above(low) == pytest.approx(ABOVE[low], rel=1e-10)


def test_an_interval_is_cut_like_its_mirror_image():
    source = random.Random(5)
    for _ in range(200):
        middle, half = source.uniform(-60, 60), 10 ** source.uniform(-4, 1)
        mean, variance = normal_between(middle - half, middle + half)
        mirrored, same = normal_between(-middle - half, -middle + half)
        assert (mean, variance) == pytest.approx((-mirrored, same), rel=1e-12)
        assert middle - half <= mean <= middle + half
        assert 0 < variance <= min(1.0, half * half / 3 * (1 + 1e-9))


def test_a_short_interval_is_nearly_uniform():
    for middle in (0.0, 3.0, 30.0):
        mean, variance = normal_between(middle - 1e-4, middle + 1e-4)
        assert mean == pytest.approx(middle, abs=1e-6)
        assert variance == pytest.approx(1e-8 / 3, rel=1e-4)


def random_match(source, sizes):
    seats = sum(sizes)
    mu = np.array([source.uniform(0, 50) for _ in range(seats)])
    sigma = np.array([source.uniform(0.6, 8.4) for _ in range(seats)])
    ranks = [source.randrange(len(sizes)) for _ in sizes] if source.random() < 0.5 else list(range(len(sizes)))
    units = [unit for unit, size in enumerate(sizes) for _ in range(size)]
    return mu, sigma, ranks, units


@pytest.mark.parametrize("sizes", TEAMS, ids=str)
def test_the_numbers_are_those_of_the_package(sizes):
    """100 random matches a shape; `arena verify-results` compares whole tournaments."""
    environment = trueskill.TrueSkill(tau=0.05, backend=EXACT)
    margin, work, source = environment.ppf(0.55) * environment.beta, new_workspace(), random.Random(str(sizes))
    for _ in range(100):
        mu, sigma, ranks, units = random_match(source, sizes)
        groups = [
            tuple(environment.create_rating(mu[seat], sigma[seat]) for seat, own in enumerate(units) if own == unit)
            for unit in range(len(sizes))
        ]
        expected = [belief for group in environment.rate(groups, ranks=ranks) for belief in group]
        places = np.array([ranks[unit] for unit in units], np.int8)
        bots = np.arange(len(units), dtype=np.int32)
        update(mu, sigma, bots, np.array(units, np.int8), places, environment.beta, 0.05, margin, work)
        assert mu == pytest.approx([belief.mu for belief in expected], abs=1e-9)
        assert sigma == pytest.approx([belief.sigma for belief in expected], abs=1e-9)


def test_beliefs_too_far_apart_for_the_package_are_updated_all_the_same():
    mu, sigma = np.array([1e4, 0.0]), np.array([1.0, 1.0])
    with pytest.raises(FloatingPointError):
        trueskill.TrueSkill(tau=0.0).rate([(trueskill.Rating(1e4, 1.0),), (trueskill.Rating(0.0, 1.0),)], ranks=[1, 0])
    two, units = np.arange(2, dtype=np.int32), np.arange(2, dtype=np.int8)
    update(mu, sigma, two, units, np.array([2, 1], np.int8), SETTINGS.beta, 0.0, SETTINGS.margin, new_workspace())
    assert 0 < mu[1] < mu[0] < 1e4
    assert mu[0] + mu[1] == pytest.approx(1e4)
    assert 0 < sigma[0] < 1


def pool(source, matches, sizes, bots=6):
    """A pool of random matches with ties and teams."""
    starts, deals, who, units, places = [0], [], [], [], []
    for match in range(matches):
        shape = source.choice(sizes)
        strength = [source.gauss(0, 1) for _ in shape]
        ranks = [1 + sum(other > own + 0.3 for other in strength) for own in strength]
        own_units = [unit for unit, size in enumerate(shape) for _ in range(size)]
        who += source.sample(range(bots), len(own_units))
        units += own_units
        places += [ranks[unit] for unit in own_units]
        starts.append(len(who))
        deals.append(match // 4)
    return rows(bots, starts, deals, who, units, places)


def rows(bots, starts, deals, who, units, places):
    return PoolRows(
        tuple((f"bot_{number}", 1) for number in range(bots)), np.array(starts, np.int64), np.array(deals, np.int32),
        np.array(who, np.int32), np.array(units, np.int8), np.array(places, np.int8), np.zeros(len(who), np.float32),
        np.zeros(len(who), np.bool_),
    )  # fmt: skip


def shuffled(source, given):
    """The same matches in another order, their seats too."""
    order = source.sample(range(given.matches), given.matches)
    starts, seats = [0], []
    for match in order:
        own = range(given.starts[match], given.starts[match + 1])
        seats += source.sample(own, len(own))
        starts.append(len(seats))
    chosen = (values[seats] for values in (given.bots, given.units, given.places))
    return rows(len(given.bots_by_number), starts, given.deals[order], *chosen)


@pytest.mark.parametrize("sizes", [[(1, 1)], [(1,) * 4], [(1,) * 3, (1,) * 6], [(2, 2, 2), (1, 1, 1)]], ids=str)
def test_the_order_of_matches_and_seats_does_not_matter(sizes):
    source = random.Random(8)
    given = pool(source, 150, sizes)
    expected = trueskill_batch.rate(given, SETTINGS)
    for _ in range(3):
        found = trueskill_batch.rate(shuffled(source, given), SETTINGS)
        assert found.mu == pytest.approx(expected.mu, abs=1e-7)
        assert found.sigma == pytest.approx(expected.sigma, abs=1e-7)


def test_one_match_without_ties_is_rated_like_the_package():
    """With one match there is no order: both models see the same factor graph."""
    mu, sigma = np.full(3, SETTINGS.mu), np.full(3, SETTINGS.sigma)
    three, units, places = np.arange(3, dtype=np.int32), np.arange(3, dtype=np.int8), np.array([2, 1, 3], np.int8)
    update(mu, sigma, three, units, places, SETTINGS.beta, 0.0, SETTINGS.margin, new_workspace())
    found = trueskill_batch.rate(rows(3, [0, 3], [0], three, units, places), SETTINGS)
    assert found.mu == pytest.approx(mu, abs=1e-4)  # the package stops its sweeps there
    assert found.sigma == pytest.approx(sigma, abs=1e-4)


def test_a_tie_treats_all_alike():
    """The package's chain of neighbours gives the middle seat of three another sigma; a group does not."""
    found = trueskill_batch.rate(rows(3, [0, 3], [0], [0, 1, 2], [0, 1, 2], [1, 1, 1]), SETTINGS)
    assert found.mu == pytest.approx([25.0] * 3, abs=1e-9)
    assert found.sigma == pytest.approx([found.sigma[0]] * 3, rel=1e-9)
    assert found.sigma[0] < SETTINGS.sigma


def test_several_winners_are_not_compared_with_each_other():
    """Nana Toridori: bot_3 loses to all; who of the others is better, nobody has learned."""
    tied = rows(4, [0, 4], [0], [0, 1, 2, 3], [0, 1, 2, 3], [1, 1, 1, 4])
    winners = replace(tied, named_losers=np.array([True]))
    found, others = (trueskill_batch.rate(given, SETTINGS) for given in (winners, tied))
    assert found.mu[0] == pytest.approx(found.mu[1]) and found.mu[0] > 25 > found.mu[3]
    assert found.sigma[0] > others.sigma[0] + 0.5  # ties say how near they are
