"""`arena bench env`: steps of learning environments per second, beside those of other libraries."""

import math
from collections.abc import Sequence
from typing import Annotated

import typer

from arena.cli.measuring.env import AGENTS, LEDUC, MANY, RULERS, SECONDS, SINGLE, SPARROW, TABLES, StepSpeed, step_speeds
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, OnlyGames
from arena.cli.shared.printing import Format, note, show
from arena.cli.shared.rooms import all_ready
from arena.cli.shared.tables import write_table
from arena.engine.readiness import ENCODING
from arena.errors import ConfigError
from arena.reports.terminal import Page

_MISSING = {SPARROW: "bench", LEDUC: "bench"}
"""The extra with each environment of another library."""


def env(
    game: OnlyGames = None,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="CPU seconds of each of the measurements whose median is shown.")
    ] = SECONDS,
    format: FormatOption = Format.TABLE,
) -> int:
    """Measure steps of learning environments per second on one core.

    In CPU time, observations, masks and new episodes included. pgx and PettingZoo stand beside ours if the extra `bench` is
    installed.
    """
    if not 0 < seconds < math.inf:
        raise ConfigError(f"--seconds: more than 0, not {seconds}")
    speeds = step_speeds(all_ready(game, [ENCODING]), seconds)
    show(format, lambda page: _write(page, speeds), {"tables": TABLES, "speeds": speeds}, speeds)
    for name, extra in _MISSING.items():
        if not any(speed.environment == name for speed in speeds):
            note(f"({name} is not installed: pip install 'arena-hall[{extra}]')")
    if not any(speed.form == SINGLE for speed in speeds):
        note("(Gymnasium is not installed: pip install 'arena-hall[rl]')")
    return DONE


def _write(page: Page, speeds: Sequence[StepSpeed]) -> None:
    write_table(
        page, f"Steps of one core; {TABLES:,} tables at once in all forms but {SINGLE} and {AGENTS}",
        ("form", "environment", "seats", "steps/s", "us/step", "times as fast"),
        [
            (
                speed.form, speed.environment, str(speed.seats), f"{speed.steps_per_second:,.0f}",
                f"{1e6 / speed.steps_per_second:.2f}", "-" if speed.times is None else f"{speed.times:.1f}",
            )
            for speed in speeds
        ],
        names=2,
    )  # fmt: skip
    page.say("")
    page.say(f"`times as fast`: as {RULERS[MANY]} by its own vectorised step, or as {RULERS[AGENTS]}, in this run.")
