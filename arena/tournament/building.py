"""Builds the bots of a config that come as source, before anything is planned: what is made plays."""

from collections.abc import Callable

import msgspec

from arena.errors import ConfigError
from arena.match.builds import built
from arena.match.sandbox import LockError
from arena.tournament.config import Bot, Tournament
from arena.tournament.field import least_isolation

SAY_SECONDS = 10.0
"""How often it is told that a build goes on."""


def with_built(
    tournament: Tournament, *, isolation: str, unsafe_trust_bots: bool, say: Callable[[str], None]
) -> Tournament:  # fmt: skip
    """The tournament with all its bots built. Workers get what was made, and build nothing.

    `isolation`: the strongest level to try. Raises BotError for a build that fails, and ConfigError where it cannot be held.
    """
    if not any(bot.files.wants_build for bot in tournament.bots):
        return tournament
    least = least_isolation(tournament, unsafe_trust_bots=unsafe_trust_bots)
    bots = tuple(_built(bot, isolation, least, say) for bot in tournament.bots)
    return msgspec.structs.replace(tournament, bots=bots)


def _built(bot: Bot, isolation: str, least: str, say: Callable[[str], None]) -> Bot:
    try:
        files = built(
            bot.files, bot.name, is_trusted=bot.trusted, level=isolation, least=least, say=say, every=SAY_SECONDS
        ).files
    except LockError as error:
        raise ConfigError(
            f"bots: {bot.name}: not trusted, and its build cannot be locked in on this machine: {error}. `arena doctor` shows "
            f"what it offers. Mark the bots that you trust (`trusted: true`), or run all as they are with --unsafe-trust-bots"
        ) from None
    return msgspec.structs.replace(bot, files=files)
