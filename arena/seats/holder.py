"""Seats for one stranger's bot outside a tournament: locked in where this machine can, and it is said where it cannot."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from arena.agent import BotFiles, LoadedBot
from arena.seats.in_process import InProcessSeat
from arena.seats.probe import Profile, probe, probe_locked
from arena.seats.sandbox import NONE, CommandSeat, HeldSeat, Keeper, LockedSeat, LockError, OpenCommandSeat, can_have_processes


class Holder:
    """Holds bots as strongly as this machine can. A context manager."""

    def __init__(self, rooms: Sequence[str], *, memory: int) -> None:
        """`rooms`: games to have ready; `memory`: bytes of each bot."""
        self._memory = memory
        self._keeper: Keeper | None = None
        self.not_locked = ""
        """Why bots are not locked in; empty: they are."""
        if not can_have_processes():
            self.not_locked = "this system has no such locks"
            return
        self._keeper = Keeper(rooms)
        try:
            _ = self._keeper.level
        except LockError as error:
            self.not_locked = str(error)
            self._keeper = Keeper(rooms, needs_lock=False)

    def __enter__(self) -> "Holder":
        return self

    def __exit__(self, *_: object) -> None:
        if self._keeper is not None:
            self._keeper.close()

    @property
    def isolation(self) -> str:
        """What holds the bots: a column of the rows."""
        return NONE if self._keeper is None else self._keeper.level

    def profile(self, bot: BotFiles, seconds: float) -> Profile:
        """What the bot says of itself; `seconds`: CPU time to say it."""
        if self._keeper is None:
            return probe([bot], seconds)[0]
        return probe_locked(self._keeper, [bot], seconds, self._memory)[0]

    def seat(self, bot: BotFiles, seed: int, params: Mapping[str, Any]) -> InProcessSeat | HeldSeat:
        """A seat for the bot, to be closed; `seed`: of its own generator."""
        if self._keeper is None:
            return open_seat(bot, seed, params)
        kind = LockedSeat if bot.command is None else CommandSeat
        return kind(self._keeper, bot, seed=seed, params=params, memory=self._memory)


def open_seat(bot: BotFiles, seed: int, params: Mapping[str, Any]) -> InProcessSeat | HeldSeat:
    """A seat for a bot that is trusted: in this very process, or, for a command bot, in a plain one."""
    if bot.command is not None:
        return OpenCommandSeat(bot, seed=seed, params=params)
    return InProcessSeat(partial(LoadedBot, bot), seed, params, heeds_ctrl_c=True)
