"""`arena plan CONFIG`: what would be played, how balanced, how many matches, how long; nothing is played of it or written."""

from pathlib import Path
from typing import Any

import msgspec

from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import ConfigPath, FormatOption, Seed, TrustBots, Workers
from arena.cli.shared.printing import Format, duration_text, note, show
from arena.reports.table import Column, Table
from arena.reports.terminal import Page
from arena.tournament.chain import read_steps
from arena.tournament.config import Tournament
from arena.tournament.forecast import MODEL_MATCHES, EntryForecast, Forecast, forecast
from arena.tournament.session import Settings
from arena.tournament.workers.processes import check_workers


def plan(
    config: ConfigPath,
    workers: Workers = None,
    seed: Seed = None,
    unsafe_trust_bots: TrustBots = False,
    format: FormatOption = Format.TABLE,
) -> int:
    """Tell what a config would play and how long it would take.

    Prints tables, balance, matches and time; of a chain of comparisons, those of each step. The time is estimated from a few
    matches of each game, which are not stored; with language models from two, which cost as others do.
    """
    check_workers(workers)
    settings = Settings(workers=workers, seed=seed, unsafe_trust_bots=unsafe_trust_bots)
    steps = read_steps(config, settings)
    parts: list[Path | Tournament] = [step.tournament for step in steps] if steps else [config]
    found = [forecast(part, settings, note) for part in parts]
    show(format, lambda page: _write(page, found), found if steps else found[0], _rows(found))
    return DONE


def _rows(found: list[Forecast]) -> list[dict[str, Any]]:
    """A row for each game of each tournament."""
    return [
        {"name": part.name, "format": part.format, "workers": part.workers, **msgspec.to_builtins(entry)}
        for part in found
        for entry in part.entries
    ]


def _write(page: Page, found: list[Forecast]) -> None:
    for number, part in enumerate(found):
        if number:
            page.say("")
        _write_part(page, part)


def _write_part(page: Page, found: Forecast) -> None:
    at_most = "at most " if found.is_upper_bound else ""
    page.say(f"{found.name}: {found.format}, {found.bots} bots, {at_most}{found.matches:,} matches")
    page.table(_table(found.entries))
    for entry in found.entries:
        page.say(f"{entry.pool}: {entry.balance}")
        if entry.faults:
            page.say(f"{entry.pool}: {entry.faults} faults in {entry.calibrated} matches")
    workers_text = "1 worker" if found.workers == 1 else f"{found.workers} workers"
    page.say(f"time: {at_most}about {duration_text(found.seconds)} with {workers_text}")
    if found.tokens is not None:
        money = "" if found.cost is None else f", {found.cost:,.2f} {found.currency}"
        page.say(
            f"language models: {at_most}about {found.tokens:,} tokens{money}, judged by {MODEL_MATCHES} matches of each game"
        )


def _table(entries: tuple[EntryForecast, ...]) -> Table:
    headings = ("seats", "bots", "tables", "deals", "rotations", "matches", "s/match", "time")  # tables: of one deal
    dropped = {"rotations": 1, "s/match": 2}  # where the terminal is narrow: matches and time tell them
    columns = [
        Column("pool", is_name=True), *(Column(heading, ">", dropped=dropped.get(heading, 0)) for heading in headings)
    ]  # fmt: skip
    return Table(columns, [[entry.pool, *_cells(entry)] for entry in entries])


def _cells(entry: EntryForecast) -> list[str]:
    counts = (entry.seats, entry.bots, entry.tables, entry.deals, entry.rotations, entry.matches)
    cells = ["-" if count is None else f"{count:,}" for count in counts]
    seconds = entry.seconds_per_match
    cells.append(f"{seconds:.2g}" if seconds < 100 else f"{seconds:,.0f}")
    return [*cells, "-" if entry.matches is None else duration_text(entry.matches * seconds)]
