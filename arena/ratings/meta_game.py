"""The game of choosing a bot: what its solutions say of a pool in which no order tells who beats whom.

Two people each choose a bot; the one whose bot finishes first wins. One number for each bot tells that game where the better
number wins. It does not where bots beat each other in turn (*cycles*, fit.py), and numbers that come from all results depend
on whom there are many of (*copies*). Three ways to look at the game itself, all at the shares as they were observed:

- the *maximal lottery* (G. Kreweras 1965; P. Fishburn, "Probabilistic social choice based on simple voting comparisons", 1984):
  draw a bot with these chances, and no other choice finishes first more often than behind;
- *Nash averaging* (D. Balduzzi et al., "Re-evaluating evaluation", 2018): the same game with log-odds as payoffs, and what each
  bot scores against its solution. Of several solutions the one with the largest entropy: copies share what one of them had;
- *alpha-rank* (S. Omidshafiei et al., "Alpha-rank: multi-agent evaluation by evolution", 2019): a population that uses one bot
  tries others, which replace it the more surely the more they beat it; the shares of the time that each is in use.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.ratings.error_bars import CONFIDENCE
from arena.ratings.pairs import HeadToHead
from arena.ratings.rows import Bot
from arena.ratings.second_opinions import ELO_PER_LOGIT

Numbers = NDArray[np.float64]

LEAST_SEEN = 0.2  # of a share: where larger differences might be overlooked, nobody is called a copy
PHANTOM_MATCHES = 1.0  # drawn, of each pair: who always won has finite log-odds
ALPHA = 10.0  # how strongly results decide who replaces whom, per point of the difference of shares
POPULATION = 50  # how many use a bot; with ALPHA, 51 % of the matches make 18,000 replacements of one that go the other way


class Choice(msgspec.Struct, frozen=True):
    """A bot as something to choose."""

    bot: str
    bot_version: int
    lottery: float
    """The chance of this bot in the maximal lottery."""
    nash: float
    """The part of this bot in the solution with log-odds as payoffs."""
    nash_points: float
    """What it scores against that solution, in Elo points: 0 or less; 0 for each bot that is part of it."""
    alpha_rank: float
    """The share of the time in which it is in use."""


class MetaGame(msgspec.Struct, frozen=True):
    """The game of choosing a bot of a pool."""

    copies: tuple[tuple[Bot, Bot], ...]
    """Bots that no result tells apart, where a difference of 20 points of a share would have been seen."""
    cycles: tuple[tuple[Bot, Bot, Bot], ...]
    """Each surely beats the next one, and the last one the first."""
    choices: tuple[Choice, ...]
    """All bots that played; empty where there are neither copies nor cycles: one order says the same."""


def meta_game_of(pairs: HeadToHead, cycles: Sequence[tuple[Bot, Bot, Bot]]) -> MetaGame | None:
    """Return the game of the bots that played; None below three of them, or where two of them never met."""
    played = np.flatnonzero(pairs.meetings.sum(axis=1) > 0)
    bots = [pairs.bots[number] for number in played]
    meetings, better = (matrix[np.ix_(played, played)].astype(np.float64) for matrix in (pairs.meetings, pairs.better))
    if len(bots) < 3 or (meetings + np.eye(len(bots)) == 0.0).any():
        return None
    np.fill_diagonal(meetings, 0.0)
    np.fill_diagonal(better, 0.0)
    copies = tuple((bots[one], bots[other]) for one, other in copies_of(meetings, better))
    if not copies and not cycles:
        return MetaGame((), (), ())
    margins = np.divide(better - better.T, meetings, out=np.zeros_like(better), where=meetings > 0.0)
    odds = np.log((better + PHANTOM_MATCHES / 2) / (better.T + PHANTOM_MATCHES / 2))
    lottery, nash, used = equilibrium(margins), equilibrium(odds), alpha_rank(margins)
    points = np.where(nash > 0.0, 0.0, ELO_PER_LOGIT * np.minimum(0.0, odds @ nash))  # other than 0 in the mixture by rounding
    choices = (
        Choice(*bot, *(float(values[number]) for values in (lottery, nash, points, used))) for number, bot in enumerate(bots)
    )
    return MetaGame(copies, tuple(cycles), tuple(choices))


def copies_of(meetings: Numbers, better: Numbers) -> list[tuple[int, int]]:
    """Return the pairs that do alike against each other and against all others, as far as can be seen; [bots, bots] of each.

    No difference may be sure, over all comparisons of a pair, were its matches independent; and each must be known so well
    that one of LEAST_SEEN would be.
    """
    bots = len(meetings)
    quantile = NormalDist().inv_cdf(1.0 - (1.0 - CONFIDENCE) / 2 / max(1, bots - 1))
    shares = (better + 1.0) / (meetings + 2.0)  # Agresti and Coull: nobody is known to always win
    variances = shares * (1.0 - shares) / (meetings + 2.0)
    found = []
    for one in range(bots):
        for other in range(one):
            thirds = np.delete(np.arange(bots), [one, other])
            apart = np.append(shares[one, thirds] - shares[other, thirds], shares[one, other] - 0.5)
            variance = np.append(variances[one, thirds] + variances[other, thirds], variances[one, other])
            seen = quantile * np.sqrt(variance)
            if (np.abs(apart) <= seen).all() and (seen <= LEAST_SEEN).all():
                found.append((other, one))
    return sorted(found)


def equilibrium(game: Numbers) -> Numbers:
    """[choices]: the symmetric equilibrium with the largest entropy of a game with antisymmetric payoffs [choices, choices].

    A linear programme finds which choices any equilibrium uses (of all x >= 0 with game @ x <= 0, one uses all of them: A.
    Goldman and A. Tucker 1956). Among mixtures of these the equilibria are a polytope, and of a largest entropy the logarithms
    are a sum of its constraints, so many times each: these multipliers are the minimum of a convex function.
    """
    from scipy import linalg, optimize, special  # only now: a board without closer looks starts faster

    size = len(game)
    game = game / max(1e-300, float(np.abs(game).max(initial=0.0)))
    unit = np.eye(size)
    used = optimize.linprog(
        np.repeat([0.0, -1.0], size), A_ub=np.block([[game, np.zeros_like(game)], [-unit, unit]]), b_ub=np.zeros(2 * size),
        bounds=[(0.0, None)] * size + [(0.0, 1.0)] * size,
    )  # fmt: skip
    support = np.flatnonzero(used.x[size:] > 0.5)
    indifferent = linalg.orth(game[np.ix_(support, support)].T).T  # as many rows as the game has independent ones
    mixture = np.zeros(size)
    if len(indifferent) == len(support) - 1:  # one equilibrium, the only mixture against which none of its choices gains
        only = np.abs(linalg.null_space(indifferent)[:, 0]) if len(indifferent) else np.ones(1)
        mixture[support] = only / only.sum()
        return mixture
    beaten = game[np.delete(np.arange(size), support)][:, support]
    constraints = np.concatenate([indifferent, beaten])

    def entropy(multipliers: Numbers) -> tuple[float, Numbers]:
        logarithms = -multipliers @ constraints
        return float(special.logsumexp(logarithms)), -constraints @ special.softmax(logarithms)

    if not len(constraints):  # all choices, against none of which any other gains or loses
        return mixture + 1.0 / size
    found = optimize.minimize(
        entropy, np.zeros(len(constraints)), jac=True, method="L-BFGS-B",
        bounds=[(None, None)] * len(indifferent) + [(0.0, None)] * len(beaten),
        options={"ftol": 0.0, "gtol": 1e-10, "maxiter": 10_000},
    )  # fmt: skip
    mixture[support] = special.softmax(-found.x @ constraints)
    return mixture


def alpha_rank(margins: Numbers) -> Numbers:
    """[bots]: the share of the time in which each is in use. `margins` [bots, bots]: how much more often it finishes first.

    A population of one bot is taken over by one user of another with the probability of Moran's process with the fitness that
    the two have against each other (the local selection of the paper, one population).
    """
    gain = ALPHA * margins.T  # [from, to]
    neutral = np.abs(gain) < 1e-14
    safe = np.where(neutral, 1.0, gain)
    taken = np.where(neutral, 1.0 / POPULATION, np.expm1(-safe) / np.expm1(-POPULATION * safe))
    np.fill_diagonal(taken, 0.0)
    return _stationary(taken)


def _stationary(rates: Numbers) -> Numbers:
    """[states]: the shares of time in each state, from the rates [from, to]; without a subtraction, so tiny rates count.

    W. Grassmann, M. Taksar and D. Heyman, "Regenerative analysis and steady state distributions for Markov chains", 1985.
    """
    rates, size = rates.copy(), len(rates)
    for state in range(size - 1, 0, -1):
        rates[:state, state] /= rates[state, :state].sum()
        rates[:state, :state] += np.outer(rates[:state, state], rates[state, :state])
    shares = np.ones(size)
    for state in range(1, size):
        shares[state] = shares[:state] @ rates[:state, state]
        shares /= math.fsum(shares[: state + 1])
    return np.asarray(shares / shares.sum(), np.float64)
