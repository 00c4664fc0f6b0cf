"""How much memory a tournament takes here, said before it begins: the kernel kills who takes too much without a word.

The figures are the most that all its processes had together, pages of files included, in matches of Naga on two cores. A
tournament of all five games takes 60 MB more.
"""

from collections.abc import Callable

from arena.errors import ArenaError
from arena.match.sandbox import memory_here, memory_kills
from arena.tournament.config import Tournament
from arena.tournament.session import RAY, Settings
from arena.tournament.workers.processes import available_cpus

_DRIVER = 110 << 20
_WORKER = 60 << 20
_LOCK = 200 << 20  # the process from which a worker's locked bots are forked, and what it has of the games
_BOT = 100 << 20  # a bot's own template in each worker: see match/sandbox/supervisor.py
_FEW_BOTS = 2  # at one table; the templates of others are ended where memory is short
_RAY = 190 << 20


def memory_needed(*, workers: int, is_locked: bool, is_on_ray: bool) -> int:
    """The bytes that a tournament takes with so many workers here; `is_locked`: whether it has bots that are locked in."""
    worker = _WORKER + (_LOCK + _FEW_BOTS * _BOT if is_locked else 0)
    return _DRIVER + workers * worker + (_RAY if is_on_ray else 0)


def check_memory(tournament: Tournament, settings: Settings, say: Callable[[str], None]) -> None:
    """Warn if there is too little memory for all workers. Raises ArenaError if there is too little for a single one."""
    if settings.address is not None:  # the workers of a cluster are elsewhere
        return
    workers, here = settings.workers or available_cpus(), memory_here()
    is_locked, is_on_ray = any(not bot.trusted for bot in tournament.bots), settings.backend == RAY

    def needed(workers: int) -> int:
        return memory_needed(workers=workers, is_locked=is_locked, is_on_ray=is_on_ray)

    what = "with bots that are locked in" if is_locked else "of trusted bots"
    if here < needed(1):
        less = f"; `--backend local` takes {megabytes(_RAY)} less" if is_on_ray else ""
        raise ArenaError(
            f"not enough memory: {megabytes(here)} here, and a tournament {what} takes {megabytes(needed(1))} with one worker"
            f"{less}; raise the limit (that of the container)"
        )
    if here < needed(workers):
        fit = max(count for count in range(1, workers) if needed(count) <= here)
        say(
            f"warning: {workers} workers take {megabytes(needed(workers))} of memory, and there are {megabytes(here)}: the "
            f"kernel may kill some; --workers {fit} fits"
        )


class Kills:
    """Says once that the kernel has killed processes for want of memory, if workers were lost as well."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._before, self._is_said = say, memory_kills(), False

    def look(self, lost: int) -> None:
        """`lost`: how many chunks of work were lost with their workers so far."""
        if lost and not self._is_said and memory_kills() > self._before:
            self._is_said = True
            self._say(
                f"warning: a worker died, and the kernel has killed a process for want of memory ({megabytes(memory_here())} "
                f"here): use fewer workers (--workers), or raise the limit (that of the container)"
            )


def megabytes(size: int) -> str:
    """An amount of memory in words."""
    return f"{size >> 20:,} MB"
