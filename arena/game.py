"""The contract of a game room, bound to its state type; how rooms are found.

A room is a folder under games/ with rules.py, text.py, view.py, RULES.md, vectors.jsonl and playthrough.txt. Its rules are
compiled functions over one numpy record (`STATE`), the same for all options and seat counts. Generic code calls the functions
below as `legal_actions(s, out)`; numba replaces each by the function of that name in the room of the state's type.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from arena import jit
from arena.errors import ConfigError, nearest
from arena.options import Option, OptionValue
from arena.rng import Words, below, seed_words

State: TypeAlias = Any
"""One record of a room's STATE: fields read like attributes. Inside rooms it is typed by the room's own protocol."""
States: TypeAlias = NDArray[np.void]
"""A writable array of one record: how states are held in Python, and how they cross into compiled code fast."""
Actions: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.float64]
Document: TypeAlias = dict[str, Any]
"""A position as a JSON object (notation.md, "Positions")."""

_ROOMS: dict[Any, Any] = {}  # record type -> rules module; filled by `load`
_FOLDER = Path(__file__).parent / "games"


def _rules(s: State) -> Any:
    return _ROOMS[s.dtype]


def deal(s: State, seats: int, options: Words, seed: Words) -> None:
    """Overwrite all of `s` with the first deal of a match. `options`: the vector of `Game.options_vector`; `seed`: 4 words."""
    _rules(s).deal(s, seats, options, seed)


def legal_actions(s: State, out: Actions) -> int:
    """Write the legal action codes in ascending order, return how many: at least 1 until the round is over."""
    return cast(int, _rules(s).legal_actions(s, out))


def step(s: State, action: int) -> None:
    """Play a legal action in place (legality is the caller's business). Halts where a round is over."""
    _rules(s).step(s, action)


def next_round(s: State) -> None:
    """Deal the next round; only where `is_round_over` and not `is_terminal`."""
    _rules(s).next_round(s)


def current_seat(s: State) -> int:
    """The seat to choose."""
    return cast(int, _rules(s).current_seat(s))


def num_seats(s: State) -> int:
    """How many seats play."""
    return cast(int, _rules(s).num_seats(s))


def is_simultaneous(s: State) -> bool:
    """Whether the current seat and the later seats choose together: no choice is shown before all are in."""
    return cast(bool, _rules(s).is_simultaneous(s))


def is_round_over(s: State) -> bool:
    """Whether the round is over; `next_round` or the end of the match follows."""
    return cast(bool, _rules(s).is_round_over(s))


def is_terminal(s: State) -> bool:
    """Whether the match is over (then the round is over too)."""
    return cast(bool, _rules(s).is_terminal(s))


def scores(s: State, out: Numbers) -> None:
    """Write each seat's score so far, as RULES.md counts it."""
    _rules(s).scores(s, out)


def places(s: State, out: Actions) -> None:
    """Write each seat's place at the end: 1 = best, ties share the better number (1, 2, 2, 4)."""
    _rules(s).places(s, out)


def has_one_loser(s: State) -> bool:
    """Whether the match names one loser and all others win (then only forfeiting seats lose, if there are any)."""
    return cast(bool, _rules(s).has_one_loser(s))


def observe(s: State, seat: int, out: State) -> None:
    """Write what `seat` knows: the state with all that it cannot know set to zero, unused array tails included."""
    _rules(s).observe(s, seat, out)


def determinize(s: State, seat: int, rng: Words) -> None:
    """Resample, in place, all that `seat` cannot know, the deal seed included, consistent with all that it has seen.

    Uses nothing but what `observe` shows: an observed state and the true one give the same result. `rng`: sfc32 words.
    """
    _rules(s).determinize(s, seat, rng)


def seen_action(s: State, action: int, viewer: int) -> int:
    """What `viewer` learns when `action` is played in `s`, as a code; 0 = nothing. Equal for all that looks equal."""
    return cast(int, _rules(s).seen_action(s, action, viewer))


for _function, _parameters in (
    (deal, "s, seats, options, seed"),
    (legal_actions, "s, out"),
    (step, "s, action"),
    (next_round, "s"),
    (current_seat, "s"),
    (num_seats, "s"),
    (is_simultaneous, "s"),
    (is_round_over, "s"),
    (is_terminal, "s"),
    (scores, "s, out"),
    (places, "s, out"),
    (has_one_loser, "s"),
    (observe, "s, seat, out"),
    (determinize, "s, seat, rng"),
    (seen_action, "s, action, viewer"),
):
    jit.stub(_function, _ROOMS, _parameters)


class TextModule(Protocol):
    """What a room's text.py offers: the room's notation, both ways (plain Python, never on a hot path).

    A room with a comparator of its own may also offer `compare(case)`, which gives the `winner` of a case of
    `arena verify` that names no position (notation.md, "Traces").
    """

    def action_texts(self, s: State, actions: Sequence[int]) -> list[str]:
        """Actions of the seat to choose; needs only what that seat knows."""
        ...

    def parse_action(self, s: State, text: str) -> int:
        """The inverse for one action; raises PositionError for a text that is no action at all."""
        ...

    def event_texts(self, s: State, seen: int) -> list[tuple[int, str]]:
        """A code of `seen_action` as (seat, text) pairs; `s` is the state in which the action was played."""
        ...

    def to_position(self, s: State) -> Document:
        """Everything, hidden cards too."""
        ...

    def from_position(self, document: Document) -> States:
        """The inverse of `to_position`; raises PositionError that names the key."""
        ...

    def masked_position(self, s: State, seat: int) -> Document:
        """What `seat` knows, `?` for a hidden card; from the observed state alone."""
        ...

    def describe(self, s: State, seat: int | None) -> str:
        """The position as a few lines for people: as `seat` sees it, or with everything for None."""
        ...


@dataclass(frozen=True)
class Engine:
    """A room's compiled entries for Python callers: every state is a `States` array, see `Game.new_states`."""

    deal: Callable[[States, int, Words, Words], None]
    legal_actions: Callable[[States, Actions], int]
    step: Callable[[States, int], None]
    advance: Callable[[States, int], None]
    current_seat: Callable[[States], int]
    is_simultaneous: Callable[[States], bool]
    is_round_over: Callable[[States], bool]
    is_terminal: Callable[[States], bool]
    scores: Callable[[States, Numbers], None]
    places: Callable[[States, Actions], None]
    has_one_loser: Callable[[States], bool]
    observe: Callable[[States, int, States], None]
    determinize: Callable[[States, int, Words], None]
    seen_action: Callable[[States, int, int], int]
    play_random: Callable[[States, Words, Actions, int], int]
    play_many: Callable[[States, int, Words, int, int, Words, Actions], int]


@dataclass(frozen=True)
class Game:
    """A loaded room."""

    name: str
    rules: Any
    """The module games/<name>/rules.py."""
    text: TextModule
    view: type[Any]
    """The typed view that bots of this game see."""
    warm_view: Callable[[Any], None]
    """Calls every compiled function that a view uses."""
    engine: Engine

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
    def folder(self) -> Path:
        """The room's folder: RULES.md, vectors.jsonl, playthrough.txt."""
        return _FOLDER / self.name

    def new_states(self) -> States:
        """A zeroed state."""
        return np.zeros(1, self.rules.STATE)

    def new_actions(self) -> Actions:
        """A buffer that holds any legal list."""
        return np.zeros(self.rules.MAX_ACTIONS, np.int64)

    def from_bytes(self, data: bytes) -> States:
        """A state from its bytes, writable (a read-only array would be another type for compiled code)."""
        return np.frombuffer(bytearray(data), self.rules.STATE)

    def check_seats(self, seats: int) -> None:
        """Raise ConfigError for a number of seats that the rules do not have."""
        if seats not in self.seats:
            allowed = ", ".join(str(count) for count in self.seats)
            raise ConfigError(f"seats: {self.name} is played by {allowed} seats, not {seats}")

    def resolve_options(self, given: Mapping[str, OptionValue], seats: int) -> dict[str, OptionValue]:
        """All options, those left out with their defaults; raises ConfigError that names the option."""
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                raise ConfigError(f"options.{name}: {self.name} has no such option; {nearest(name, known)}")
        resolved: dict[str, OptionValue] = {}
        for name, option in known.items():
            value = given.get(name, option.default)
            try:
                resolved[name] = option.decode(option.encode(value))
            except ValueError as error:
                raise ConfigError(f"options.{name}: {error}, not {value!r}") from None
        return cast("dict[str, OptionValue]", self.rules.resolve_options(resolved, seats, given))

    def options_vector(self, resolved: Mapping[str, OptionValue]) -> Words:
        """Resolved options as the whole numbers that `deal` takes."""
        return np.array([code for option in self.options for code in option.encode(resolved[option.name])], np.int64)

    def units(self, seats: int, resolved: Mapping[str, OptionValue]) -> tuple[int, ...]:
        """The unit (team) of each seat: what is rated together; the seat itself where there are no teams."""
        return cast("tuple[int, ...]", self.rules.units(seats, resolved))

    def deal(self, seats: int, resolved: Mapping[str, OptionValue], seed: int) -> States:
        """The first position of a match. `resolved`: from `resolve_options`; `seed`: 128 bits."""
        states = self.new_states()
        self.engine.deal(states, seats, self.options_vector(resolved), seed_words(seed))
        return states

    def action_text(self, states: States, action: int) -> str:
        """One action of the seat to choose."""
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
        """Scores and places."""
        numbers, ranks = np.zeros(seats), np.zeros(seats, np.int64)
        self.engine.scores(states, numbers)
        self.engine.places(states, ranks)
        return [float(number) for number in numbers], [int(rank) for rank in ranks]


def names() -> list[str]:
    """The games of this hall: the folders under games/ that hold rules."""
    return sorted(path.parent.name for path in _FOLDER.glob("*/rules.py"))


@cache
def load(name: str) -> Game:
    """The room of a game; raises ConfigError for an unknown name."""
    if name not in names():
        raise ConfigError(f'game: no game "{name}"; {nearest(name, names())}')
    rules, text, view = (import_module(f"arena.games.{name}.{part}") for part in ("rules", "text", "view"))
    _ROOMS[jit.record_type(rules.STATE)] = rules
    entries = {entry.__name__.removeprefix("_entry_"): jit.bind(entry, name) for entry in _ENTRIES}
    return Game(name, rules, cast(TextModule, text), view.VIEW, view.warm, Engine(**cast("dict[str, Any]", entries)))


def warm(game: Game) -> None:
    """Call every entry of a room, and what views and texts call, once: compiled where the cache lacks it."""
    seats = game.seats[0]
    options = game.options_vector(game.resolve_options({}, seats))
    rng, out, numbers = seed_words(1), game.new_actions(), np.zeros(max(game.seats))
    states, seen = game.deal(seats, game.resolve_options({}, seats), 1), game.new_states()
    engine = game.engine
    seat = engine.current_seat(states)
    engine.is_simultaneous(states)
    engine.observe(states, seat, seen)
    engine.determinize(seen, seat, rng)
    view = game.view(game, seen, seat, codes=game.legal_list(seen), events=list, clock=None)
    game.warm_view(view)
    game.text.describe(states[0], None)
    _ = (str(view), view.position)
    engine.seen_action(states, game.legal_list(states)[0], seat)
    engine.step(states, game.legal_list(states)[0])
    engine.advance(states, game.legal_list(states)[0])
    engine.play_random(states, rng, out, 1 << 20)
    engine.is_round_over(states)
    engine.is_terminal(states)
    engine.has_one_loser(states)
    engine.scores(states, numbers)
    engine.places(states, np.zeros(max(game.seats), np.int64))
    engine.play_many(states, seats, options, 1, 1, rng, out)


def compiled_entries(game: Game) -> Sequence[Callable[..., Any]]:
    """The dispatchers of a room's entries."""
    return [getattr(game.engine, name) for name in Engine.__dataclass_fields__]


def _entry_deal(states: States, seats: int, options: Words, seed: Words) -> None:
    deal(states[0], seats, options, seed)


def _entry_legal_actions(states: States, out: Actions) -> int:
    return legal_actions(states[0], out)


def _entry_step(states: States, action: int) -> None:
    step(states[0], action)


def _entry_advance(states: States, action: int) -> None:
    """The notation's `apply`: the action, then the next deal where it ended a round."""
    s = states[0]
    step(s, action)
    if is_round_over(s) and not is_terminal(s):
        next_round(s)


def _entry_current_seat(states: States) -> int:
    return current_seat(states[0])


def _entry_is_simultaneous(states: States) -> bool:
    return is_simultaneous(states[0])


def _entry_is_round_over(states: States) -> bool:
    return is_round_over(states[0])


def _entry_is_terminal(states: States) -> bool:
    return is_terminal(states[0])


def _entry_scores(states: States, out: Numbers) -> None:
    scores(states[0], out)


def _entry_places(states: States, out: Actions) -> None:
    places(states[0], out)


def _entry_has_one_loser(states: States) -> bool:
    return has_one_loser(states[0])


def _entry_observe(states: States, seat: int, out: States) -> None:
    observe(states[0], seat, out[0])


def _entry_determinize(states: States, seat: int, rng: Words) -> None:
    determinize(states[0], seat, rng)


def _entry_seen_action(states: States, action: int, viewer: int) -> int:
    return seen_action(states[0], action, viewer)


def _entry_play_random(states: States, rng: Words, out: Actions, limit: int) -> int:
    """Play uniformly random legal actions to the end of the match, at most `limit`; returns how many."""
    return _random_match(states[0], rng, out, limit)


def _entry_play_many(states: States, seats: int, options: Words, first: int, matches: int, rng: Words, out: Actions) -> int:
    """Deal and play `matches` random matches with the seeds `first`, `first` + 1, ...; returns the decisions."""
    s = states[0]
    seed = np.zeros(4, np.int64)
    decisions = 0
    for match in range(matches):
        seed[3] = first + match
        deal(s, seats, options, seed)
        decisions += _random_match(s, rng, out, 1 << 40)
    return decisions


@jit.generic
def _random_match(s: State, rng: Words, out: Actions, limit: int) -> int:
    decisions = 0
    while not is_terminal(s) and decisions < limit:
        if is_round_over(s):
            next_round(s)
        count = legal_actions(s, out)
        step(s, out[below(rng, count)])
        decisions += 1
    return decisions


_ENTRIES: tuple[Callable[..., Any], ...] = (
    _entry_deal,
    _entry_legal_actions,
    _entry_step,
    _entry_advance,
    _entry_current_seat,
    _entry_is_simultaneous,
    _entry_is_round_over,
    _entry_is_terminal,
    _entry_scores,
    _entry_places,
    _entry_has_one_loser,
    _entry_observe,
    _entry_determinize,
    _entry_seen_action,
    _entry_play_random,
    _entry_play_many,
)
