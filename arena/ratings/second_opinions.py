"""Second opinions on a pool, by models that share nothing with TrueSkill; they stand beside the headline and never change it.

*Bradley-Terry*: bot i finishes before bot j with probability 1 / (1 + exp(s_j - s_i)) (Bradley and Terry 1952). A match is
taken apart into all its pairs; for tables of three and more that estimates the strengths of the Plackett-Luce model
consistently (full breaking: Azari Soufiani, Chen, Parkes and Xia 2013), from a matrix of bots by bots instead of a list of
matches. What the places leave open:

- a tie is half a win for both; winners of a match that names no more than winners and losers are not compared;
- teams: every bot with every bot of the other teams; team mates are not compared;
- a forfeit counts by the place that it was given, the last one: a bot that crashes is beaten by all who played on.

A bot that always wins would be infinitely strong: every bot also plays one draw with an average phantom, as in BayesElo.
"""

import math

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.ratings.pairs import HeadToHead, head_to_head
from arena.ratings.rows import PoolRows

ELO_PER_LOGIT = 400 / math.log(10)
PHANTOM_MATCHES = 1.0  # drawn, of each bot
_SMALLEST_SLOPE = 1e-12  # of the mean log likelihood, where the search ends


class SecondOpinion(msgspec.Struct, frozen=True):
    """What other ways to count say of one bot in one pool. Ranks: 1 = best, ties share; None without a match."""

    bot: str
    bot_version: int
    elo: float
    """Bradley-Terry strength in Elo points, mean of the field 0: 100 more finish before the other in 64 % of matches."""
    elo_rank: int | None
    mean_place: float
    """The mean place; 1 is best, 0 without a match."""
    place_rank: int | None
    mean_score: float
    """The mean score, in the game's own points; 0 without a match."""
    score_rank: int | None
    rivals: int
    """The number of opponents that the bot met."""
    rivals_beaten: float
    """How many opponents finished behind the bot more often than ahead of it; equally often counts as half."""
    rivals_rank: int | None
    """The rank by the share of opponents beaten (Copeland)."""


def second_opinions(rows: PoolRows, pairs: HeadToHead | None = None) -> list[SecondOpinion]:
    """Rank all bots of a pool in other ways; the strongest by Bradley-Terry first. `pairs`: of the same rows, if known."""
    pairs = head_to_head(rows) if pairs is None else pairs
    matches = np.bincount(rows.bots, minlength=len(rows.bots_by_number))
    played = np.maximum(1, matches)
    elo = ELO_PER_LOGIT * bradley_terry(pairs.better)
    places, scores = rows.per_bot(rows.places) / played, rows.per_bot(rows.scores) / played
    met = pairs.meetings > 0
    shares = np.divide(pairs.better, pairs.meetings, out=np.zeros(met.shape), where=met)
    beaten = np.sum(met * (np.sign(np.where(met, shares, 0.5) - 0.5) + 1) / 2, axis=1)
    rivals = met.sum(axis=1)
    ranks = [
        _ranks(values, matches > 0)
        for values in (-elo, places, scores if is_low_good(rows) else -scores, -beaten / np.maximum(1, rivals))
    ]
    found = [
        SecondOpinion(
            *bot, float(elo[number]), ranks[0][number], float(places[number]), ranks[1][number], float(scores[number]),
            ranks[2][number], int(rivals[number]), float(beaten[number]), ranks[3][number],
        )
        for number, bot in enumerate(rows.bots_by_number)
    ]  # fmt: skip
    return sorted(found, key=lambda one: (one.elo_rank or len(found) + 1, one.bot, one.bot_version))


def is_low_good(rows: PoolRows) -> bool:
    """Return whether the game's points count against a bot (Yaniv): winners have fewer than the others, on the average."""
    has_won = rows.places == 1
    if not has_won.any() or has_won.all():
        return False
    scores = rows.scores.astype(np.float64)
    return bool(scores[has_won].mean() < scores[~has_won].mean())


def bradley_terry(better: NDArray[np.float64]) -> NDArray[np.float64]:
    """[bots]: strengths in logits, their mean 0: the most likely ones. `better` [bots, bots]: how often the row's bot won.

    The likelihood has one peak, where Newton's method with a trust region (scipy) arrives in a few steps.
    """
    from scipy import optimize, special  # only now: a board without second opinions starts faster

    bots = len(better)
    if bots < 2:
        return np.zeros(bots)
    wins = np.zeros((bots + 1, bots + 1))
    wins[:bots, :bots] = better
    wins[:bots, bots] = wins[bots, :bots] = PHANTOM_MATCHES / 2
    meetings = wins + wins.T
    scale = 1.0 / wins.sum()

    def loss(strengths: NDArray[np.float64]) -> float:
        return float(-scale * np.sum(wins * special.log_expit(strengths[:, None] - strengths[None, :])))

    def slope(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
        expected = meetings * special.expit(strengths[:, None] - strengths[None, :])
        return np.asarray(scale * np.sum(expected - wins, axis=1), np.float64)

    def curvature(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
        chance = special.expit(strengths[:, None] - strengths[None, :])
        spread = meetings * chance * (1.0 - chance)
        return np.asarray(scale * (np.diag(spread.sum(axis=1)) - spread), np.float64)

    found = optimize.minimize(
        loss, np.zeros(bots + 1), method="trust-exact", jac=slope, hess=curvature,
        options={"gtol": _SMALLEST_SLOPE, "maxiter": 1000},
    )  # fmt: skip
    strengths = np.asarray(found.x[:bots], np.float64)
    return np.asarray(strengths - strengths.mean(), np.float64)


def _ranks(values: NDArray[np.float64], has_played: NDArray[np.bool_]) -> list[int | None]:
    """Ranks by value, the smallest first: 1 + the number of bots that played and have a clearly smaller value."""
    return [
        1 + int(np.sum(values[has_played] < value - 1e-9)) if is_there else None for value, is_there in zip(values, has_played)
    ]
