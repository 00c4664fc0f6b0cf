"""Which seat for which bot: the one place that decides where a bot's code runs.

| bot | trusted | not trusted |
|---|---|---|
| in Python | in this process | in a locked child process |
| a command bot | its program as a plain process | its program in a locked child process |
| a language model | asked by a process with the network | refused |
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from arena.agent import BotFiles, LoadedBot
from arena.errors import BotError
from arena.llm.kept_answers import AnswerFolder
from arena.match import BACKSTOP_FACTOR, BACKSTOP_SECONDS, MATCH_FACTOR, seconds_of_match
from arena.match.in_process import InProcessSeat
from arena.match.model_seat import MUST_BE_TRUSTED, ModelSeat
from arena.match.sandbox import (
    AROUND_SECONDS,
    LOCKED,
    NAMESPACE,
    PROCESS,
    CommandSeat,
    HeldSeat,
    LockedSeat,
    OpenCommandSeat,
    Supervisor,
    can_have_processes,
)
from arena.records import Clock, Limits

BotSeat = InProcessSeat | HeldSeat | ModelSeat
"""A seat for a bot. A context manager, or to be closed by its maker; implements match.Seat."""


def supervisor_for(games: Iterable[str], *, level: str = NAMESPACE, least: str = LOCKED) -> Supervisor | None:
    """Return what locks bots in; None if this system has no locks and bots need none: then every bot counts as trusted.

    `games`: the games that locked bots play; `level`: the strongest isolation to try; `least`: the weakest that will do.
    """
    if least == PROCESS and not can_have_processes():
        return None
    return Supervisor(games, level=level, least=least)


def choose_seat(
    bot: BotFiles,
    *,
    is_trusted: bool,
    supervisor: Supervisor | None,
    limits: Limits,
    seed: int,
    params: Mapping[str, Any],
    earlier_kills: int = 0,
    heeds_ctrl_c: bool = False,
    answers: AnswerFolder | None = None,
) -> BotSeat:
    """The seat for a bot in a match. Raises BotError for a language model that is not trusted.

    `supervisor`: see `supervisor_for`; `limits`: what a locked bot may use; `seed`: for the bot's own random generator;
    `earlier_kills`: how often this seat was killed from outside in earlier attempts at the match; `heeds_ctrl_c`: see
    InProcessSeat; `answers`: where the answers of language models are kept; None: nowhere.
    """
    if bot.model is not None and not is_trusted and supervisor is not None:
        raise BotError(MUST_BE_TRUSTED)
    if is_trusted or supervisor is None:
        return open_seat(bot, seed=seed, params=params, heeds_ctrl_c=heeds_ctrl_c, answers=answers)
    return locked_seat(supervisor, bot, limits=limits, seed=seed, params=params, earlier_kills=earlier_kills)


def open_seat(
    bot: BotFiles, *, seed: int, params: Mapping[str, Any], heeds_ctrl_c: bool = True, answers: AnswerFolder | None = None
) -> BotSeat:
    """A seat for a trusted bot: in this process, in a plain process for a command bot, one that asks for a language model."""
    if bot.model is not None:
        return ModelSeat(bot, seed=seed, answers=answers)
    if bot.command is not None:
        return OpenCommandSeat(bot, seed=seed, params=params)
    return InProcessSeat(partial(LoadedBot, bot), seed, params, heeds_ctrl_c=heeds_ctrl_c)


def most_seconds(clock: Clock) -> float:
    """The wall seconds that a seat may keep its match waiting, from its lock to its end. No bot can make it more."""
    start = BACKSTOP_FACTOR * clock.start + BACKSTOP_SECONDS
    return AROUND_SECONDS + start + MATCH_FACTOR * seconds_of_match(clock)


def locked_seat(
    supervisor: Supervisor, bot: BotFiles, *, limits: Limits, seed: int, params: Mapping[str, Any], earlier_kills: int = 0
) -> HeldSeat:
    """A seat for a bot that is not trusted, in a locked child process. Starting it raises LockError if it cannot be locked."""
    kind = LockedSeat if bot.command is None else CommandSeat
    return kind(supervisor, bot, seed=seed, params=params, limits=limits, earlier_kills=earlier_kills)
