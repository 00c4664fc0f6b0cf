"""One table of one game, played action by action: what environments with a single table stand on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena import games
from arena.engine import jit
from arena.engine.contract import Actions, Features, States
from arena.engine.encoding import Encoding
from arena.engine.entries import IS_OVER, SEAT_SHIFT
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.engine.readiness import SINGLE, Part
from arena.engine.rng import Words, seed_words
from arena.learning.compiled import single
from arena.learning.compiled.single import AHEAD, ILLEGAL, TRUE
from arena.learning.parts import have, unmeasured
from arena.match.faults import settle_places
from arena.match.seeds import table_seed

__all__ = ["ILLEGAL", "Seating", "Table", "Together", "seating", "table_rng"]

Mask: TypeAlias = NDArray[np.int8]
"""1 for what is legal, 0 for what is not."""


@dataclass(frozen=True, eq=False)
class Entries:
    """The compiled entries of one game's single tables, see compiled/single.py."""

    begin: Callable[[States, Actions, Actions, Mask, Features, int, Words, Words, Words], int]
    play: Callable[[States, Actions, Actions, Mask, Features, int], int]
    show: Callable[[States, int, Features], None]
    list_actions: Callable[[States, int, Actions, Mask, Features], None]
    begin_together: Callable[[States, Actions, Actions, Mask, Features, int, Words, Words, Words], int]
    play_together: Callable[[States, Actions, Actions, Mask, Features, int, Actions], int]


@dataclass(frozen=True, eq=False)
class Seating:
    """What is played: a game with its encoding, the number of seats, the options."""

    game: Game
    encoding: Encoding
    seats: int
    options: dict[str, OptionValue]
    """All rule options with their values."""
    units: tuple[int, ...]
    """The team of each seat, or the seat itself."""
    entries: Entries

    @property
    def actions(self) -> int:
        """The size of the action space: how many codes the game has, or how long its longest legal list is."""
        return self.game.rules.MAX_ACTIONS if self.encoding.codes is None else len(self.encoding.codes)

    def rewards(self, states: States, illegal: Sequence[int] = ()) -> list[float]:
        """The reward of each seat at the end of a match: 1 for the only first place to -1 for the only last one.

        It is the share of rivals that a seat beat, a tie as half, scaled to -1..1. `illegal`: seats that lost by an illegal
        action; then all others share the first place.
        """
        places = [1] * self.seats
        if illegal:
            places = settle_places(places, self.units, dict.fromkeys(illegal, 0), has_one_loser=False)
        else:
            found = np.empty(self.seats, np.int64)
            self.game.engine.places(states, found)
            places = found.tolist()
        return [_reward(seat, places, self.units) for seat in range(self.seats)]


class Table:
    """A table where one seat chooses after the other."""

    def __init__(self, seating: Seating) -> None:
        entries = seating.entries
        self.seating = seating
        self.states = _new_states(seating.game)
        self.legal = seating.game.new_actions()
        """The legal action codes of the seat to choose, ascending; what stands behind them is old."""
        self.mask = np.zeros(seating.actions, np.int8)
        """The legal places in the action space of the seat to choose."""
        self.features = np.zeros(seating.encoding.size, np.float32)
        """What the seat to choose knows."""
        self.deal = np.zeros(4, np.int64)
        """The seed of the cards, in words."""
        codes = np.array(seating.encoding.codes or (), np.int64)
        arrays = (self.states, codes, self.legal, self.mask, self.features)
        self.play: Callable[[int], int] = partial(entries.play, *arrays)
        """Play a place of the action space. Returns ILLEGAL, where nothing was played, or the bits of what comes next."""
        self._begin = partial(entries.begin, *arrays, seating.seats, seating.game.options_vector(seating.options))

    def begin(self, rng: Words) -> int:
        """Deal the next match; returns the bits of what comes next. `rng`: of the table, see `table_rng`."""
        return self._begin(rng, self.deal)

    def known(self, seat: int) -> Features:
        """[size]: what any seat knows, in an array of its own."""
        out = np.empty_like(self.features)
        self.seating.entries.show(self.states, seat, out)
        return out

    def action_features(self, seat: int) -> Features:
        """[actions, action_size]: the legal actions of `seat`, which is to choose, at their places; 0 elsewhere."""
        out = self.no_action_features()
        self.seating.entries.list_actions(self.states, seat, self.legal, self.mask, out)
        return out

    def no_action_features(self) -> Features:
        """[actions, action_size]: zeros."""
        return np.zeros((len(self.mask), self.seating.encoding.action_size), np.float32)

    def action_texts(self) -> list[str]:
        """The legal actions of the seat to choose as people write them, in the order of the mask."""
        codes = self.legal[: int(self.mask.sum())].tolist()
        return self.seating.game.text.action_texts(self.states[TRUE], codes)


