"""Kinds of positions that can be solved, end games or a whole small game, and samples of them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from typing import cast

from arena import games
from arena.engine.game import Game, States
from arena.engine.options import OptionValue
from arena.errors import ConfigError, nearest
from lab.exact.games import Policy, Settle, Worlds, gain, grow
from lab.exact.solve import CLOSE, backward_value, best_response, expected, solve
from lab.exact.tree import TooLargeError, Tree
from lab.exact.whole import behind, deals, dealt

MOST_WORLDS = 120  # behind what one seat sees, in a sample
MOST_NODES = 20_000


@dataclass(frozen=True)
class Moment:
    """A kind of end game of one game."""

    game: Game
    name: str
    unit: str
    """The unit that rewards are counted in."""
    seats: int
    position: Callable[[int], States | None]
    """Makes a position from a number, always the same one from the same number; returns None if that number gives none."""
    worlds: Callable[[States, int | None, int], Worlds]
    """Lists the worlds that fit a seat's view, or for None what all seats see. Raises TooLargeError above the given number."""
    settle: Settle | None = None
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """Rule options that differ from the game's defaults."""


@dataclass(frozen=True)
class Solved:
    """An end game, and what it is worth to the seat that is to choose; it matters there what one does."""

    moment: Moment
    number: int
    """The number from which `Moment.position` made the position."""
    states: States
    seat: int
    worlds: int
    """How many worlds fit the view of that seat."""
    value: float
    """Mean reward of that seat over these worlds, when all play perfectly in the game behind its view (see the package)."""
    any_value: float
    """Mean reward of that seat over these worlds, when all choose uniformly among the legal actions."""

    def gains(self, policy: Policy) -> list[float]:
        """What each seat, with the cards that it has, would gain by playing perfectly against others who follow `policy`."""
        moment = self.moment
        return [gain(moment.game, self._behind(seat), seat, policy, moment.settle) for seat in range(moment.seats)]

    def any_gains(self) -> list[float]:
        """The same, when the others play any legal action, over doing so too."""
        gains = []
        for seat in range(self.moment.seats):
            tree = grow(self.moment.game, self._behind(seat), self.moment.settle)
            profile = tree.uniform_profile()
            gains.append(best_response(tree, seat, profile)[0] - float(expected(tree, profile)[seat]))
        return gains

    def _behind(self, seat: int) -> Worlds:
        return self.moment.worlds(self.states, seat, MOST_WORLDS)


def games_with_moments() -> list[str]:
    """The games with positions that can be solved."""
    return [name for name in games.names() if _moments(name)]


def moments(game: str) -> list[Moment]:
    """All kinds of positions of one game that can be solved. Raises ConfigError for a game without any."""
    found = _moments(game)
    if not found:
        raise ConfigError(f"game: no end games of {game} are solved exactly; {nearest(game, games_with_moments())}")
    return found


@cache
def _moments(game: str) -> list[Moment]:
    """The end games that the module of this package named like the game knows; else the whole game where it is small enough."""
    loaded = games.load(game)
    module = f"{__package__}.{game}"
    if find_spec(module) is not None:
        return cast("list[Moment]", import_module(module).moments(loaded))
    try:
        every = deals(loaded)
    except TooLargeError:
        return []
    return [Moment(loaded, "the whole round", "score", loaded.seats[0], partial(dealt, loaded), partial(behind, loaded, every))]


def solved(moment: Moment, states: States) -> tuple[int, float, float] | None:
    """How many worlds the seat to choose has before it, what they are worth to it, and what if all play any action.

    None where the game is too large or its value not certain, and where it does not matter what one does.
    """
    seat = moment.game.engine.current_seat(states)
    try:
        worlds = [moment.worlds(states, one, MOST_WORLDS) for one in range(moment.seats)][seat]
        tree = grow(moment.game, worlds, moment.settle, most=MOST_NODES)
    except TooLargeError:
        return None
    value = perfect_value(tree, seat)
    any_value = float(expected(tree, tree.uniform_profile())[seat])
    if value is None or abs(value - any_value) < CLOSE:
        return None
    return len(worlds), value, any_value


def perfect_value(tree: Tree, seat: int) -> float | None:
    """What `seat` gets when all play perfectly: of two seats by linear programming, of more by backward induction, or None."""
    if tree.seats > 2:
        return backward_value(tree)
    value = solve(tree).value
    return value if seat == 0 else sum(tree.leaves[0].rewards) - value


def sample(moment: Moment) -> Iterator[Solved]:
    """End games of a kind that can be solved, in the order of their numbers; always the same."""
    for number in count():
        states = moment.position(number)
        if states is None:
            continue
        found = solved(moment, states)
        if found is not None:
            worlds, value, any_value = found
            yield Solved(moment, number, states, moment.game.engine.current_seat(states), worlds, value, any_value)


def turns_left(count: int) -> str:
    """The name of a kind of end games by the turns of all seats together that are left."""
    return f"{count} turns left" if count > 1 else "the last turn"
