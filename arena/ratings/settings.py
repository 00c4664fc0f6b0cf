"""Names and parameters of the TrueSkill models, and what a board makes of them: its headline and its overall ranking."""

import math
from collections.abc import Iterable, Mapping
from statistics import NormalDist
from typing import Any

import msgspec

from arena.errors import ConfigError, nearest
from arena.ratings.models import (
    BATCH_MODEL,
    MODEL,
    MODELS,
    STORED,
    headlines,
    is_order_free,
    model_by_headline,
    model_of,
    models,
)
from arena.ratings.rows import Beliefs

OVERALL = "overall"  # the pool of all pools
BATCH, ONLINE = MODELS[BATCH_MODEL].headline, MODELS[MODEL].headline
STANDARDIZED, MEAN_RANK, MEAN_MU = "standardized", "mean-rank", "mean-mu"
OVERALLS = (STANDARDIZED, MEAN_RANK, MEAN_MU)
"""What `overall` may say."""
LOW, MU, THREE_SIGMA = "low", "mu", "three-sigma"
RANKED_BY = (LOW, MU, THREE_SIGMA)
"""What `rank_by` may say."""
LEAST_FIELD = 5  # bots: the spread of fewer is taken as known, which makes their intervals too wide rather than too narrow
LEAST_POINTS, MOST_POINTS = 1e-6, 1e6  # of a setting: beyond them, sums of squares are no numbers any more
LEAST_RATIO, MOST_RATIO = 1e-3, 100.0  # of a sigma to beta: beyond, beliefs need thousands of sweeps or have too few digits
MOST_DISTANCE = 1e6  # of a mu from 0, in betas: beyond it too few digits are left for differences
MOST_WEIGHT = 1e6
DRAW_PROBABILITY = 0.1  # of a match of two equal bots, where nothing says otherwise
LEAST_DRAW_PROBABILITY = 0.001  # below it, a tie would say more than numbers can hold


class Anchor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot whose rating is fixed: all others are rated relative to it."""

    bot: str
    """The name of the bot. In a pool that it does not play, and if it is left out, the mean of the field is fixed instead."""
    mu: float = 25.0
    """The mu that it has in every pool, in TrueSkill points."""


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much games count in the overall ranking, and the pools of one game beside each other. What is not named has 1."""

    games: dict[str, float] = {}
    pools: dict[str, float] = {}


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
    draw_probability: float | None = None
    """The probability that a match of two equal bots is a draw. None: in ratings that know no order, as the ties of each pool
    say (draws.py); else DRAW_PROBABILITY."""
    measured: bool = False
    """Whether measured matches count: those in which thinking time became ticks of the game (Nertz)."""
    repeatable: bool = False
    """Whether matches count only if none of their bots acted otherwise when one of its matches was played again."""
    luck: bool | None = None
    """Whether the luck of the matches is worked out at the end, and taken out of the order-free ratings. None in a config:
    where that surely helps (arena/tournament/config.py says where); in what was stored: no, as in all boards of before."""
    headline: str = BATCH
    """Which model ranks: `batch`, TrueSkill of all matches at once; `online`, match after match in the order of the plan; or
    another one of models.py."""
    rank_by: str | None = None
    """The number by which the headline ranks bots: `low`, the lower end of the interval over deals; `mu`; or `three-sigma`,
    mu - 3 sigma. None: `low`, and `three-sigma` where the headline is in the order of play."""
    anchor: Anchor | None = None
    """The bot whose rating is fixed; None: the mean of the field is fixed at `mu`."""
    overall: str | None = None
    """How pools become one ranking: `standardized`, `mean-rank` or `mean-mu`; None: what goes with the headline."""
    weights: Weights = Weights()
    """How much games and pools count in it."""

    @property
    def headline_model(self) -> str:
        """The model whose rank, rating and interval are the board's."""
        found = model_by_headline(self.headline)
        if found is None:
            raise _no_choice("headline", self.headline, headlines())
        return found

    def ranks_by(self, model: str) -> str:
        """Return by which number a model ranks: the rule of the settings is the headline's."""
        if self.rank_by is not None and model == self.headline_model:
            return self.rank_by
        return LOW if is_order_free(model) else THREE_SIGMA

    @property
    def takes_luck_out(self) -> bool:
        """Whether the board goes without luck, which not every model can."""
        return bool(self.luck) and model_of(self.headline_model).takes_luck_out

    @property
    def overall_rule(self) -> str:
        """How pools become one ranking."""
        return self.overall or (STANDARDIZED if is_order_free(self.headline_model) else MEAN_MU)

    @property
    def margin(self) -> float:
        """The draw margin of a match of two seats, divided by the root of 2; where no order matters, the one to begin with."""
        return draw_margin(self.equal_draws, self.beta)

    def margin_of(self, beliefs: Beliefs) -> float:
        """The draw margin by which beliefs were found."""
        return self.margin if beliefs.margin is None else beliefs.margin

    @property
    def equal_draws(self) -> float:
        """The draw probability, also where none is given."""
        return DRAW_PROBABILITY if self.draw_probability is None else self.draw_probability


