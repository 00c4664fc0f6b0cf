"""The file of a contest: `arena serve --contest class.yaml`. Read strictly; every mistake is named."""

import datetime
import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from arena.agent.submissions import PREFIX
from arena.engine.options import OptionValue
from arena.errors import BotError, ConfigError, StoreError, nearest
from arena.match.model_seat import MUST_BE_TRUSTED
from arena.results_folder import RESULTS
from arena.tournament.config import Bot, PlayConfig, Tournament, check_config
from arena.tournament.formats.ladder import of_contest
from arena.tournament.formats.ladder.state import Rules
from arena.userfiles import read_yaml, typed

LEG_MATCHES = 20_000
"""Matches after which a part of the ladder is over, whatever else happens: its key is published then."""
VERSION_DEALS = 80
"""Deals that a new version and the one before it play, unless it is clear earlier which is better."""
MARK_DEALS = 100
"""Deals that a bot plays at least where one plays that is a threshold of marks."""
OWNER_DIGITS = 12
MOST_WEIGHT = 1_000_000.0


class ContestGame(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game that the ladder plays."""

    game: str
    seats: int
    options: dict[str, OptionValue] = {}
    weight: float = 1.0
    """How many of the ladder's matches the game gets, beside the weights of the others."""
    label: str | None = None
    """The name of its rating pool; default: the game's name."""

    @property
    def pool(self) -> str:
        """The name of its rating pool."""
        return self.label or self.game


class Quotas(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much an author may send."""

    versions_a_day: int = 20
    """Submissions within any 24 hours; those that were void are not counted."""
    pending: int = 3
    """Submissions that may wait or be checked at a time."""
    bytes: int = 16_000_000
    """The most bytes of one submission, as it is sent."""
    cpu_seconds: int = 1800
    """CPU seconds an hour of the author's tables, matches and checks; then no new one begins until it is paid back."""


_NO_MODELS = "a language model cannot play in a contest, which goes on and on: each of its answers costs"


class ReferenceBot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of `reference_bots`. An entry that is only a text is the bot's path."""

    path: str
    """A file or folder, or `house:NAME`."""
    name: str | None = None
    params: dict[Any, Any] = {}
    trusted: bool = False
    games: list[str] | None = None


class _Game(ContestGame, frozen=True, kw_only=True, forbid_unknown_fields=True):
    options: dict[str, Any] = {}  # the game checks them, with better words


class LadderBounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key `ladder`: when a bot needs no more matches."""

    sigma: float | None = 1.0
    """No bot that has a sigma above this is settled; null if sigma does not matter."""
    separable: bool = True
    """Whether a bot is settled as well once it is separable from both its neighbours."""


class _File(PlayConfig, msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A contest's file as it is written."""

    name: str
    games: list[_Game]
    reference_bots: list[str | ReferenceBot] = []
    marks: dict[str, float] = {}
    freeze: Any = None
    quotas: Quotas = Quotas()
    ladder: LadderBounds = LadderBounds()
    deals: int = 4


class Contest(msgspec.Struct, frozen=True, kw_only=True):
    """A contest's file, checked."""

    name: str
    """The name of the ladder, and of its folder in the results."""
    games: tuple[ContestGame, ...]
    reference_bots: tuple[str, ...] = ()
    """Names of the bots of the organiser, which always play."""
    marks: dict[str, float] = {}
    """Reference bots as thresholds, and the mark of whoever is surely above them."""
    freeze: datetime.datetime | None = None
    """When the marks are frozen, with its time zone; None: by hand, or never."""
    quotas: Quotas = Quotas()
    base: Tournament
    """The ladder with the reference bots alone."""

    def tournament(self, bots: Sequence[Bot], owners: Mapping[str, str]) -> Tournament:
        """The ladder with these submitted bots beside the reference bots.

        `owners`: who owns each submitted bot, by its name; one without an owner is its own.
        """
        field = (*self.base.bots, *bots)
        reference = len(self.base.bots)
        weights = tuple(game.weight for game in self.games)
        named = tuple(
            "" if place < reference else _owner(owners.get(bot.name) or f"bot {bot.name}") for place, bot in enumerate(field)
        )
        rules = Rules(
            weights=weights, version_deals=VERSION_DEALS, thresholds=tuple(sorted(self.marks)), mark_deals=MARK_DEALS,
            own_deals=False,
        )  # fmt: skip
        return msgspec.structs.replace(self.base, bots=field, format=of_contest(self.base.format, named, rules))


def read_contest(path: Path, results: Path = RESULTS) -> Contest:
    """Read and check a contest's file. Raises ConfigError or BotError that names the file and the key."""
    return read_yaml(path, lambda document: check_contest(document, path.parent, results))


def check_contest(document: object, folder: Path, results: Path = RESULTS) -> Contest:
    """Check a contest given as plain data; paths in it are relative to `folder` or to the current folder."""
    if not isinstance(document, dict):
        raise ConfigError("a contest is a YAML mapping with name, games and reference_bots")
    file = typed(document, _File)
    for place, game in enumerate(file.games):
        if not 0 < game.weight <= MOST_WEIGHT:
            raise ConfigError(f"games[{place}].weight: a number above 0, at most {MOST_WEIGHT:,.0f}, not {game.weight}")
    for place, bot in enumerate(file.reference_bots):
        if (bot if isinstance(bot, str) else bot.path).startswith(PREFIX):
            raise ConfigError(f"reference_bots[{place}]: submitted bots take part anyway; name files, folders or house:NAME")
    for key in Quotas.__struct_fields__:
        if (number := getattr(file.quotas, key)) < 1:
            raise ConfigError(f"quotas.{key}: at least 1, not {number}")
    base = _base(file, document, folder, results)
    for place, one in enumerate(base.bots):
        if one.files.model is not None:
            raise ConfigError(f"reference_bots[{place}]: {one.name}: {_NO_MODELS}")
    reference = [bot.name for bot in base.bots]
    for name, mark in file.marks.items():
        if name not in reference:
            raise ConfigError(f'marks: no reference bot is called "{name}"; {nearest(name, reference)}')
        if not math.isfinite(mark):
            raise ConfigError(f"marks.{name}: a number is needed, not {mark}")
    games = tuple(
        ContestGame(game=game.game, seats=game.seats, options=entry.options, weight=game.weight, label=game.label)
        for game, entry in zip(file.games, base.entries)
    )
    return Contest(
        name=file.name, games=games, reference_bots=tuple(reference), marks=file.marks, freeze=_moment(file.freeze),
        quotas=file.quotas, base=base,
    )  # fmt: skip


def _base(file: _File, document: dict[Any, Any], folder: Path, results: Path) -> Tournament:
    """The ladder of the reference bots, checked as every config is."""
    games = [{key: value for key, value in game.items() if key != "weight"} for game in document["games"]]
    config = {
        "name": file.name, "format": "ladder", "games": games, "bots": document.get("reference_bots") or [],
        "deals": file.deals,
        "ladder": {**msgspec.to_builtins(file.ladder), "matches": LEG_MATCHES},
        **{key: document[key] for key in PlayConfig.__struct_fields__ if key in document},
    }  # fmt: skip
    if file.ratings.luck is None:  # boards and marks are made while a contest goes on, luck is worked out when it is over
        config["ratings"] = {**document.get("ratings", {}), "luck": False}
    try:
        return check_config(config, folder, results)
    except (ConfigError, BotError, StoreError) as error:
        told = str(error).replace(MUST_BE_TRUSTED, _NO_MODELS)  # nor where it is
        raise type(error)(re.sub(r"\bbots\[", "reference_bots[", told)) from None


def _owner(account: str) -> str:
    """Return how an owner is named in the ladder's files, which everybody may read: ids of accounts are secret."""
    return hashlib.sha256(account.encode()).hexdigest()[:OWNER_DIGITS]


def _moment(value: object) -> datetime.datetime | None:
    """The moment of freezing. Raises ConfigError for one that depends on where the machine stands."""
    right = "a date and a time with its zone is needed, such as 2027-02-01T18:00+09:00"
    if isinstance(value, str):
        try:
            value = datetime.datetime.fromisoformat(value)
        except ValueError:
            raise ConfigError(f"freeze: {right}, not {value!r}") from None
    if value is None:
        return None
    if not isinstance(value, datetime.datetime) or value.tzinfo is None:
        raise ConfigError(f"freeze: {right}, not {value}")
    return value.astimezone(datetime.UTC)
