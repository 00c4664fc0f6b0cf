"""A tournament's run as seen from outside: its settings, its progress and its results. The run itself is in run.py."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from arena import notebooks
from arena.errors import ArenaError, ConfigError
from arena.match.sandbox import NAMESPACE
from arena.ratings.rows import Bot
from arena.records import Ending, MatchRecord, Rating
from arena.results import parquet
from arena.results.manifest import Manifest, read_manifest
from arena.results.schema import SeatTotals, StoredCall
from arena.results_folder import RESULTS
from arena.tournament.config import check_tournament_name
from arena.tournament.field import KnownProfiles
from arena.tournament.formats.schedule import Schedule
from arena.tournament.workers.driver import Tally
from arena.tournament.workers.processes import check_workers
from arena.tournament.workers.worker import Job

RAY, LOCAL = "ray", "local"
_ADDRESS = re.compile(r"auto|[^/:]+:[0-9]+|\[[0-9a-fA-F:]+\]:[0-9]+")
"""A `ray://` address is refused: every chunk would make a round trip through a proxy."""


@dataclass(frozen=True)
class Settings:
    """How a tournament is run. Of all this only the seed changes the results."""

    out: Path = RESULTS
    backend: str = RAY
    workers: int | None = None
    """How many worker processes play; None: one for each CPU that this process may use."""
    address: str | None = None
    """The address of a running Ray cluster; None: Ray is started on this machine for this run."""
    seed: int | None = None
    """Replaces the config's seed."""
    name: str | None = None
    """Replaces the config's name."""
    unsafe_trust_bots: bool = False
    """Run untrusted bots even if this machine cannot lock them in."""
    isolation: str = NAMESPACE
    """The strongest isolation level to try for untrusted bots."""
    offline: Path | None = None
    """The folder of a tournament whose kept answers the language models give, without being asked; None: they are asked."""
    fresh: bool = False
    """Set earlier results of this name aside and start again from nothing."""
    is_lasting: bool = True
    """Whether the matches enter the archive."""
    job: Callable[..., Job] = Job
    """Makes the job that is sent to the workers; `arena bench scale` sends one whose matches are not played."""
    command: str = ""
    """The command line that resumes this run, shown by `arena status`."""
    known: KnownProfiles | None = None
    """What bots have declared in earlier runs of a ladder that never stops, and so is published now and then; None: the
    tournament ends as its config says."""

    def __post_init__(self) -> None:
        """Take a text for the folder, too, as the functions do that take a path."""
        object.__setattr__(self, "out", Path(self.out))

    @property
    def never_stops(self) -> bool:
        """Whether this run is one of many of a ladder that never stops."""
        return self.known is not None


@dataclass
class Progress:
    """How far a running tournament is."""

    name: str
    total: int = 0
    """Matches to play in all, without those of retired bots."""
    done: int = 0
    """Matches that are stored, those of earlier runs included."""
    played_now: int = 0
    """Matches played in this run."""
    seconds: float = 0.0
    """Wall time of this run, from its first match on."""
    endings: Counter[Ending] = field(default_factory=Counter)
    """How many seats had each ending other than `played`."""
    compiling: str = ""
    """What is compiled meanwhile and how long it takes, in words; empty: nothing is."""
    ahead: int = 0
    """Matches that were played before it is decided whether they count; that is done only while something is compiled."""
    early: int = 0
    """How many matches this run played while something was compiled, those ahead included."""
    waited: float = 0.0
    """The wall time until all was compiled, in seconds; it says nothing about the time that the others take."""
    ratings: list[Rating] = field(default_factory=list)
    """The ratings at the last checkpoint."""
    weighed: int = 0
    """Matches whose luck is worked out; that comes when all are played."""
    weighing_seconds: float = 0.0
    """How long that has taken so far."""

    @property
    def rate(self) -> float:
        """Matches per second of this run since all is compiled; 0 before the first one."""
        seconds = self.seconds - self.waited
        return (self.played_now + self.ahead - self.early) / seconds if seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the end at the current rate; None before the first match."""
        return (self.total - self.done - self.ahead) / self.rate if self.rate else None


class Observer:
    """Hears how a tournament goes on, and may end the run of a ladder. This one ignores all and ends nothing."""

    def say(self, text: str) -> None:
        """Take one line of text for the user."""

    def progress(self, progress: Progress) -> None:
        """Take the current progress; called several times a second."""

    def played(self, bots: Iterable[Bot]) -> None:
        """Take the bots of matches that count, new or stored before; a bot may come again and again."""

    def failed(self, record: MatchRecord) -> None:
        """Take a match in which a bot has failed, when this run has stored it."""

    def passed(self, schedule: Schedule) -> None:
        """Take the schedule as it is behind a checkpoint."""

    def slept(self, bot: Bot, seconds: float) -> None:
        """Take note for how long a bot has slept in the matches of a chunk while it was waited for."""

    def end_now(self) -> str | None:
        """Why the run is to end at once, in words; None: it goes on. Asked several times a second."""
        return None

    def end_here(self) -> str | None:
        """Why the run is to end at this checkpoint, in words; None: it goes on."""
        return None

    def is_written(self, stored: int) -> bool:
        """Return whether the run that has just ended is to write its results, which takes long if there are many.

        `stored`: how many matches there are.
        """
        return True


@dataclass(frozen=True)
class Results:
    """The results of a tournament, complete or as far as it was played."""

    folder: Path
    manifest: Manifest
    ratings: list[Rating]
    tally: Tally = field(default_factory=Tally)
    schedule: Schedule | None = None
    """What the format decided along the way; None if the results were read from a folder."""

    def _repr_html_(self) -> str:
        """The board, drawn for a notebook."""
        return notebooks.shown(self, "board")

    @property
    def is_void(self) -> bool:
        """Whether matches were to be played and the host could finish none."""
        return 0 < self.manifest.played == self.manifest.void

    def records(self) -> Iterator[MatchRecord]:
        """The records of all stored matches in plan order."""
        return parquet.read_matches(self.folder)

    def calls(self) -> list[StoredCall]:
        """The calls of language models, in plan order; none where no model played."""
        return parquet.read_calls(self.folder)

    def totals(self) -> list[SeatTotals]:
        """Decisions, CPU time and endings per pool and bot."""
        return parquet.read_totals(self.folder)


class Interrupted(ArenaError):
    """The user stopped the tournament with Ctrl-C; finished matches are kept."""

    def __init__(self, message: str, tally: Tally) -> None:
        super().__init__(message)
        self.tally = tally


def read_results(path: Path | str) -> Results:
    """Read the results in a tournament's folder. Raises StoreError if there are none or they are damaged."""
    folder = Path(path)
    return Results(folder, read_manifest(folder), parquet.read_ratings(folder))


def check_settings(settings: Settings) -> None:
    """Raise ConfigError for settings that cannot be carried out. Called before anything is written."""
    if settings.backend not in (RAY, LOCAL):
        raise ConfigError(f"--backend: {RAY} or {LOCAL}, not {settings.backend!r}")
    if settings.backend == LOCAL and settings.address is not None:
        raise ConfigError(f"--address: of a Ray cluster; `--backend {LOCAL}` uses none. Leave one of the two out")
    if settings.address is not None and not _ADDRESS.fullmatch(settings.address):
        raise ConfigError(
            f"--address: HOST:PORT of a Ray cluster's head (or auto, or local), not {settings.address!r}; run the command on "
            f"one of the cluster's machines, or in a pod of it"
        )
    check_workers(settings.workers)
    if settings.name is not None:
        check_tournament_name(settings.name, "--name")
