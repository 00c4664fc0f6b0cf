"""The field of a config: which games each bot declares that it plays, and how untrusted bots are isolated."""

from arena.config import Bot, Tournament
from arena.errors import ConfigError
from arena.formats.plan import Contestant
from arena.records import canonical_json
from arena.seats.choose import keeper_for
from arena.seats.probe import Profile, first_error, probe, probe_locked
from arena.seats.sandbox import LOCKED, NONE, PROCESS, LockError

PARAMS_BYTES = 32 << 10
"""The most bytes of a command bot's parameters: they must fit into its first message with the rest."""


def admit(tournament: Tournament, *, isolation: str, unsafe_trust_bots: bool) -> tuple[tuple[Contestant, ...], str]:
    """The contestants with the games that each one plays, and the isolation level of untrusted bots.

    Raises BotError for a bot that cannot be loaded, and ConfigError for a field that cannot play the config's games.
    """
    bots = tournament.bots
    profiles, held_by = _profiles(tournament, isolation, unsafe_trust_bots)
    first_error(profiles, [str(bot.path) for bot in bots])
    played = list(dict.fromkeys(entry.game for entry in tournament.entries))
    contestants = []
    for bot, profile in zip(bots, profiles):
        if bot.files.command is not None and (size := len(canonical_json(bot.params))) > PARAMS_BYTES:
            raise ConfigError(
                f"{bot.path}: params: {size:,} bytes; a command bot can be told {PARAMS_BYTES:,}: put it in a file"
            )
        claims = [game for game in played if not profile.games or game in profile.games]
        admitted = tuple(game for game in claims if bot.games is None or game in bot.games)
        if not admitted:
            raise ConfigError(f"{bot.path}: {bot.name} plays none of this tournament's games ({', '.join(played)})")
        contestants.append(_contestant(bot, admitted))
    for place, entry in enumerate(tournament.entries):
        able = sum(entry.game in contestant.games for contestant in contestants)
        if able < entry.seats:
            raise ConfigError(
                f"games[{place}]: {entry.game} with {entry.seats} seats needs as many bots that play it, there are {able}"
            )
    return tuple(contestants), held_by


def least_isolation(tournament: Tournament, *, unsafe_trust_bots: bool) -> str:
    """The weakest isolation level that will do for untrusted bots. Raises ConfigError."""
    if unsafe_trust_bots and tournament.isolation != LOCKED:
        raise ConfigError(
            f"isolation: the config demands {tournament.isolation}, and --unsafe-trust-bots gives it up: leave one of them out"
        )
    return PROCESS if unsafe_trust_bots else tournament.isolation


def _profiles(tournament: Tournament, level: str, unsafe_trust_bots: bool) -> tuple[list[Profile], str]:
    """What each bot declares: trusted bots are asked in a plain process, all others locked in. Raises ConfigError."""
    seconds = tournament.clock.start
    trusted = [bot for bot in tournament.bots if bot.trusted]
    untrusted = [bot for bot in tournament.bots if not bot.trusted]
    keeper = keeper_for((), level=level, least=least_isolation(tournament, unsafe_trust_bots=unsafe_trust_bots))
    if keeper is None:
        trusted, untrusted = list(tournament.bots), []
    found = dict(zip(map(_key, trusted), probe([bot.files for bot in trusted], seconds) if trusted else ()))
    isolation = NONE
    if untrusted and keeper is not None:
        try:
            with keeper:
                said = probe_locked(keeper, [bot.files for bot in untrusted], seconds, tournament.limits)
                isolation = keeper.level
        except LockError as error:
            names = ", ".join(bot.name for bot in untrusted)
            if tournament.isolation != LOCKED:
                raise ConfigError(
                    f"isolation: the config demands {tournament.isolation} for {names}, and this machine does not give it: "
                    f"{error}. `arena doctor` shows what it offers"
                ) from None
            raise ConfigError(
                f"bots: {names}: not trusted, and cannot be locked in on this machine: {error}. `arena doctor` shows what it "
                f"offers. Mark the bots that you trust (`trusted: true`), or run all as they are with --unsafe-trust-bots"
            ) from None
        found |= dict(zip(map(_key, untrusted), said))
    return [found[_key(bot)] for bot in tournament.bots], isolation


def _contestant(bot: Bot, admitted: tuple[str, ...]) -> Contestant:
    return Contestant(
        name=bot.name, version=bot.version, sha256=bot.files.sha256, games=admitted, params=bot.params, trusted=bot.trusted
    )  # fmt: skip


def _key(bot: Bot) -> tuple[str, int]:
    return bot.name, bot.version
