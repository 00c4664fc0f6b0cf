"""What all positions of one OpenSpiel game have in common: seats, options, rewards, and its deals.

Seats, options and chance are the parameters of an OpenSpiel game, such as `arena_naga(series=first_to:3,deals=4)`.

OpenSpiel reads `5` as a number, `True` as a flag and all else as text, and takes a parameter with one type only. An option that
is a flag or a number has that type. Any other is text: write a number with quotation marks, `threshold="7"`, and give a list as
JSON in a mapping: `pyspiel.load_game("arena_nertz", {"latency": "declared", "delays": "[1, 2]"})`.

Where chance is explicit, the deals are a few fixed ones, or all that there are.
"""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeAlias, cast

import msgspec
import numpy as np

from arena import games, userfiles
from arena.engine.contract import Actions, States
from arena.engine.encoding import Encoding
from arena.engine.game import Document, Game
from arena.engine.options import DataTable, Option, OptionValue
from arena.engine.rng import Words, derive, seed_words
from arena.errors import ConfigError
from arena.learning.parts import unmeasured
from arena.records import canonical_json
from arena.userfiles import existing_path

Value: TypeAlias = bool | int | str
PLAYERS, DEALS, RNG_SEED, POSITION, REWARD = "players", "deals", "rng_seed", "position", "reward"
ANY_SEED = -1
_SPECIAL = set("(),=\n")  # what a text inside OpenSpiel's own notation may not contain
_PACKED = "packed:"


@dataclass(frozen=True)
class Parameters:
    """The parameters of one game, read."""

    seats: int
    options: dict[str, OptionValue]
    """The rule options that were given, with the others at their defaults."""
    deals: int
    """0: drawn anew each time, ALL: all that there are, else how many."""
    rng_seed: int
    """Which deals; ANY_SEED: different ones each time, or where their number is given always the same."""
    position: Document | None
    """The position in which the game begins; None: it begins with a deal."""
    reward: str

    @property
    def is_explicit(self) -> bool:
        """Whether the chances of all deals are known."""
        return self.deals != 0 or self.position is not None


def specification(game: Game) -> dict[str, Value]:
    """All parameters of a game with their defaults, as OpenSpiel wants them registered. Raises ConfigError for a clash."""
    own: dict[str, Value] = {PLAYERS: game.seats[0], DEALS: 0, RNG_SEED: ANY_SEED, POSITION: "", REWARD: PLACES}
    clash = [option.name for option in game.options if option.name in own]
    if clash:
        raise ConfigError(f"game: {game.name}: OpenSpiel needs the name of the option {clash[0]} for a parameter of its own")
    return own | {option.name: _default(option) for option in game.options}


def read_parameters(game: Game, given: Mapping[str, Value]) -> Parameters:
    """The parameters of a game from what OpenSpiel gives, defaults included. Raises ConfigError, which names the parameter."""
    words = {name: value for name, value in given.items() if name in specification(game)}
    deals, seats = words.get(DEALS, 0), words.get(PLAYERS, game.seats[0])
    if not isinstance(deals, int) or deals < ALL:
        raise ConfigError(f"{DEALS}: 0 (drawn anew), {ALL} (all) or a number of deals is needed, not {deals!r}")
    position = _position(_unpacked(str(words.get(POSITION, ""))))
    options: dict[str, OptionValue] = {}
    if position is not None:
        seats, options = _place_of(game, position)
    for option in game.options:
        value = words.get(option.name, _default(option))
        if value != _default(option):
            options[option.name] = _option_value(option, value)
    resolved = game.read_options(options, int(seats), (Path(),))
    unmeasured(game, resolved)
    return Parameters(
        int(seats), resolved, deals, int(words.get(RNG_SEED, ANY_SEED)), position,
        str(words.get(REWARD, PLACES)),
    )  # fmt: skip


