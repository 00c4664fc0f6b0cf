"""`arena bench TOPIC`: figures of this machine."""

import enum
import sys
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from arena import game as games
from arena.bench import EngineSpeed, engine_speed
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
    speeds = [engine_speed(name) for name in names]
    if json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode({topic.value: speeds}), indent=2).decode() + "\n")
    else:
        Console(highlight=False).print(_table(speeds))
    return 0


def _table(speeds: list[EngineSpeed]) -> Table:
    table = Table("game", title="Engine: random play, one core", title_justify="left", box=None, pad_edge=False)
    for heading in ("seats", "decisions/s", "decisions/match", "from Python us", "clone ns", "state bytes"):
        table.add_column(heading, justify="right")
    for speed in speeds:
        table.add_row(
            speed.game, str(speed.seats), f"{speed.decisions_per_second / 1e6:.1f} M", f"{speed.decisions_per_match:.1f}",
            f"{speed.python_decision_us:.2f}", f"{speed.clone_ns:.0f}", str(speed.state_bytes),
        )  # fmt: skip
    return table
