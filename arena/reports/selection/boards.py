"""What every board shows, on the terminal and on a page: which ratings, which pools, and the line above them."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from arena.errors import ConfigError, nearest
from arena.ratings.models import MODEL, is_order_free
from arena.ratings.rows import Bot
from arena.ratings.settings import MEAN_RANK, OVERALL, STANDARDIZED, headline_model
from arena.records import Ending, HistoryPoint, Rating
from arena.results.manifest import Manifest

SCALES = {
    STANDARDIZED: "Overall = 25 + 25/3 z, where z is how many standard deviations a bot is above the mean of the field's "
    "skill, as the mean over the games.",
    MEAN_RANK: "Overall = 25 + 25/3 z, where z is how far the expected rank of a bot is above the middle one in standard "
    "deviations of ranks, as the mean over the games.",
}
"""What the numbers of the overall table are, by its rule."""


def ratings_by(model: str, ratings: Iterable[Rating]) -> list[Rating]:
    """The ratings of one model."""
    return [rating for rating in ratings if rating.model == model]


def headline_ratings(manifest: Manifest, ratings: Iterable[Rating]) -> list[Rating]:
    """The ratings whose ranks are the headline of a tournament, as its settings have it."""
    return ratings_by(headline_model(manifest.config), ratings)


def headline_history(manifest: Manifest, points: Sequence[HistoryPoint]) -> list[HistoryPoint]:
    """How the headline ratings came about; by the model that there is, where older files have one alone."""
    model = headline_model(manifest.config)
    return [point for point in points if point.model == model] or list(points)


Online = Mapping[tuple[str, str, int], Rating]
"""The ratings in the order of play by pool, bot and version: a column beside ratings that know no order."""


def online_beside(model: str, ratings: Iterable[Rating]) -> Online:
    """The ratings in the order of play; none where these are what `model` ranks by already."""
    online = ratings_by(MODEL, ratings) if is_order_free(model) else []
    return {(rating.pool, rating.bot, rating.bot_version): rating for rating in online}


def chosen_pools(
    manifest: Manifest, ratings: Sequence[Rating], choice: str | None = None, *, option: str = "--game"
) -> list[str]:
    """The pools to show: those that `choice` names; by default all, the overall one first if two bots or more play every pool.

    `choice`: a pool, a game or `overall`. Raises ConfigError that names `option` if there is no such pool or game.
    """
    found = list(dict.fromkeys([*manifest.pools, *(rating.pool for rating in ratings if rating.pool != OVERALL)]))
    if choice is None:
        return [OVERALL, *found] if len(found) > 1 and len(ranked_overall(ratings)) > 1 else found
    if choice in found or choice == OVERALL:
        return [choice]
    of_game = [entry["pool"] for entry in manifest.entries if entry.get("game") == choice and "pool" in entry]
    if not of_game:
        games = [entry["game"] for entry in manifest.entries if "game" in entry]
        hint = nearest(choice, {*found, *games, OVERALL})
        raise ConfigError(f"{option} {choice}: no such pool or game in {manifest.name}; {hint}")
    return [pool for pool in found if pool in of_game]


def ranked_overall(ratings: Iterable[Rating]) -> list[Rating]:
    """The overall ratings of the bots that have an overall rank, because they play every pool."""
    return [rating for rating in ratings if rating.pool == OVERALL and rating.rank is not None]


def without_rank(ratings: Iterable[Rating]) -> dict[Bot, list[str]]:
    """The bots that have no overall rank, with the pools in which they have matches. `ratings`: of one model."""
    listed = list(ratings)
    missing = [(rating.bot, rating.bot_version) for rating in listed if rating.pool == OVERALL and rating.rank is None]
    return {
        bot: [one.pool for one in listed if (one.bot, one.bot_version) == bot and one.pool != OVERALL and one.matches]
        for bot in missing
    }


def without_numbers(ratings: Iterable[Rating]) -> list[str]:
    """The pools with matches whose rating failed, so that nobody in them has a rank. `ratings`: of one model."""
    pools: dict[str, list[Rating]] = {}
    for rating in ratings:
        pools.setdefault(rating.pool, []).append(rating)
    return [
        pool
        for pool, rows in pools.items()
        if pool != OVERALL and any(row.matches for row in rows) and all(row.rank is None for row in rows)
    ]


def shows_idle(manifest: Manifest) -> bool:
    """Whether a board shows bots that had no match to play. Where a question was answered, its tables had no seat for them."""
    return manifest.outcome is None


def may_swap(above: Rating, below: Rating) -> bool:
    """Whether two neighbours of a board are not separable: the intervals allow the lower one the rank of the upper one."""
    return above.rank is not None and below.rank_low is not None and below.rank_low <= above.rank


SPREADSHEET = (
    "pool",
    "rank",
    "bot",
    "separable",
    *(name for name in Rating.__struct_fields__ if name not in ("pool", "rank", "bot")),
)
"""The columns of a board for spreadsheets."""


def spreadsheet_rows(ratings: Sequence[Rating], pools: Sequence[str]) -> list[dict[str, object]]:
    """One table: the ratings of one model, pool after pool in this order, each best first.

    `separable`: whether the intervals separate the bot from the one above it; empty for the first of a pool, and without rank.
    """
    rows = []
    for pool in pools:
        above: Rating | None = None
        for rating in (rating for rating in ratings if rating.pool == pool):
            is_known = above is not None and rating.rank is not None
            row = {**msgspec.structs.asdict(rating), "separable": not may_swap(above, rating) if is_known and above else None}
            rows.append({name: row[name] for name in SPREADSHEET})
            above = rating
    return rows


def headline(manifest: Manifest) -> str:
    """A tournament in one line: its name, matches, deals and faults, and whether it is finished."""
    planned = "" if manifest.finished else f" of {manifest.matches:,}"
    parts = [f"{manifest.played:,}{planned} matches"]
    if manifest.tournaments:
        parts.append(f"tournaments: {len(manifest.tournaments)}")
    deals = sorted({entry["deals"] for entry in manifest.entries if isinstance(entry.get("deals"), int)})
    if deals:
        parts.append(f"{deals[0]} deals a table" if len(deals) == 1 else f"{deals[0]} to {deals[-1]} deals a table")
    failed = {name: count for name, count in manifest.endings.items() if name != Ending.PLAYED and count}
    parts.append(", ".join(f"{name} {count}" for name, count in failed.items()) if failed else "no faults")
    if not manifest.tournaments:
        parts.append("finished" if manifest.finished else "not finished")
    return f"{manifest.name}: {'; '.join(parts)}"
