"""The lines of `arena bench chaos`: what was killed, what it cost, and whether anything was lost or changed."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console

from arena.bench.chaos import MATCHES_PER_KILL, Chaos, chaos
from arena.cli.shared.durations import duration_text
from arena.errors import ConfigError
from arena.tournament.session import LOCAL, RAY

WRONG = 1  # exit code
LINE_SECONDS = 10.0


def print_chaos(kills: int, backends: Sequence[str] | None, workers: int, seed: int) -> int:
    """Play, kill, compare and print; exit code 1 where anything was lost, changed or left."""
    backend = (backends or (RAY,))[-1]
    if kills < 1:
        raise ConfigError(f"--kills: at least 1, not {kills}")
    if backend not in (RAY, LOCAL):
        raise ConfigError(f"--backend: {RAY} or {LOCAL}, not {backend!r}")
    if workers < 1:
        raise ConfigError(f"--workers: at least 1, not {workers}")
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(
        f"a tournament of about {kills * MATCHES_PER_KILL:,} matches, calm and then with {kills} kills "
        f"({backend}, {workers} workers) ..."
    )
    with tempfile.TemporaryDirectory(prefix="arena-chaos-") as folder:
        found = chaos(
            Path(folder), kills, backend=backend, workers=workers, seed=seed, on_progress=_Progress(console, kills)
        )  # fmt: skip
    trouble = found.trouble
    killed = ", ".join(f"{kind} {number}" for kind, number in found.kills.most_common())
    typer.echo(f"kills: {found.kills.total()} ({killed}); the same command was said again {found.resumes} times")
    typer.echo(
        f"lost chunks: {trouble.lost_chunks} (overdue: {trouble.overdue_chunks}); attempts that failed: "
        f"{trouble.failed_attempts}; matches that needed more than one: {found.retried}; "
        f"results that came twice and were dropped: {trouble.duplicates}"
    )
    typer.echo(f"matches: {found.matches:,}, of them void after all attempts (a bot kills its worker): {found.void}")
    typer.echo(
        f"time: {duration_text(found.seconds)}; the calm run on one worker without Ray: {duration_text(found.calm_seconds)}"
    )
    typer.echo(f"processes left: {found.left}")
    for difference in found.differences:
        typer.echo(f"WRONG: {difference}")
    typer.echo("results: the same as in the calm run" if found.is_right else "results: NOT right")
    return 0 if found.is_right else WRONG


class _Progress:
    """A line now and then."""

    def __init__(self, console: Console, kills: int) -> None:
        self._console, self._kills = console, kills
        self._last = time.monotonic()

    def __call__(self, found: Chaos, done: int) -> None:
        if time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            self._console.print(f"{found.kills.total()} of {self._kills} kills, {done:,} matches done")
