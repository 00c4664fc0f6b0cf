"""Learns which games a bot plays, in a separate process: executing an untrusted file must not harm the driver."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Sequence

import msgspec

from arena import games
from arena.agent import BotFiles, LoadedBot, unpack
from arena.errors import BotError, nearest
from arena.hints import hints
from arena.match.model_seat import MUST_BE_TRUSTED
from arena.match.sandbox import LockedSeat, Supervisor, Trouble, find_program
from arena.records import Limits
from arena.stopping import end_by_them


class Profile(msgspec.Struct, frozen=True):
    """What a bot declares about itself, or why it cannot play."""

    games: tuple[str, ...] = ()
    """The games that the bot plays; empty: all."""
    error: str | None = None


def probe(bots: Sequence[BotFiles], seconds: float) -> list[Profile]:
    """The profiles of trusted bots. Each module is executed once, in a separate process, for at most `seconds` of wall time.

    Command bots are not run, and language models are not asked: their bot.toml says which games they play.
    """
    in_python = [bot for bot in bots if bot.command is None and bot.model is None]
    profiles = iter(_probe_modules(in_python, seconds) if in_python else ())
    return [_toml_profile(bot) or next(profiles) for bot in bots]


def _toml_profile(bot: BotFiles) -> Profile | None:
    """The profile of a bot that has a bot.toml; None for a bot in Python."""
    if bot.model is not None:
        return Profile(games=tuple(bot.model.games), error=_unknown_game(bot, bot.model.games))
    return _command_profile(bot) if bot.command else None


def _probe_modules(bots: Sequence[BotFiles], seconds: float) -> list[Profile]:
    allowed = seconds * max(1, len(bots)) + 10
    output, how = _forked(bots, allowed) if _can_be_forked() else _started(bots, allowed)
    found: list[Profile] = []
    with contextlib.suppress(ValueError, msgspec.DecodeError):
        found = [msgspec.json.decode(line, type=Profile) for line in output.splitlines()]
    if len(found) < len(bots):  # they are probed in order: the first one without an answer is to blame
        found.append(Profile(error=f"the bot {how}"))
    return found + [Profile(error="not reached")] * (len(bots) - len(found))


def _can_be_forked() -> bool:
    """Return whether a copy of this process is as good as a new one, which takes a second of CPU time to start.

    It is if this process was started as a new one would be, as the command line's is, and no other thread can hold a lock.
    """
    is_alike = sys.flags.safe_path and not sys.flags.hash_randomization
    return sys.platform == "linux" and is_alike and threading.active_count() == 1


def _forked(bots: Sequence[BotFiles], seconds: float) -> tuple[bytes, str]:
    """Let a copy of this process execute the modules: what it answers, and how it ended."""
    pipe, answers = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of numpy's threads, which know how to be copied
        child = os.fork()
    if child == 0:
        try:
            os.close(pipe)
            _become_a_probe()
            _answer(bots, answers)
        finally:
            os._exit(1)  # not what this process would do at its end
    os.close(answers)
    try:
        output, is_late = _read_until(pipe, time.monotonic() + seconds)
    finally:  # also after Ctrl-C
        os.close(pipe)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
    return output, _LATE if is_late else _ended(os.waitstatus_to_exitcode(status))


def _started(bots: Sequence[BotFiles], seconds: float) -> tuple[bytes, str]:
    """Let a new process execute the modules: what it answers, and how it ended."""
    try:
        ended = subprocess.run(
            [sys.executable, "-P", "-m", __name__],
            check=False,
            input=msgspec.msgpack.encode(bots),
            capture_output=True,
            timeout=seconds,
            env=_environment(),
        )
    except subprocess.TimeoutExpired as late:
        return late.stdout or b"", _LATE
    return ended.stdout, _ended(ended.returncode)


def probe_locked(supervisor: Supervisor, bots: Sequence[BotFiles], seconds: float, limits: Limits) -> list[Profile]:
    """The profiles of untrusted bots, each executed in a locked child for at most `seconds` of CPU time. Raises LockError."""
    profiles = []
    for bot in bots:
        if bot.model is not None:
            profiles.append(Profile(error=MUST_BE_TRUSTED))
            continue
        if bot.command is not None:
            profiles.append(_command_profile(bot, is_locked=True))
            continue
        with LockedSeat(supervisor, bot, seed=0, params={}, limits=limits) as seat:
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
    return Profile(games=tuple(bot.command.games), error=_unknown_game(bot, bot.command.games))


def _unknown_game(bot: BotFiles, declared: Sequence[str]) -> str | None:
    """What is wrong with the games that a bot.toml names; None if nothing is."""
    unknown = [name for name in declared if name not in games.names()]
    return f'{bot.main}: games: no game "{unknown[0]}"; {nearest(unknown[0], games.names())}' if unknown else None


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
            raise BotError("; ".join([f"{key}: {profile.error}", *hints([profile.error])]))


_LATE = "did not finish being imported"


def _ended(code: int) -> str:
    return f"ended its process (exit code {code})"


def _read_until(pipe: int, end: float) -> tuple[bytes, bool]:
    """All that comes out of a pipe, and whether it was not closed before `end`, a time of the monotonic clock."""
    found = b""
    while (left := end - time.monotonic()) > 0:
        if not select.select([pipe], [], [], left)[0]:
            break
        if not (news := os.read(pipe, 1 << 16)):
            return found, False
        found += news
    return found, True


def _become_a_probe() -> None:
    """Make a copy of the process that probes what a new process would be: quiet, deaf, and ended by signals."""
    end_by_them()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}


def _answer(bots: Sequence[BotFiles], pipe: int) -> None:
    """Execute each module and write its profile, a line each."""
    with os.fdopen(pipe, "wb") as answers:
        for bot in bots:
            answers.write(json.dumps(msgspec.to_builtins(profile(bot))).encode() + b"\n")
            answers.flush()


def _main() -> None:
    answers = os.dup(1)
    os.dup2(2, 1)  # what a bot prints must not look like an answer
    _answer(msgspec.msgpack.decode(sys.stdin.buffer.read(), type=list[BotFiles]), answers)


if __name__ == "__main__":
    _main()
