"""`arena bench TOPIC`: figures of this machine."""

import enum
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from arena import games
from arena.bench.commands import CommandCost, command_costs
from arena.bench.engine import PlaySpeed, RoomCost, open_spiel_speeds, room_cost, room_speeds
from arena.bench.seats import SeatCost, seat_cost
from arena.cli.bench.search import print_search
from arena.engine import jit
from arena.errors import ArenaError, ConfigError
from arena.seats.sandbox import LockError
from arena.workers.warmup import warm_rooms


class Topic(enum.StrEnum):
    """What can be measured."""

    ENGINE = "engine"
    SEATS = "seats"
    SEARCH = "search"
    RATINGS = "ratings"
    ROWS = "rows"
    SCALE = "scale"
    CHAOS = "chaos"
    FORMATS = "formats"
    EXACT = "exact"


def bench(
    topic: Annotated[Topic, typer.Argument(help="What to measure.")],
    game: Annotated[list[str] | None, typer.Option(help="Only these games; repeatable.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Figures for programs (all but scale and chaos).")] = False,
    matches: Annotated[
        list[int] | None,
        typer.Option(
            help="rows: how many matches of 4 seats; default: 2,500,000. scale: sizes of the tournaments; repeatable; default: "
            "10,000 to 1,000,000."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="rows: folder to keep them in; default: they are deleted.")] = None,
    backend: Annotated[
        list[str] | None, typer.Option(help="scale: only these backends; repeatable. chaos: this one (default: ray).")
    ] = None,
    kills: Annotated[int, typer.Option(help="chaos: how many processes to kill.")] = 20,
    workers: Annotated[int, typer.Option(help="chaos: worker processes.")] = 2,
    seed: Annotated[int, typer.Option(help="chaos: of the choice of what is killed when.")] = 1,
    bot: Annotated[
        list[Path] | None, typer.Option(help="exact: only these bots; repeatable; default: rule bots, ismcts, champion.")
    ] = None,
    positions: Annotated[int | None, typer.Option(help="exact: how many of each kind; default: 12.", min=1)] = None,
) -> int:
    """Measure speed on this machine: engine, search and ratings (one core, CPU time), locked seats (wall time), boards
    of 10 million rows (1 GB of disk, some minutes), or whole tournaments (scale).

    formats: the error rates of `compare`, and how many matches `compare` and `ladder` save (some minutes).

    exact: end games that can be solved: how far searches are from the exact values, and what bots give away (some minutes).

    chaos kills workers and driver of a tournament again and again, and compares its results with those of a calm run.
    """
    console = Console(stderr=True, highlight=False)
    if topic is Topic.ROWS:
        return _rows(matches, out, console, json=json)
    if out is not None or (matches and topic is not Topic.SCALE):
        raise ConfigError("--matches, --out: of `arena bench rows` only; `arena bench scale` has --matches too")
    if (bot or positions is not None) and topic is not Topic.EXACT:
        raise ConfigError("--bot, --positions: of `arena bench exact` only")
    if topic is Topic.RATINGS:
        return _ratings(json=json)
    if topic is Topic.SCALE:
        from arena.cli.bench.scale import print_scale  # only now: it needs the whole of a tournament

        return print_scale(matches, backend)
    if topic is Topic.FORMATS:
        from arena.cli.bench.formats import print_formats  # only now: it plays a bank of matches

        return print_formats(json=json)
    if topic is Topic.CHAOS:
        from arena.cli.bench.chaos import print_chaos

        return print_chaos(kills, backend, workers, seed)
    if topic is Topic.EXACT:
        from arena.cli.bench.exact import print_exact  # only now: it needs scipy's solvers

        return print_exact(game, bot, positions, json=json)
    names = game or games.names()
    for name in names:
        games.load(name)
    warm_rooms(names, console.print)
    if topic is Topic.SEATS:
        return _seats(names, json=json)
    if topic is Topic.SEARCH:
        return print_search(names, json=json)
    plays = [speed for name in names for speed in room_speeds(name)] + open_spiel_speeds()
    costs = [room_cost(name) for name in names]
    if json:
        figures = {"random_play": plays, "rooms": costs}
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(figures), indent=2).decode() + "\n")
        return 0
    output = Console(highlight=False)
    output.print(_play_table(plays))
    output.print(_cost_table(costs))
    if not any(play.game.startswith("open_spiel") for play in plays):
        console.print("(OpenSpiel's figures beside ours: install the extra `bench`)")
    return 0


def _ratings(*, json: bool) -> int:
    """The compiled TrueSkill beside the package, on the same random matches."""
    from arena.bench.ratings import CASES, rating_speeds  # only now: the package and its mathematics are used here alone

    speeds = rating_speeds()
    if json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(speeds), indent=2).decode() + "\n")
        return 0
    title = f"TrueSkill, {CASES:,} random matches each, one core"
    table = Table("teams", title=title, title_justify="left", box=None, pad_edge=False)
    for heading in ("package, matches/s", "compiled, matches/s", "times", "worst mu", "worst sigma"):
        table.add_column(heading, justify="right")
    for speed in speeds:
        rates = (speed.package_per_second, speed.compiled_per_second, speed.compiled_per_second / speed.package_per_second)
        table.add_row(speed.teams, *(f"{rate:,.0f}" for rate in rates), f"{speed.worst_mu:.0e}", f"{speed.worst_sigma:.0e}")
    Console(highlight=False).print(table)
    return 0


