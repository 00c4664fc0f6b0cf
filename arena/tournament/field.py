"""The field of a config: which games each bot declares that it plays, and how untrusted bots are isolated."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from arena.agent.submissions import PREFIX
from arena.errors import BotError, ConfigError, printable
from arena.match.choose import supervisor_for
from arena.match.probe import Profile, probe, probe_locked
from arena.match.sandbox import LOCKED, NONE, PROCESS, LockError
from arena.records import canonical_json
from arena.results.manifest import LeftOut
from arena.tournament.config import LEAVE_OUT, Bot, Tournament
from arena.tournament.formats.plan import Contestant

PARAMS_BYTES = 32 << 10
"""The most bytes of a command bot's parameters: they must fit into its first message with the rest."""


class Field(NamedTuple):
    """The bots that play a tournament."""

    contestants: tuple[Contestant, ...]
    """The bots, each with the games that it plays."""
    isolation: str
    """The isolation level of bots that are not trusted."""
    left_out: tuple[LeftOut, ...]
    """The bots that cannot be loaded: they play no match."""


class KnownProfiles:
    """What bots have declared, kept from run to run of a ladder that never stops: to ask hundreds of bots takes a minute."""

    def __init__(self) -> None:
        self.declared: dict[str, tuple[str, ...]] = {}
        """The games of each bot that could be loaded, by its content hash; empty: all."""
        self.isolation: str | None = None
        """The isolation level of bots that are not trusted; None: none was locked in yet."""


def admit(
    tournament: Tournament, *, isolation: str, unsafe_trust_bots: bool, begun: Collection[Contestant] = (),
    known: KnownProfiles | None = None,
) -> Field:  # fmt: skip
    """The field of a tournament. `begun`: the contestants of a run that goes on, which play whatever has become of them.

    `known`: what bots have declared before; then games are admitted that have too few bots, as the field changes.

    A bot that was submitted, or that is not trusted, and cannot be loaded is left out, or forfeits, as the config says: one
    entrant must not stop a contest. Raises BotError for any other bot that cannot be loaded, and ConfigError for a field that
    cannot play the config's games.
    """
    profiles, held_by = (
        _profiles(tournament, tournament.bots, isolation, unsafe_trust_bots)
        if known is None
        else _profiles_beside(known, tournament, isolation, unsafe_trust_bots)
    )
    played = list(dict.fromkeys(entry.game for entry in tournament.entries))
    earlier = {(one.name, one.version): one for one in begun}
    contestants = []
    left_out = []
    for bot, said in zip(tournament.bots, profiles):
        before = earlier.get(_key(bot))
        profile = said if said.error is None or before is None else Profile(games=before.games)
        if profile.error is not None:
            if bot.trusted and not str(bot.path).startswith(PREFIX):
                raise BotError(f"{bot.path}: {profile.error}")
            if tournament.broken_bots == LEAVE_OUT:
                reason = printable(profile.error)
                left_out.append(LeftOut(name=bot.name, version=bot.version, sha256=bot.files.sha256, reason=reason))
                continue
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
        if able < entry.seats and known is None:
            without = "".join(f"; {one.name} cannot be loaded: {one.reason}" for one in left_out)
            needed = f"{entry.game} with {entry.seats} seats needs as many bots that play it"
            raise ConfigError(f"games[{place}]: {needed}, there are {able}{without}")
    return Field(tuple(contestants), held_by, tuple(left_out))


def least_isolation(tournament: Tournament, *, unsafe_trust_bots: bool) -> str:
    """The weakest isolation level that will do for untrusted bots. Raises ConfigError."""
    if unsafe_trust_bots and tournament.isolation != LOCKED:
        raise ConfigError(
            f"isolation: the config demands {tournament.isolation}, and --unsafe-trust-bots gives it up: leave one of them out"
        )
    return PROCESS if unsafe_trust_bots else tournament.isolation


def _profiles_beside(
    known: KnownProfiles, tournament: Tournament, level: str, unsafe_trust_bots: bool
) -> tuple[list[Profile], str]:  # fmt: skip
    """Return what each bot declares, asking only those that are not known; one is locked in to see whether that can be done."""
    asked = [bot for bot in tournament.bots if bot.files.sha256 not in known.declared]
    untrusted = [bot for bot in tournament.bots if not bot.trusted]
    if known.isolation is None and untrusted and all(bot.trusted for bot in asked):
        asked.append(untrusted[0])
    said, isolation = _profiles(tournament, asked, level, unsafe_trust_bots)
    found = {_key(bot): profile for bot, profile in zip(asked, said)}
    known.declared |= {bot.files.sha256: one.games for bot, one in zip(asked, said) if one.error is None}
    if any(not bot.trusted for bot in asked):
        known.isolation = isolation
    declared = known.declared
    profiles = [found.get(_key(bot)) or Profile(games=declared[bot.files.sha256]) for bot in tournament.bots]
    return profiles, known.isolation or NONE


def _profiles(
    tournament: Tournament, bots: Sequence[Bot], level: str, unsafe_trust_bots: bool
) -> tuple[list[Profile], str]:  # fmt: skip
    """Return what each bot declares: trusted bots are asked in a plain process, all others locked in. Raises ConfigError."""
    seconds = tournament.clock.start
    trusted = [bot for bot in bots if bot.trusted]
    untrusted = [bot for bot in bots if not bot.trusted]
    supervisor = supervisor_for((), level=level, least=least_isolation(tournament, unsafe_trust_bots=unsafe_trust_bots))
    if supervisor is None:
        trusted, untrusted = list(bots), []
    found = dict(zip(map(_key, trusted), probe([bot.files for bot in trusted], seconds) if trusted else ()))
    isolation = NONE
    if untrusted and supervisor is not None:
        try:
            with supervisor:
                said = probe_locked(supervisor, [bot.files for bot in untrusted], seconds, tournament.limits)
                isolation = supervisor.level
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
    return [found[_key(bot)] for bot in bots], isolation


def _contestant(bot: Bot, admitted: tuple[str, ...]) -> Contestant:
    return Contestant(
        name=bot.name, version=bot.version, sha256=bot.files.sha256, games=admitted, params=bot.params, trusted=bot.trusted
    )  # fmt: skip


def _key(bot: Bot) -> tuple[str, int]:
    return bot.name, bot.version