def changed_parameters(game: Game, given: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters that differ from their defaults, so that OpenSpiel's text of the game can be read again."""
    defaults = specification(game)
    found: dict[str, Value] = {}
    for name, value in given.items():
        if value != defaults[name]:
            found[name] = _written_text(value) if isinstance(value, str) else value
    return found


def parameters_of(game: Game, seats: int, options: Mapping[str, OptionValue]) -> dict[str, Value]:
    """The parameters of a table. `options`: as a config has them."""
    found: dict[str, Value] = {PLAYERS: seats}
    defaults = specification(game)
    for name, value in options.items():
        plain = isinstance(value, bool | int) and type(value) is type(defaults[name])
        found[name] = value if plain else value if isinstance(value, str) else json.dumps(value)  # type: ignore[assignment]
    return found


def packed_text(text: str) -> str:
    """A text of any signs as one that may stand in OpenSpiel's text of a game."""
    return _PACKED + base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def _unpacked(text: str) -> str:
    if not text.startswith(_PACKED):
        return text
    data = text.removeprefix(_PACKED)
    try:
        return zlib.decompress(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))).decode()
    except (ValueError, zlib.error) as error:
        raise ConfigError(f"{text[:40]}: {error}") from None


def _written_text(text: str) -> str:
    if _SPECIAL & set(text):
        return packed_text(text)
    return text if _stays_text(text) else f'"{text}"'


def _stays_text(text: str) -> bool:
    """Return whether OpenSpiel reads a text as one, and as no number or flag."""
    return text.startswith('"') or (text.lower() not in ("true", "false") and bool(text.strip("+-0123456789.")))


def _default(option: Option) -> Value:
    """The default of an option as a parameter of OpenSpiel; of its type are all values."""
    value = option.default
    values = getattr(option, "values", (value,))
    if isinstance(value, bool | int) and all(type(other) is type(value) for other in values):
        return value
    return "" if isinstance(value, list) else str(value)


def _option_value(option: Option, value: Value) -> OptionValue:
    """Return what an option was given, as a config has it."""
    if not isinstance(value, str):
        return value
    text = _unpacked(value)
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    if isinstance(option, DataTable) and not text.startswith("["):
        return text  # the path of a file
    try:
        read: Any = json.loads(text)
    except ValueError:
        return text
    return read if isinstance(read, bool | int | list) else text


def _position(text: str) -> Document | None:
    """A position from its JSON, or from the path of a file that holds it."""
    if not text:
        return None
    if not text.startswith("{"):
        path = existing_path(text, (Path(),), f"{POSITION}: no such file")
        try:
            text = userfiles.read_text(path)
        except OSError as error:
            raise ConfigError(f"{POSITION}: {path}: cannot be read: {error.strerror}") from None
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise ConfigError(f"{POSITION}: {error}") from None


def _place_of(game: Game, position: Document) -> tuple[int, dict[str, OptionValue]]:
    """Seats and options of a position."""
    if not isinstance(position.get("seats"), int):
        raise ConfigError(f"{POSITION}: the key seats is needed")
    return position["seats"], game.options_of({"options": {}, **position})


PLACES, SCORE = "places", "score"
REWARDS = (PLACES, SCORE)


@dataclass(frozen=True, eq=False)
class Setup:
    """The game of a table. Two setups of the same things are the same object, also after pickling."""

    game: Game
    seats: int
    options: Mapping[str, OptionValue]
    """The resolved options."""
    reward: str
    """What a finished match brings: PLACES, or SCORE, which is what the game's `evaluate` says, less the table's mean."""

    def __reduce__(self) -> tuple[Callable[..., "Setup"], tuple[Any, ...]]:
        return _setup, (self.game.name, self.seats, canonical_json(self.options), self.reward)

    @cached_property
    def vector(self) -> Words:
        """The options as `deal` takes them."""
        return self.game.options_vector(self.options)

    @cached_property
    def encoding(self) -> Encoding:
        """What tensors hold."""
        return self.game.encoding

    @cached_property
    def action_count(self) -> int:
        """How many different actions OpenSpiel knows: the game's codes if they are few, else places in the legal list."""
        codes = self.encoding.codes
        return int(self.game.rules.MAX_ACTIONS) if codes is None else len(codes)

    @cached_property
    def place_of_code(self) -> Mapping[int, int] | None:
        """The action that stands for each code; None where an action is a place in the legal list."""
        codes = self.encoding.codes
        return None if codes is None else {code: place for place, code in enumerate(codes)}

    @cached_property
    def scratch(self) -> Actions:
        """A buffer for a legal list that is read at once."""
        return self.game.new_actions()

    def deal(self, seed: int) -> States:
        """The first position of a match. `seed`: 128 bits."""
        return self.game.deal(self.seats, self.options, seed)

    def returns(self, states: States) -> list[float]:
        """Return what each seat gets for a finished match; together nothing."""
        if self.reward == PLACES:
            _, places = self.game.final(states, self.seats)
            return place_rewards(places, self.game.units(self.seats, self.options))
        worth = np.zeros(max(self.game.seats))
        self.game.rollout.evaluate(states[0], self.game.constants, worth)
        own = worth[: self.seats]
        return cast("list[float]", (own - own.mean()).tolist())


