"""`arena leaderboard [NAME]`: the ratings of a tournament, as a table, Markdown, JSON or CSV."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared.formats import Format, show
from arena.cli.shared.insights import Looker
from arena.errors import ConfigError, StoreError, nearest
from arena.ratings.settings import BATCH_MODEL, MODEL
from arena.report.selection.boards import headline_ratings
from arena.store import manifest as manifests
from arena.store.schema import SeatTotals


def leaderboard(
    name: Annotated[str | None, typer.Argument(help="The tournament, or hall; left out: the newest tournament.")] = None,
    game: Annotated[str | None, typer.Option(help="Only this game or rating pool; `overall`: the mean of all.")] = None,
    model: Annotated[str | None, typer.Option(help=f"{MODEL} (the default) or {BATCH_MODEL} (order-free).")] = None,
    head_to_head: Annotated[bool, typer.Option("--head-to-head", help="Who finished before whom, how often.")] = False,
    history: Annotated[str | None, typer.Option(help="How the ratings of this bot came about.")] = None,
    explain: Annotated[str | None, typer.Option(help="Where the points of this bot come from; its worst losses.")] = None,
    opinions: Annotated[
        bool, typer.Option("--second-opinions", help="Bradley-Terry, mean place and score, rivals beaten, beside the ranks.")
    ] = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.TABLE,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("leaderboards"),
) -> int:
    """Print who leads: overall, then game by game."""
    from arena.store import parquet  # only now: pyarrow takes most of the start, and --help does without

    asked = {
        "--head-to-head": head_to_head, "--history": history is not None, "--explain": explain is not None,
        "--second-opinions": opinions,
    }  # fmt: skip
    if sum(asked.values()) > 1:
        raise ConfigError(f"{' and '.join(option for option, is_there in asked.items() if is_there)}: one at a time")
    folder = find_folder(out, name)
    manifest = manifests.read_manifest(folder)
    ratings = parquet.read_ratings(folder)
    models = {rating.model for rating in ratings}
    if model is not None and models and model not in models:
        raise ConfigError(f"--model {model}: no such model in {manifest.name}; {nearest(model, models)}")
    if any(asked.values()):
        if history is not None and model not in (None, MODEL):
            raise ConfigError(f"--history: of the model {MODEL} only; {model} takes all matches at once")
        looker = Looker(folder, manifest, headline_ratings(ratings, model or MODEL), format, game)
        if history is not None:
            looker.history(history)
        elif explain is not None:
            looker.explain(explain)
        elif opinions:
            looker.second_opinions()
        else:
            looker.head_to_head()
        return 0
    totals: list[SeatTotals] = []
    if format in (Format.TABLE, Format.MARKDOWN):
        try:
            totals = parquet.read_totals(folder)
        except StoreError as error:  # the ratings are there all the same
            typer.echo(f"arena: without CPU times and kinds of faults: {error}", err=True)
    elif model is not None:
        ratings = headline_ratings(ratings, model)
    show(manifest, ratings, format, choice=game, totals=totals, model=model or MODEL)
    return 0


def find_folder(out: Path, name: str | None) -> Path:
    """The folder of the tournament `name`, of the newest one, or of the hall, which is rated if need be. Raises StoreError."""
    if name == manifests.HALL:
        return _hall(out)
    stored = {path.parent.name: path for path in out.glob(f"*/{manifests.FILE}") if not manifests.is_hall(path.parent)}
    if not stored:
        raise StoreError(f"{out}: no tournament there; play one with: arena tournament CONFIG")
    if name is None:
        return max(stored.values(), key=lambda path: path.stat().st_mtime_ns).parent
    if name not in stored:
        raise StoreError(f"{out}: no tournament {name!r}; {nearest(name, [*stored, manifests.HALL])}")
    return out / name


def _hall(out: Path) -> Path:
    from arena.hall.folder import check_place, is_rated

    folder = out / manifests.HALL
    check_place(folder)
    if not manifests.is_hall(folder):
        raise StoreError(f"{folder}: the hall is empty; every tournament enters it when it ends, older ones by: arena hall")
    if not is_rated(folder):
        from arena.hall.ratings import rate_hall  # only now: numba takes long to start, and a board that is stored does without

        rate_hall(folder, lambda text: typer.echo(text, err=True))
    return folder
