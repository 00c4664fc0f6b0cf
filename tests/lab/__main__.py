"""`PYTHONPATH=tests python -m lab TOPIC`: what developers measure. Progress goes to stderr, the figures as JSON to stdout."""

import os
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from arena import games
from arena.agent.loading import named_bot
from arena.engine import jit
from arena.engine.options import parse_options
from arena.engine.readiness import CHANCE
from arena.ratings.models import BATCH_MODEL
from arena.reports.data import json_text
from arena.search import Settings
from arena.shipped import house_folder
from arena.tournament.workers.compiling import everything, warm_games

RATINGS = {jit.RATINGS: "arena.ratings"}
app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True, pretty_exceptions_enable=False)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def show(found: Any) -> None:
    """Print figures; the exit code is 1 where they are not right."""
    print(json_text(found))
    if not getattr(found, "is_right", True):
        raise typer.Exit(1)


@app.command()
def card(
    device: str = "cuda", seconds: Annotated[float, typer.Option(min=0.1)] = 1.0, training: float = 60.0, game: str = ""
) -> None:
    """Check, measure and train on a graphics card, in less than five minutes."""
    from lab.card import card_facts

    show(card_facts(game.split(",") if game else games.names(), device, seconds=seconds, training=training, say=say))


@app.command()
def chaos(kills: Annotated[int, typer.Option(min=1)] = 20, backend: str = "ray", workers: int = 2, seed: int = 1) -> None:
    """Kill workers and drivers of a tournament again and again, and compare its results with an undisturbed run."""
    from lab.chaos import chaos as measure

    with tempfile.TemporaryDirectory(prefix="arena-chaos-") as folder:
        show(measure(Path(folder), kills, backend=backend, workers=workers, seed=seed, on_progress=lambda *_: None))


@app.command()
def contest(authors: int = 50, seconds: float = 20.0, kills: int = 0, seed: int = 1) -> None:
    """Hold a contest of scripted authors, also while processes are killed."""
    from lab.contest import contest_cost

    with tempfile.TemporaryDirectory(prefix="arena-contest-") as folder:
        show(contest_cost(Path(folder), authors=authors, seconds=seconds, kills=kills, seed=seed, say=say))


@app.command()
def episodes(rival: str = "casual", seconds: Annotated[float, typer.Option(min=0.1)] = 5.0) -> None:
    """Measure episodes for language models without a model: steps and prompts."""
    from lab.episodes import costs

    show(costs(rival, seconds, say))


@app.command()
def models() -> None:
    """Measure what a language model is asked in a match of each game, and what asking costs without one."""
    from lab.models import measure

    show(measure())


@app.command()
def exact(game: list[str] = [], bot: list[str] = [], positions: Annotated[int, typer.Option(min=1)] = 12) -> None:  # noqa: B006
    """Measure the search and bots against exact play in solved end games."""
    from lab.end_games import STYLES, any_exploitability, end_games, exploitability, house_players, players_of, search_error
    from lab.exact.moments import games_with_moments, moments

    names = game or games_with_moments()
    asked = players_of([named_bot(name) for name in bot])
    players = {name: [one for one in asked if one.plays(name)] if bot else house_players(name) for name in names}
    warm_games(everything(players), say)
    errors, found = [], []
    for kind in (moment for name in names if players[name] for moment in moments(name)):
        say(f"{kind.game.name}, {kind.name} ...")
        sample = end_games(kind, positions)
        errors += [search_error(kind, sample, style) for style in STYLES]
        found += [any_exploitability(kind, sample)]
        found += [exploitability(kind, sample, player) for player in players[kind.game.name]]
    show({"search": errors, "bots": found})


