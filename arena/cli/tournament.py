"""`arena tournament CONFIG`: play a tournament, or go on with it, and print its leaderboard."""

import os
import shlex
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.cli.durations import duration_text, rate_text
from arena.cli.formats import Format
from arena.cli.insights import Looker
from arena.config import read_config
from arena.errors import ConfigError
from arena.records import Ending
from arena.report.board import headline_ratings, leaders, print_board
from arena.schedule.tables import Compare, Gauntlet, Ladder
from arena.tournament import DEFAULT_FOLDER, LOCAL, RAY, Interrupted, Progress, Results, Settings, run_tournament

ADDRESS_VARIABLE = "RAY_ADDRESS"
INTERRUPTED = 130  # exit code
VERB_OF: Mapping[type, str] = {Compare: "compare", Ladder: "ladder"}
"""The formats that have a verb of their own, because they end in another way."""
OWN_INSTANCE = "local"  # Ray's word for it
LINE_SECONDS = 10.0  # between progress lines where the screen cannot be redrawn


ConfigPath = Annotated[Path, typer.Argument(help="The tournament's YAML file.")]
BackendName = Annotated[str, typer.Option(help=f"{RAY} or {LOCAL} (processes of this machine, without Ray).")]
Workers = Annotated[int | None, typer.Option(help="Worker processes; default: one per CPU.")]
Out = Annotated[Path, typer.Option(help="Folder for results.")]
Address = Annotated[
    str | None,
    typer.Option(
        help=f"HOST:PORT of a standing Ray cluster, or {OWN_INSTANCE}; default: ${ADDRESS_VARIABLE}, else {OWN_INSTANCE}."
    ),
]
Seed = Annotated[int | None, typer.Option(help="Public seed of a reproducible run; default: a secret key.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Set earlier results aside and start anew.")]
Name = Annotated[str | None, typer.Option(help="Name of the results; default: the config's.")]
TrustBots = Annotated[
    bool, typer.Option("--unsafe-trust-bots", help="Run strangers' bots even where they cannot be locked in.")
]


def tournament(
    config: ConfigPath, backend: BackendName = RAY, workers: Workers = None, out: Out = DEFAULT_FOLDER,
    address: Address = None, seed: Seed = None, fresh: Fresh = False, name: Name = None, unsafe_trust_bots: TrustBots = False,
) -> int:  # fmt: skip
    """Play a tournament (round robin or gauntlet) and print its leaderboard; the same command resumes."""
    settings = Settings(
        out=out, backend=backend, workers=workers, address=address, seed=seed, name=name, fresh=fresh,
        unsafe_trust_bots=unsafe_trust_bots,
    )  # fmt: skip
    results = play("tournament", config, settings)
    if results is None:
        return INTERRUPTED
    print_board(results.manifest, results.ratings, Console(highlight=False), totals=results.totals())
    if results.manifest.config["format"]["name"] == Gauntlet.__struct_config__.tag:
        Looker(results.folder, results.manifest, headline_ratings(results.ratings), Format.TABLE, None).head_to_head()
    return 0


def play(verb: str, config: Path, settings: Settings) -> Results | None:
    """Play a config whose format is this verb's, with progress; None: interrupted, and said so."""
    tournament = read_config(config, settings.out)
    wanted, format = VERB_OF.get(type(tournament.format), "tournament"), tournament.format.__struct_config__.tag
    if wanted != verb:
        raise ConfigError(f"{config}: format: {format} is played by `arena {wanted} {config}`")
    if settings.backend == RAY and settings.address is None:  # elsewhere the variable is another program's business
        settings = replace(settings, address=os.environ.get(ADDRESS_VARIABLE) or None)
    console = Console(stderr=True, highlight=False)
    again = _command(
        verb, config,
        {"--backend": (settings.backend, RAY), "--workers": (settings.workers, None), "--out": (settings.out, DEFAULT_FOLDER),
         "--address": (settings.address, None), "--seed": (settings.seed, None), "--name": (settings.name, None)},
        ["--unsafe-trust-bots"] if settings.unsafe_trust_bots else [],
    )  # fmt: skip
    address = None if settings.address == OWN_INSTANCE else settings.address
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # like Ctrl-C: a clean state, and a word on how to go on
    with _Screen(console) as screen:
        try:
            results = run_tournament(tournament, replace(settings, address=address, command=again), screen)
        except Interrupted as stopped:
            screen.close()
            console.print(str(stopped), markup=False, soft_wrap=True)
            return None
    if results.tally.efficiency is not None:
        screen.say(f"workers spent {results.tally.efficiency:.0%} of their CPU time inside matches")
    screen.say(f"results: {results.folder}  sha256 {results.manifest.results_sha256}")
    return results


def _command(verb: str, config: Path, options: Mapping[str, tuple[object, object]], flags: Sequence[str]) -> str:
    """The command that goes on with this run; `options`: value and default. (--fresh would not go on.)"""
    words = [text for option, (value, default) in options.items() if value != default for text in (option, str(value))]
    return shlex.join(["arena", verb, str(config), *words, *flags])


class _Screen:
    """News as lines, progress as a line that is redrawn; implements tournament.Reporter."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, refresh_per_second=8, transient=True) if console.is_terminal else None
        self._last_line = time.monotonic()

    def __enter__(self) -> "_Screen":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the terminal back."""
        if self._live is not None and self._live.is_started:
            self._live.stop()

    def say(self, text: str) -> None:
        """Print a line above the progress."""
        self._console.print(text, markup=False, soft_wrap=True)

    def progress(self, progress: Progress) -> None:
        """Redraw, or print a line now and then."""
        if self._live is not None:
            if not self._live.is_started:
                self._live.start()
            self._live.update(Text(progress_text(progress)))
        elif time.monotonic() - self._last_line >= LINE_SECONDS:
            self._last_line = time.monotonic()
            self.say(progress_text(progress))


def progress_text(progress: Progress) -> str:
    """Done of all, rate, time left, endings that are not `played`, and who leads."""
    share = progress.done / progress.total if progress.total else 1.0
    parts = [f"{progress.done:,} of {progress.total:,} matches ({share:.0%})"]
    if progress.rate:
        parts.append(rate_text(progress.rate))
    if progress.seconds_left is not None:
        parts.append(f"{duration_text(progress.seconds_left)} left")
    parts += [f"{ending.value} {progress.endings[ending]}" for ending in Ending if progress.endings[ending]]
    text = ", ".join(parts)
    top = leaders(progress.ratings, 3) if progress.ratings else ""
    return f"{text}\n{top}" if top else text
