"""The tables of the hall's pages as blocks of a document, in the reader's language: the report draws the same blocks."""

import shlex
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from arena.records import Ending
from arena.reports.pages.document import Cell, Column, Table
from arena.reports.selection.costs import milliseconds
from arena.reports.selection.names import shown
from arena.server.charts import career, history
from arena.server.charts import versions as version_curves
from arena.server.scale import scale_of
from arena.server.views.bot import Bot, BotPool
from arena.server.views.losses import LostMatch, PoolLoss
from arena.server.views.tables import BoardRow
from arena.server.views.tournament import FaultCard, Tournament

Word = Callable[..., str]
"""A text in the reader's language, by its key and the values to fill in."""
REASON_LETTERS = 200


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


def lost_address(match_id: str, seat: int) -> str:
    """The address of a match at the step where a seat lost it."""
    return f"/m/{quote(match_id)}?lost={seat}"


def pairs(view: Tournament, word: Word) -> Table | None:
    """The heat map: who beats whom. A cell leads to the matches of the two."""
    found = view.pairs
    if found is None or len(found.bots) < 2:
        return None
    columns = [Column(word("bot"), is_number=False), Column("#", meaning=word("head_to_head_column"))]
    columns += [Column(str(place + 1), meaning=name) for place, name in enumerate(found.shown)]
    rows = []
    for place, (bot, name) in enumerate(zip(found.bots, found.shown)):
        cells = [Cell(name, link=bot_address(bot)), Cell(str(place + 1), place + 1)]
        for rival, share, meetings in zip(found.bots, found.shares[place], found.meetings[place]):
            if share is None or not meetings:
                cells.append(Cell(""))
                continue
            link = matches_address(view.name, bot=bot, rival=rival, pool=view.pool)
            hint = word("matches_count", n=f"{meetings:,}")
            cells.append(Cell(f"{100 * share:.0f}", share=share, hint=hint, link=link))
        rows.append(cells)
    return Table(word("head_to_head"), columns, rows, heat="sides")


def endings(board: Sequence[BoardRow], name: str, pool: str | None, word: Word) -> Table | None:
    """How the matches of each bot ended. A number leads to these matches."""
    counts = [row.cost.endings if row.cost else {} for row in board]
    kinds = [ending for ending in Ending if any(ending in found for found in counts)]
    if not kinds:
        return None
    columns = [Column(word("bot"), is_number=False), *(Column(kind.value) for kind in kinds)]
    rows = []
    for row, found in zip(board, counts):
        cells = [Cell(row.shown, link=bot_address(row.bot))]
        for kind in kinds:
            link = matches_address(name, bot=row.bot, pool=pool, ending=kind.value) if found.get(kind) else ""
            cells.append(Cell(f"{found[kind]:,}" if found.get(kind) else "", found.get(kind, 0), link=link))
        rows.append(cells)
    return Table(word("endings"), columns, rows)


def cost(board: Sequence[BoardRow], word: Word) -> Table | None:
    """CPU time per decision."""
    if not any(row.cost and row.cost.decisions for row in board):
        return None
    heads = [word("median_ms"), word("mean_ms"), word("worst_ms"), word("decisions")]
    columns = [Column(word("bot"), is_number=False), *(Column(head) for head in heads)]
    rows = [
        [
            Cell(row.shown, link=bot_address(row.bot)),
            *(Cell(milliseconds(value), value) for value in (row.cost.median_ms, row.cost.mean_ms, row.cost.worst_ms)),
            Cell(f"{row.cost.decisions:,}", row.cost.decisions),
        ]
        for row in board
        if row.cost is not None
    ]
    return Table(word("cost"), columns, rows)


def losses(found: Sequence[PoolLoss], word: Word) -> Table | None:
    """The worst loss of each bot of a pool. The match leads to its replay, at the step where it was lost."""
    if not found:
        return None
    columns = [Column(word("bot"), is_number=False), *_loss_columns(word)]
    rows = [[Cell(one.shown, link=bot_address(one.bot)), *_loss_cells(one)] for one in found]
    return Table(word("worst_losses"), columns, rows)


def faults(found: Sequence[FaultCard], word: Word) -> Table | None:
    """The first faults: what a bot did, and where."""
    if not found:
        return None
    columns = [
        Column(word("bot"), is_number=False), Column(word("match"), is_number=False, is_code=True), Column(word("seat")),
        Column(word("decision")), Column(word("ending"), is_number=False),
        Column(word("reason"), is_number=False, is_long=True),
    ]  # fmt: skip
    rows = [
        [
            Cell(one.bot, link=bot_address(one.bot)),
            Cell(one.match_id, link=match_address(one.match_id, one.seat, max(0, one.decision))), Cell(str(one.seat), one.seat),
            Cell(str(one.decision), one.decision), Cell(one.ending.value), Cell(one.reason[:REASON_LETTERS]),
        ]
        for one in found
    ]  # fmt: skip
    return Table(word("faults_title"), columns, rows)


