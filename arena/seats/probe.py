"""What a bot says of itself, learnt in a process of its own: importing a stranger's file must not hurt the driver."""

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
    """What the Agent class of a bot declares, or why there is none."""

    games: tuple[str, ...] = ()
    """Empty: all."""
    error: str | None = None


def probe(bots: Sequence[BotFiles], seconds: float) -> list[Profile]:
    """Execute each bot's module once, outside this process; `seconds` of wall time are allowed for each.

    Command bots declare themselves in their bot.toml: nothing of them is run.
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
    """The same for strangers' bots, each in a locked child; `seconds`: CPU time for each. Raises LockError."""
    profiles = []
    for bot in bots:
        if bot.command is not None:
            profiles.append(_command_profile(bot))
            continue
        with LockedSeat(keeper, bot, seed=0, params={}, limits=limits) as seat:
            try:
                profiles.append(Profile(games=tuple(seat.declared(seconds))))
            except Trouble as trouble:
                profiles.append(Profile(error=trouble.reason))
    return profiles


def _command_profile(bot: BotFiles) -> Profile:
    """What a bot.toml says, and whether its program is on this machine."""
    assert bot.command is not None
    try:
        find_program(bot.command, unpack(bot))
    except BotError as error:
        return Profile(error=str(error))
    unknown = [name for name in bot.command.games if name not in games.names()]
    if unknown:
        return Profile(error=f'{bot.main}: games: no game "{unknown[0]}"; {nearest(unknown[0], games.names())}')
    return Profile(games=tuple(bot.command.games))


def first_error(profiles: Sequence[Profile], keys: Sequence[str]) -> None:
    """Raise BotError for the first bot that cannot play; `keys` say which is which."""
    for profile, key in zip(profiles, keys):
        if profile.error is not None:
            raise BotError(f"{key}: {profile.error}")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}


def _profile(bot: BotFiles) -> Profile:
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


def _main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a bot prints must not look like an answer
    for bot in msgspec.msgpack.decode(sys.stdin.buffer.read(), type=list[BotFiles]):
        answers.write(json.dumps(msgspec.to_builtins(_profile(bot))).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    _main()
