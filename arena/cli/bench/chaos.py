"""`arena bench chaos`: what was killed, what it cost, and whether anything was lost or changed."""

import tempfile
import time
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arena.bench.chaos import MATCHES_PER_KILL, Chaos
from arena.bench.chaos import chaos as play_in_a_storm
from arena.cli.shared.durations import duration_text
from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.options import FormatOption
from arena.cli.shared.printing import Format, note, refuse_csv, show
from arena.errors import ConfigError
from arena.report.terminal.page import Page
from arena.tournament.session import LOCAL, RAY
from arena.workers.processes import check_workers

LINE_SECONDS = 10.0


def chaos(
    kills: Annotated[int, typer.Option("--kills", metavar="N", help="Number of processes to kill.")] = 20,
    backend: Annotated[str, typer.Option("--backend", metavar=f"{RAY}|{LOCAL}", help="Backend of the tournament.")] = RAY,
    workers: Annotated[int, typer.Option("--workers", metavar="N", help="Number of worker processes.")] = 2,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the choice of what is killed when.")] = 1,
    format: FormatOption = Format.TABLE,
) -> int:
    """Kill processes of a tournament and compare its results with an undisturbed run.

    Workers and the driver are killed again and again, and the tournament is resumed. Exit code 0: the results are the same
    and no process is left, 1: something was lost, changed or left.
    """
    refuse_csv(format, "this result")
    if kills < 1:
        raise ConfigError(f"--kills: at least 1, not {kills}")
    if backend not in (RAY, LOCAL):
        raise ConfigError(f"--backend: {RAY} or {LOCAL}, not {backend!r}")
    check_workers(workers)
    note(
        f"a tournament of about {kills * MATCHES_PER_KILL:,} matches, calm and then with {kills} kills "
        f"({backend}, {workers} workers) ..."
    )
    with tempfile.TemporaryDirectory(prefix="arena-chaos-") as folder:
        found = play_in_a_storm(
            Path(folder), kills, backend=backend, workers=workers, seed=seed, on_progress=_Progress(kills)
        )  # fmt: skip
    show(format, lambda page: _write(page, found), {"is_right": found.is_right, **msgspec.to_builtins(found)})
    return DONE if found.is_right else NO


def _write(page: Page, found: Chaos) -> None:
    trouble = found.trouble
    killed = ", ".join(f"{kind} {number}" for kind, number in found.kills.most_common())
    page.say(f"kills: {found.kills.total()} ({killed}); the same command was said again {found.resumes} times")
    page.say(
        f"lost chunks: {trouble.lost_chunks} (overdue: {trouble.overdue_chunks}); attempts that failed: "
        f"{trouble.failed_attempts}; matches that needed more than one: {found.retried}; "
        f"results that came twice and were dropped: {trouble.duplicates}"
    )
    page.say(f"matches: {found.matches:,}, of them void after all attempts (a bot kills its worker): {found.void}")
    page.say(
        f"time: {duration_text(found.seconds)}; the calm run on one worker without Ray: {duration_text(found.calm_seconds)}"
    )
    page.say(f"processes left: {found.left}")
    for difference in found.differences:
        page.line(f"WRONG: {difference}")
    page.say("results: the same as in the calm run" if found.is_right else "results: NOT right")


class _Progress:
    """Prints a line now and then."""

    def __init__(self, kills: int) -> None:
        self._kills = kills
        self._last = time.monotonic()

    def __call__(self, found: Chaos, done: int) -> None:
        if time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            note(f"{found.kills.total()} of {self._kills} kills, {done:,} matches done")
