"""What a bot says of itself, learnt in a process of its own: importing a stranger's file must not hurt the driver."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from arena.agent import BotFiles, LoadedBot
from arena.errors import BotError


class Profile(msgspec.Struct, frozen=True):
    """What the Agent class of a bot declares, or why there is none."""

    games: tuple[str, ...] = ()
    """Empty: all."""
    error: str | None = None


class _Order(msgspec.Struct):
    bot: BotFiles
    folder: str


def probe(bots: Sequence[tuple[BotFiles, Path]], seconds: float) -> list[Profile]:
    """Execute each bot's module once, outside this process; `seconds` of wall time are allowed for each.

    `bots`: files and the path that they came from.
    """
    orders = msgspec.msgpack.encode([_Order(bot, str(path if path.is_dir() else path.parent)) for bot, path in bots])
    command = [sys.executable, "-m", __name__]
    found: list[Profile] = []
    try:
        ended = subprocess.run(
            command, input=orders, capture_output=True, timeout=seconds * max(1, len(bots)) + 10, env=_environment()
        )
        output, how = ended.stdout, f"ended its process (exit code {ended.returncode})"
    except subprocess.TimeoutExpired as late:
        output, how = late.stdout or b"", "did not finish being imported"
    with contextlib.suppress(ValueError, msgspec.DecodeError):
        found = [msgspec.json.decode(line, type=Profile) for line in output.splitlines()]
    if len(found) < len(bots):  # they are probed in order: the first one without an answer is to blame
        found.append(Profile(error=f"the bot {how}"))
    return found + [Profile(error="not reached")] * (len(bots) - len(found))


def first_error(profiles: Sequence[Profile], keys: Sequence[str]) -> None:
    """Raise BotError for the first bot that cannot play; `keys` say which is which."""
    for profile, key in zip(profiles, keys):
        if profile.error is not None:
            raise BotError(f"{key}: {profile.error}")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}


def _profile(order: _Order) -> Profile:
    try:
        with LoadedBot(order.bot, Path(order.folder)) as loaded:
            return Profile(games=tuple(loaded.agent_class.games))
    except BotError as error:
        return Profile(error=str(error))
    except BaseException as error:
        trace, line = error.__traceback__, 0
        while trace is not None:
            if trace.tb_frame.f_code.co_filename.endswith(order.bot.main):
                line = trace.tb_lineno
            trace = trace.tb_next
        where = f"line {line}: " if line else ""
        return Profile(error=f"{order.bot.main}: {where}{type(error).__name__}: {error}")


def _main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a bot prints must not look like an answer
    for order in msgspec.msgpack.decode(sys.stdin.buffer.read(), type=list[_Order]):
        answers.write(json.dumps(msgspec.to_builtins(_profile(order))).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    _main()