def setup_of(game: str, seats: int, options: Mapping[str, OptionValue], reward: str = PLACES) -> Setup:
    """The setup of a table. `options`: those that differ from the defaults. Raises ConfigError."""
    loaded = games.load(game)
    loaded.check_seats(seats)
    if reward not in REWARDS:
        raise ConfigError(f'reward: one of {", ".join(REWARDS)} is needed, not "{reward}"')
    return _setup(game, seats, canonical_json(loaded.resolve_options(options, seats)), reward)


@cache
def _setup(game: str, seats: int, options: str, reward: str) -> Setup:
    return Setup(games.load(game), seats, msgspec.json.decode(options), reward)


def place_rewards(places: list[int], units: tuple[int, ...]) -> list[float]:
    """The share of its rivals that each seat finished before, less the share that finished before it: from 1 to -1.

    >>> place_rewards([1, 2, 2, 4], (0, 1, 2, 3))
    [1.0, 0.0, 0.0, -1.0]
    """
    rivals = [[other for other, unit in enumerate(units) if unit != own] for own in units]
    return [
        float(np.mean([np.sign(places[other] - places[seat]) for other in others])) + 0.0 for seat, others in enumerate(rivals)
    ]


ALL = -1
"""The value of the parameter `deals` that asks for every deal that there is."""
MOST_DEALS = 2_000
OFTEN = 16  # times that each deal has come up when none is missing: by chance that is one in e^16 for each deal
_SEED = "seed"  # the field of a record with the deal's secret: what cards come in later rounds


def numbered_deal(setup: Setup, key: bytes, number: int) -> States:
    """One of endlessly many first positions."""
    return setup.deal(derive(key, "openspiel", number))


def fixed_deals(setup: Setup, key: bytes, count: int) -> list[States]:
    """The first positions of `count` matches, or all possible ones for ALL. Raises ConfigError for too many."""
    if count != ALL:
        return [numbered_deal(setup, key, number) for number in range(count)]
    numbers = iter(range(1 << 62))
    return _all(setup, lambda: numbered_deal(setup, key, next(numbers)), key)


def possible_deals(setup: Setup, states: States, key: bytes, count: int) -> list[States]:
    """Positions that all seats together cannot tell from `states`: up to `count` different ones, or all for ALL.

    They are drawn by giving each seat in turn another world that it thinks possible, so that all of them are equally likely
    where `determinize` draws worlds evenly. Raises ConfigError for too many.
    """
    now = states.copy()
    rng = seed_words(derive(key, "openspiel", "worlds"))
    seat = 0

    def draw() -> States:
        nonlocal now, seat
        for _ in range(setup.seats):
            now = setup.game.observed(now, seat)
            setup.game.engine.determinize(now, seat, rng)
            seat = (seat + 1) % setup.seats
        return now.copy()

    if count == ALL:
        return _all(setup, draw, key)
    found = {_without_seed(states): states}
    tries = 0
    while len(found) < count and tries < OFTEN * (len(found) + 1):
        world = draw()
        tries = 0 if found.setdefault(_without_seed(world), world) is world else tries + 1
    return list(found.values())


def _all(setup: Setup, draw: Callable[[], States], key: bytes) -> list[States]:
    """All that is ever drawn, in an order that depends on nothing else; later rounds are dealt from seeds of their own."""
    times: Counter[bytes] = Counter()
    while not times or min(times.values()) < OFTEN:
        for _ in range(max(1, len(times))):
            times[_without_seed(draw())] += 1
        if len(times) > MOST_DEALS:
            raise ConfigError(f"deals: there are more than {MOST_DEALS:,} of them; name how many are to be drawn")
    return [_with_seed(setup, data, derive(key, "openspiel", "later", number)) for number, data in enumerate(sorted(times))]


def _without_seed(states: States) -> bytes:
    bare = states.copy()
    if _SEED in (bare.dtype.names or ()):
        bare[_SEED] = 0
    return bare.tobytes()


def _with_seed(setup: Setup, data: bytes, seed: int) -> States:
    states = setup.game.from_bytes(data)
    if _SEED in (states.dtype.names or ()):
        states[_SEED] = seed_words(seed)
    return states