def opponents(view: Bot, pool: BotPool, word: Word) -> Table:
    """The results of a bot against each opponent, the hardest first. A share leads to the matches of the two."""
    columns = [
        Column(word("bot"), is_number=False), Column(word("share_ahead"), meaning=word("share_ahead_meaning")),
        Column(word("meetings")),
    ]  # fmt: skip
    rows = []
    for one in pool.opponents:
        share = one.better / one.meetings if one.meetings else None
        link = matches_address(view.tournament or "", bot=view.name, rival=one.bot, pool=pool.pool)
        rows.append([
            Cell(shown(one.bot, one.bot_version), link=bot_address(one.bot)),
            Cell("" if share is None else f"{share:.0%}", share, share=share, link=link),
            Cell(f"{one.meetings:,}", one.meetings),
        ])  # fmt: skip
    return Table(word("head_to_head"), columns, rows, heat="sides")


def seats(pool: BotPool, word: Word) -> Table:
    """The results of a bot by seat."""
    heads = [word("matches"), word("wins"), word("mean_place"), word("mean_score")]
    columns = [Column(word("seat"), is_number=False), *(Column(head) for head in heads)]
    sizes = {one.seats for one in pool.seats}
    rows = [
        [
            Cell(str(one.seat) if len(sizes) == 1 else f"{one.seat} / {one.seats}", 100 * one.seats + one.seat),
            Cell(f"{one.matches:,}", one.matches), Cell(f"{one.wins / one.matches:.1%}", one.wins / one.matches),
            Cell(f"{one.mean_place:.2f}", one.mean_place), Cell(f"{one.mean_score:,.2f}", one.mean_score),
        ]
        for one in pool.seats
        if one.matches
    ]  # fmt: skip
    return Table(word("seats"), columns, rows)


def lost(found: Sequence[LostMatch], word: Word) -> Table:
    """The worst losses of a bot. The match leads to its replay, at the step where it was lost."""
    return Table(word("worst_losses"), _loss_columns(word), [_loss_cells(one) for one in found])


def versions(view: Bot, word: Word) -> Table:
    """The submitted versions of a bot."""
    heads = [word("submitted"), word("games"), "SHA-256", *([word("source")] if view.sources else [])]
    columns = [Column(word("version_column"), is_number=False), *(Column(head, is_number=False) for head in heads)]
    rows = []
    for one in reversed(view.versions):
        cells = [
            Cell(f"v{one.version}", one.version), Cell(f"{one.submitted[:16].replace('T', ' ')} UTC"),
            Cell(", ".join(one.games)), Cell(one.sha256[:12]),
        ]  # fmt: skip
        if one.version in view.sources:
            is_public = one.version == view.published
            text = word("source_public" if is_public else "source_look")
            cells.append(Cell(text, link=f"{bot_address(view.name)}/source?v={one.version}"))
        elif view.sources:
            cells.append(Cell(""))
        rows.append(cells)
    return Table(word("versions"), columns, rows)


def _loss_columns(word: Word) -> list[Column]:
    return [
        Column(word("match"), is_number=False, is_code=True), Column(word("place")), Column(word("score")),
        Column(word("winner"), is_number=False, is_long=True),
    ]  # fmt: skip


def _loss_cells(one: LostMatch) -> list[Cell]:
    return [
        Cell(one.match_id, link=lost_address(one.match_id, one.seat)), Cell(f"{one.place} / {one.seats}", one.place),
        Cell(f"{one.score:g}", one.score), Cell(f"{', '.join(one.winners)} ({one.best_score:g})"),
    ]  # fmt: skip


NAMES: dict[str, Any] = {
    "pairs_table": pairs, "endings_table": endings, "cost_table": cost, "losses_table": losses, "faults_table": faults,
    "opponents_table": opponents, "seats_table": seats, "lost_table": lost, "versions_table": versions,
    "matches_address": matches_address, "bot_address": bot_address, "match_address": match_address,
    "career_chart": career, "versions_chart": version_curves,
    "history_chart": history, "scale_of": scale_of, "shell_word": shlex.quote,
}  # fmt: skip
"""What templates call these functions."""
