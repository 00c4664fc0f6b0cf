"""`arena bench exact`: the search and bots beside exact play, in end games that can be solved."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from arena.agent.naming import named_bot
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
from arena.bench.exact.moments import games_with_moments, moments
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, OnlyGames
from arena.cli.shared.printing import Format, error_console, note, refuse_csv, show
from arena.cli.shared.tables import write_table
from arena.errors import ConfigError
from arena.report.terminal.page import Page
from arena.workers.compiling import everything
from arena.workers.warmup import warm_rooms


def exact(
    game: OnlyGames = None,
    bot: Annotated[
        list[Path] | None,
        typer.Option(
            "--bot",
            metavar="BOT",
            parser=named_bot,
            help="Only this bot. Repeatable. Default: rule bots, ismcts, champion and scholar.",
        ),
    ] = None,
    positions: Annotated[
        int, typer.Option("--positions", metavar="N", min=1, help="Number of positions of each kind of end game.")
    ] = POSITIONS,
    format: FormatOption = Format.TABLE,
) -> int:
    """Measure the search and bots against exact play in solved end games.

    How far searches are from the exact values, and what bots give away. Takes some minutes.
    """
    refuse_csv(format, "this result")
    errors, found = _measured(game, bot, positions)
    show(format, lambda page: _write(page, errors, found), {"search": errors, "bots": found})
    return DONE


def _measured(
    games: Sequence[str] | None, bots: Sequence[Path] | None, positions: int
) -> tuple[list[SearchError], list[Exploitability]]:
    """Solve a sample of end games of each kind, search there, and let the bots meet best responses."""
    kinds = [moment for name in games or games_with_moments() for moment in moments(name)]
    players = _players(games, bots)
    kinds = [kind for kind in kinds if kind.game.name in players]
    console = error_console()
    warm_rooms(everything(players), note)
    errors: list[SearchError] = []
    found: list[Exploitability] = []
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        work = progress.add_task("", total=sum(2 + len(players[kind.game.name]) for kind in kinds))
        for kind in kinds:
            title = f"{kind.game.name}, {kind.name}"
            if not console.is_terminal:
                note(f"{title} ...")
            progress.update(work, description=f"{title}: solving")
            sample = end_games(kind, positions)
            errors += [search_error(kind, sample, style) for style in STYLES]
            progress.advance(work)
            found.append(any_exploitability(kind, sample))
            progress.advance(work)
            for player in players[kind.game.name]:
                progress.update(work, description=f"{title}: {player.name}")
                found.append(exploitability(kind, sample, player))
                progress.advance(work)
    return errors, found


def _players(games: Sequence[str] | None, bots: Sequence[Path] | None) -> dict[str, list[Player]]:
    """The players measured in each game; games that are not asked for by name and that no bot plays are left out.

    Raises ConfigError or BotError for a bot or a game with nothing to measure.
    """
    names = list(games or games_with_moments())
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
The search beside exact values: what n positions are worth to the seat to choose, on average, if all play any legal action, and
if all play perfectly; the mean error of what the search expects, by iterations; and its bias at {ITERATIONS[-1]:,} (above 0: it
hopes for too much). Plain: by the rules alone. House: with the room's rollout policy and prior, and its belief that others
have played sensibly, which in these positions, made by random play, they have not."""
_BOTS = """\
What bots give away: what a seat gains by a best response to others who all are the bot, over being the bot too. The mean over
seats and positions, its standard error, the worst position, and how many views the bot was asked for."""


def _write(page: Page, errors: Sequence[SearchError], found: Sequence[Exploitability]) -> None:
    page.say(_SEARCH)
    page.say(f"Units: {_units(errors)}.")
    write_table(
        page, "The search",
        ("end game", "search", "n", "any", "perfect", *(f"{count:,}" for count in ITERATIONS), "bias"),
        [
            (
                f"{error.game}, {error.moment}", error.style, str(error.positions), f"{error.any_value:.2f}",
                f"{error.value:.2f}", *(f"{error.errors[count]:.3f}" for count in ITERATIONS),
                f"{error.biases[ITERATIONS[-1]]:+z.3f}",
            )
            for error in errors
        ],
        names=2,
    )  # fmt: skip
    page.say("")
    page.say(_BOTS)
    write_table(
        page, "The bots",
        ("end game", "bot", "gives away", "+-", "worst", "views"),
        [
            (
                f"{one.game}, {one.moment}", one.bot, f"{one.gain:z.3f}", f"{one.standard_error:.3f}", f"{one.worst:.2f}",
                f"{one.asked:,}" if one.asked else "-",
            )
            for one in found
        ],
        names=2,
    )  # fmt: skip


def _units(errors: Sequence[SearchError]) -> str:
    return ", ".join(f"{game} {unit}" for game, unit in {error.game: error.unit for error in errors}.items())
