"""A rating model that arena does not have: the share of a bot's matches that it won, as a rating."""

import numpy as np

from arena.ratings.rows import Beliefs, PoolRows
from arena.ratings.settings import RatingSettings


def rate(rows: PoolRows, settings: RatingSettings) -> Beliefs:
    matches = rows.per_bot(np.ones(len(rows.bots)))
    share = rows.per_bot(rows.places == 1) / np.maximum(matches, 1.0)
    return Beliefs(settings.mu + 20.0 * (share - 0.5), settings.sigma / np.sqrt(1.0 + matches))
