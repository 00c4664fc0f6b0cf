"""`arena verify-results NAME`: audit a board: play every stored match again, and work out everything anew."""

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from arena.audit.results_audit import Audit, audit_results
from arena.cli.shared.durations import duration_text, rate_text
from arena.cli.verbs.leaderboard import find_folder
from arena.engine import jit
from arena.errors import ConfigError
from arena.store.manifest import HALL, HALL_ENTRIES, read_manifest
from arena.workers.processes import available_cpus
from arena.workers.warmup import warm_rooms

FAILED = 1  # exit code
SHOWN = 20  # problems that are printed
LINE_SECONDS = 2.0
MATCHES_FOR_ALL = 5_000  # below, starting more processes takes longer than it saves


def verify_results(
    name: Annotated[str | None, typer.Argument(help="The tournament; left out: the newest.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: one per CPU, or one for a small board.")] = None,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("leaderboards"),
) -> int:
    """Play every stored match again from its log, and check places, scores, deals, commitment, hashes and ratings."""
    if workers is not None and workers < 1:
        raise ConfigError(f"--workers: at least 1, not {workers}")
    if name == HALL:
        raise ConfigError(
            f"the hall holds the files of tournaments as they were: audit each of them with "
            f"arena verify-results FOLDER --out {out / HALL / HALL_ENTRIES}"
        )
    folder = find_folder(out, name)
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    manifest = read_manifest(folder)
    if workers is None:
        workers = available_cpus() if manifest.played >= MATCHES_FOR_ALL else 1
    warm_rooms(manifest.rules_versions, console.print, {jit.RATINGS: "arena.ratings"})
    audit = audit_results(folder, workers, _Progress(console))
    for problem in audit.problems[:SHOWN]:
        typer.echo(problem)
    if len(audit.problems) > SHOWN:
        typer.echo(f"... and {len(audit.problems) - SHOWN:,} more")
    speed = f"{audit.matches:,} matches played again in {duration_text(audit.seconds)} ({rate_text(audit.rate)})"
    if audit.problems:
        typer.echo(f"{folder.name}: NOT verified: {len(audit.problems):,} problems; {speed}")
        return FAILED
    typer.echo(f"{folder.name}: verified: {speed}; deals, actions, places, scores, hashes and ratings are right")
    typer.echo(f"results_sha256 {audit.manifest.results_sha256}  commitment {audit.manifest.commitment}")
    return 0


class _Progress:
    """A line now and then."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = time.monotonic()

    def __call__(self, audit: Audit) -> None:
        if time.monotonic() - self._last < LINE_SECONDS:
            return
        self._last = time.monotonic()
        left = max(0, audit.manifest.played - audit.matches) / audit.rate if audit.rate else 0.0
        self._console.print(
            f"{audit.matches:,} of {audit.manifest.played:,} matches, {rate_text(audit.rate)}, {duration_text(left)} left, "
            f"{len(audit.problems)} problems so far"
        )
