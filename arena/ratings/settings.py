"""Names and parameters of the TrueSkill models."""

from statistics import NormalDist

import msgspec

MODEL, BATCH_MODEL = "trueskill", "trueskill-batch"  # the headline: matches in plan order; all matches at once
OVERALL = "overall"  # the pool of all pools
LEAST_DRAW_PROBABILITY = 0.001  # below it, a tie would say more than numbers can hold


class RatingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of the model, in TrueSkill points."""

    mu: float = 25.0
    """Mean of the belief about a bot that never played."""
    sigma: float = 25.0 / 3
    """Its standard deviation."""
    beta: float = 25.0 / 6
    """Standard deviation of a bot's performance in one match."""
    tau: float = 0.0
    """Standard deviation of the drift of a bot's skill per match; bots do not change."""
    draw_probability: float = 0.1
    """Of two equal bots in one match."""
    measured: bool = False
    """Whether matches count in which thinking time became ticks of the game (Nertz with measured latency)."""

    @property
    def margin(self) -> float:
        """The draw margin of a match of two seats, divided by the root of 2."""
        return NormalDist().inv_cdf((self.draw_probability + 1) / 2) * self.beta
