"""Names and parameters of the TrueSkill models."""

import math
from statistics import NormalDist

import msgspec

from arena.errors import ConfigError

MODEL, BATCH_MODEL = "trueskill", "trueskill-batch"  # the headline: matches in plan order; all matches at once
OVERALL = "overall"  # the pool of all pools
LEAST_POINTS, MOST_POINTS = 1e-6, 1e6  # of a setting: beyond them, sums of squares are no numbers any more
LEAST_DRAW_PROBABILITY = 0.001  # below it, a tie would say more than numbers can hold


class RatingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of the model, in TrueSkill points."""

    mu: float = 25.0
    """The mean of the belief about a bot that never played."""
    sigma: float = 25.0 / 3
    """The standard deviation of that belief."""
    beta: float = 25.0 / 6
    """The standard deviation of a bot's performance in one match."""
    tau: float = 0.0
    """The standard deviation of the drift of a bot's skill per match. Bots do not change, so it is 0."""
    draw_probability: float = 0.1
    """The probability that a match of two equal bots is a draw."""
    measured: bool = False
    """Whether measured matches count: those in which thinking time became ticks of the game (Nertz)."""
    repeatable: bool = False
    """Whether matches count only if none of their bots acted otherwise when one of its matches was played again."""
    luck: bool = False
    """Whether the luck of the matches is worked out at the end; the ratings themselves do not depend on it."""

    @property
    def margin(self) -> float:
        """The draw margin of a match of two seats, divided by the root of 2."""
        return NormalDist().inv_cdf((self.draw_probability + 1) / 2) * self.beta


def checked_settings(settings: RatingSettings) -> RatingSettings:
    """The settings, if a model can work with them. Raises ConfigError that names the key."""
    for key in ("mu", "sigma", "beta", "tau", "draw_probability"):
        number = getattr(settings, key)
        if not math.isfinite(number) or number < 0 or (key in ("sigma", "beta") and number == 0):
            raise ConfigError(f"ratings.{key}: a positive number is needed, not {number}")
        if number > MOST_POINTS:
            raise ConfigError(f"ratings.{key}: at most {MOST_POINTS:g}, not {number}")
        if key in ("sigma", "beta") and number < LEAST_POINTS:
            raise ConfigError(f"ratings.{key}: at least {LEAST_POINTS:g}, not {number}")
    if not LEAST_DRAW_PROBABILITY <= settings.draw_probability <= 1 - LEAST_DRAW_PROBABILITY:
        raise ConfigError(
            f"ratings.draw_probability: from {LEAST_DRAW_PROBABILITY} to {1 - LEAST_DRAW_PROBABILITY}, "
            f"not {settings.draw_probability}"
        )
    return settings
