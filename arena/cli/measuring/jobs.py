"""What a tournament sends its workers, without the tournament: for measuring workers alone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Settings
from arena.tournament.workers.worker import Job


class _GotJob(Exception):
    """Ends a tournament before it starts workers; carries the job that they would have been sent."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job = job


def job_of(config: Path, make_job: Callable[..., Job] = Job) -> Job:
    """The job of the tournament of a config. The tournament's folder is made beside the config."""

    def give(*arguments: Any, **named: Any) -> Job:
        raise _GotJob(make_job(*arguments, **named))

    try:
        run_tournament(config, Settings(out=config.parent / "bare", backend=LOCAL, job=give))
    except _GotJob as got:
        return got.job
    raise AssertionError("a tournament without workers")
