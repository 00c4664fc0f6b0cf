"""`arena bench scale`: throughput, size and start-up time of whole tournaments, with what is to be reached."""

from collections.abc import Sequence
from typing import Annotated

import typer

from arena.cli.measuring.scale import (
    BACKENDS,
    BARE,
    LARGE_PLAN,
    LOADS,
    PER_DEAL,
    SIZES,
    STUB_SECONDS,
    THROUGHPUT_SECONDS,
    WORKERS,
    Load,
    Size,
    Start,
    Throughput,
    loads,
    sizes,
    starts,
    throughputs,
)
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption
from arena.cli.shared.printing import Format, note, refuse_csv, show, write_table
from arena.errors import ConfigError
from arena.reports.terminal import Page

LEAST = 100
SHORT = 10_000  # matches: below, every part is made shorter
OF_BARE, DRIVER_US, START_S = 0.9, 15.0, 5.0  # to reach


def scale(
    matches: Annotated[
        list[int] | None,
        typer.Option("--matches", metavar="N", help="Size of a tournament. Repeatable. Default: 10,000 to 1,000,000."),
    ] = None,
    backend: Annotated[
        list[str] | None,
        typer.Option("--backend", metavar="|".join(BACKENDS), help="Only this backend. Repeatable. Default: all."),
    ] = None,
    format: FormatOption = Format.TABLE,
) -> int:
    """Measure whole tournaments: throughput, memory and start-up time.

    The matches are stubs that work for a fixed time or not at all. Takes some minutes; less with fewer matches.
    """
    refuse_csv(format, "this result")
    wanted, backends = tuple(matches or SIZES), tuple(backend or BACKENDS)
    if min(wanted) < LEAST:
        raise ConfigError(f"--matches: at least {LEAST}, not {min(wanted)}")
    if unknown := set(backends) - set(BACKENDS):
        raise ConfigError(f"--backend: {' or '.join(BACKENDS)}, not {unknown.pop()!r}")
    part = min(1.0, max(wanted) / SHORT)
    rates: list[Throughput] = []
    note(f"throughput: bare loops, then the driver with 1 and 2 workers; {part * THROUGHPUT_SECONDS:.1f} s of play each ...")
    for rate in throughputs(backends, part):
        note(f"  {rate.play}, {rate.backend}, workers {rate.workers}: {rate.per_second:,.1f} matches/s")
        rates.append(rate)
    note(f"size: tournaments of stub matches without work, 2 workers, {backends[0]} backend ...")
    costs: list[Size] = []
    for size in sizes(wanted, backends[0]):
        note(f"  {size.matches:,} matches: {size.seconds:,.0f} s")
        costs.append(size)
    note(f"load: one driver, up to {WORKERS} workers that answer without playing, {backends[0]} backend ...")
    held: list[Load] = []
    for load in loads(min(1.0, max(wanted) / SIZES[-1]), backends[0]):
        note(f"  {load.per_second:,.0f} matches/s")
        held.append(load)
    note("start: from the call to the first match under way ...")
    begun = list(starts((PER_DEAL, max(PER_DEAL, round(part * LARGE_PLAN))), backends))
    show(
        format, lambda page: _write(page, rates, costs, held, begun),
        {"throughput": rates, "size": costs, "load": held, "start": begun},
    )  # fmt: skip
    return DONE


def _write(
    page: Page, rates: Sequence[Throughput], costs: Sequence[Size], held: Sequence[Load], begun: Sequence[Start]
) -> None:  # fmt: skip
    write_table(
        page, f"Throughput. To reach with 2 workers on a quiet machine: {OF_BARE} of 2 bare loops, for matches of "
        f"{1e3 * STUB_SECONDS:.0f} ms and more",
        ("play", "backend", "workers", "matches/s", "of bare", "by CPU", "worker ms", "driver us", "inside matches"),
        [
            (
                rate.play, rate.backend, str(rate.workers), f"{rate.per_second:,.1f}", f"{rate.of_bare:.2f}",
                f"{rate.of_bare_by_cpu:.2f}", f"{rate.worker_cpu_ms:.2f}",
                "-" if rate.backend == BARE else f"{rate.driver_cpu_us:.0f}",
                "-" if rate.efficiency is None else f"{rate.efficiency:.1%}",
            )
            for rate in rates
        ],
        names=2,
    )  # fmt: skip
    page.say("")
    write_table(
        page, f"Size. To reach: below {DRIVER_US:.0f} us of the driver's CPU time a match, the same memory at every size but "
        f"for a byte a match",
        ("matches", "s", "driver us", "start MB", "playing MB", "journal MB"),
        [
            (
                f"{cost.matches:,}", f"{cost.seconds:,.0f}", f"{cost.driver_cpu_us:.0f}", f"{cost.start_mb:.0f}",
                f"{cost.playing_mb:.0f}", f"{cost.journal_mb:,.0f}",
            )
            for cost in costs
        ],
        names=0,
    )  # fmt: skip
    page.say("")
    write_table(
        page, "After the last match: files and ratings; to resume; for `arena status` to read it",
        ("matches", "finish s", "us a match", "finish MB", "resume s", "resume CPU s", "status s"),
        [
            (
                f"{cost.matches:,}", f"{cost.finish_s:.1f}", f"{cost.finish_cpu_us:.0f}", f"{cost.finish_mb:.0f}",
                f"{cost.resume_s:.1f}", f"{cost.resume_cpu_s:.1f}", f"{cost.status_s:.2f}",
            )
            for cost in costs
        ],
        names=0,
    )  # fmt: skip
    page.say("")
    write_table(
        page, f"Load: one driver, workers that answer without playing. To reach: {LOADS[0]:,} matches a second",
        ("backend", "workers", "offered", "matches", "matches/s", "driver us", "of a CPU", "start MB", "playing MB"),
        [
            (
                load.backend, str(load.workers), "all they can" if load.offered is None else f"{load.offered:,}",
                f"{load.matches:,}", f"{load.per_second:,.0f}", f"{load.driver_cpu_us:.1f}", f"{load.driver_share:.0%}",
                f"{load.start_mb:.0f}", f"{load.playing_mb:.0f}",
            )
            for load in held
        ],
    )  # fmt: skip
    page.say("")
    write_table(
        page, f"Start, to the first match under way. To reach: {START_S:.0f} s for {LARGE_PLAN:,} matches",
        ("backend", "matches", "s", "driver's CPU s"),
        [(one.backend, f"{one.matches:,}", f"{one.seconds:.1f}", f"{one.cpu_s:.1f}") for one in begun],
    )  # fmt: skip
