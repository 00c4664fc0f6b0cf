"""`arena tournament CONFIG`: play a tournament, or go on with it, and print its leaderboard."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared.boards import show_board
from arena.cli.shared.closer_looks import Looker
from arena.cli.shared.exit_codes import DONE, INTERRUPTED, NO
from arena.cli.shared.options import FormatOption
from arena.cli.shared.printing import Format, note
from arena.cli.shared.running import play, with_run_options
from arena.errors import ConfigError
from arena.reports.board import headline_ratings
from arena.results_folder import RESULTS
from arena.shipped import house_folder
from arena.tournament.formats.format import read_format
from arena.tournament.session import LOCAL, Results, Settings

DEMO = "--demo"
NEXT = ("arena init my-arena", "arena new mybot --game naga", "arena match naga mybot.py house:naga_planner --watch")
"""Commands to try after the demo."""


@with_run_options
def tournament(
    config: Annotated[Path | None, typer.Argument(metavar="CONFIG", help="YAML file of the tournament.")] = None,
    demo: Annotated[
        bool, typer.Option(DEMO, help="Instead of CONFIG: play house bots for some seconds, without Ray and without any file.")
    ] = False,
    *,
    settings: Settings,
    format: FormatOption = Format.TABLE,
) -> int:
    """Play a tournament and print its leaderboard.

    Ctrl-C stops it and keeps every finished match; the same command resumes it. With the same seed, config and bots, the
    results are the same.
    """
    if demo == (config is not None):
        what = f"leave {config} out: {DEMO} has a config of its own" if demo else f"name a YAML file, or try {DEMO}"
        raise ConfigError(f"CONFIG: {what}; `arena init FOLDER` writes configs to play")
    if config is None:  # Ray would take longer to start than the matches take
        results = play(
            "tournament", house_folder("configs") / "demo.yaml", replace(settings, backend=LOCAL, address=None), DEMO
        )
    else:
        results = play("tournament", config, settings)
    if results is None:
        return INTERRUPTED
    show_board(results.manifest, results.ratings, format, totals=results.totals(), calls=results.calls())
    if format.is_for_people and read_format(results.manifest.config["format"]).COMPARES_PAIRS:
        Looker(
            results.folder, results.manifest, headline_ratings(results.manifest, results.ratings), format, None
        ).head_to_head()
    if demo:
        _say_what_is_next(results)
    return NO if results.is_void else DONE


def _say_what_is_next(results: Results) -> None:
    folder = results.folder
    elsewhere = [] if folder.parent == RESULTS else ["--out", str(folder.parent)]
    note("\nnext:")
    for command in (shlex.join(["arena", "report", folder.name, *elsewhere]), *NEXT):
        note(f"  {command}")
