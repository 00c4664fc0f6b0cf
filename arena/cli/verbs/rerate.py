"""`arena rerate NAME`: the ratings again, from the stored rows alone, of all of them or of a part."""

import datetime
from typing import Annotated

import msgspec
import typer

from arena.cli.shared.boards import find_folder, show_board
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import ArchiveOrName, FormatOption, OnlyPool, Out
from arena.cli.shared.printing import Format
from arena.errors import ConfigError, nearest
from arena.ratings.models import MODELS, find_model
from arena.ratings.models import models as known_models
from arena.ratings.settings import headline_first, headline_model
from arena.reports.board import chosen_pools
from arena.results import manifest as manifests
from arena.results_folder import RESULTS
from arena.tournament.archive.names import called

MOST_SHUFFLES = 10_000


def rerate(
    name: ArchiveOrName = None,
    game: OnlyPool = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="MODEL", help=f"Rating model: {', '.join(MODELS)}. Default: the headline's."),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option("--without", metavar="BOT", help="Leave out this bot and all its matches. Repeatable.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since", metavar="DATE", help="Only tournaments that started then or later: 2026-11-21, 2026-11-21T18:00."
        ),
    ] = None,
    shuffles: Annotated[
        int,
        typer.Option(
            "--shuffles",
            metavar="N",
            min=0,
            max=MOST_SHUFFLES,
            help="Rate online in so many other orders of the matches, and tell how far a rank moves.",
        ),
    ] = 0,
    format: FormatOption = Format.TABLE,
    out: Out = RESULTS,
) -> int:
    """Rate a tournament again from its stored matches.

    Prints the leaderboard and writes nothing. Times are UTC unless they say otherwise.
    """
    from arena.ratings import stored  # only now: numba and pyarrow take most of the start, and --help does without
    from arena.ratings.order import largest_shifts
    from arena.ratings.standings import rate_and_compare
    from arena.tournament.archive import boards

    if model is not None:
        entry = find_model(model)
        if entry is None:
            raise ConfigError(f"--model {model}: no such model; {nearest(model, known_models())}")
        entry.check_package()
    start = None if since is None else _time(since)
    folder = find_folder(out, name)
    manifest = manifests.read_manifest(folder)
    known = {entry.name for entry in manifest.bots}
    left_out: dict[str, None] = {}
    for bot in without or ():
        found = called(bot, sorted(known))
        if not found:
            raise ConfigError(f"--without {bot}: no such bot in {manifest.name}; {nearest(bot, known)}")
        left_out |= dict.fromkeys(found)
    unrepeatable = manifest.unrated_bots
    pools = None if game is None else chosen_pools(manifest, (), game)
    columns = boards.read_columns(folder, stored.COLUMNS, since=start)
    field, unrated = stored.stored_field(manifest, without={*left_out, *unrepeatable}), stored.unrated_entries(manifest)
    luck = boards.read_luck(folder, manifest, columns)
    rows = stored.stored_pools(columns, field, without={*left_out, *unrepeatable}, unrated=unrated, pools=pools, luck=luck)
    del columns  # a fifth of all memory
    if manifest.tournaments:  # pools that nobody of the selection has played have no place in the overall one
        rows = {name: part for name, part in rows.items() if part.matches}
        manifest = msgspec.structs.replace(manifest, pools=tuple(rows))
    settings = stored.stored_settings(manifest, folder)
    ranking = headline_model(manifest.config) if model is None else model
    models = (ranking,) if model is not None or not format.is_for_people else headline_first(settings)
    ratings, saved = rate_and_compare(rows, settings, models, stored.stored_weights(manifest, settings))
    shifts = largest_shifts(rows, settings, manifest.plan_sha256, orders=shuffles) if shuffles else None
    manifest = msgspec.structs.replace(
        manifest, rotations_saved=saved.rotations, order_shifts=shifts, void=0, outcome=None,
        luck_worth=None if luck is None else saved.luck,
    )  # fmt: skip  # what ended the run is not rated
    matches = sum(part.matches for part in rows.values())
    selection = "".join(
        [
            f", {game} alone" if game else "", f", without {', '.join(left_out)}" if left_out else "",
            f", of tournaments that started at {start.isoformat()} or later" if start is not None else "",
        ]
    )  # fmt: skip
    title = f"{manifest.name}, rated again by {ranking}: {matches:,} of {manifest.played:,} matches{selection}"
    show_board(manifest, ratings, format, choice=game, model=ranking, title=title)
    return DONE


def _time(text: str) -> datetime.datetime:
    """A date, or a date and a time; UTC unless it has an offset. Raises ConfigError."""
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"--since {text}: a date like 2026-11-21, or a time like 2026-11-21T18:00+01:00") from None
    return found if found.tzinfo is not None else found.replace(tzinfo=datetime.UTC)
