"""What the check of a bot found: whether it may enter, and what it should be warned of."""

from collections.abc import Iterator, Sequence

import msgspec

from arena.engine.options import OptionValue
from arena.hints import hints
from arena.match.builds import BuildReport
from arena.match.model_seat import ISOLATION
from arena.match.sandbox import NONE
from arena.records import DEFAULT_LIMITS, Clock, Ending

CLOCK = Clock(move=1.0, bank=10.0, start=10.0)
"""The clock of a config that sets none."""
_CLOSE = 0.5  # of a limit: beyond it a warning is due


class SlowDecision(msgspec.Struct, frozen=True, kw_only=True):
    """One of the bot's slowest decisions."""

    cpu_ms: float
    game: str
    seats: int
    options: dict[str, OptionValue]
    """The rule options that differ from the defaults."""
    number: int
    """The number of the decision among those that the bot was asked for in the match, from 0."""
    view: str


class FaultFound(msgspec.Struct, frozen=True, kw_only=True):
    """A fault of the bot, and the match in which it happened."""

    game: str
    seats: int
    options: dict[str, OptionValue]
    """The rule options that differ from the defaults."""
    ending: Ending
    reason: str
    """What went wrong, in words."""
    output: str
    """The end of what the bot printed."""
    view: str | None
    """The view that the bot was asked about; None: it did not start."""


class GameCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the check in one game."""

    game: str
    seats: tuple[int, ...]
    """The numbers of seats that were played."""
    variants: int
    matches: int
    decisions: int
    """How many decisions the bot answered."""
    cpu_ms_p50: float
    cpu_ms_p99: float
    cpu_ms_max: float
    wall_ms_max: float
    """The wall time of the slowest decision."""
    endings: dict[Ending, int]
    """How many matches ended how for the bot's seat."""
    is_deterministic: bool | None
    """Whether the bot played one match the same way twice; None: a fault prevented the comparison."""
    is_complete: bool
    """Whether all matches were played; after several faults, or much waiting, the rest is left out."""
    wait_seconds: float
    """How long the bot waited for something else than the CPU, in all matches together, their starts and ends included."""
    end_faults: int
    """The number of matches in which its `end` failed, which changes no result."""


class FailedMatches(msgspec.Struct, frozen=True, kw_only=True):
    """How matches of a game failed for the bot, for which it may not enter."""

    game: str
    endings: dict[Ending, int]
    """How many ended how, without those that were played to their end."""
    matches: int
    """How many were begun."""

    def __str__(self) -> str:
        counts = ", ".join(f"{ending.value} {count}" for ending, count in self.endings.items())
        return f"{self.game}: {counts} in {self.matches} matches"


class BotCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a bot's check."""

    bot: str
    sha256: str
    files: int
    bytes: int
    isolation: str
    not_locked: str
    """Why the bot could not be locked in on this machine; empty if it was."""
    seed: int
    """What the seeds of all matches were derived from."""
    clock: Clock
    memory: int
    """The limit on the bot's memory, in bytes."""
    memory_peak: int | None
    """The most memory that the bot used, in bytes beyond an empty process; None: this machine does not tell."""
    games: tuple[GameCheck, ...]
    slowest: tuple[SlowDecision, ...]
    faults: tuple[FaultFound, ...]
    refusals: tuple[str, ...]
    """Why the bot may not enter; empty if it may."""
    warnings: tuple[str, ...]
    cpu_seconds: float
    """The CPU time of all decisions of the bot together."""
    build: BuildReport | None = None
    """How the bot was built from its source; None: nothing had to be."""

    @property
    def may_enter(self) -> bool:
        """Whether the bot may enter."""
        return not self.refusals


def refused(name: str, reason: str, build: BuildReport | None = None) -> BotCheck:
    """The report on a file that is no bot; `reason` says why. `build`: how its build failed, if that is why."""
    return BotCheck(
        bot=name, sha256="", files=0, bytes=0, isolation=NONE, not_locked="", seed=0, clock=CLOCK, memory=DEFAULT_LIMITS.memory,
        memory_peak=None, games=(), slowest=(), faults=(), refusals=(reason,), warnings=(), cpu_seconds=0.0,
        build=build,
    )  # fmt: skip


def failed_in(result: GameCheck) -> FailedMatches | None:
    """Return how matches of a game failed; None: none did."""
    endings: dict[Ending, int] = {one: count for one, count in result.endings.items() if one is not Ending.PLAYED}
    return FailedMatches(game=result.game, endings=endings, matches=result.matches) if endings else None


def failures(results: Sequence[GameCheck]) -> Iterator[str]:
    """Why the bot may not enter."""
    for result in results:
        if (failed := failed_in(result)) is not None:
            yield str(failed)
        elif not result.is_complete:
            yield (
                f"{result.game}: too slow to take part: it slept for {result.wait_seconds:.1f} s, and the check "
                f"ended after {result.matches} matches. What a bot may use is its clock; it has nothing to wait for"
            )


def warnings(report: BotCheck) -> Iterator[str]:
    """Yield what the bot's author should know, also of a bot that may enter."""
    yield from hints([*report.refusals, *(fault.reason for fault in report.faults)])
    if report.not_locked:
        yield (
            f"this machine cannot lock bots in ({report.not_locked}), so this one ran with isolation {report.isolation}: "
            f"what a lock forbids was not tried. `arena doctor` shows what is missing"
        )
    limit = 1000 * report.clock.move
    for result in report.games:
        if result.is_deterministic is False:
            yield (
                f"{result.game}: the same match twice was not the same: use self.rng alone for randomness, and no clock, "
                f"if your matches are to be repeatable"
            )
        if report.isolation != ISOLATION and result.wall_ms_max > 2 * result.cpu_ms_max + _CLOSE * limit:
            yield (
                f"{result.game}: a decision took {result.wall_ms_max / 1000:.1f} s of wall time, but none more than "
                f"{result.cpu_ms_max / 1000:.2f} s of CPU time: the bot waits for something (a sleep, a file, a busy machine). "
                f"In a tournament sleep costs its clock, but for some seconds in a match"
            )
        if result.end_faults:
            yield f"{result.game}: its end() failed in {result.end_faults} matches, which changes no result"
        if result.cpu_ms_max > _CLOSE * limit:
            yield f"{result.game}: the slowest decision took {result.cpu_ms_max:.0f} ms of {limit:.0f} ms"
    if report.memory_peak is not None and report.memory_peak > _CLOSE * report.memory:
        yield f"memory: {report.memory_peak / 1e6:,.0f} MB of {report.memory / 1e6:,.0f} MB"