class Together:
    """A table where all seats send an action each time; those with nothing to choose may send any."""

    def __init__(self, seating: Seating) -> None:
        entries, seats = seating.entries, seating.seats
        self.seating = seating
        self.states = _new_states(seating.game)
        self.legal = np.zeros((seats, seating.game.rules.MAX_ACTIONS), np.int64)
        """For each seat that chooses its legal action codes, as in Table."""
        self.mask = np.zeros((seats, seating.actions), np.int8)
        """For each seat its legal places in the action space."""
        self.features = np.zeros((seats, seating.encoding.size), np.float32)
        """What each seat knows."""
        self.choosing = 0
        """The seats that choose now, as bits; 0 once the match is over."""
        self.deal = np.zeros(4, np.int64)
        """The seed of the cards, in words."""
        codes = np.array(seating.encoding.codes or (), np.int64)
        arrays = (self.states, codes, self.legal, self.mask, self.features)
        self._play = partial(entries.play_together, *arrays)
        self._begin = partial(entries.begin_together, *arrays, seats, seating.game.options_vector(seating.options))

    def begin(self, rng: Words) -> bool:
        """Deal the next match; returns whether it is over. `rng`: of the table, see `table_rng`."""
        return self._next(self._begin(rng, self.deal))

    def play(self, indices: Actions) -> bool:
        """Play the actions of those who choose; returns whether the match is over. All must be legal, see `illegal`."""
        return self._next(self._play(self.choosing, indices))

    def chooses(self, seat: int) -> bool:
        """Return whether a seat chooses now."""
        return bool(self.choosing >> seat & 1)

    def illegal(self, indices: Actions) -> list[int]:
        """The seats that choose now and whose action is not legal."""
        size = self.mask.shape[1]
        return [
            seat
            for seat, index in enumerate(indices.tolist())
            if self.chooses(seat) and not (0 <= index < size and self.mask[seat, index])
        ]

    def action_features(self, seat: int) -> Features:
        """[actions, action_size]: the legal actions of a seat at their places; 0 elsewhere, and where it has no choice."""
        out = np.zeros((self.mask.shape[1], self.seating.encoding.action_size), np.float32)
        if self.chooses(seat):
            self.seating.entries.list_actions(self.states, seat, self.legal[seat], self.mask[seat], out)
        return out

    def _next(self, found: int) -> bool:
        self.choosing = found >> SEAT_SHIFT
        return bool(found & IS_OVER)


def seating(game: str, seats: int | None, options: Mapping[str, OptionValue]) -> Seating:
    """Return what is played at a table, with all that it needs compiled. `seats`: None for the fewest that the game has.

    Raises ConfigError for a game, a number of seats or an option that does not exist.
    """
    loaded = games.load(game)
    seats = loaded.seats[0] if seats is None else seats
    loaded.check_seats(seats)
    resolved = loaded.read_options(options, seats, (Path(),))
    unmeasured(loaded, resolved)
    found = Seating(loaded, games.encoding(loaded), seats, resolved, loaded.units(seats, resolved), _entries(loaded))
    have(_part(found))
    return found


def table_rng(seed: int) -> Words:
    """The random numbers of a table, from which all its deals follow. `seed`: public."""
    return seed_words(table_seed(seed))


def _reward(seat: int, places: Sequence[int], units: Sequence[int]) -> float:
    rivals = [place for place, unit in zip(places, units) if unit != units[seat]]
    ahead = sum((places[seat] < place) - (places[seat] > place) for place in rivals)
    return ahead / len(rivals)


def _new_states(game: Game) -> States:
    return np.frombuffer(bytearray((AHEAD + 1) * game.rules.STATE.itemsize), game.rules.STATE)


@cache
def _entries(game: Game) -> Entries:
    home = jit.tables_of(game.package)
    bound: dict[str, Any] = {name: jit.bind(getattr(single, f"_entry_{name}"), home) for name in Entries.__dataclass_fields__}
    return Entries(**bound)


def _part(seating: Seating) -> Part:
    package = seating.game.package
    return Part(seating.game.name, SINGLE, package, jit.tables_of(package), partial(_warm, seating))


def _warm(seating: Seating) -> None:
    """Call each entry once."""
    table, together = Table(seating), Together(seating)
    seat = table.begin(table_rng(1)) >> SEAT_SHIFT
    table.known(seat)
    table.action_features(seat)
    table.play(int(table.mask.argmax()))
    together.begin(table_rng(1))
    together.play(together.mask.argmax(axis=1))