def draw_margin(probability: float, beta: float) -> float:
    """The margin, as `RatingSettings.margin`, at which a match of two equal bots is a draw with that probability."""
    return NormalDist().inv_cdf((probability + 1) / 2) * beta


def drawn(margin: float, beta: float) -> float:
    """The probability that a match of two equal bots is a draw, with this margin."""
    return 2 * NormalDist().cdf(margin / beta) - 1


def checked_settings(settings: RatingSettings) -> RatingSettings:
    """The settings, if a model can work with them. Raises ConfigError that names the key."""
    _check_each(settings)
    _check_ratios(settings)
    model_of(settings.headline_model).check_package()
    return settings


def _check_each(settings: RatingSettings) -> None:
    for key in ("mu", "sigma", "beta", "tau", "draw_probability"):
        number = settings.equal_draws if key == "draw_probability" else getattr(settings, key)
        if not math.isfinite(number) or number < 0 or (key in ("sigma", "beta") and number == 0):
            raise ConfigError(f"ratings.{key}: a positive number is needed, not {number}")
        if number > MOST_POINTS:
            raise ConfigError(f"ratings.{key}: at most {MOST_POINTS:g}, not {number}")
        if key in ("sigma", "beta") and number < LEAST_POINTS:
            raise ConfigError(f"ratings.{key}: at least {LEAST_POINTS:g}, not {number}")
    if not LEAST_DRAW_PROBABILITY <= settings.equal_draws <= 1 - LEAST_DRAW_PROBABILITY:
        raise ConfigError(
            f"ratings.draw_probability: from {LEAST_DRAW_PROBABILITY} to {1 - LEAST_DRAW_PROBABILITY}, "
            f"not {settings.equal_draws}"
        )
    model_of(settings.headline_model)  # raises where there is none
    if settings.overall is not None:
        _check_choice("overall", settings.overall, OVERALLS)
    if settings.rank_by is not None:
        _check_choice("rank_by", settings.rank_by, RANKED_BY)
    _check_anchor(settings)
    _check_weights(settings)


def _check_ratios(settings: RatingSettings) -> None:
    """Only what settings are to one another matters to the model, and how many digits that leaves."""
    beta = settings.beta
    if not LEAST_RATIO <= settings.sigma / beta <= MOST_RATIO:
        raise ConfigError(
            f"ratings.sigma: with beta {beta:g}, from {LEAST_RATIO * beta:g} to {MOST_RATIO * beta:g} "
            f"(beta / {1 / LEAST_RATIO:g} to {MOST_RATIO:g} beta), not {settings.sigma:g}"
        )
    if settings.tau > MOST_RATIO * beta:
        raise ConfigError(
            f"ratings.tau: with beta {beta:g}, at most {MOST_RATIO * beta:g} ({MOST_RATIO:g} beta), not {settings.tau:g}"
        )
    for key, mu in {"mu": settings.mu, "anchor.mu": settings.anchor.mu if settings.anchor else 0.0}.items():
        if abs(mu) > MOST_DISTANCE * beta:
            raise ConfigError(f"ratings.{key}: with beta {beta:g}, at most {MOST_DISTANCE * beta:g}, not {mu:g}")


