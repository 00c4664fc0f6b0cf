"""Learns which games a bot plays, in a separate process: executing an untrusted file must not harm the driver."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence

import msgspec

from arena import games
from arena.agent import BotFiles, LoadedBot, unpack
from arena.errors import BotError, nearest
from arena.records import Limits
from arena.seats.sandbox import Keeper, LockedSeat, Trouble, find_program


class Profile(msgspec.Struct, frozen=True):
    """What a bot declares about itself, or why it cannot play."""

    games: tuple[str, ...] = ()
    """The games that the bot plays; empty: all."""
    error: str | None = None


def probe(bots: Sequence[BotFiles], seconds: float) -> list[Profile]:
    """The profiles of trusted bots. Each module is executed once, in a separate process, for at most `seconds` of wall time.

    Command bots are not run: their bot.toml says which games they play.
    """
    in_python = [bot for bot in bots if bot.command is None]
    profiles = iter(_probe_modules(in_python, seconds) if in_python else ())
    return [_command_profile(bot) if bot.command else next(profiles) for bot in bots]


def _probe_modules(bots: Sequence[BotFiles], seconds: float) -> list[Profile]:
    orders = msgspec.msgpack.encode(bots)
    command = [sys.executable, "-P", "-m", __name__]
    found: list[Profile] = []
    try:
        ended = subprocess.run(
            command,
            check=False,
            input=orders,
            capture_output=True,
            timeout=seconds * max(1, len(bots)) + 10,
            env=_environment(),
        )
        output, how = ended.stdout, f"ended its process (exit code {ended.returncode})"
    except subprocess.TimeoutExpired as late:
        output, how = late.stdout or b"", "did not finish being imported"
    with contextlib.suppress(ValueError, msgspec.DecodeError):
        found = [msgspec.json.decode(line, type=Profile) for line in output.splitlines()]
    if len(found) < len(bots):  # they are probed in order: the first one without an answer is to blame
        found.append(Profile(error=f"the bot {how}"))
    return found + [Profile(error="not reached")] * (len(bots) - len(found))


def probe_locked(keeper: Keeper, bots: Sequence[BotFiles], seconds: float, limits: Limits) -> list[Profile]:
    """The profiles of untrusted bots, each executed in a locked child for at most `seconds` of CPU time. Raises LockError."""
    profiles = []
    for bot in bots:
        if bot.command is not None:
            profiles.append(_command_profile(bot, is_locked=True))
            continue
        with LockedSeat(keeper, bot, seed=0, params={}, limits=limits) as seat:
            try:
                profiles.append(Profile(games=tuple(seat.declared(seconds))))
            except Trouble as trouble:
                profiles.append(Profile(error=trouble.reason))
    return profiles


def _command_profile(bot: BotFiles, *, is_locked: bool = False) -> Profile:
    """The profile of a command bot: its bot.toml, and whether its program is on this machine and can run in a lock."""
    assert bot.command is not None
    try:
        found = find_program(bot.command, unpack(bot))
    except BotError as error:
        return Profile(error=str(error))
    if is_locked and found.loader and not found.system_loader:
        program = bot.command.command[0]
        return Profile(error=f"{bot.main}: command: {program}: its loader {found.loader!a} is no library of this system")
    unknown = [name for name in bot.command.games if name not in games.names()]
    if unknown:
        return Profile(error=f'{bot.main}: games: no game "{unknown[0]}"; {nearest(unknown[0], games.names())}')
    return Profile(games=tuple(bot.command.games))


def profile(bot: BotFiles) -> Profile:
    """The profile of a Python bot, whose module is executed in this process: one that may be harmed."""
    try:
        with LoadedBot(bot) as loaded:
            return Profile(games=tuple(loaded.agent_class.games))
    except BotError as error:
        return Profile(error=str(error))
    except BaseException as error:
        trace, line = error.__traceback__, 0
        while trace is not None:
            if trace.tb_frame.f_code.co_filename.endswith(bot.main):
                line = trace.tb_lineno
            trace = trace.tb_next
        where = f"line {line}: " if line else ""
        return Profile(error=f"{bot.main}: {where}{type(error).__name__}: {error}")


def first_error(profiles: Sequence[Profile], keys: Sequence[str]) -> None:
    """Raise BotError for the first bot that cannot play; `keys` name the bots in messages."""
    for profile, key in zip(profiles, keys):
        if profile.error is not None:
            raise BotError(f"{key}: {profile.error}")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}


def _main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a bot prints must not look like an answer
    for bot in msgspec.msgpack.decode(sys.stdin.buffer.read(), type=list[BotFiles]):
        answers.write(json.dumps(msgspec.to_builtins(profile(bot))).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    _main()
