"""What a bot in Python is: a class `Agent` with three methods, and what it is told at the start and the end of a match."""

import operator
import random
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic

import msgspec
from typing_extensions import TypeVar

from arena.agent.view import View
from arena.engine.position import cached_property
from arena.records import Clock

V = TypeVar("V", bound=View, default=View)


class StartInfo(msgspec.Struct, frozen=True):
    """What a bot is told at the start of a match. It never learns the key, the deal, the rotation or its opponents."""

    game: str
    options: Mapping[str, Any]
    """All rule options with their values, defaults included."""
    seats: int
    seat: int
    """The seat that the bot plays, from 0."""
    clock: Clock


class EndInfo(msgspec.Struct, frozen=True):
    """What a bot is told at the end of a match."""

    places: Sequence[int]
    """The place of each seat, from 1, in seat order."""
    scores: Sequence[float]
    """The score of each seat, in seat order."""


def plain_action(action: object) -> object:
    """Return what a bot's `act` returned as a plain text or number, also of a subclass of str, or of numpy's integers.

    What is neither stays as it is.

    >>> import numpy
    >>> plain_action(numpy.int64(3)), plain_action(numpy.str_("draw")), plain_action(True), plain_action(1.0)
    (3, 'draw', True, 1.0)
    """
    if isinstance(action, str):
        return str.__str__(action)
    if isinstance(action, bool):  # a mistake rather than an index
        return action
    try:
        return int(operator.index(action))  # type: ignore[arg-type]
    except TypeError:
        return action


class Agent(Generic[V]):
    """A bot's player of one seat in one match. For every match the bot's module is executed anew, and a new Agent is made.

    `Agent[NagaView]` types the view of a bot for one game; plain `Agent` sees the general `View`.
    """

    games: ClassVar[tuple[str, ...]] = ()
    """The games that the bot plays; empty: all."""
    wants_forced: ClassVar[bool] = False
    """Whether the bot is also asked for decisions with a single legal action."""
    asks_outside: ClassVar[bool] = False
    """Whether the bot asks something outside itself and its view: a network, a clock, entropy. Then its matches cannot be
    repeated, and are marked so. It counts for trusted bots alone: others have nothing outside to ask."""

    _seed: int  # set by the seat

    @cached_property
    def rng(self) -> random.Random:
        """The bot's own seeded randomness: use no other, and a run can be repeated."""
        return random.Random(self._seed)

    params: Mapping[str, Any]
    """The parameters from the tournament's config."""

    def start(self, info: StartInfo) -> None:
        """Called once before the first decision."""

    def act(self, view: V) -> str:
        """Choose one of `view.legal`; anything else is a fault of the bot."""
        raise NotImplementedError(f"{type(self).__name__} has no act method")

    def end(self, result: EndInfo) -> None:
        """Called once after the match."""
