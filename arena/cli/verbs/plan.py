"""`arena plan CONFIG`: what would be played, how balanced, how many matches, how long; nothing is played of it or written."""

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from arena.cli.shared.durations import duration_text
from arena.cli.shared.running import ConfigPath, Seed, TrustBots, Workers
from arena.config import Tournament
from arena.tournament.chain import read_steps
from arena.tournament.forecast import EntryForecast, Forecast, forecast
from arena.tournament.session import Settings


def plan(
    config: ConfigPath, workers: Workers = None, seed: Seed = None, unsafe_trust_bots: TrustBots = False,
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> int:  # fmt: skip
    """Print what a config would play (of a chain, each step): tables, balance, matches, and the time.

    A few matches of each game foretell the time.
    """
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    settings = Settings(workers=workers, seed=seed, unsafe_trust_bots=unsafe_trust_bots)
    steps = read_steps(config, settings)
    parts: list[Path | Tournament] = [step.tournament for step in steps] if steps else [config]
    found = [forecast(part, settings, lambda text: console.print(text, markup=False)) for part in parts]
    if json:
        document = msgspec.json.encode(found if steps else found[0])
        sys.stdout.write(msgspec.json.format(document, indent=2).decode() + "\n")
        return 0
    for part in found:
        _print(part)
    return 0


def _print(found: Forecast) -> None:
    output = Console(highlight=False, soft_wrap=True)
    at_most = "at most " if found.is_upper_bound else ""
    output.print(f"{found.name}: {found.format}, {found.bots} bots, {at_most}{found.matches:,} matches", markup=False)
    output.print(_table(found))
    for entry in found.entries:
        output.print(f"{entry.pool}: {entry.balance}", markup=False)
        if entry.faults:
            output.print(f"{entry.pool}: {entry.faults} faults in {entry.calibrated} matches", markup=False)
    workers_text = "1 worker" if found.workers == 1 else f"{found.workers} workers"
    output.print(f"time: {at_most}about {duration_text(found.seconds)} with {workers_text}", markup=False)


def _table(found: Forecast) -> Table:
    table = Table("pool", box=None, pad_edge=False)  # tables: of one deal
    for heading in ("seats", "bots", "tables", "deals", "rotations", "matches", "s/match", "time"):
        table.add_column(heading, justify="right", no_wrap=True)
    for entry in found.entries:
        table.add_row(entry.pool, *_cells(entry))
    return table


def _cells(entry: EntryForecast) -> list[str]:
    counts = (entry.seats, entry.bots, entry.tables, entry.deals, entry.rotations, entry.matches)
    cells = ["-" if count is None else f"{count:,}" for count in counts]
    seconds = entry.seconds_per_match
    cells.append(f"{seconds:.2g}" if seconds < 100 else f"{seconds:,.0f}")
    return [*cells, "-" if entry.matches is None else duration_text(entry.matches * seconds)]
