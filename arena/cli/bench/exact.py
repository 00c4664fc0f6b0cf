"""`arena bench exact`: the search and bots beside exact play, in end games that can be solved."""

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from arena.bench.end_games import (
    ITERATIONS,
    POSITIONS,
    STYLES,
    Exploitability,
    Player,
    SearchError,
    any_exploitability,
    end_games,
    exploitability,
    house_players,
    players_of,
    search_error,
)
from arena.bench.exact.moments import MAKERS, moments
from arena.errors import ConfigError
from arena.workers.warmup import warm_rooms


def print_exact(games: Sequence[str] | None, bots: Sequence[Path] | None, positions: int | None, *, json: bool) -> int:
    """Solve a sample of end games of each kind, search there, and let the bots meet best responses."""
    kinds = [moment for name in games or MAKERS for moment in moments(name)]
    players = _players(games, bots)
    kinds = [kind for kind in kinds if kind.game.name in players]
    console = Console(stderr=True, highlight=False)
    warm_rooms([*players], console.print)
    errors: list[SearchError] = []
    found: list[Exploitability] = []
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        work = progress.add_task("", total=sum(2 + len(players[kind.game.name]) for kind in kinds))
        for kind in kinds:
            title = f"{kind.game.name}, {kind.name}"
            if not console.is_terminal:
                console.print(f"{title} ...")
            progress.update(work, description=f"{title}: solving")
            sample = end_games(kind, positions or POSITIONS)
            errors += [search_error(kind, sample, style) for style in STYLES]
            progress.advance(work)
            found.append(any_exploitability(kind, sample))
            progress.advance(work)
            for player in players[kind.game.name]:
                progress.update(work, description=f"{title}: {player.name}")
                found.append(exploitability(kind, sample, player))
                progress.advance(work)
    if json:
        figures = {"search": errors, "bots": found}
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(figures), indent=2).decode() + "\n")
        return 0
    output = Console(highlight=False)
    output.print(f"{_SEARCH}\nUnits: {_units(errors)}.")
    output.print(_error_table(errors))
    output.print(f"\n{_BOTS}")
    output.print(_bot_table(found))
    return 0


def _players(games: Sequence[str] | None, bots: Sequence[Path] | None) -> dict[str, list[Player]]:
    """Who is measured in each game; those that are not asked for by name and that no bot plays are left out.

    Raises ConfigError or BotError for a bot or a game with nothing to measure.
    """
    names = list(games or MAKERS)
    if not bots:
        return {name: house_players(name) for name in names}
    players = players_of(bots)
    for player in players:
        if not any(map(player.plays, names)):
            raise ConfigError(f"{player.path}: plays no game of these: {', '.join(names)}; it plays {', '.join(player.games)}")
    found = {name: [player for player in players if player.plays(name)] for name in names}
    for name in games or ():
        if not found[name]:
            raise ConfigError(f"--game: {name}: no --bot plays it")
    return {name: those for name, those in found.items() if those}


_SEARCH = f"""\
The search beside exact values. What n positions are worth to the seat to
choose, on average, if all play any legal action, and if all play perfectly;
the mean error of what the search expects, by iterations; and its bias at
{ITERATIONS[-1]:,} (above 0: it hopes for too much). Plain: by the rules alone. House: with
the room's rules of thumb, and its belief that others have played sensibly,
which in these positions, made by random play, they have not."""
_BOTS = """\
What bots give away: what a seat gains by a best response to others who all
are the bot, over being the bot too. The mean over seats and positions, its
standard error, the worst position, and how many views the bot was asked for."""


def _error_table(errors: list[SearchError]) -> Table:
    table = Table("end game", "search", box=None, pad_edge=False)
    for heading in ("n", "any", "perfect", *(f"{count:,}" for count in ITERATIONS), "bias"):
        table.add_column(heading, justify="right")
    for error in errors:
        table.add_row(
            f"{error.game}, {error.moment}", error.style, str(error.positions), f"{error.any_value:.2f}", f"{error.value:.2f}",
            *(f"{error.errors[count]:.3f}" for count in ITERATIONS), f"{error.biases[ITERATIONS[-1]]:+z.3f}",
        )  # fmt: skip
    return table


def _bot_table(found: list[Exploitability]) -> Table:
    table = Table("end game", "bot", box=None, pad_edge=False)
    for heading in ("gives away", "+-", "worst", "views"):
        table.add_column(heading, justify="right")
    for one in found:
        figures = (f"{one.gain:z.3f}", f"{one.standard_error:.3f}", f"{one.worst:.2f}", f"{one.asked:,}" if one.asked else "-")
        table.add_row(f"{one.game}, {one.moment}", one.bot, *figures)
    return table


def _units(errors: Sequence[SearchError]) -> str:
    return ", ".join(f"{game} {unit}" for game, unit in {error.game: error.unit for error in errors}.items())
