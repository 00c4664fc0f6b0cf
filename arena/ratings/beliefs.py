"""What the models believe of the bots of a pool: after all its matches, along them, and while it is played."""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Protocol

from arena.ratings.models import MODELS
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
    found: Beliefs = import_module(MODELS[model].module).rate(rows, settings)
    return found


def believe_along(model: str, rows: PoolRows, settings: RatingSettings, ends: Iterable[int]) -> Iterator[Beliefs]:
    """Return what a model believes after each number of matches of `ends`, which rise."""
    along: Callable[..., Iterator[Beliefs]] | None = getattr(import_module(MODELS[model].module), "along", None)
    if along is not None:
        return along(rows, settings, ends)
    return (believe(model, rows.first(end), settings) for end in ends)


def running(model: str, bots: tuple[Bot, ...], settings: RatingSettings) -> Running:
    """The beliefs of a model about a pool before its first match."""
    module = MODELS[model].running
    if module is None:
        return _Anew(model, bots, settings)
    found: Running = import_module(module).Running(bots, settings)
    return found


class _Anew:
    """All matches, rated again at each look."""

    def __init__(self, model: str, bots: tuple[Bot, ...], settings: RatingSettings) -> None:
        self._model, self._settings, self._matches = model, settings, Collector(bots)

    def add(self, record: MatchRecord | Outcome) -> None:
        self._matches.add(record)

    def beliefs(self) -> Beliefs:
        return believe(self._model, self._matches.rows(), self._settings)
