"""`arena replay MATCH_ID`: a stored match as readable text, or as a trace."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from arena.cli.shared.rooms import ready
from arena.conformance.traces import logged_lines
from arena.errors import ConfigError
from arena.hall.finding import find_match
from arena.report.selection.replay import replay_lines
from arena.seeds import deal_seed
from arena.tournament.session import DEFAULT_FOLDER


def replay(
    match_id: Annotated[str, typer.Argument(help="24 hex digits, from the result rows.")],
    seat: Annotated[int | None, typer.Option(help="Show what this seat saw; default: all cards open.")] = None,
    trace: Annotated[bool, typer.Option("--trace", help="JSON Lines for other programs (all cards).")] = False,
    out: Annotated[Path, typer.Option(help="Folder with the results of tournaments.")] = DEFAULT_FOLDER,
) -> int:
    """Show a match of any stored tournament, decision by decision."""
    record, key = find_match(out, match_id)
    seats = len(record.seats)
    if seat is not None and not 0 <= seat < seats:
        raise ConfigError(f"--seat: a seat from 0 to {seats - 1}, not {seat}")
    if trace and seat is not None:
        raise ConfigError("--trace shows all cards; leave --seat out")
    game = ready(record.game)
    options = json.loads(record.options)
    seed = deal_seed(key, record.game, seats, record.options, record.deal)
    if trace:
        for line in logged_lines(game, seats, options, seed, record.actions, record.delays):
            print(line)
        return 0
    console = Console(highlight=False, soft_wrap=True)
    for line in replay_lines(game, record, options, seed, seat):
        console.print(line, markup=False)
    return 0