@app.command()
def formats() -> None:
    """Measure error rates of compare, its estimates after stops, and the matches that compare and ladder save."""
    from lab.formats import DIFFERENCE, ERROR, MEANS, MOST_DEALS, SHARES, SIMULATED_RUNS, Bank, estimates, savings, simulated

    warm_games({"naga": ()}, say)
    tests = [
        simulated(mean, matches=matches, spread=0.2, error=ERROR, difference=DIFFERENCE, runs=SIMULATED_RUNS, most=MOST_DEALS)
        for matches in (2, 8)  # of a deal: two seats; four seats, exchanged
        for mean in MEANS
    ]
    stops = [
        estimates(share, matches=matches, spread=0.2, most=most, runs=SIMULATED_RUNS, bound=bound, luck=luck)
        for bound, luck in ((0.5, 0.0), (0.6, 0.0), (0.5, 0.6))
        for most in (100, MOST_DEALS)
        for matches in (1, 2, 8)
        for share in SHARES
    ]
    show({"tests": tests, "estimates": stops, "savings": savings(Bank(house_folder("bots"), say))})


@app.command()
def server(
    sockets: Annotated[int, typer.Option(min=1)] = 2_000, seconds: Annotated[float, typer.Option(min=2.0)] = 20.0
) -> None:
    """Measure live boards, page weights and what open pages cost a tournament."""
    from lab.server import server_cost

    warm_games({}, say, RATINGS)
    show(server_cost(sockets, seconds, say))


@app.command()
def luck(
    game: list[str] = [], seats: list[int] = [], option: list[str] = [],  # noqa: B006
    matches: Annotated[int, typer.Option(min=100)] = 100_000,
    searched: int = 0, seed: int = 0, workers: int = 0,
) -> None:  # fmt: skip
    """Measure whether corrections for luck are 0 on average, and the deals that they save."""
    from lab.luck import measure, tables

    names = [name for name in game or games.names() if games.has_luck(name)]
    asked = tables(names, seats, parse_options(option))
    warm_games({name: (CHANCE, Settings(iterations=1).method) if searched else (CHANCE,) for name in names}, say)
    fair, certain, boards = measure(asked, matches, searched, seed, workers or os.cpu_count() or 1, say)
    show({"fairness": fair, "certainty": certain, "boards": boards})


@app.command()
def ratings(
    field: str = "", runs: Annotated[int, typer.Option(min=1)] = 300, model: str = BATCH_MODEL, draw_probability: float = 0.0
) -> None:  # fmt: skip
    """Measure how often intervals, pairs and ranks in brackets hold in uneven pools. `field`: a part of its name.

    `draw_probability`: 0: as the ties of the pools say.
    """
    from arena.ratings.settings import RatingSettings
    from lab.coverage import coverages

    warm_games({}, say, RATINGS)
    show(list(coverages(runs, field, say, model, RatingSettings(draw_probability=draw_probability or None))))


@app.command()
def headline(field: str = "", runs: Annotated[int, typer.Option(min=1)] = 300) -> None:
    """Measure by which number a board ranks best: how often the better bot is above, and how often a newcomer jumps."""
    from lab.headline import orders

    warm_games({}, say, RATINGS)
    show(list(orders(runs, field, say)))


@app.command()
def overall() -> None:
    """Measure the overall ranking and the order of matches on fields of known skill."""
    from lab.overall import order_costs, overall_costs

    warm_games({}, say, RATINGS)
    show({"overall": overall_costs(say=say), "orders": order_costs()})


@app.command()
def races(slots: int = 20_000) -> None:
    """Measure who gets the places in real time that several people have clicked for."""
    from lab.fairness import GAME
    from lab.fairness import races as measure

    warm_games({GAME: ()}, say)
    show(measure(slots))


@app.command()
def rows(matches: Annotated[int, typer.Option(min=1)] = 2_500_000) -> None:
    """Measure storing, rating and showing millions of result rows."""
    from lab.rows import rows_cost

    warm_games({}, say, RATINGS)
    with tempfile.TemporaryDirectory(prefix="arena-rows-") as folder:
        show(rows_cost(Path(folder), matches, say))


if __name__ == "__main__":
    app(prog_name="python -m lab")