def _rows(sizes: list[int] | None, out: Path | None, console: Console, *, json: bool) -> int:
    """Writing, rating and showing a tournament of millions of rows, beside what is promised for 10 million."""
    from arena.bench.rows import MATCHES, rows_cost

    matches = sizes[-1] if sizes else MATCHES
    if matches < 1:
        raise ConfigError(f"--matches: at least 1, not {matches}")
    warm_rooms((), console.print, {jit.RATINGS: "arena.ratings"})
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory())) if out is None else out
        try:
            cost = rows_cost(folder, matches, console.print)
        except subprocess.CalledProcessError as error:
            raise ArenaError(f"a step failed: {error}") from None
    if json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(cost), indent=2).decode() + "\n")
        return 0
    title = f"A tournament of {cost.rows:,} rows: {cost.bytes_a_row:.2f} bytes a row with times (promised: 14)"
    table = Table("step", title=title, title_justify="left", box=None, pad_edge=False)
    for heading in ("wall s", "CPU s", "promised for 10 million, s", "peak MB (promised: 2,000)"):
        table.add_column(heading, justify="right")
    steps = [
        ("make up and write", cost.write, ""), ("rate in plan order", cost.online, "30"),
        ("rate all at once", cost.batch, "300"), ("add up for the board", cost.totals, ""),
        ("show the board", cost.board, "1"),
    ]  # fmt: skip
    for label, run, promised in steps:
        table.add_row(label, f"{run.wall_s:.2f}", f"{run.cpu_s:.2f}", promised, f"{run.peak_mb:,.0f}")
    Console(highlight=False).print(table)
    return 0


def _seats(names: list[str], *, json: bool) -> int:
    """Locked seats with one room ready, and with all of them."""
    try:
        costs = [seat_cost(rooms) for rooms in dict.fromkeys((tuple(names[:1]), tuple(names)))]
        commands = command_costs(names[0])
    except LockError as error:
        raise ArenaError(f"bots cannot be locked in here: {error}; `arena doctor` shows what this machine offers") from None
    if json:
        figures = {"seats": costs, "commands": commands}
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(figures), indent=2).decode() + "\n")
        return 0
    table = Table("figure", title="Locked seats", title_justify="left", box=None, pad_edge=False)
    for cost in costs:
        table.add_column(f"{cost.rooms} room{'s' if cost.rooms > 1 else ''}", justify="right")
    for label, text in _SEAT_FIGURES.items():
        table.add_row(label, *(text(cost) for cost in costs))
    output = Console(highlight=False)
    output.print(table)
    output.print(_command_table(names[0], commands))
    return 0


def _command_table(room: str, costs: list[CommandCost]) -> Table:
    title = f"\nCommand bots, locked, with decisions of {room}"
    table = Table("language", title=title, title_justify="left", box=None, pad_edge=False)
    for heading in ("ready after, ms", "of CPU", "there and back, us", "p99", "CPU of the program, us"):
        table.add_column(heading, justify="right")
    for cost in costs:
        trip = (f"{cost.round_trip_us:.0f}", f"{cost.round_trip_p99_us:.0f}", f"{cost.round_trip_cpu_us:.0f}")
        table.add_row(cost.language, f"{cost.start_ms:.1f}", f"{cost.start_cpu_ms:.1f}", *trip)
    return table


_SEAT_FIGURES: dict[str, Callable[[SeatCost], str]] = {
    "isolation": lambda cost: cost.isolation,
    "zygote ready after, s": lambda cost: f"{cost.zygote_start_s:.2f}",
    "zygote resident, MB": lambda cost: f"{cost.zygote_resident_mb:.0f}",
    "seat ready after, ms (median)": lambda cost: f"{cost.start_ms:.1f}",
    "seat ready after, ms (p90)": lambda cost: f"{cost.start_p90_ms:.1f}",
    "seat ready after, ms of CPU (median)": lambda cost: f"{cost.start_cpu_ms:.1f}",
    "decision there and back, us (median)": lambda cost: f"{cost.round_trip_us:.0f}",
    "decision there and back, us (p99)": lambda cost: f"{cost.round_trip_p99_us:.0f}",
    "decisions/s and core in matches": lambda cost: f"{cost.decisions_per_second:,.0f}",
    "decisions/s in one match at a time": lambda cost: f"{cost.decisions_per_wall_second:,.0f}",
    "a seat's own memory, MB": lambda cost: "-" if cost.seat_private_mb is None else f"{cost.seat_private_mb:.1f}",
}


def _play_table(plays: list[PlaySpeed]) -> Table:
    table = _table("Random play in compiled code, one core", ("seats", "decisions/s", "decisions/match", "forced, not sent"))
    for play in plays:
        rate = f"{play.decisions_per_second / 1e6:.2f} M"
        forced = "-" if play.forced_share is None else f"{100 * play.forced_share:.1f} %"
        table.add_row(play.game, str(play.seats), rate, f"{play.decisions_per_match:.1f}", forced)
    return table


def _cost_table(costs: list[RoomCost]) -> Table:
    headings = ("decision from Python us", "clone ns", "state bytes", "compile s", "load s")
    table = _table("\nWhat a room costs", headings)
    for cost in costs:
        figures = (f"{cost.python_decision_us:.2f}", f"{cost.clone_ns:.0f}", str(cost.state_bytes))
        table.add_row(cost.game, *figures, f"{cost.cold_cpu_s:.1f}", f"{cost.warm_cpu_s:.1f}")
    return table


def _table(title: str, headings: tuple[str, ...]) -> Table:
    table = Table("game", title=title, title_justify="left", box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="right")
    return table
