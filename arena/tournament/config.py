"""Tournament configs: YAML files that are checked strictly. Every mistake is a message with its key and what would be right."""

import math
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import msgspec

from arena import games
from arena.agent import BotFiles, bot_name, read_bot
from arena.agent.kept_versions import KEPT
from arena.agent.loading import named_bot
from arena.agent.submissions import ALL, FOLDER, PREFIX, Submissions
from arena.engine.options import OptionValue
from arena.errors import SHOWN, BotError, ConfigError, StoreError, nearest, printable
from arena.match.faults import FORFEIT, SUBSTITUTE, FaultPolicy
from arena.match.model_seat import MUST_BE_TRUSTED
from arena.match.sandbox import LOCKED, NAMESPACE
from arena.names import NEW_NAME_RULE, may_be_given
from arena.ratings.models import model_of
from arena.ratings.settings import RatingSettings, check_names, checked_settings
from arena.records import DEFAULT_LIMITS, MOST_BYTES, MOST_DEALS, MOST_SECONDS, Clock, Limits
from arena.results.people import PEOPLE
from arena.results_folder import RESULTS
from arena.tournament.archive.folder import ARCHIVE
from arena.tournament.formats.format import DEFAULT, Asked, Format, formats
from arena.tournament.formats.format import keys as format_keys
from arena.tournament.formats.plan import ALL as ALL_ROTATIONS
from arena.tournament.formats.plan import ALL_UP_TO, CYCLIC, POOL_OF_MODELS, Entry
from arena.tournament.models import ModelConfig, ModelRun, checked_models, models_of
from arena.userfiles import existing_path, read_yaml, typed

DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(ms|s|m)")
SIZE = re.compile(r"([0-9]{1,12}) ?(MB|GB|MiB|GiB)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_BYTES = {"MB": 10**6, "GB": 10**9, "MiB": 1 << 20, "GiB": 1 << 30}
MOST_FAULTS = (1 << 31) - 1
LEAVE_OUT = "leave_out"
SERIES = {"chain": "compare", "tune": "tune"}
"""Keys of configs that are played as several tournaments (tournament/chain.py, tuning.py), and by which verb."""


class GameConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of `games`."""

    game: str
    seats: int
    options: dict[str, Any] = {}
    deals: int | None = None
    """How many deals this game has; default: the config's `deals`."""
    label: str | None = None
    """The name of the rating pool; default: the game's name."""


class BotConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of `bots`. An entry that is only a text is the bot's path."""

    path: str
    """A file or folder, `house:NAME` or `submitted:NAME`."""
    name: str | None = None
    params: dict[Any, Any] = {}
    trusted: bool = False
    games: list[str] | None = None


class ClockConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key `clock`: CPU times such as "1s" or "500ms"."""

    move: str = "1s"
    bank: str = "10s"
    start: str = "10s"


class PlayConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How matches are played and rated, in a config as in the file of a contest."""

    clock: ClockConfig = ClockConfig()
    isolation: str = LOCKED
    memory: str = f"{DEFAULT_LIMITS.memory // 1_000_000}MB"
    clean_caches: bool = DEFAULT_LIMITS.clean_caches
    faults: FaultPolicy = FaultPolicy()
    ratings: RatingSettings = RatingSettings()


class Config(PlayConfig, frozen=True, forbid_unknown_fields=True):
    """A config as it is written, without the keys that belong to its format."""

    name: str
    games: list[GameConfig]
    bots: list[str | BotConfig]
    seed: int | None = None
    format: str = DEFAULT
    deals: int = 8
    rotations: str = CYCLIC
    broken_bots: str = LEAVE_OUT
    llm: ModelConfig = ModelConfig()


class Bot(msgspec.Struct, frozen=True):
    """A bot of the config with its files."""

    name: str
    path: Path
    files: BotFiles
    params: dict[str, Any]
    trusted: bool
    games: tuple[str, ...] | None
    """The games that the config lets the bot play; None: all that it plays."""
    version: int = 1
    """The version of a submitted bot; 1 for any other bot."""


class Tournament(msgspec.Struct, frozen=True, kw_only=True):
    """A checked config. Everything is resolved but the games that the bots play, which only the bots know."""

    name: str
    seed: int | None
    entries: tuple[Entry, ...]
    bots: tuple[Bot, ...]
    rotations: str
    clock: Clock
    isolation: str = LOCKED
    """The weakest isolation level that the config allows for untrusted bots."""
    limits: Limits
    """What each locked bot may use."""
    faults: FaultPolicy
    broken_bots: str = LEAVE_OUT
    """What becomes of a submitted bot, or one that is not trusted, that cannot be loaded when the run begins: LEAVE_OUT, or
    FORFEIT: it loses its matches."""
    ratings: RatingSettings
    format: Format
    llm: ModelRun = ModelRun()
    """What is said of the language models among the bots."""


def read_config(path: Path, results: Path = RESULTS) -> Tournament:
    """Read and check a config file. Raises ConfigError or BotError that names the file and the key.

    `results`: the results folder, which also holds the submitted bots.
    """
    return read_yaml(path, lambda document: check_config(document, path.parent, results))


def check_config(document: object, folder: Path, results: Path = RESULTS) -> Tournament:
    """Check a config given as plain data; paths in it are relative to `folder` or to the current folder."""
    if not isinstance(document, dict):
        raise ConfigError("a config is a YAML mapping with name, games and bots")
    for key, verb in SERIES.items():
        if key in document or document.get("format") == key:
            raise ConfigError(f"{key}: several tournaments one after the other; `arena {verb} CONFIG` plays them")
    config = typed(document, _whole_config())
    check_tournament_name(config.name, "name")
    if config.format not in formats():
        raise ConfigError(f'format: "{config.format}" is not played by this version; possible: {", ".join(formats())}')
    if config.rotations not in (CYCLIC, ALL_ROTATIONS):
        raise ConfigError(f"rotations: {CYCLIC} or {ALL_ROTATIONS}, not {config.rotations!r}")
    if config.isolation not in (LOCKED, NAMESPACE):
        raise ConfigError(f"isolation: {LOCKED} or {NAMESPACE}, not {config.isolation!r}")
    if config.faults.policy not in (FORFEIT, SUBSTITUTE):
        raise ConfigError(f"faults.policy: {FORFEIT} or {SUBSTITUTE}, not {config.faults.policy!r}")
    for key, number in (("max_faults", config.faults.max_faults), ("retire_after", config.faults.retire_after)):
        if number < 1:
            raise ConfigError(f"faults.{key}: at least 1, not {number}")
        if number > MOST_FAULTS:
            raise ConfigError(f"faults.{key}: at most {MOST_FAULTS:,}, not {number}")
    if config.broken_bots not in (LEAVE_OUT, FORFEIT):
        raise ConfigError(f"broken_bots: {LEAVE_OUT} or {FORFEIT}, not {config.broken_bots!r}")
    clock = config.clock
    bots = _bots(config, folder, Submissions(results))
    entries = _entries(config, folder, POOL_OF_MODELS if models_of(bots) and not config.llm.mix else "")
    ratings = _ratings(config, entries, bots)
    return Tournament(
        name=config.name,
        seed=config.seed,
        entries=entries,
        bots=bots,
        format=_format(config, [bot.name for bot in bots], ratings),
        rotations=config.rotations,
        clock=Clock(
            move=_seconds(clock.move, "clock.move"),
            bank=_seconds(clock.bank, "clock.bank", may_be_zero=True),
            start=_seconds(clock.start, "clock.start"),
        ),
        isolation=config.isolation,
        limits=Limits(memory=_bytes(config.memory), clean_caches=config.clean_caches),
        faults=config.faults,
        broken_bots=config.broken_bots,
        ratings=ratings,
        llm=checked_models(config.llm, (folder, Path())),
    )


def _ratings(config: Config, entries: tuple[Entry, ...], bots: tuple[Bot, ...]) -> RatingSettings:
    """The rating parameters, if they name what the config has."""
    settings = checked_settings(config.ratings)
    games_of, pools = [entry.game for entry in entries], [entry.pool for entry in entries]
    check_names(settings, [bot.name for bot in bots], games_of, pools)
    if settings.luck is not None:
        return settings
    surely_helps = model_of(settings.headline_model).takes_luck_out and all(
        games.tells_luck_well(entry.game, entry.seats, entry.options) for entry in entries
    )
    return msgspec.structs.replace(settings, luck=surely_helps)


@cache
def _whole_config() -> type[Config]:
    """A config with the keys of all formats, so that a key that no format has is refused with the nearest one."""
    keys = [(key, kind | None, None) for key, kind in format_keys().items()]
    whole: type[Any] = msgspec.defstruct("WholeConfig", keys, bases=(Config,), frozen=True, forbid_unknown_fields=True)
    return whole


def _format(config: Config, bots: list[str], ratings: RatingSettings) -> Format:
    """The format with its settings; refuses those of other formats."""
    kind, settings = formats()[config.format], {}
    for key in format_keys():
        if getattr(config, key) is None:
            continue
        if key not in kind.KEYS:
            homes = [name for name, other in formats().items() if key in other.KEYS]
            raise ConfigError(f"{key}: a setting of format: {' and '.join(homes)}, not of {config.format}")
        settings[key] = getattr(config, key)
    own_deals = [place for place, game in enumerate(config.games) if game.deals is not None]
    games = [game.game for game in config.games]
    goes_by_it = ratings.takes_luck_out and config.ratings.luck is True  # a plan of before must not change by a default
    return kind.read(Asked(settings, bots, own_deals, ratings.headline_model, games, goes_by_it))


def _entries(config: Config, folder: Path, pools: str) -> tuple[Entry, ...]:
    """The entries of `games`. `pools`: what the name of each pool begins with."""
    if not config.games:
        raise ConfigError("games: at least one is needed")
    _check_count(config.deals, "deals")
    entries: list[Entry] = []
    for place, item in enumerate(config.games):
        key = f"games[{place}]"
        deals = config.deals if item.deals is None else item.deals
        _check_count(deals, f"{key}.deals")
        check_name(item.label or item.game, f"{key}.label" if item.label else f"{key}.game")
        try:
            game = games.load(item.game)
            game.check_seats(item.seats)
            given = cast("Mapping[str, OptionValue]", item.options)
            options = game.read_options(given, item.seats, (folder, Path()))
        except ConfigError as error:
            raise ConfigError(f"{key}.{error}") from None
        if config.rotations == ALL_ROTATIONS and item.seats > ALL_UP_TO:
            raise ConfigError(f"{key}.seats: rotations: all is for at most {ALL_UP_TO} seats, not {item.seats}")
        if item.label == "overall":
            raise ConfigError(f'{key}.label: "overall" is the name of the pool over all pools')
        entry = Entry(
            game=item.game, rules_version=game.version, seats=item.seats, options=options, deals=deals,
            pool=pools + (item.label or item.game),
        )  # fmt: skip
        for other, earlier in enumerate(entries):
            if (earlier.game, earlier.seats, earlier.options) == (entry.game, entry.seats, entry.options):
                raise ConfigError(f"{key}: the same game, seats and options as games[{other}]; raise its deals instead")
        entries.append(entry)
    return tuple(entries)


def _bots(config: Config, folder: Path, submissions: Submissions) -> tuple[Bot, ...]:
    bots: list[Bot] = []
    listed: dict[tuple[str, int], str] = {}  # the key of each, by its name and its version
    for place, item in enumerate(config.bots):
        key = f"bots[{place}]"
        entry = BotConfig(item) if isinstance(item, str) else item
        if entry.name is not None:
            check_name(entry.name, f"{key}.name")
        _check_plain(entry.params, f"{key}.params")
        for known in entry.games or ():
            if known not in games.names():
                raise ConfigError(f'{key}.games: no game "{known}"; {nearest(known, games.names())}')
        try:
            if entry.path.startswith(PREFIX):
                found = _submitted(entry, key, config, submissions)
            else:
                found = [_bot_of_path(entry, key, folder)]
        except (BotError, StoreError) as error:
            raise type(error)(f"{key}: {error}") from None
        for bot in found:
            check_name(bot.name, f"{key}.name")
            if bot.files.model is not None and not bot.trusted:
                raise ConfigError(f"{key}: {bot.name}: {MUST_BE_TRUSTED}")
            other = listed.setdefault((bot.name, bot.version), key)
            if len(listed) == len(bots):
                raise ConfigError(
                    f'{key}: {other} is called "{bot.name}" too; give one of them another name: {{path: ..., name: ...}}'
                )
            bots.append(bot)
    return tuple(bots)


def _bot_of_path(entry: BotConfig, key: str, folder: Path) -> Bot:
    path = existing_path(str(named_bot(entry.path)), (folder, Path()), f"{key}: no such bot")
    admitted = None if entry.games is None else tuple(entry.games)
    return Bot(
        bot_name(path) if entry.name is None else entry.name, path, read_bot(path), entry.params, entry.trusted, admitted
    )


def _submitted(entry: BotConfig, key: str, config: Config, submissions: Submissions) -> list[Bot]:
    """The submitted versions that an entry names; `submitted:all` names those that play here and have no entry of their own."""
    found = submissions.find(entry.path)
    if entry.path == PREFIX + ALL:
        if entry.name is not None:
            raise ConfigError(f"{key}.name: {PREFIX}{ALL} stands for many bots; each keeps its name")
        played = {item.game for item in config.games}
        others = [item if isinstance(item, str) else item.path for item in config.bots]
        named = [one for other in others if other.startswith(PREFIX) and other != entry.path for one in submissions.find(other)]
        found = [one for one in found if one not in named and (not one.games or played & set(one.games))]
    admitted = None if entry.games is None else tuple(entry.games)
    return [
        Bot(
            entry.name or one.name, Path(one.reference), submissions.files(one), entry.params, entry.trusted, admitted,
            one.version,
        )
        for one in found
    ]  # fmt: skip


def _check_plain(value: object, key: str) -> None:
    """Raise ConfigError for parameters that are not plain JSON: they are stored in rows and sent in messages."""
    if isinstance(value, dict):
        for name, item in value.items():
            if not isinstance(name, str):
                raise ConfigError(f"{key}: the key {name!r} must be a text")
            _check_plain(item, f"{key}.{name}")
    elif isinstance(value, list):
        for place, item in enumerate(value):
            _check_plain(item, f"{key}[{place}]")
    elif isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        raise ConfigError(f"{key}: a whole number of 64 bits is needed, not {value}")
    elif not (value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))):
        raise ConfigError(f"{key}: texts, numbers, true/false, lists and mappings are possible, not {value!r}")