def check_names(settings: RatingSettings, bots: Iterable[str], games: Iterable[str], pools: Iterable[str]) -> None:
    """Raise ConfigError where the settings name a bot, a game or a pool that a config does not have."""
    if settings.anchor is not None:
        _check_name("anchor.bot", settings.anchor.bot, "bot", set(bots))
    for name in settings.weights.games:
        _check_name("weights.games", name, "game", set(games))
    for name in settings.weights.pools:
        _check_name("weights.pools", name, "pool", set(pools))


def settings_of(document: object) -> RatingSettings:
    """Rating parameters as a manifest has them; raises msgspec.ValidationError and ConfigError.

    A manifest from before there was a choice has no `headline`: its board is ranked online; without `rank_by`, by mu - 3 sigma.
    What a config may no longer ask for was allowed once: a folder stays readable, whatever its ratings are worth.
    """
    settings = msgspec.convert({"headline": ONLINE, "rank_by": THREE_SIGMA, **_mapping(document)}, RatingSettings)
    _check_each(settings)
    return settings


def headline_first(settings: RatingSettings) -> tuple[str, ...]:
    """The models to rate and to store by, the one whose ranks are the board's first."""
    return tuple(dict.fromkeys((settings.headline_model, *STORED)))


def headline_model(config: Mapping[str, Any]) -> str:
    """The model whose rank, rating and interval are the board's. `config`: that of a manifest, whatever it holds."""
    ratings = config.get("ratings")
    name = ratings.get("headline") if isinstance(ratings, dict) else None
    return (model_by_headline(name) or MODEL) if isinstance(name, str) else MODEL


def overall_rule(config: Mapping[str, Any]) -> str:
    """Return how pools became one ranking. `config`: that of a manifest, whatever it holds."""
    ratings = config.get("ratings")
    name = ratings.get("overall") if isinstance(ratings, dict) else None
    if name in OVERALLS:
        return str(name)
    return STANDARDIZED if is_order_free(headline_model(config)) else MEAN_MU


def ranked_by(config: Mapping[str, Any]) -> str:
    """Return by which number the board's bots are ranked. `config`: that of a manifest, whatever it holds."""
    ratings = config.get("ratings")
    name = ratings.get("rank_by", THREE_SIGMA) if isinstance(ratings, dict) else THREE_SIGMA
    if name is None:
        return RatingSettings().ranks_by(headline_model(config))
    return str(name) if name in RANKED_BY else THREE_SIGMA


def _mapping(document: object) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.convert({} if document is None else document, dict[str, Any])
    return found


def _check_choice(key: str, value: str, choices: Iterable[str]) -> None:
    if value not in choices:
        raise _no_choice(key, value, choices)


def _no_choice(key: str, value: str, choices: Iterable[str]) -> ConfigError:
    return ConfigError(f"ratings.{key}: one of {', '.join(choices)}, not {value!r}; {nearest(value, choices)}")


def _check_anchor(settings: RatingSettings) -> None:
    if settings.anchor is None:
        return
    if not is_order_free(settings.headline_model):
        free = " or ".join(model.headline for model in models().values() if model.is_order_free)
        raise ConfigError(f"ratings.anchor: only with headline: {free}; in the order of play nothing stays where it is")
    if not math.isfinite(settings.anchor.mu) or abs(settings.anchor.mu) > MOST_POINTS:
        raise ConfigError(f"ratings.anchor.mu: a number up to {MOST_POINTS:g} is needed, not {settings.anchor.mu}")


def _check_weights(settings: RatingSettings) -> None:
    given = {"games": settings.weights.games, "pools": settings.weights.pools}
    for key, weights in given.items():
        for name, weight in weights.items():
            if not 0 <= weight <= MOST_WEIGHT:
                raise ConfigError(f"ratings.weights.{key}.{name}: from 0 to {MOST_WEIGHT:g}, not {weight}")
    if settings.overall_rule == MEAN_MU and any(given.values()):
        raise ConfigError(f"ratings.weights: not with overall: {MEAN_MU}, in which all pools count the same")


def _check_name(key: str, name: str, kind: str, known: set[str]) -> None:
    if name not in known:
        raise ConfigError(f"ratings.{key}: no {kind} {name!r} in this config; {nearest(name, known)}")
