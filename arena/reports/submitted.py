"""The submitted bots: every version, what became of it, and its last rating; also as a table."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from arena.agent.submissions import Submission, Withdrawal
from arena.ratings.settings import OVERALL, headline_model
from arena.records import Rating
from arena.reports import columns as titles
from arena.reports.table import DIM, Column, Table
from arena.results.manifest import BotEntry, Manifest

Board = tuple[Manifest, Sequence[Rating]]
"""A tournament and its ratings."""


class SubmittedBot(msgspec.Struct, frozen=True, kw_only=True):
    """One submitted version of a bot, with its rating in the newest tournament that it played."""

    name: str
    version: int
    state: str
    """`not played`, `played`, `retired` (in that tournament, for its faults), `replaced` (by a newer version), `withdrawn` or
    `renamed`."""
    games: tuple[str, ...]
    """The games that it plays; empty: all."""
    bytes: int
    sha256: str
    submitted: str
    """When it was submitted: UTC, ISO 8601."""
    tournament: str | None
    """The newest tournament in which it played; None if it never did."""
    rating: float | None
    """The bot's rating in that tournament: overall, or in the only pool that it played."""
    rank: int | None


def submitted_bots(
    versions: Iterable[Submission], boards: Sequence[Board], withdrawn: Mapping[str, Withdrawal]
) -> list[SubmittedBot]:
    """Every submitted version with what became of it.

    `versions`: oldest first within a name; `boards`: newest first; `withdrawn`: by name, those that are.
    """
    listed = list(versions)
    newest = {version.name: version.version for version in listed}
    found = []
    for version in listed:
        entered = next(
            ((manifest, ratings, entry) for manifest, ratings in boards for entry in manifest.bots if _is(entry, version)), None
        )
        best = None if entered is None else _headline(entered[0], entered[1], entered[2])
        state = "not played" if entered is None else "retired" if entered[2].retired else "played"
        if version.name in withdrawn:
            state = "renamed" if withdrawn[version.name].renamed else "withdrawn"
        found.append(
            SubmittedBot(
                name=version.name, version=version.version, games=version.games, bytes=version.bytes, sha256=version.sha256,
                state=state if newest[version.name] == version.version else "replaced", submitted=version.submitted,
                tournament=None if entered is None else entered[0].name, rating=None if best is None else best.rating,
                rank=None if best is None else best.rank,
            )
        )  # fmt: skip
    return found


def _is(entry: BotEntry, version: Submission) -> bool:
    """Return whether a bot of a tournament was this version, under its own name."""
    return (entry.name, entry.version, entry.sha256) == (version.name, version.version, version.sha256)


def _headline(manifest: Manifest, ratings: Sequence[Rating], entry: BotEntry) -> Rating | None:
    """The overall rating of a bot, or its rating in the only pool that it played."""
    model = headline_model(manifest.config)
    own: Mapping[str, Rating] = {
        rating.pool: rating
        for rating in ratings
        if (rating.model, rating.bot, rating.bot_version) == (model, entry.name, entry.version) and rating.matches
    }
    if OVERALL in own:
        return own[OVERALL]
    return next(iter(own.values())) if len(own) == 1 else None


def submitted_table(bots: Sequence[SubmittedBot]) -> Table:
    """A line per submitted version."""
    columns = [
        titles.BOT, titles.VERSION, titles.STATE, titles.RATING, titles.PLAIN_RANK.but(dropped=4),
        titles.TOURNAMENT.but(dropped=3), Column("KB", ",.1f", dropped=2), titles.SUBMITTED.but(dropped=5),
        titles.GAMES.but(dropped=1),
    ]  # fmt: skip
    rows = [
        [
            bot.name, bot.version, bot.state, bot.rating, bot.rank, bot.tournament, bot.bytes / 1000,
            bot.submitted[:16].replace("T", " "), ", ".join(bot.games) or "all",
        ]
        for bot in bots
    ]  # fmt: skip
    return Table(columns, rows, emphasis=[DIM if bot.state == "replaced" else "" for bot in bots])
