"""The tables, sections and plots of the pages, in the reader's language: the report is made of the same."""

import shlex
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from arena.ratings.settings import OVERALL
from arena.records import Ending
from arena.reports import columns as titles
from arena.reports import plots, sections, tables
from arena.reports.board import LIVE_KEYS, NO_COST, ranking, rating_cell
from arena.reports.document import Section
from arena.reports.links import Links
from arena.reports.pages.words import Words
from arena.reports.plots import scale_of
from arena.reports.sections import Pool
from arena.reports.table import CHOSEN, Cell, Column, Interval, Rank, Row, Table
from arena.reports.table import table as made_table
from arena.reports.tables import Played
from arena.server.views.bot import Appearance, Bot, BotPool, RatingPoint, VersionCurve
from arena.server.views.rules import titles_of
from arena.server.views.tables import BoardRow
from arena.server.views.tournament import Tournament
from arena.tournament.check_report import FailedMatches

REASON_LETTERS = 200
SPREAD = 1.96  # sigmas of a 95 % interval


def matches_address(name: str, **query: str | None) -> str:
    """The address of a tournament's matches: of one bot, of two that met, of a pool."""
    chosen = {key: value for key, value in query.items() if value is not None}
    return f"/t/{quote(name)}/matches" + (f"?{urlencode(chosen)}" if chosen else "")


def bot_address(bot: str) -> str:
    """The address of a bot."""
    return f"/bots/{quote(bot, safe='')}"


def match_address(match_id: str, seat: int | None = None, step: int | None = None) -> str:
    """The address of a match, as a seat sees it, at a step."""
    return f"/m/{quote(match_id)}" + ("" if seat is None else f"?seat={seat}") + ("" if step is None else f"#{step}")


class Addresses(Links):
    """The addresses of the pages that cells lead to. `tournament`, `pool`: of which matches are listed; None: of all pools."""

    def __init__(self, tournament: str, pool: str | None) -> None:
        self._tournament, self._pool = tournament, None if pool == OVERALL else pool

    def bot(self, bot: str) -> str:
        """Return the address of a bot."""
        return bot_address(bot)

    def pair(self, bot: tuple[str, int], rival: tuple[str, int]) -> str:
        """Return the address of matches of two bots."""
        return matches_address(self._tournament, bot=bot[0], rival=rival[0], pool=self._pool)

    def ended(self, bot: str, ending: Ending) -> str:
        """Return the address of the matches that ended so for a bot."""
        return matches_address(self._tournament, bot=bot, pool=self._pool, ending=ending.value)

    def match(self, match_id: str, seat: int, decision: int | None = None) -> str:
        """Return the address of a match."""
        if decision is None:
            return f"/m/{quote(match_id)}?lost={seat}"
        return match_address(match_id, seat, max(0, decision))


def board(rows: Sequence[BoardRow], caption: str, has_online: bool) -> Table:
    """The board of a pool, whose numbers move while it is played."""
    keys = [key for key in LIVE_KEYS if has_online or key != titles.ONLINE.key]
    return ranking(rows, caption, address=bot_address, keys=keys)


def tournament_sections(view: Tournament, word: Words) -> list[Section]:
    """Return what the page of a tournament has below its board: the sections of the report, where they are known."""
    title = word.pool(view.pool or view.shown)
    pool = Pool(title, word, Addresses(view.name, view.pool))
    played = [
        Played(bot=row.bot, shown=row.shown, rating=row.rating, cost=row.cost or NO_COST) for row in view.board
    ]  # fmt: skip
    listed = [(one.bot, one.shown, one) for one in view.losses]
    faults = [msgspec.structs.replace(one, reason=one.reason[:REASON_LETTERS]) for one in view.faults]
    found = [
        sections.head_to_head(view.pairs, len(view.board), "", pool), sections.worst_losses(listed, pool),
        sections.rank_chances(view.chances, pool), sections.fit(view.fit, pool), sections.second_opinions(view.opinions, pool),
        sections.cost(played, pool), sections.models(view.models, pool), sections.endings(played, pool),
        sections.together(view.together, pool),
        *sections.fairness(view.fairness, pool), sections.skill(view.skills, pool), sections.faults(faults, pool),
    ]  # fmt: skip
    return [section for section in found if section is not None]


def opponents(view: Bot, pool: BotPool, word: Words) -> Table:
    """The results of a bot against each opponent, the hardest first. A share leads to the matches of the two."""
    links = Addresses(view.tournament or "", pool.pool)
    return tables.opponents(pool.opponents, word("head_to_head"), links, (view.name, view.version or 1))


def seats(pool: BotPool, word: Words) -> Table:
    """The results of a bot by seat."""
    return tables.seats(pool.seats, word("seats"))


def lost(found: Sequence[tables.Lost], word: Words) -> Table:
    """The worst losses of a bot. The match leads to its replay, at the step where it was lost."""
    return tables.losses([("", "", one) for one in found], word("worst_losses"), Addresses("", None), of_one=True)


