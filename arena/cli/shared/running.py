"""What all commands that play share: their options, the progress on the screen, and the end by Ctrl-C."""

import functools
import inspect
import math
import os
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.live import Live

from arena.cli.shared.options import Offline, Out, Seed, TrustBots, Workers
from arena.cli.shared.printing import duration_text, error_console, news_on, note, plain_text, rate_text
from arena.errors import ConfigError
from arena.records import Ending
from arena.reports.printed import leaders
from arena.results_folder import RESULTS
from arena.tournament.config import read_config
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, RAY, Interrupted, Observer, Progress, Results, Settings

ADDRESS_VARIABLE = "RAY_ADDRESS"
OWN_INSTANCE = "local"  # Ray's word for it
REFRESHES = 4  # of the progress that is redrawn, a second: one takes about a millisecond
LINE_SECONDS = 10.0  # between progress lines where the screen cannot be redrawn

Found = TypeVar("Found")


def _settings(
    backend: Annotated[
        str,
        typer.Option("--backend", metavar=f"{RAY}|{LOCAL}", help="Play on Ray, or in processes of this machine without Ray."),
    ] = RAY,
    workers: Workers = None,
    out: Out = RESULTS,
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            metavar="HOST:PORT",
            help=f"A running Ray cluster; {OWN_INSTANCE} starts one here. Default: ${ADDRESS_VARIABLE}, else {OWN_INSTANCE}.",
        ),
    ] = None,
    seed: Seed = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Set earlier results aside and start again.")] = False,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Name of the results. Default: the config's.")
    ] = None,
    unsafe_trust_bots: TrustBots = False,
    offline: Offline = None,
) -> Settings:
    """The options of a run, in the order of the help texts."""
    if backend == RAY and address is None:  # elsewhere the variable is another program's business
        address = os.environ.get(ADDRESS_VARIABLE) or None
    return Settings(
        out=out, backend=backend, workers=workers, address=address, seed=seed, name=name, fresh=fresh,
        unsafe_trust_bots=unsafe_trust_bots, offline=offline,
    )  # fmt: skip


def with_run_options(verb: Callable[..., int]) -> Callable[..., int]:
    """A command that has the options of a run where `settings` stands among its own parameters, and gets them as `settings`."""
    shared = inspect.signature(_settings).parameters
    own = [parameter for parameter in inspect.signature(verb).parameters.values() if parameter.name != "settings"]

    @functools.wraps(verb)
    def command(**given: Any) -> int:
        settings = _settings(**{key: given.pop(key) for key in shared})
        return verb(settings=settings, **given)

    first = own[: list(inspect.signature(verb).parameters).index("settings")]
    parameters = [*first, *shared.values(), *(parameter for parameter in own if parameter not in first)]
    command.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def play(verb: str, config: Path, settings: Settings, called: str | None = None) -> Results | None:
    """Play a config whose format is this verb's, with progress; None: interrupted, and said so.

    `called`: the word of the command line that named the config, where that is not its path.
    """
    tournament = read_config(config, settings.out)
    wanted = tournament.format.VERB
    if wanted != verb:
        raise ConfigError(f"{config}: format: {tournament.format.name()} is played by `arena {wanted} {config}`")

    def run(settings: Settings, screen: Screen) -> Results:
        results = run_tournament(tournament, settings, screen)
        if results.tally.efficiency is not None:
            screen.say(f"workers spent {results.tally.efficiency:.0%} of their CPU time inside matches")
        screen.say(f"results: {results.folder}  sha256 {results.manifest.results_sha256}")
        return results

    return on_screen(verb, called or config, settings, run)


def on_screen(verb: str, config: Path | str, settings: Settings, run: Callable[[Settings, "Screen"], Found]) -> Found | None:
    """Run something long that can be interrupted; None: it was, and said so."""
    console = error_console()
    address = None if settings.address == OWN_INSTANCE else settings.address
    with Screen(console) as screen:
        try:
            return run(replace(settings, address=address, command=_again(verb, config, settings)), screen)
        except Interrupted as stopped:
            screen.close()
            note(str(stopped))
            return None


def _again(verb: str, config: Path | str, settings: Settings) -> str:
    """The command that goes on with this run. (--fresh would not go on.)"""
    options = {
        "--backend": (settings.backend, RAY), "--workers": (settings.workers, None), "--out": (settings.out, RESULTS),
        "--address": (settings.address, None), "--seed": (settings.seed, None), "--name": (settings.name, None),
        "--offline": (settings.offline, None),
    }  # fmt: skip
    words = [text for option, (value, default) in options.items() if value != default for text in (option, str(value))]
    flags: Sequence[str] = ["--unsafe-trust-bots"] if settings.unsafe_trust_bots else []
    return shlex.join(["arena", verb, str(config), *words, *flags])


class Screen(Observer):
    """News as lines, progress as a line that is redrawn."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, refresh_per_second=REFRESHES, transient=True) if console.is_terminal else None
        self._last_line, self._last_shown = time.monotonic(), -math.inf

    def __enter__(self) -> "Screen":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the terminal back."""
        if self._live is not None and self._live.is_started:
            self._live.stop()

    def say(self, text: str) -> None:
        """Print a line above the progress."""
        news_on(self._console)(text)

    def progress(self, progress: Progress) -> None:
        """Redraw, or print a line now and then."""
        if self._live is not None:
            if not self._live.is_started:
                self._live.start()
            if time.monotonic() - self._last_shown >= 1 / REFRESHES:
                self._last_shown = time.monotonic()
                self._live.update(plain_text(progress_text(progress)))
        elif time.monotonic() - self._last_line >= LINE_SECONDS:
            self._last_line = time.monotonic()
            self.say(progress_text(progress))


def progress_text(progress: Progress) -> str:
    """Done of all, rate, time left, endings that are not `played`, and who leads."""
    if progress.weighed:
        left = progress.weighing_seconds * max(0, progress.done - progress.weighed) / progress.weighed
        return f"all is played; luck: {progress.weighed:,} of {progress.done:,} matches, {duration_text(left)} left"
    share = progress.done / progress.total if progress.total else 1.0
    parts = [f"{progress.done:,} of {progress.total:,} matches ({share:.0%})"]
    if progress.compiling:
        parts += [f"{progress.ahead:,} more played ahead"] * bool(progress.ahead) + [progress.compiling]
    elif progress.rate:
        parts.append(rate_text(progress.rate))
    if progress.seconds_left is not None and not progress.compiling:
        parts.append(f"{duration_text(progress.seconds_left)} left")
    parts += [f"{ending.value} {progress.endings[ending]}" for ending in Ending if progress.endings[ending]]
    text = ", ".join(parts)
    top = leaders(progress.ratings, 3) if progress.ratings else ""
    return f"{text}\n{top}" if top else text
