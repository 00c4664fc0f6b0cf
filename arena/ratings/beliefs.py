"""What the models believe of the bots of a pool: after all its matches, along them, and while it is played."""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Protocol

from arena.ratings.error_bars import ErrorBars, error_bars
from arena.ratings.models import Model, model_of
from arena.ratings.rows import Beliefs, Bot, Collector, PoolRows
from arena.ratings.settings import RatingSettings
from arena.records import MatchRecord, Outcome


class Running(Protocol):
    """The beliefs about the bots of a pool that is being played."""

    def add(self, record: MatchRecord | Outcome) -> None:
        """Add the next match; in plan order, unless the model knows no order."""

    def beliefs(self) -> Beliefs:
        """The beliefs after all matches that were added, in the order in which the bots were given."""


def believe(model: str, rows: PoolRows, settings: RatingSettings) -> Beliefs:
    """Return what a model believes of the bots of one pool, by bot, in TrueSkill points."""
    found: Beliefs = _module(model_of(model)).rate(rows, settings)
    return found


def believe_along(model: str, rows: PoolRows, settings: RatingSettings, ends: Iterable[int]) -> Iterator[Beliefs]:
    """Return what a model believes after each number of matches of `ends`, which rise."""
    along: Callable[..., Iterator[Beliefs]] | None = getattr(_module(model_of(model)), "along", None)
    if along is not None:
        return along(rows, settings, ends)
    return (believe(model, rows.first(end), settings) for end in ends)


def bars_by(model: str, rows: PoolRows, beliefs: Beliefs, settings: RatingSettings) -> ErrorBars:
    """Error bars of the ratings of a pool by a model."""
    entry = model_of(model)
    if not entry.has_error_bars:
        return ErrorBars.of_sigma(beliefs)
    if entry.error_bars is None:
        return error_bars(rows, beliefs, settings)
    found: ErrorBars = import_module(entry.error_bars).error_bars(rows, beliefs, settings)
    return found


def running(model: str, bots: tuple[Bot, ...], settings: RatingSettings) -> Running:
    """The beliefs of a model about a pool before its first match."""
    entry = model_of(model)
    if entry.running is None:
        return _Anew(model, bots, settings)
    entry.check_package()
    found: Running = import_module(entry.running).Running(bots, settings)
    return found


def _module(entry: Model) -> ModuleType:
    entry.check_package()
    return import_module(entry.module)


class _Anew:
    """All matches, rated again at each look."""

    def __init__(self, model: str, bots: tuple[Bot, ...], settings: RatingSettings) -> None:
        self._model, self._settings, self._matches = model, settings, Collector(bots)

    def add(self, record: MatchRecord | Outcome) -> None:
        self._matches.add(record)

    def beliefs(self) -> Beliefs:
        return believe(self._model, self._matches.rows(), self._settings)
