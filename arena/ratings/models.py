"""The rating models: an entry each, that says all that others ask of a model. A new one is a module and an entry.

The modules are imported when they are first used (beliefs.py): the entries alone cost nothing, the models are compiled code.

A distribution offers a model by an entry point of the group `arena.models`; its name is the model's, its value an object of
class Model:

    [project.entry-points."arena.models"]
    glicko = "my_ratings.entries:GLICKO"
"""

from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec

from arena.errors import ConfigError, nearest

GROUP = "arena.models"
MODEL, BATCH_MODEL = "trueskill", "trueskill-batch"  # matches in plan order; all matches at once
PLACKETT_LUCE, OPENSKILL, THROUGH_TIME = "plackett-luce", "openskill", "through-time"


@dataclass(frozen=True)
class Model:
    """A way to rate the bots of a pool."""

    headline: str
    """What `ratings.headline` says where the board ranks by it."""
    module: str
    """A module with `rate(rows, settings)`, the Beliefs after all matches. It may have what is quicker than to rate all again:
    `along(rows, settings, ends)`, the Beliefs after each number of matches of `ends`, which rise."""
    title: str
    """How it rates, after "rank by". The numbers are on the scale of the settings, or the title says on which."""
    column: str
    """The title of a column of its ranks."""
    is_order_free: bool
    """Whether the order of the matches does not matter. Then `rate` also sets the mean, or the anchor of the settings."""
    has_error_bars: bool
    """Whether its intervals are over deals. Else sigma alone says how sure it is."""
    error_bars: str | None = None
    """A module with `error_bars(rows, beliefs, settings)`; None: they are made of TrueSkill's slopes (error_bars.py)."""
    running: str | None = None
    """A module with `Running(bots, settings)`, quicker than to rate all again at each look."""
    package: str | None = None
    """A package that it needs, and that an extra of arena with the same name brings."""

    def check_package(self) -> None:
        """Raise ConfigError where the package that it needs is not installed."""
        if self.package is not None and find_spec(self.package) is None:
            raise ConfigError(
                f"the rating model {self.headline} needs the package {self.package}: pip install 'arena-hall[{self.package}]', "
                f"or in a clone: pip install '.[{self.package}]'"
            )

    @property
    def takes_luck_out(self) -> bool:
        """Whether its beliefs can go without the luck of the matches."""
        return self.is_order_free and self.has_error_bars and self.error_bars is None


MODELS = {
    MODEL: Model(
        "online", "arena.ratings.trueskill", "TrueSkill as it was played, match after match", "online",
        is_order_free=False, has_error_bars=True, running="arena.ratings.trueskill",
    ),
    BATCH_MODEL: Model(
        "batch", "arena.ratings.trueskill_batch", "TrueSkill of all matches at once, in no order", "order-free",
        is_order_free=True, has_error_bars=True, running="arena.ratings.running",
    ),
    PLACKETT_LUCE: Model(
        PLACKETT_LUCE, "arena.ratings.plackett_luce", "Plackett-Luce strengths with seats, the most likely ones, in points",
        PLACKETT_LUCE, is_order_free=True, has_error_bars=True, error_bars="arena.ratings.plackett_luce_bars",
    ),
    OPENSKILL: Model(
        OPENSKILL, "arena.ratings.openskill", "Weng and Lin's Plackett-Luce (openskill), match after match", OPENSKILL,
        is_order_free=False, has_error_bars=False, running="arena.ratings.openskill", package="openskill",
    ),
    THROUGH_TIME: Model(
        THROUGH_TIME, "arena.ratings.through_time", "TrueSkill of all matches at once, versions of a bot near each other",
        THROUGH_TIME, is_order_free=True, has_error_bars=True, error_bars="arena.ratings.through_time",
    ),
}  # fmt: skip
"""The models of arena by name."""
STORED = (MODEL, BATCH_MODEL)
"""The models whose ratings every tournament stores; those of the headline's are stored in any case."""


def models() -> dict[str, Model]:
    """All models by name, those of installed distributions too. Raises ConfigError for one that cannot be used."""
    return MODELS | _outside()


def find_model(name: str) -> Model | None:
    """The entry of a model; None where there is none. Other distributions are asked only for what arena does not know."""
    return MODELS.get(name) or models().get(name)


def model_of(name: str) -> Model:
    """The entry of a model. Raises ConfigError where there is none."""
    found = find_model(name)
    if found is None:
        raise ConfigError(f"no rating model {name!r}; {nearest(name, models())}")
    return found


def headlines() -> dict[str, str]:
    """Return what `headline` may say, and the model whose rank, rating and interval are then the board's."""
    return dict(sorted((model.headline, name) for name, model in models().items()))


def model_by_headline(headline: str) -> str | None:
    """The name of the model that a headline means; None where there is none. Other distributions are asked last."""
    own = {model.headline: name for name, model in MODELS.items()}
    return own.get(headline) or headlines().get(headline)


def is_order_free(name: str) -> bool:
    """Return whether a model knows no order; of one that only stored files know, that is not said."""
    found = find_model(name)
    return found is not None and found.is_order_free


@cache
def _outside() -> dict[str, Model]:
    """The models of installed distributions, which are asked once, and not before a name is not one of arena's."""
    found: dict[str, Model] = {}
    for entry in entry_points(group=GROUP):
        place = entry.value if entry.dist is None else f"{entry.value} (of {entry.dist.name} {entry.dist.version})"
        model = _loaded(entry, place)
        taken = {name for others in (MODELS, found) for name, other in others.items() for name in (name, other.headline)}
        if entry.name in taken or model.headline in taken:
            raise ConfigError(f'rating model: {place} claims a name that another model has: "{entry.name}", "{model.headline}"')
        found[entry.name] = model
    return found


def _loaded(entry: EntryPoint, place: str) -> Model:
    try:
        found = entry.load()
    except Exception as error:  # whatever a stranger's module raises
        raise ConfigError(f"rating model {entry.name}: {place} cannot be loaded: {type(error).__name__}: {error}") from None
    if not isinstance(found, Model):
        raise ConfigError(f"rating model {entry.name}: {place} is no arena.ratings.models.Model")
    return found
