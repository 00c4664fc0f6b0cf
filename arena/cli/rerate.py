"""`arena rerate NAME`: the ratings again, from the stored rows alone, of all of them or of a part."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arena.cli.formats import Format, show
from arena.cli.leaderboard import find_folder
from arena.errors import ConfigError, nearest
from arena.ratings.settings import MODEL
from arena.report.board import chosen_pools
from arena.store import manifest as manifests


def rerate(
    name: Annotated[str | None, typer.Argument(help="The tournament; left out: the newest.")] = None,
    model: Annotated[str, typer.Option(help="trueskill (in plan order) or trueskill-batch (all matches at once).")] = MODEL,
    pool: Annotated[str | None, typer.Option(help="Only this rating pool or game.")] = None,
    without: Annotated[list[str] | None, typer.Option(help="A bot to leave out, with all its matches; repeatable.")] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.TABLE,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("leaderboards"),
) -> int:
    """Rate a tournament again from its rows and print the board; nothing is written."""
    from arena.ratings import stored  # only now: numba and pyarrow take most of the start, and --help does without
    from arena.ratings.standings import MODELS, rate_and_compare
    from arena.store import parquet

    if model not in MODELS:
        raise ConfigError(f"--model {model}: no such model; {nearest(model, MODELS)}")
    folder = find_folder(out, name)
    manifest = manifests.read_manifest(folder)
    left_out = list(dict.fromkeys(without or ()))
    for bot in left_out:
        if bot not in (known := {entry.name for entry in manifest.bots}):
            raise ConfigError(f"--without {bot}: no such bot in {manifest.name}; {nearest(bot, known)}")
    pools = None if pool is None else chosen_pools(manifest, (), pool, option="--pool")
    rows = stored.stored_pools(
        parquet.read_columns(folder, stored.COLUMNS), stored.stored_field(manifest, without=left_out), without=left_out,
        unrated=stored.unrated_entries(manifest), pools=pools,
    )  # fmt: skip
    ratings, saved = rate_and_compare(rows, stored.stored_settings(manifest, folder), (model,))
    manifest = msgspec.structs.replace(manifest, rotations_saved=saved, void=0)
    matches = sum(part.matches for part in rows.values())
    selection = "".join([f", {pool} alone" if pool else "", f", without {', '.join(left_out)}" if left_out else ""])
    title = f"{manifest.name}, rated again by {model}: {matches:,} of {manifest.played:,} matches{selection}"
    show(manifest, ratings, format, choice=pool, model=model, title=title)
    return 0
