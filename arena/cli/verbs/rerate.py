"""`arena rerate NAME`: the ratings again, from the stored rows alone, of all of them or of a part."""

import datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arena.cli.shared.formats import Format, show
from arena.cli.verbs.leaderboard import find_folder
from arena.errors import ConfigError, nearest
from arena.ratings.settings import MODEL
from arena.report.selection.boards import chosen_pools
from arena.store import manifest as manifests


def rerate(
    name: Annotated[str | None, typer.Argument(help="The tournament, or hall; left out: the newest tournament.")] = None,
    model: Annotated[str, typer.Option(help="trueskill (in plan order) or trueskill-batch (all matches at once).")] = MODEL,
    pool: Annotated[str | None, typer.Option(help="Only this rating pool or game.")] = None,
    without: Annotated[list[str] | None, typer.Option(help="A bot to leave out, with all its matches; repeatable.")] = None,
    since: Annotated[
        str | None,
        typer.Option(
            help="Only tournaments that started then or later (matches have no time of their own): 2026-11-21, or "
            "2026-11-21T18:00; UTC unless it says otherwise."
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.TABLE,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("leaderboards"),
) -> int:
    """Rate a tournament again from its rows and print the board; nothing is written."""
    from arena.hall import boards
    from arena.ratings import stored  # only now: numba and pyarrow take most of the start, and --help does without
    from arena.ratings.standings import MODELS, rate_and_compare

    if model not in MODELS:
        raise ConfigError(f"--model {model}: no such model; {nearest(model, MODELS)}")
    start = None if since is None else _time(since)
    folder = find_folder(out, name)
    manifest = manifests.read_manifest(folder)
    known = {entry.name for entry in manifest.bots}
    left_out: dict[str, None] = {}
    for bot in without or ():
        found = manifests.called(bot, sorted(known))
        if not found:
            raise ConfigError(f"--without {bot}: no such bot in {manifest.name}; {nearest(bot, known)}")
        left_out |= dict.fromkeys(found)
    pools = None if pool is None else chosen_pools(manifest, (), pool, option="--pool")
    columns = boards.read_columns(folder, stored.COLUMNS, since=start)
    field, unrated = stored.stored_field(manifest, without=left_out), stored.unrated_entries(manifest)
    rows = stored.stored_pools(columns, field, without=left_out, unrated=unrated, pools=pools)
    del columns  # a fifth of all memory
    if manifest.tournaments:  # pools that nobody of the selection has played have no place in the overall one
        rows = {name: part for name, part in rows.items() if part.matches}
        manifest = msgspec.structs.replace(manifest, pools=tuple(rows))
    ratings, saved = rate_and_compare(rows, stored.stored_settings(manifest, folder), (model,))
    manifest = msgspec.structs.replace(manifest, rotations_saved=saved, void=0)
    matches = sum(part.matches for part in rows.values())
    selection = "".join(
        [
            f", {pool} alone" if pool else "", f", without {', '.join(left_out)}" if left_out else "",
            f", of tournaments that started at {start.isoformat()} or later" if start is not None else "",
        ]
    )  # fmt: skip
    title = f"{manifest.name}, rated again by {model}: {matches:,} of {manifest.played:,} matches{selection}"
    show(manifest, ratings, format, choice=pool, model=model, title=title)
    return 0


def _time(text: str) -> datetime.datetime:
    """A date, or a date and a time; UTC unless it has an offset. Raises ConfigError."""
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"--since {text}: a date like 2026-11-21, or a time like 2026-11-21T18:00+01:00") from None
    return found if found.tzinfo is not None else found.replace(tzinfo=datetime.UTC)
