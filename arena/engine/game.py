"""A loaded game: its rules, its notation, its view, its compiled entries. How games are found: arena/games/__init__.py.

A game is a package with rules.py, text.py and view.py; the games of arena itself, in arena/games, all have rollout.py,
encoding.py, RULES.md, vectors.jsonl and playthrough.txt, too. What rules.py, rollout.py and encoding.py define is in
contract.py, what text.py offers is `TextModule`; view.py defines VIEW, the class of the game's views, and `warm(view)`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast

import msgspec
import numpy as np

from arena.engine import contract, jit
from arena.engine.contract import Actions, Numbers, State, States
from arena.engine.encoding import Encoding, Layout, layout_of
from arena.engine.entries import Engine
from arena.engine.net import Nets
from arena.engine.options import DataTable, Option, OptionValue, RowError, read_tables
from arena.engine.position import PositionReader
from arena.engine.rng import Words, seed_words
from arena.engine.state import PADDING
from arena.errors import ConfigError, PositionError, nearest

__all__ = ["Actions", "Document", "Game", "State", "States", "TextModule"]

Document: TypeAlias = dict[str, Any]
"""A position as a JSON object (docs/notation.md, "Positions")."""


class TextModule(Protocol):
    """What a game's text.py offers: the game's notation, both ways (plain Python, never on a hot path).

    A game with a comparator of its own may also offer `compare(case)`, which gives the `winner` of a case of
    `arena verify` that names no position (docs/notation.md, "Traces").
    """

    def action_texts(self, s: State, actions: Sequence[int]) -> list[str]:
        """Actions of the seat to choose; needs only what that seat knows."""
        ...

    def parse_action(self, s: State, text: str) -> int:
        """The action that a text names; raises PositionError for a text that names none."""
        ...

    def event_texts(self, s: State, seen: int) -> list[tuple[int, str]]:
        """The events in a code of `seen_action` as (seat, text) pairs; `s`: the state in which the action was played."""
        ...

    def to_position(self, s: State) -> Document:
        """The whole position, hidden cards too."""
        ...

    def from_position(self, document: Document) -> States:
        """The state of a position, the inverse of `to_position`; raises PositionError, which names the key."""
        ...

    def masked_position(self, s: State, seat: int) -> Document:
        """The position as `seat` knows it, `?` for a hidden card. `s`: what the seat sees."""
        ...

    def describe(self, s: State, seat: int | None) -> str:
        """The position as a few lines for people: as `seat` sees it, or with everything for None."""
        ...


@dataclass(frozen=True, eq=False)
class Game:
    """A game whose game is loaded: its rules, its notation, its view and its compiled entries."""

    name: str
    rules: Any
    """The game's module rules.py."""
    rollout: Any
    """The functions, CONSTANTS and DEFAULTS of the game's rollout.py, with defaults for what it leaves out."""
    text: TextModule
    view: type[Any]
    """The typed view that bots of this game see."""
    warm_view: Callable[[Any], None]
    """Calls every compiled function that a view uses."""
    engine: Engine
    make_encoding: Callable[["Game"], Encoding]
    """Gives `encoding` when somebody asks for it."""
    state_features: Any
    """The functions of state_features.py with STATE_FEATURES, BELIEF_FEATURES (how many they write) and LEARNS (numbers of
    seats that they are written for), with defaults for what it leaves out."""
    nets: Nets
    """What the game has learnt: the networks of its learnt.npz; none where it has no such file."""
    _vectors: dict[bytes, Words] = field(default_factory=dict, compare=False, repr=False)  # of the options that were played

    def __post_init__(self) -> None:
        """Raise ArenaError for networks of other inputs than the game has, wherever they come from."""
        self.nets.check_inputs({"value": self.state_features.STATE_FEATURES, "belief": self.state_features.BELIEF_FEATURES})

    @property
    def version(self) -> int:
        """Rises when a rule changes (a refactoring does not)."""
        return cast(int, self.rules.VERSION)

    @property
    def seats(self) -> tuple[int, ...]:
        """The possible numbers of seats, ascending."""
        return cast("tuple[int, ...]", self.rules.SEATS)

    @property
    def options(self) -> tuple[Option, ...]:
        """The rule options, in the order of the options vector."""
        return cast("tuple[Option, ...]", self.rules.OPTIONS)

    @property
    def package(self) -> str:
        """The game's package, such as `arena.games.naga`: bots import the type of their view from it."""
        return cast(str, self.rules.__name__).rpartition(".")[0]

    @property
    def encoding(self) -> Encoding:
        """What learning programs see of the game, compiled. Raises ConfigError for an encoding.py that breaks the contract."""
        return self.make_encoding(self)

    @cached_property
    def layout(self) -> Layout:
        """What the numbers of the encoding are; nothing is compiled. Raises ConfigError as `encoding` does."""
        return layout_of(contract.ENCODINGS[jit.record_type(self.rules.STATE)])

    def check_policy(self, seats: int) -> None:
        """Raise ArenaError for a policy, at tables with so many seats, that takes other features than those of the encoding."""
        found, nets = self.layout, self.nets.at(seats)
        nets.check_encoding(found.sha256, self.name)
        nets.check_inputs({"policy": found.size + found.action_size}, row=found.action_size)

    @property
    def folder(self) -> Path:
        """The game's folder: RULES.md, vectors.jsonl, playthrough.txt."""
        return Path(self.rules.__file__).parent

    def without_history(self, state: bytes) -> bytes:
        """The bytes of a state without the fields that only tell how the position came about (HISTORY in rules.py).

        Random numbers that are drawn for a position depend on these: the same position is the same whatever came before.
        The padding is left out, too.
        """
        left_out = {*getattr(self.rules, "HISTORY", ()), PADDING}
        fields = [found[:2] for name, found in self.rules.STATE.fields.items() if name in left_out]
        for kind, offset in sorted(fields, key=itemgetter(1), reverse=True):
            state = state[:offset] + state[offset + kind.itemsize :]
        return state

    def new_states(self) -> States:
        """A new state with zeros everywhere."""
        return np.frombuffer(bytearray(self.rules.STATE.itemsize), self.rules.STATE)  # an eighth of the time of `zeros`

    def new_actions(self) -> Actions:
        """A buffer that holds any legal list."""
        return np.zeros(self.rules.MAX_ACTIONS, np.int64)

    @property
    def constants(self) -> Numbers:
        """[constants]: a new array of the defaults of the game's CONSTANTS, for searches."""
        return np.array([constant.default for constant in self.rollout.CONSTANTS], float)

    def from_bytes(self, data: bytes) -> States:
        """A state from its bytes, writable (a read-only array would be another type for compiled code)."""
        return np.frombuffer(bytearray(data), self.rules.STATE)

    def check_seats(self, seats: int) -> None:
        """Raise ConfigError for a number of seats that the rules do not have."""
        if seats not in self.seats:
            allowed = ", ".join(str(count) for count in self.seats)
            raise ConfigError(f"seats: {self.name} is played by {allowed} seats, not {seats}")

    def seats_at(self, states: States) -> int:
        """How many seats play, by a position as anybody sees it: its field `seats`, which games with one number may lack."""
        return int(states["seats"][0]) if "seats" in self.rules.STATE.names else self.seats[0]

    def resolve_options(self, given: Mapping[str, OptionValue], seats: int) -> dict[str, OptionValue]:
        """The options with defaults for those left out. A table that is the default stays out (see options.py).

        Raises ConfigError that names the option.
        """
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                raise ConfigError(f"options.{name}: {self.name} has no such option; {nearest(name, known)}")
        resolved: dict[str, OptionValue] = {}
        for name, option in known.items():
            value = given.get(name, option.default)
            try:
                resolved[name] = option.decode(option.encode(value))
            except RowError as error:
                raise ConfigError(f"options.{name}: {error}") from None
            except ValueError as error:
                raise ConfigError(f"options.{name}: {error}, not {value!r}") from None
            if isinstance(option, DataTable) and resolved[name] == option.default:
                del resolved[name]
        return cast("dict[str, OptionValue]", self.rules.resolve_options(resolved, seats, given))

    def read_options(self, given: Mapping[str, OptionValue], seats: int, folders: Sequence[Path]) -> dict[str, OptionValue]:
        """`resolve_options` for what a person wrote: a table may be the path of a file, relative to one of `folders`."""
        values, ends = read_tables(self.options, given, folders)
        try:
            return self.resolve_options(values, seats)
        except ConfigError as error:
            for name, end in ends.items():
                key, _, problem = str(error).partition(": ")
                if key == f"options.{name}":
                    raise ConfigError(f"{key}: {end}: {problem}") from None
            raise

    def options_of(self, position: Document) -> dict[str, OptionValue]:
        """The resolved options of a position: its tables stand in it as keys of their own (docs/notation.md, "Positions")."""
        tables = [option.name for option in self.options if isinstance(option, DataTable) and option.name in position]
        return {**position["options"], **{name: position[name] for name in tables}}

    def option_warnings(self, seats: int, resolved: Mapping[str, OptionValue]) -> list[str]:
        """Warnings about options that are allowed but hardly meant; empty unless the rules have `option_warnings`."""
        warnings = getattr(self.rules, "option_warnings", None)
        return [] if warnings is None else cast("list[str]", warnings(seats, resolved))

    def options_vector(self, resolved: Mapping[str, OptionValue]) -> Words:
        """Resolved options as the whole numbers that `deal` takes."""
        key = msgspec.json.encode(resolved)
        if key not in self._vectors:
            codes = [code for option in self.options for code in option.encode(resolved.get(option.name, option.default))]
            self._vectors[key] = np.array(codes, np.int64)
        return self._vectors[key].copy()

    def units(self, seats: int, resolved: Mapping[str, OptionValue]) -> tuple[int, ...]:
        """The unit (team) of each seat: what is rated together; the seat itself where there are no teams."""
        return cast("tuple[int, ...]", self.rules.units(seats, resolved))

    def ms_per_tick(self, resolved: Mapping[str, OptionValue]) -> int | None:
        """CPU milliseconds of thinking that delay a choice by one tick; None where time has no part in the game.

        Only a game with such an option offers `ms_per_tick(resolved)`, and then `delayed(action, ticks)` (see `timed`).
        """
        measure = getattr(self.rules, "ms_per_tick", None)
        return cast("int | None", measure(resolved)) if measure else None

    def timed(self, action: int, ticks: int) -> int:
        """An action with the ticks that it took to think of, as `step` takes it; the action itself where they are 0."""
        return cast(int, self.rules.delayed(action, ticks)) if ticks else action

    def timed_log(self, actions: Sequence[int], delays: Sequence[int]) -> list[int]:
        """The actions of a log as `step` takes them. `delays`: the ticks of each where they were measured, else empty."""
        return [self.timed(action, ticks) for action, ticks in zip(actions, delays, strict=True)] if delays else list(actions)

    def deal(self, seats: int, resolved: Mapping[str, OptionValue], seed: int) -> States:
        """The first position of a match. `resolved`: from `resolve_options`; `seed`: 128 bits."""
        states = self.new_states()
        self.engine.deal(states, seats, self.options_vector(resolved), seed_words(seed))
        return states

    def open(self, document: Document, keys: Collection[str]) -> tuple[PositionReader, States]:
        """A reader of a position, and a first deal with its seats, options and seed: `from_position` writes the rest into it.

        `keys`: what the game's positions hold beside the common keys. Raises PositionError that names the key.
        """
        tables = {option.name for option in self.options if isinstance(option, DataTable)}
        reader = PositionReader(document, self.name, {*keys, *tables})
        seats = reader.whole("seats", self.seats[0], self.seats[-1], default=self.seats[0] if len(self.seats) == 1 else None)
        options = dict(reader.mapping("options"))
        for name in tables:
            if name in options:
                raise PositionError(f"options.{name}: in a position the {name} is a key of its own")
            if not reader.is_empty(name):
                options[name] = reader.listing(name)
        try:
            self.check_seats(seats)
            resolved = self.resolve_options(options, seats)
        except ConfigError as error:
            option = str(error).removeprefix("options.")
            raise PositionError(option if option.partition(":")[0] in tables else str(error)) from None
        return reader, self.deal(seats, resolved, reader.seed())

    def action_text(self, states: States, action: int) -> str:
        """The text of one action of the seat to choose."""
        return self.text.action_texts(states[0], [action])[0]

    def legal_list(self, states: States) -> list[int]:
        """The legal action codes in canonical order."""
        out = self.new_actions()
        return [int(code) for code in out[: self.engine.legal_actions(states, out)]]

    def observed(self, states: States, seat: int) -> States:
        """What `seat` knows, as a state."""
        out = self.new_states()
        self.engine.observe(states, seat, out)
        return out

    def final(self, states: States, seats: int) -> tuple[list[float], list[int]]:
        """The scores and places of a finished match, by seat."""
        numbers, ranks = np.zeros(seats), np.zeros(seats, np.int64)
        self.engine.scores(states, numbers)
        self.engine.places(states, ranks)
        return [float(number) for number in numbers], [int(rank) for rank in ranks]
