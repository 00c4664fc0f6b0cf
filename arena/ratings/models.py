"""The rating models: an entry each, that says all that others ask of a model. A new one is a module and an entry.

The modules are imported when they are first used (beliefs.py): the entries alone cost nothing, the models are compiled code.
"""

from dataclasses import dataclass

MODEL, BATCH_MODEL = "trueskill", "trueskill-batch"  # matches in plan order; all matches at once


@dataclass(frozen=True)
class Model:
    """A way to rate the bots of a pool."""

    headline: str
    """What `ratings.headline` says where the board ranks by it."""
    module: str
    """A module with `rate(rows, settings)`, the Beliefs after all matches. It may have what is quicker than to rate all again:
    `along(rows, settings, ends)`, the Beliefs after each number of matches of `ends`, which rise."""
    title: str
    """How it rates, after "rank by"."""
    column: str
    """The title of a column of its ranks."""
    is_order_free: bool
    """Whether the order of the matches does not matter. Then `rate` also sets the mean, or the anchor of the settings."""
    has_error_bars: bool
    """Whether the error bars over deals are those of its beliefs: they are made of TrueSkill's slopes. Else sigma alone says
    how sure it is."""
    running: str | None = None
    """A module with `Running(bots, settings)`, quicker than to rate all again at each look."""

    @property
    def takes_luck_out(self) -> bool:
        """Whether its beliefs can go without the luck of the matches."""
        return self.is_order_free and self.has_error_bars


MODELS = {
    MODEL: Model(
        "online", "arena.ratings.trueskill", "TrueSkill as it was played, match after match", "online",
        is_order_free=False, has_error_bars=True, running="arena.ratings.trueskill",
    ),
    BATCH_MODEL: Model(
        "batch", "arena.ratings.trueskill_batch", "TrueSkill of all matches at once, in no order", "order-free",
        is_order_free=True, has_error_bars=True, running="arena.ratings.running",
    ),
}  # fmt: skip
"""The models by name; ratings are stored for all of them, the headline's first."""


def headlines() -> dict[str, str]:
    """Return what `headline` may say, and the model whose rank, rating and interval are then the board's."""
    return dict(sorted((model.headline, name) for name, model in MODELS.items()))


def is_order_free(name: str) -> bool:
    """Return whether a model knows no order; of one that only stored files know, that is not said."""
    return name in MODELS and MODELS[name].is_order_free
