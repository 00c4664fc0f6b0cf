"""A run of a tournament as others see it: what is asked of it, what it tells as it goes on, and what it leaves.

The run itself is in tournament.py.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from arena.config import RESULTS, check_tournament_name
from arena.errors import ArenaError, ConfigError
from arena.formats.course import Course
from arena.records import Ending, MatchRecord, Rating
from arena.seats.sandbox import NAMESPACE
from arena.store import parquet
from arena.store.manifest import Manifest, read_manifest
from arena.store.schema import SeatTotals
from arena.workers.driver import Tally
from arena.workers.worker import Job

RAY, LOCAL = "ray", "local"
_ADDRESS = re.compile(r"auto|[^/:]+:[0-9]+|\[[0-9a-fA-F:]+\]:[0-9]+")
"""Not ray://: a round trip through a proxy for every chunk."""
DEFAULT_FOLDER = RESULTS


@dataclass(frozen=True)
class Settings:
    """How a tournament is run; nothing of this changes its results, but the seed."""

    out: Path = DEFAULT_FOLDER
    backend: str = RAY
    workers: int | None = None
    """None: one per CPU that this process may use."""
    address: str | None = None
    """Of a standing Ray cluster; None: a local instance of our own."""
    seed: int | None = None
    """Overrides the config's."""
    name: str | None = None
    """Overrides the config's."""
    unsafe_trust_bots: bool = False
    """Run bots that are not trusted even where they cannot be locked in."""
    isolation: str = NAMESPACE
    """The strongest to try for them."""
    fresh: bool = False
    """Set earlier results of this name aside and start anew."""
    is_lasting: bool = True
    """Whether its matches enter the hall of all tournaments."""
    job: Callable[..., Job] = Job
    """Makes what workers are sent; `arena bench scale` sends one whose matches are only pretended."""
    command: str = ""
    """The command line that goes on with this run, for `arena status`."""


@dataclass
class Progress:
    """Where a running tournament stands."""

    name: str
    total: int = 0
    """Matches to play, without those of retired bots."""
    done: int = 0
    played_now: int = 0
    """In this run."""
    seconds: float = 0.0
    """Playing, in this run."""
    endings: Counter[Ending] = field(default_factory=Counter)
    """Seats whose ending is not `played`."""
    ratings: list[Rating] = field(default_factory=list)
    """As of the last checkpoint."""

    @property
    def rate(self) -> float:
        """Matches per second in this run."""
        return self.played_now / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """At this rate."""
        return (self.total - self.done) / self.rate if self.rate else None


class Reporter(Protocol):
    """Who listens to a running tournament."""

    def say(self, text: str) -> None:
        """One line of news."""
        ...

    def progress(self, progress: Progress) -> None:
        """Several times a second."""
        ...


class Silent:
    """Listens to nothing; implements Reporter."""

    def say(self, text: str) -> None:
        """Drop it."""

    def progress(self, progress: Progress) -> None:
        """Drop it."""


@dataclass(frozen=True)
class Results:
    """A tournament's results."""

    folder: Path
    manifest: Manifest
    ratings: list[Rating]
    tally: Tally = field(default_factory=Tally)
    course: Course | None = None
    """Of a run: what it has decided; None: read from a folder."""

    def records(self) -> Iterator[MatchRecord]:
        """All matches in plan order."""
        return parquet.read_matches(self.folder)

    def totals(self) -> list[SeatTotals]:
        """Decisions, CPU time and endings per pool and bot."""
        return parquet.read_totals(self.folder)


class Interrupted(ArenaError):
    """Ctrl-C: what was finished is kept."""

    def __init__(self, message: str, tally: Tally) -> None:
        super().__init__(message)
        self.tally = tally


def read_results(path: Path | str) -> Results:
    """The stored results of a tournament's folder. Raises StoreError."""
    folder = Path(path)
    return Results(folder, read_manifest(folder), parquet.read_ratings(folder))


def check_settings(settings: Settings) -> None:
    """Before anything is written."""
    if settings.backend not in (RAY, LOCAL):
        raise ConfigError(f"--backend: {RAY} or {LOCAL}, not {settings.backend!r}")
    if settings.backend == LOCAL and settings.address is not None:
        raise ConfigError(f"--address: of a Ray cluster; `--backend {LOCAL}` uses none. Leave one of the two out")
    if settings.address is not None and not _ADDRESS.fullmatch(settings.address):
        raise ConfigError(
            f"--address: HOST:PORT of a Ray cluster's head (or auto, or local), not {settings.address!r}; run the command on "
            f"one of the cluster's machines, or in a pod of it"
        )
    if settings.workers is not None and settings.workers < 1:
        raise ConfigError(f"--workers: at least 1, not {settings.workers}")
    if settings.name is not None:
        check_tournament_name(settings.name, "--name")
