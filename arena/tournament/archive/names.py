"""What bots and pools are called in the archive, where tournaments may use one name for different things.

Bots of one name and version whose files differ are entries of their own (`greedy@3f2a9c`). What has the same game, seats,
options and rules is rated together, whatever label a tournament gave it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from arena import games
from arena.errors import ConfigError
from arena.records import canonical_json, json_object
from arena.results.manifest import BotEntry
from arena.tournament.archive.folder import Entry
from arena.tournament.formats.plan import POOL_OF_MODELS

LEAST_DIGITS = 6  # of a bot's hash, in its name

BotIdentity = tuple[str, int, str, str]
"""Name, version, content hash and parameters (canonical JSON)."""


def bot_names(chosen: Iterable[Entry]) -> dict[BotIdentity, str]:
    """Return what each bot is called in the archive, by name, version, content hash and parameters.

    A bot keeps its name if all bots of that name and version are the same. Otherwise the first digits of its hash are added,
    and its parameters where the hash is not enough.
    """
    variants: dict[tuple[str, int], set[tuple[str, str]]] = {}
    for entry in chosen:
        for bot in entry.manifest.bots:
            variants.setdefault((bot.name, bot.version), set()).add((bot.sha256, bot.params))
    return {
        (name, version, sha256, params): _bot_name(name, sha256, params, known)
        for (name, version), known in variants.items()
        for sha256, params in known
    }


def archive_bots(chosen: Sequence[Entry]) -> tuple[BotEntry, ...]:
    """All bots of these tournaments, each once and under the archive's name, sorted."""
    names = bot_names(chosen)
    found: dict[tuple[str, int], BotEntry] = {}
    for entry in chosen:
        for bot in entry.manifest.bots:
            name = names[identity(bot)]
            known = found.get((name, bot.version), bot)
            played = tuple(sorted({*known.games, *bot.games}))
            found[name, bot.version] = msgspec.structs.replace(
                bot, name=name, games=played, retired=False, asks_outside=known.asks_outside or bot.asks_outside
            )
    return tuple(found[key] for key in sorted(found))


def called(name: str, bots: Iterable[str]) -> list[str]:
    """The bots that a name stands for: the bot of that name, and in the archive every variant of it.

    >>> called("greedy", ["greedy@3f2a9c", "greedy_2", "greedy@77aa01"])
    ['greedy@3f2a9c', 'greedy@77aa01']
    """
    return [bot for bot in bots if bot == name or bot.startswith((f"{name}@", f"{name}{{"))]


def identity(bot: BotEntry) -> BotIdentity:
    """Return what tells a bot of a tournament from all others, whatever the archive calls it."""
    return bot.name, bot.version, bot.sha256, bot.params


def _bot_name(name: str, sha256: str, params: str, known: set[tuple[str, str]]) -> str:
    hashes = {other for other, _ in known}
    if len(hashes) > 1:
        digits = next(
            (count for count in range(LEAST_DIGITS, 64) if len({other[:count] for other in hashes}) == len(hashes)), 64
        )
        name = f"{name}@{sha256[:digits]}"
    return name + params if len([1 for other, _ in known if other == sha256]) > 1 else name


class Pool(msgspec.Struct, frozen=True, order=True):
    """A rating pool of the archive: a game with its seats, options and rules."""

    game: str
    seats: int
    options: str
    """All options, resolved; canonical JSON."""
    rules_version: int
    with_models: bool = False
    """Whether language models play in it, and are not mixed with other bots' pools."""

    @property
    def name(self) -> str:
        """`game/seats`, then the options that differ from the defaults, then the version of the rules unless it is the first.

        `llm/` comes before it where language models play.

        >>> Pool("naga", 2, "{}", 1).name
        'naga/2'
        >>> Pool("whist", 4, '{"deck":"short","trumps":true}', 3).name
        'whist/4/deck=short,trumps=true/rules=3'
        >>> Pool("naga", 2, "{}", 1, with_models=True).name
        'llm/naga/2'
        """
        options = json_object(self.options)
        defaults: Mapping[str, Any] = {}
        if self.game in games.names():
            try:
                defaults = games.load(self.game).resolve_options({}, self.seats)
            except ConfigError:  # this table cannot be had without options
                defaults = {}
        chosen = [
            f"{name}={_text(value)}" for name, value in options.items() if name not in defaults or defaults[name] != value
        ]
        rules = [f"rules={self.rules_version}"] if self.rules_version > 1 else []
        models = [POOL_OF_MODELS.rstrip("/")] if self.with_models else []
        return "/".join([*models, self.game, str(self.seats), *([",".join(chosen)] if chosen else []), *rules])


def _text(value: object) -> str:
    return value if isinstance(value, str) else canonical_json(value)
