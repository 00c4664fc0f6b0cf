"""`arena bench TOPIC`: figures of this machine."""

import enum
import sys
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from arena import game as games
from arena.bench import PlaySpeed, RoomCost, open_spiel_speeds, room_cost, room_speeds
from arena.schedule.warmup import warm_rooms


class Topic(enum.StrEnum):
    """What can be measured."""

    ENGINE = "engine"


def bench(
    topic: Annotated[Topic, typer.Argument(help="What to measure.")],
    game: Annotated[list[str] | None, typer.Option(help="Only these games; repeatable.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Figures for programs.")] = False,
) -> int:
    """Measure speed on this machine (one core, CPU time, medians)."""
    console = Console(stderr=True, highlight=False)
    names = game or games.names()
    for name in names:
        games.load(name)
    warm_rooms(names, console.print)
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


def _play_table(plays: list[PlaySpeed]) -> Table:
    table = _table("Random play in compiled code, one core", ("seats", "decisions/s", "decisions/match"))
    for play in plays:
        rate = f"{play.decisions_per_second / 1e6:.2f} M"
        table.add_row(play.game, str(play.seats), rate, f"{play.decisions_per_match:.1f}")
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
