"""`arena leaderboard [NAME]`: the ratings of a tournament, and closer looks at them."""

from typing import Annotated

import typer

from arena.cli.shared.boards import find_folder, show_board
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import ArchiveOrName, FormatOption, OnlyPool, Out
from arena.cli.shared.printing import Format, note, refuse_csv
from arena.errors import ConfigError, StoreError, nearest
from arena.ratings.models import MODELS, find_model
from arena.ratings.settings import headline_model
from arena.reports.board import ratings_by
from arena.results.manifest import read_manifest
from arena.results.schema import SeatTotals
from arena.results_folder import RESULTS


def leaderboard(
    name: ArchiveOrName = None,
    game: OnlyPool = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="MODEL", help=f"Rating model: {', '.join(MODELS)}. Default: the headline's."),
    ] = None,
    head_to_head: Annotated[
        bool, typer.Option("--head-to-head", help="Show how often each bot finished before each other one.")
    ] = False,
    history: Annotated[str | None, typer.Option("--history", metavar="BOT", help="Show how a bot's ratings developed.")] = None,
    explain: Annotated[
        str | None,
        typer.Option(
            "--explain", metavar="BOT", help="Show a bot's results by seat and opponent, its worst losses and faults."
        ),
    ] = None,
    opinions: Annotated[
        bool,
        typer.Option("--second-opinions", help="Show other rankings: Bradley-Terry, mean place, mean score, opponents beaten."),
    ] = False,
    format: FormatOption = Format.TABLE,
    out: Out = RESULTS,
) -> int:
    """Print the leaderboard of a tournament.

    The overall ranking comes first, then one table for each game. `--game overall` prints the overall ranking alone.
    """
    from arena.results import parquet  # only now: pyarrow takes most of the start, and --help does without

    asked = {
        "--head-to-head": head_to_head, "--history": history is not None, "--explain": explain is not None,
        "--second-opinions": opinions,
    }  # fmt: skip
    if sum(asked.values()) > 1:
        raise ConfigError(f"{' and '.join(option for option, is_there in asked.items() if is_there)}: one at a time")
    if explain is not None:
        refuse_csv(format, "--explain")
    folder = find_folder(out, name)
    manifest = read_manifest(folder)
    ratings = parquet.read_ratings(folder)
    models = {rating.model for rating in ratings}
    if model is not None and models and model not in models:
        hint = f"arena rerate {manifest.name} --model {model} rates by it" if find_model(model) else nearest(model, models)
        raise ConfigError(f"--model {model}: no such model in {manifest.name}; {hint}")
    if any(asked.values()):
        from arena.cli.shared.closer_looks import Looker  # what it computes with is heavy

        ranking = model or headline_model(manifest.config)
        looker = Looker(folder, manifest, ratings_by(ranking, ratings), format, game)
        if history is not None:
            looker.history(history, model)
        elif explain is not None:
            looker.explain(explain)
        elif opinions:
            looker.second_opinions()
        else:
            looker.head_to_head()
        return DONE
    totals: list[SeatTotals] = []
    if format.is_for_people:
        try:
            totals = parquet.read_totals(folder)
        except StoreError as error:  # the ratings are there all the same
            note(f"arena: without CPU times and kinds of faults: {error}")
    calls = parquet.read_calls(folder) if format.is_for_people else []
    show_board(manifest, ratings, format, choice=game, totals=totals, calls=calls, model=model)
    return DONE
