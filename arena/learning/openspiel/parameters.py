"""Seats, options and chance as the parameters of an OpenSpiel game, such as `arena_naga(series=first_to:3,deals=4)`.

OpenSpiel reads `5` as a number, `True` as a flag and all else as text, and takes a parameter with one type only. An option that
is a flag or a number has that type. Any other is text: write a number with quotation marks, `threshold="7"`, and give a list as
JSON in a mapping: `pyspiel.load_game("arena_nertz", {"latency": "declared", "delays": "[1, 2]"})`.
"""

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from arena import foreign_files
from arena.engine.option_table import DataTable
from arena.engine.options import Option, OptionValue
from arena.engine.room import Document, Game
from arena.errors import ConfigError
from arena.learning.openspiel.deals import ALL
from arena.learning.openspiel.setups import PLACES
from arena.learning.parts import unmeasured
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


def read(game: Game, given: Mapping[str, Value]) -> Parameters:
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


def written(game: Game, given: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters that differ from their defaults, so that OpenSpiel's text of the game can be read again."""
    defaults = specification(game)
    found: dict[str, Value] = {}
    for name, value in given.items():
        if value != defaults[name]:
            found[name] = _written_text(value) if isinstance(value, str) else value
    return found


def given(game: Game, seats: int, options: Mapping[str, OptionValue]) -> dict[str, Value]:
    """The parameters of a table. `options`: as a config has them."""
    found: dict[str, Value] = {PLAYERS: seats}
    defaults = specification(game)
    for name, value in options.items():
        plain = isinstance(value, bool | int) and type(value) is type(defaults[name])
        found[name] = value if plain else value if isinstance(value, str) else json.dumps(value)  # type: ignore[assignment]
    return found


def packed(text: str) -> str:
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
        return packed(text)
    return text if _stays_text(text) else f'"{text}"'


def _stays_text(text: str) -> bool:
    """Whether OpenSpiel reads a text as one, and as no number or flag."""
    return text.startswith('"') or (text.lower() not in ("true", "false") and bool(text.strip("+-0123456789.")))


def _default(option: Option) -> Value:
    """The default of an option as a parameter of OpenSpiel; of its type are all values."""
    value = option.default
    values = getattr(option, "values", (value,))
    if isinstance(value, bool | int) and all(type(other) is type(value) for other in values):
        return value
    return "" if isinstance(value, list) else str(value)


def _option_value(option: Option, value: Value) -> OptionValue:
    """What an option was given, as a config has it."""
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
            text = foreign_files.text(path)
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
