"""The rating models by name. A model is a module with a function `rate(rows, settings)`; a new one needs a line here.

The modules are imported when they are first used: the names alone cost nothing, the models are compiled code.
"""

from collections.abc import Callable
from importlib import import_module
from typing import cast

from arena.ratings.rows import Beliefs, PoolRows
from arena.ratings.settings import BATCH_MODEL, MODEL, RatingSettings

MODELS = {
    MODEL: "arena.ratings.trueskill",
    BATCH_MODEL: "arena.ratings.trueskill_batch",
}
"""The module of each model; ratings are stored for all of them, the headline's first."""

FIRST_MODELS = (MODEL, BATCH_MODEL)
"""The models that every stored tournament was rated by. Folders that are older than a later model have no ratings by it."""


def headline_first(settings: RatingSettings) -> tuple[str, ...]:
    """All models, the one whose ranks are the board's first."""
    return tuple(sorted(MODELS, key=lambda model: model != settings.headline_model))


def believe(model: str, rows: PoolRows, settings: RatingSettings) -> Beliefs:
    """What a model believes of the bots of one pool, by bot, in TrueSkill points."""
    rate = cast(Callable[[PoolRows, RatingSettings], Beliefs], import_module(MODELS[model]).rate)
    return rate(rows, settings)
