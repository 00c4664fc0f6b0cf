"""The space that `arena tune` searches: named ranges and choices, and points spread evenly over them.

    space:
      exploration: [0.2, 2.0]        # any number from 0.2 to 2
      prior: [1.0, 300.0, log]       # the same, but each factor counts the same: as much between 1 and 10 as between 10 and 100
      hands: [2, 24]                 # whole numbers, because both ends are
      rollout: [policy, uniform]     # any other list: one of these
      constants.place: [0.0, 60.0]   # the key `place` inside `constants`
      constants: room                # all constants of the game's search, each in its own range (CONSTANTS in its rollout.py)

Points of the unit cube stand for settings: one coordinate for each name. They are a Latin hypercube: of n points, one has each
n-th part of each range (M. McKay, R. Beckman, W. Conover, "A comparison of three methods for selecting values of input
variables", Technometrics 21, 1979). Where there is a centre, the start or the best so far, a point differs from it in about
`CHANGES` settings and has its others: of many that are fairly good, all changed at once are rarely better. Later points are
nearer to their centre, as in iterated racing (M. Lopez-Ibanez et al., "The irace package", Operations Research Perspectives 3,
2016).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from arena.engine.game import Game
from arena.errors import ConfigError

LOG = "log"
CONSTANTS, ROOM = "constants", "room"
DIGITS = 3  # significant ones of a number: play cannot separate finer differences

CHANGES = 4.0  # settings in which a point differs from its centre, about; at least one, half of them where they are few

Point = tuple[float | None, ...]
"""A coordinate from 0 to 1 for each dimension; None: unknown, such as a setting that the start leaves to the bot."""


@dataclass(frozen=True)
class Range:
    """A dimension of numbers from `low` to `high`."""

    low: float
    high: float
    is_whole: bool
    is_log: bool

    def value(self, place: float) -> float | int:
        """The number at a coordinate from 0 to 1."""
        if self.is_whole and not self.is_log:
            return min(int(self.high), int(self.low) + int(place * (self.high - self.low + 1)))
        number = self.low * (self.high / self.low) ** place if self.is_log else self.low + place * (self.high - self.low)
        return round(number) if self.is_whole else _rounded(min(self.high, max(self.low, number)))

    def place(self, value: object) -> float | None:
        """The coordinate of a value, from 0 to 1; None: the value is not in the range."""
        if not isinstance(value, int | float) or not self.low <= value <= self.high:
            return None
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low + 0.5 * self.is_whole) / (self.high - self.low + self.is_whole)

    def near(self, centre: float, width: float, place: float) -> float:
        """The coordinate in a box of `width` around `centre` that corresponds to `place` in the whole range."""
        low = min(max(0.0, centre - width / 2.0), 1.0 - width)
        return low + width * place


@dataclass(frozen=True)
class Choices:
    """A dimension of a few values without an order."""

    values: tuple[Any, ...]

    def value(self, place: float) -> object:
        """The value at a coordinate from 0 to 1; all values have equal shares."""
        return self.values[min(len(self.values) - 1, int(place * len(self.values)))]

    def place(self, value: object) -> float | None:
        """The coordinate of a value, from 0 to 1; None: it is not among the values."""
        return (self.values.index(value) + 0.5) / len(self.values) if value in self.values else None

    def near(self, centre: float, width: float, place: float) -> float:
        """The coordinate `centre`, or with probability `width` the coordinate `place`: values have no neighbours."""
        return centre if place >= width else place / width


Dimension = Range | Choices
Space = Mapping[str, Dimension]


def read_space(document: Mapping[str, Any], games: Sequence[Game], key: str) -> Space:
    """Read the ranges and choices of a config; `games`: the games played. Raises ConfigError that names the key."""
    if not document:
        raise ConfigError(f"{key}: at least one setting with its range is needed, such as exploration: [0.2, 2.0]")
    if document.get(CONSTANTS) == ROOM:
        document = {name: value for name, value in document.items() if name != CONSTANTS} | _constants(games, key)
    for name in document:
        others = [other for other in document if other.startswith(f"{name}.")]
        if others:
            raise ConfigError(f"{key}.{name}: {others[0]} is inside it; only one of the two can be sought")
    return {name: _dimension(value, f"{key}.{name}") for name, value in document.items()}


def _constants(games: Sequence[Game], key: str) -> dict[str, Any]:
    if len({game.name for game in games}) > 1:
        raise ConfigError(f"{key}.{CONSTANTS}: {ROOM}: of one game; several are played here")
    found = games[0].rollout.CONSTANTS
    if not found:
        raise ConfigError(f"{key}.{CONSTANTS}: the search of {games[0].name} has none")
    return {f"{CONSTANTS}.{constant.name}": [float(constant.low), float(constant.high)] for constant in found}


def _dimension(value: object, key: str) -> Dimension:
    if not isinstance(value, list) or len(value) < 2:
        raise ConfigError(f"{key}: a range [low, high], [low, high, {LOG}], or a list of choices is needed, not {value!r}")
    for item in value:
        if isinstance(item, str) and _is_number_text(item):  # as choices they would look like a range and be none
            raise ConfigError(f'{key}: "{item}" is text in YAML; a number is written as in 0.0001 or 1.0e-4, without quotes')
    low, high, *rest = value
    is_log = rest == [LOG] and _is_number(low) and _is_number(high)
    if value[-1] == LOG and not is_log:
        raise ConfigError(
            f"{key}: {LOG} follows two numbers, as in [0.1, 10.0, {LOG}], not {value}; as a choice it is not the last"
        )
    if not (is_log or (_is_number(low) and _is_number(high) and not rest)):
        if len({str(item) for item in value}) < len(value):
            raise ConfigError(f"{key}: a choice is there twice")
        return Choices(tuple(value))
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ConfigError(f"{key}: the first number of a range is below the second: not {value}")
    if is_log and low <= 0:
        raise ConfigError(f"{key}: a range with {LOG} begins above 0, not at {low}")
    return Range(low, high, isinstance(low, int) and isinstance(high, int), is_log)


def start_of(space: Space, params: Mapping[str, Any], games: Sequence[Game]) -> Point:
    """The point of the start: from the bot's parameters, else from the search's own settings in these games."""
    own = _own_settings(params, games) if any(name.startswith(f"{CONSTANTS}.") for name in space) else {}
    return tuple(dimension.place(_value(params, name, own.get(name))) for name, dimension in space.items())


def _own_settings(params: Mapping[str, Any], games: Sequence[Game]) -> dict[str, Any]:
    """The search settings on which all games agree, by name; the constants too if there is one game."""
    defaults = [game.rollout.DEFAULTS._asdict() for game in games]
    own = {name: value for name, value in defaults[0].items() if all(other[name] == value for other in defaults)}
    if params.get("rollout", "policy") != "policy":  # there the search has numbers of its own for these
        own = {name: value for name, value in own.items() if name not in ("prior", "expansion", "habit")}
    if len({game.name for game in games}) == 1:
        own |= {f"{CONSTANTS}.{constant.name}": constant.default for constant in games[0].rollout.CONSTANTS}
    return own


def _value(params: Mapping[str, Any], name: str, default: object) -> object:
    outer, dot, inner = name.partition(".")
    if not dot:
        return params.get(outer, default)
    within = params.get(outer)
    return _value(within, inner, default) if isinstance(within, Mapping) else default


def settings_at(space: Space, point: Point, start: Point) -> dict[str, Any]:
    """The settings at a point by name, without those that equal the start's or are unknown."""
    found = {name: dimension.value(place) for (name, dimension), place in zip(space.items(), point) if place is not None}
    own = {name: dimension.value(place) for (name, dimension), place in zip(space.items(), start) if place is not None}
    return {name: value for name, value in found.items() if name not in own or own[name] != value}


