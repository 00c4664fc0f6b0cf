"""TrueSkill over the matches in plan order: every match updates the beliefs that the matches before it left."""

import numpy as np

from arena.ratings.factor_graph import fold, new_workspace
from arena.ratings.rows import Beliefs, PoolRows
from arena.ratings.settings import RatingSettings


def rate(rows: PoolRows, settings: RatingSettings) -> Beliefs:
    """The beliefs about all bots of a pool after all its matches."""
    bots = len(rows.bots_by_number)
    mu, sigma = np.full(bots, settings.mu), np.full(bots, settings.sigma)
    work = new_workspace()
    fold(mu, sigma, rows.starts, rows.bots, rows.units, rows.places, settings.beta, settings.tau, settings.margin, work)
    return Beliefs(mu, sigma)
