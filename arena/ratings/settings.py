"""Names and parameters of the TrueSkill models."""

from statistics import NormalDist

import msgspec

MODEL, BATCH_MODEL = "trueskill", "trueskill-batch"  # the headline: matches in plan order; all matches at once
OVERALL = "overall"  # the pool of all pools
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

    @property
    def margin(self) -> float:
        """The draw margin of a match of two seats, divided by the root of 2."""
        return NormalDist().inv_cdf((self.draw_probability + 1) / 2) * self.beta
