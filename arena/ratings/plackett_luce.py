"""Plackett-Luce by maximum likelihood, with a term for every seat: Bradley-Terry at tables of two. No order of matches matters.

The best team of a match is one of all with probability proportional to exp(strength), the next one of those that are left, and
so on (Luce 1959; Plackett 1975). A team is as strong as its bots together, and each bot as its own strength and its seat's.

- A tie says no order: it counts as the mean of the log likelihoods of all orders of those that share a place, so as half a win
  and half a loss between two.
- A match that names one loser is read from its end, as "worst of n": the last one is of all that are left with probability
  proportional to exp(-strength). Its winners are not compared.
- Every bot also draws with a phantom of strength 0, so that none is infinitely strong, and seats differ by about SEAT_SPREAD.

The strengths are the most likely ones, by Newton's method: the log likelihood is concave. Then 0 is where the settings have the
mean of the field, or their anchor, and a logit is so many points that chances near one half are those of TrueSkill.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arena.ratings.choices import Likelihood, Reals
from arena.ratings.order import in_order
from arena.ratings.patterns import sorted_bots, sorted_numbers
from arena.ratings.rows import Beliefs, PoolRows
from arena.ratings.second_opinions import PHANTOM_MATCHES
from arena.ratings.settings import RatingSettings
from arena.ratings.trueskill_batch import anchor_of

POINTS_PER_LOGIT = math.sqrt(math.pi) / 2  # betas: both chances then have one slope in the middle
SEAT_SPREAD = 0.3  # logits, a standard deviation: a bot that always has one seat is hardly taken for a good seat
MOST_STEPS = 100
SMALLEST_STEP = 1e-7  # logits: the one after it would be some 1e-14
LONGEST_STEP = 2.0  # logits


@dataclass(frozen=True)
class Prior:
    """What is believed of strengths before the first match: draws with a phantom, and seats that hardly differ."""

    bots: int
    phantoms: float = PHANTOM_MATCHES
    seat_spread: float = SEAT_SPREAD

    def value(self, values: Reals) -> float:
        """The log likelihood of the phantom's matches, and of the seats."""
        own, seats = values[: self.bots], values[self.bots :]
        draws = np.logaddexp(0.0, own) + np.logaddexp(0.0, -own)
        return float(-self.phantoms * draws.sum() / 2 - (seats**2).sum() / 2 / self.seat_spread**2)

    def slope(self, values: Reals) -> Reals:
        """[parameters]"""
        own, seats = values[: self.bots], values[self.bots :]
        return np.concatenate([-self.phantoms * np.tanh(own / 2) / 2, -seats / self.seat_spread**2])

    def curvature(self, values: Reals) -> Reals:
        """[parameters]: minus the slope of each slope."""
        own, seats = values[: self.bots], values[self.bots :]
        return np.concatenate(
            [self.phantoms / 4 / np.cosh(np.clip(own / 2, -300.0, 300.0)) ** 2, np.full(len(seats), self.seat_spread**-2)]
        )


def rate(rows: PoolRows, settings: RatingSettings) -> Beliefs:
    """The strengths of all bots of a pool, and how sure they are if every match is an independent draw."""
    own = in_one_order(rows)
    likelihood = Likelihood.of(own)
    values = most_likely(likelihood, Prior(likelihood.bots), np.zeros(likelihood.parameters))
    known = likelihood.information(values) + np.diag(Prior(likelihood.bots).curvature(values))
    centre = np.eye(likelihood.bots, len(known))
    centre[:, : likelihood.bots] -= 1.0 / max(1, likelihood.bots)
    unsure = np.diag(centre @ np.linalg.inv(known) @ centre.T)
    scale = POINTS_PER_LOGIT * settings.beta
    back = sorted_numbers(sorted_bots(rows))
    mu = scale * values[: likelihood.bots][back]
    sigma = scale * np.sqrt(unsure)[back]
    number = anchor_of(rows.bots_by_number, settings)
    if number is not None and settings.anchor is not None:
        return Beliefs(mu + settings.anchor.mu - mu[number], sigma)
    return Beliefs(mu + settings.mu - (mu.mean() if len(mu) else 0.0), sigma)


def most_likely(likelihood: Likelihood, prior: Prior, values: Reals) -> Reals:
    """[parameters]: where log likelihood and prior together are highest. `values`: where to look first."""
    reached = likelihood.value(values) + prior.value(values)
    for _ in range(MOST_STEPS):
        slope = likelihood.slope(values) + prior.slope(values)
        step = np.linalg.solve(likelihood.information(values) + np.diag(prior.curvature(values)), slope)
        longest = float(np.abs(step).max(initial=0.0))
        step *= min(1.0, LONGEST_STEP / max(longest, 1e-300))
        while longest > SMALLEST_STEP:
            value = likelihood.value(values + step) + prior.value(values + step)
            if value >= reached - 1e-12 * abs(reached):
                break
            step, longest = step / 2, longest / 2
        values = values + step
        if longest <= SMALLEST_STEP:
            break
        reached = value
    return values


def in_one_order(rows: PoolRows) -> PoolRows:
    """The same matches and bots in an order that comes from what they are: so no number depends on when they were played."""
    order = sorted_bots(rows)
    bots = sorted_numbers(order)[rows.bots]
    match_of = np.repeat(np.arange(rows.matches), np.diff(rows.starts))
    seat = np.arange(len(bots)) - rows.starts[:-1][match_of]
    row = bots.astype(np.uint64)
    for part in (seat, rows.units, rows.places):
        row = row * np.uint64(1 << 7) + part.astype(np.uint64)
    of_match, of_deal = np.zeros(rows.matches, np.uint64), np.zeros(int(rows.deals.max(initial=-1)) + 1, np.uint64)
    np.add.at(of_match, match_of, _mixed(row))
    of_match = _mixed(of_match + rows.names_loser)
    np.add.at(of_deal, rows.deals, of_match)
    deals = sorted_numbers(np.argsort(of_deal, kind="stable").tolist())[rows.deals]
    named = replace(rows, bots_by_number=tuple(rows.bots_by_number[number] for number in order), bots=bots, deals=deals)
    return in_order(named, np.lexsort((of_match, deals)))


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers that differ in all bits where these differ in one (the finalizer of splitmix64)."""
    found = values + np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(found ^ (found >> np.uint64(31)), np.uint64)
