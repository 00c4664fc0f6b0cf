"""The lines of `arena bench scale`: each figure as soon as it is known, with what is to be reached."""

from collections.abc import Sequence

import typer

from arena.bench.scale import (
    BACKENDS,
    BARE,
    LARGE_PLAN,
    SIZES,
    STUB_SECONDS,
    THROUGHPUT_SECONDS,
    Size,
    Start,
    Throughput,
    sizes,
    starts,
    throughputs,
)
from arena.errors import ConfigError

LEAST = 100
SHORT = 10_000  # matches: below, every part is made shorter
OF_BARE, DRIVER_US, START_S = 0.9, 100.0, 5.0  # to reach


def print_scale(matches: Sequence[int] | None, backend: Sequence[str] | None) -> int:
    """Measure and print; `matches`: the sizes of the tournaments of stubs."""
    wanted, backends = tuple(matches or SIZES), tuple(backend or BACKENDS)
    if min(wanted) < LEAST:
        raise ConfigError(f"--matches: at least {LEAST}, not {min(wanted)}")
    if unknown := set(backends) - set(BACKENDS):
        raise ConfigError(f"--backend: {' or '.join(BACKENDS)}, not {unknown.pop()!r}")
    scale = min(1.0, max(wanted) / SHORT)
    typer.echo(
        f"Throughput: bare loops, then the driver with 1 and 2 workers; {scale * THROUGHPUT_SECONDS:.0f} s of play each. "
        f"To reach with 2 workers on a quiet machine: {OF_BARE} of 2 bare, for matches of {1e3 * STUB_SECONDS:.0f} ms and more"
    )
    for throughput in throughputs(backends, scale):
        typer.echo(_throughput(throughput))
    typer.echo(
        f"\nSize: tournaments of stub matches without work, 2 workers, {backends[0]} backend. To reach: below "
        f"{DRIVER_US:.0f} us of the driver's CPU time a match, the same memory at every size but for a byte a match"
    )
    for size in sizes(wanted, backends[0]):
        typer.echo(_size(size))
    typer.echo(f"\nStart: from the call to the first match under way. To reach: {START_S:.0f} s for {LARGE_PLAN:,} matches")
    for start in starts(backends=backends):
        typer.echo(_start(start))
    return 0


def _throughput(found: Throughput) -> str:
    head = f"  {found.play:20}  {found.backend:5}  {found.workers} worker{'s' if found.workers > 1 else ' '}"
    parts = [
        f"{found.per_second:8,.1f} matches/s = {found.of_bare:.2f} of {found.workers} bare",
        f"by CPU time {found.of_bare_by_cpu:.2f}",
        f"worker {found.worker_cpu_ms:.2f} ms of CPU a match",
    ]
    if found.backend != BARE:
        parts.append(f"driver {found.driver_cpu_us:.0f} us")
    if found.efficiency is not None:
        parts.append(f"{found.efficiency:.1%} of the workers' CPU inside matches")
    return f"{head}  {', '.join(parts)}"


def _size(found: Size) -> str:
    return (
        f"  {found.matches:>11,} matches in {found.seconds:,.0f} s: driver {found.driver_cpu_us:.0f} us of CPU a match, "
        f"{found.start_mb:.0f} MB at the start, at most {found.playing_mb:.0f} MB playing; journal {found.journal_mb:,.0f} MB\n"
        f"  {'':>11}  files and ratings: {found.finish_s:.0f} s ({found.finish_cpu_us:.0f} us of CPU a match), at most "
        f"{found.finish_mb:.0f} MB; goes on after {found.resume_s:.1f} s ({found.resume_cpu_s:.1f} s of CPU); "
        f"`arena status` reads it in {found.status_s:.2f} s"
    )


def _start(found: Start) -> str:
    return f"  {found.matches:>11,} matches, {found.backend:5}: {found.seconds:.1f} s ({found.cpu_s:.1f} s of the driver's CPU)"
