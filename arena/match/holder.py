"""Seats outside a tournament: locked if this machine can lock, and saying so if not. What their bots ask for and is not
compiled is compiled here, and the match begins anew.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from arena import games
from arena.agent import BotFiles
from arena.engine.readiness import NotCompiled, absent_parts, compile_and_tell
from arena.match.choose import BotSeat, choose_seat
from arena.match.probe import Profile, probe, probe_locked
from arena.match.sandbox import NONE, PROCESS, LockError, Supervisor, can_have_processes
from arena.records import Limits

R = TypeVar("R")


class Holder:
    """Makes seats for untrusted bots with the strongest isolation that this machine offers. A context manager."""

    def __init__(self, all_games: Sequence[str], *, limits: Limits) -> None:
        """`games`: the games that the bots play; `limits`: what each locked bot may use."""
        self._limits = limits
        self._supervisor: Supervisor | None = None
        self.not_locked = ""
        """Why bots are not locked in; empty if they are."""
        if not can_have_processes():
            self.not_locked = "this system has no such locks"
            return
        self._supervisor = Supervisor(all_games)
        try:
            _ = self._supervisor.level
        except LockError as error:
            self.not_locked = str(error)
            self._supervisor = Supervisor(all_games, least=PROCESS)

    def __enter__(self) -> "Holder":
        return self

    def __exit__(self, *_: object) -> None:
        if self._supervisor is not None:
            self._supervisor.close()

    @property
    def isolation(self) -> str:
        """The isolation level of the bots, as the column `isolation` stores it."""
        return NONE if self._supervisor is None else self._supervisor.level

    def play(self, play: Callable[[], R], say: Callable[[str], None]) -> R:
        """Return what `play` returns, with seats of this holder; see `with_all_compiled`."""
        return with_all_compiled(play, self._supervisor, say)

    def profile(self, bot: BotFiles, seconds: float) -> Profile:
        """Return what the bot declares about itself, within `seconds` of CPU time."""
        if self._supervisor is None:
            return probe([bot], seconds)[0]
        return probe_locked(self._supervisor, [bot], seconds, self._limits)[0]

    def seat(self, bot: BotFiles, seed: int, params: Mapping[str, Any], *, is_trusted: bool = False) -> BotSeat:
        """A seat for the bot, to be closed by the caller; `seed`: for the bot's own random generator."""
        return choose_seat(
            bot,
            is_trusted=is_trusted,
            supervisor=self._supervisor,
            limits=self._limits,
            seed=seed,
            params=params,
            heeds_ctrl_c=True,
        )


def with_all_compiled(play: Callable[[], R], supervisor: Supervisor | None, say: Callable[[str], None]) -> R:
    """Return what `play` returns. Where a locked bot asks for a part of its game that is not there, it is called again.

    A trusted bot waits for the part. Neither is charged for it. `say`: is given a line before something is compiled.
    """
    compile_part = compile_and_tell(say)
    with absent_parts(compile_part):
        while True:  # once for each part of a game at most: then the zygote has it
            try:
                return play()
            except NotCompiled as needed:
                compile_part(games.part(games.load(needed.game), needed.part))
                if supervisor is not None:
                    supervisor.renew()