def merged(params: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with these settings put in; a dot in a name leads into a mapping.

    >>> merged({"iterations": 100, "constants": {"call": 5}}, {"prior": 8.0, "constants.place": 12.0})
    {'iterations': 100, 'constants': {'call': 5, 'place': 12.0}, 'prior': 8.0}
    """
    result = dict(params)
    for name, value in settings.items():
        outer, dot, inner = name.partition(".")
        if dot:
            within = result.get(outer, {})
            result[outer] = merged(within if isinstance(within, Mapping) else {}, {inner: value})
        else:
            result[outer] = value
    return result


def spread(space: Space, count: int, stream: Random, centre: Point, width: float = 1.0) -> list[Point]:
    """`count` points: a Latin hypercube over the box of `width` around `centre`, or over the whole range if that is unknown."""
    columns: list[list[float]] = []
    for middle, dimension in zip(centre, space.values()):
        column = [(part + stream.random()) / count for part in range(count)]
        stream.shuffle(column)
        columns.append(column if middle is None else [dimension.near(middle, width, number) for number in column])
    return [_changed(centre, point, stream) for point in zip(*columns)]


def _changed(centre: Point, point: tuple[float, ...], stream: Random) -> Point:
    """The centre with some coordinates replaced by the point's; unknown coordinates are always the point's."""
    share = min(0.5, CHANGES / len(point))
    changes = [middle is None or stream.random() < share for middle in centre]
    changes[stream.randrange(len(point))] = True
    return tuple(own if is_other else middle for middle, own, is_other in zip(centre, point, changes))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_number_text(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _rounded(number: float) -> float:
    """The number rounded to `DIGITS` significant digits, as it is both shown and played.

    >>> _rounded(123.456), _rounded(0.0123456)
    (123.0, 0.0123)
    """
    return float(f"{number:.{DIGITS}g}")