def appearances(view: Bot, word: Words) -> Table:
    """The ratings of a bot in all tournaments."""
    columns = [
        titles.TOURNAMENT.but(is_name=True), titles.GAME, titles.VERSION, titles.RANK_COLUMN, titles.RATING,
        titles.INTERVAL_COLUMN, titles.MATCHES,
    ]  # fmt: skip
    rows: list[Row] = []
    for one in view.appearances:
        rows.append([
            Cell(one.tournament, link=f"/t/{quote(one.tournament)}?{urlencode({'pool': one.pool})}"),
            word.pool(one.pool),
            Cell(one.version, f"v{one.version}", link=f"?{urlencode({'t': one.tournament, 'v': one.version})}"),
            Cell(one.rank, _rank_of(one)), rating_cell(one.rating, one.bound), Interval(one.low, one.mu, one.high),
            one.matches,
        ])  # fmt: skip
    chosen = [(one.tournament, one.version) == (view.tournament, view.version) for one in view.appearances]
    return Table(columns, rows, word("played_in"), emphasis=[CHOSEN if is_chosen else "" for is_chosen in chosen])


def _rank_of(one: Appearance) -> str:
    if one.rank is None:
        return "-"
    return f"{Rank(one.rank, one.rank_low, one.rank_high).text} / {one.bots}"


def versions(view: Bot, word: Words) -> Table:
    """The submitted versions of a bot."""
    columns: list[Column | None] = [
        titles.VERSION, titles.SUBMITTED, titles.GAMES, titles.SHA256, titles.SOURCE if view.sources else None
    ]  # fmt: skip
    rows = []
    for one in reversed(view.versions):
        text = word("source_public" if one.version == view.published else "source_look")
        link = f"{bot_address(view.name)}/source?v={one.version}"
        rows.append([
            Cell(one.version, f"v{one.version}"), f"{one.submitted[:16].replace('T', ' ')} UTC",
            ", ".join(map(word.pool, one.games)), one.sha256[:12], Cell(text, link=link) if one.version in view.sources else "",
        ])  # fmt: skip
    return made_table(columns, rows, word("versions"))


def history_plot(points: Sequence[RatingPoint], word: Words, *, of_person: bool = False) -> str:
    """Return how mu and its interval developed over matches; empty for fewer than two points.

    `of_person`: they are those of somebody who plays, in the order in which they were played, and no rating of a tournament.
    """
    if len(points) < 2 or points[-1].pool_matches == points[0].pool_matches:
        return ""
    below, beside = (word("my_play_x"), word("my_play_y")) if of_person else (word("history_x"), "mu")
    return plots.curves([_line("", points)], below, beside, word("rating_over_time"))


def versions_plot(curves: Sequence[VersionCurve], word: Words) -> str:
    """Return how the ratings of all versions developed over a pool's matches, the newest first; empty for fewer than two."""
    lines = [_line(f"v{curve.version}", curve.points) for curve in reversed(curves) if len(curve.points) > 1]
    return plots.curves(lines, word("history_x"), "mu", word("rating_over_time")) if len(lines) > 1 else ""


def _line(name: str, points: Sequence[RatingPoint]) -> plots.Line:
    return plots.Line(
        name, [point.pool_matches for point in points], [point.mu for point in points],
        [point.mu - SPREAD * point.sigma for point in points], [point.mu + SPREAD * point.sigma for point in points],
    )  # fmt: skip


def career_plot(found: Sequence[Appearance], word: Words) -> str:
    """The ratings of a bot from tournament to tournament, oldest first; empty for fewer than two."""
    if len(found) < 2:
        return ""
    news = [number for number in range(1, len(found)) if found[number].version != found[number - 1].version]
    points = [
        plots.Point(
            f"v{one.version}" if number == 0 or number in news else "", number, one.mu, one.low, one.high,
            f"{one.tournament}, v{one.version}: mu {one.mu:.1f} ({one.low:.1f}–{one.high:.1f})",
        )
        for number, one in enumerate(found)
    ]  # fmt: skip
    return plots.career(points, news, "mu", word("career"))


def refusal(reason: str, failed: Sequence[FailedMatches], word: Words) -> str:
    """Why a bot may not enter, for a page: matches that failed are counted in the reader's language."""
    found = next((one for one in failed if str(one) == reason), None)
    if found is None:
        return reason
    counts = ", ".join(f"{word.ending(ending)} {count}" for ending, count in found.endings.items())
    return word("sent_failed", game=word.pool(found.game), counts=counts, n=found.matches)


NAMES: dict[str, Any] = {
    "board_table": board, "tournament_sections": tournament_sections, "opponents_table": opponents, "seats_table": seats,
    "lost_table": lost, "appearances_table": appearances, "versions_table": versions, "matches_address": matches_address,
    "bot_address": bot_address, "match_address": match_address, "career_plot": career_plot, "versions_plot": versions_plot,
    "history_plot": history_plot, "scale_of": scale_of, "shell_word": shlex.quote, "titles_of": titles_of, "refusal": refusal,
}  # fmt: skip
"""What templates call these functions."""