def check_name(name: str, key: str) -> None:
    """Raise ConfigError for a name that cannot be a folder and a column everywhere."""
    if not may_be_given(name):
        raise ConfigError(f"{key}: a name is {NEW_NAME_RULE}, not {name!r}")


def check_tournament_name(name: str, key: str) -> None:
    """Raise ConfigError for a name that cannot be a tournament's."""
    check_name(name, key)
    if name == ARCHIVE:
        raise ConfigError(f"{key}: {ARCHIVE!r} is the name of the archive, which gathers all tournaments; choose another")
    if name == FOLDER:
        raise ConfigError(f"{key}: {FOLDER!r} is the folder of the submitted bots; choose another")
    if name == KEPT:
        raise ConfigError(f"{key}: {KEPT!r} is the folder of the versions that authors keep; choose another")
    if name == PEOPLE:
        raise ConfigError(f"{key}: {PEOPLE!r} is the folder of the matches that people play; choose another")


def _check_count(number: int, key: str) -> None:
    if number < 1:
        raise ConfigError(f"{key}: at least 1, not {number}")
    if number > MOST_DEALS:
        raise ConfigError(f"{key}: at most {MOST_DEALS:,}, not {number:,}")


def _seconds(text: str, key: str, *, may_be_zero: bool = False) -> float:
    found = DURATION.fullmatch(text)
    if not found or (float(found[1]) == 0 and not may_be_zero):
        raise ConfigError(f'{key}: a time such as "1s" or "500ms" is needed, not {printable(text, SHOWN)!r}')
    seconds = float(found[1]) * _SECONDS[found[2]]
    if seconds > MOST_SECONDS:
        raise ConfigError(f"{key}: at most {MOST_SECONDS:,.0f}s, not {text!r}")
    return seconds


def _bytes(text: str) -> int:
    found = SIZE.fullmatch(text)
    if not found or int(found[1]) == 0:
        raise ConfigError(f'memory: a size such as "512MB" is needed, not {printable(text, SHOWN)!r}')
    size = int(found[1]) * _BYTES[found[2]]
    if size > MOST_BYTES:
        raise ConfigError(f"memory: at most {MOST_BYTES >> 30:,}GiB, not {text!r}")
    return size
