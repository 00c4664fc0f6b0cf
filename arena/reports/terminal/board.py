"""The leaderboard for people: a table for a terminal of any width, plain text for a pipe, or Markdown."""

import itertools
from collections.abc import Iterable, Mapping, Sequence

from arena.ratings.models import is_order_free
from arena.ratings.rows import Bot
from arena.ratings.settings import OVERALL, headline_model, overall_rule
from arena.records import Rating
from arena.reports.selection.boards import (
    SCALES,
    Online,
    chosen_pools,
    headline,
    may_swap,
    online_beside,
    ranked_overall,
    ratings_by,
    shows_idle,
    without_numbers,
    without_rank,
)
from arena.reports.selection.costs import Costs, add_up, costs_of, milliseconds
from arena.reports.selection.luck_worth import luck_notes
from arena.reports.selection.names import bot_name
from arena.reports.terminal.page import Column, Glyphs, MarkdownPage, Page, fitting
from arena.results.manifest import Manifest
from arena.results.schema import SeatTotals

PLOT_WIDTH = 25  # characters of the picture of the intervals
_PLOT, _SIGMA, _ONLINE, _ENDINGS = "95 % interval", "sigma", "online", "endings"


def print_board(
    manifest: Manifest,
    ratings: Sequence[Rating],
    page: Page,
    *,
    choice: str | None = None,
    totals: Iterable[SeatTotals] = (),
    model: str | None = None,
    title: str | None = None,
) -> None:
    """Print what happened, then the overall table and one per pool. Raises ConfigError for an unknown `choice`.

    `choice`: a pool or a game, to see it alone; `totals`: adds faults by kind and CPU time per decision;
    `model`: whose ratings, by default the headline's; `title`: the first line, by default `headline`.
    """
    model = headline_model(manifest.config) if model is None else model
    online = online_beside(model, ratings)
    ratings = ratings_by(model, ratings)
    pools = chosen_pools(manifest, ratings, choice)
    costs = add_up(totals)
    retired = {(bot.name, bot.version) for bot in manifest.bots if bot.retired}
    page.say(headline(manifest) if title is None else title, "bold")
    told, has_online_column = True, False
    for pool in pools:
        rows = [rating for rating in ratings if rating.pool == pool and (rating.matches or shows_idle(manifest))]
        page.say("")
        if len(pools) > 1 or choice is not None or manifest.tournaments:
            page.heading(pool)
        columns = _print_table(page, rows, online, costs, retired, is_compact=len(pools) > 1 and pool != OVERALL)
        told = told and (pool == OVERALL or _ENDINGS in columns or not any(rating.faults for rating in rows))
        has_online_column = has_online_column or _ONLINE in columns
    shown = [rating for rating in ratings if rating.pool in pools]
    missing = without_rank(ratings) if OVERALL in pools else {}
    order = _order_note(manifest, shown, online, has_column=has_online_column)
    for note in _notes(manifest, shown, missing, order, {} if told else costs):
        page.say(note, "dim")


def leaders(ratings: Iterable[Rating], count: int) -> str:
    """The best `count` bots, a line each, of the overall pool or the only one; where few play every game, each game's best.

    `ratings`: of one model.
    """
    listed = list(ratings)
    pools = [pool for pool in dict.fromkeys(rating.pool for rating in listed) if pool != OVERALL]
    ranked = [rating for rating in listed if rating.rank is not None and rating.matches]
    if len(pools) > 1 and len(ranked_overall(ranked)) < 2:
        firsts = {rating.pool: rating for rating in reversed(ranked) if rating.pool != OVERALL}
        heads = [pool for pool in pools if pool in firsts]
        best = [firsts[pool] for pool in heads]
    else:
        chosen = OVERALL if len(pools) > 1 else pools[0] if pools else ""
        best = [rating for rating in ranked if rating.pool == chosen][:count]
        heads = _rank_cells(best)
    names = max((len(_name(rating)) for rating in best), default=0)
    return "\n".join(
        f"{head:{max(map(len, heads))}}  {_name(rating):{names}}  {rating.rating:6.2f}" for head, rating in zip(heads, best)
    )


def _print_table(
    page: Page, rows: Sequence[Rating], online: Online, costs: Costs, retired: set[tuple[str, int]], *, is_compact: bool
) -> set[str]:
    """Print one pool; returns the headers of the columns that had room."""
    if not rows:
        page.say("no ratings yet")
        return set()
    columns = _columns(rows, online, costs, page.glyphs)
    if is_compact:
        columns = [column for column in columns if column.header != _PLOT]
    if isinstance(page, MarkdownPage):
        columns = [column for column in columns if column.header != _PLOT]
    columns = fitting(columns, page.width)
    unranked = [(rating.bot, rating.bot_version) in retired or rating.rank is None for rating in rows]
    page.table(columns, ["dim" if dim else "bold yellow" if row.rank == 1 else "" for dim, row in zip(unranked, rows)])
    return {column.header for column in columns}


def _columns(rows: Sequence[Rating], online: Online, costs: Costs, glyphs: Glyphs) -> list[Column]:
    """All columns that have something to show, left to right."""
    columns = [
        Column("rank", _rank_cells(rows), 0, "left"),
        Column("bot", [_name(rating) for rating in rows], 0, "left"),
        Column("rating", [f"{rating.rating:.2f}" for rating in rows], 0),
        Column("mu", [f"{rating.mu:.2f} {glyphs.plus_minus}{rating.high - rating.mu:5.2f}" for rating in rows], 10),
        Column(_PLOT, _plot(rows, glyphs), 2, "left", "cyan"),
        Column(_SIGMA, [f"{rating.sigma:.2f}" for rating in rows], 3),
        Column("matches", [f"{rating.matches:,}" for rating in rows], 8),
        Column("wins", [f"{rating.wins / rating.matches:.1%}" if rating.matches else "-" for rating in rows], 9),
        Column("place", [f"{rating.mean_place:.2f}" if rating.matches else "-" for rating in rows], 6),
    ]
    if played := [online.get((row.pool, row.bot, row.bot_version)) for row in rows if online]:
        columns.insert(5, Column(_ONLINE, ["-" if one is None else f"{one.rating:.2f}" for one in played], 7))
    if any(rating.faults for rating in rows):
        columns.append(Column("faults", [str(rating.faults or "") for rating in rows], 11, style="red"))
    if costs:
        columns.append(Column("ms/move", [milliseconds(costs_of(costs, rating).median) for rating in rows], 5))
        columns.append(Column("worst ms", [milliseconds(costs_of(costs, rating).worst) for rating in rows], 4))
        kinds = [costs_of(costs, rating).faults for rating in rows]
        if any(kinds):
            columns.append(Column(_ENDINGS, kinds, 1, "left"))
    return columns


def _rank_cells(rows: Sequence[Rating]) -> list[str]:
    """Rank and its bounds, such as `2 (1-3)`; `~` in front: not separable from the bot above."""
    cells = []
    digits = max((len(str(rating.rank)) for rating in rows if rating.rank is not None), default=1)
    for above, rating in zip([None, *rows], rows):
        if rating.rank is None:
            cells.append(f"  {'-':>{digits}}")
            continue
        bounds = "" if rating.rank_low == rating.rank_high else f" ({rating.rank_low}-{rating.rank_high})"
        cells.append(f"{'~' if above is not None and may_swap(above, rating) else ' '} {rating.rank:>{digits}}{bounds}")
    return cells


def _plot(rows: Sequence[Rating], glyphs: Glyphs) -> list[str]:
    """The intervals and means of the bots that played, on one scale from the lowest end to the highest."""
    played = [rating for rating in rows if rating.matches]
    low = min((rating.low for rating in played), default=0.0)
    high = max((rating.high for rating in played), default=0.0)
    scale = (PLOT_WIDTH - 1) / (high - low) if high > low else 0.0
    cells = []
    for rating in rows:
        if not rating.matches:
            cells.append(" " * PLOT_WIDTH)
            continue
        first, mean, last = (round((value - low) * scale) for value in (rating.low, rating.mu, rating.high))
        line = " " * first + glyphs.line * (last - first + 1)
        cells.append((line[:mean] + glyphs.mean + line[mean + 1 :]).ljust(PLOT_WIDTH))
    return cells


def _notes(
    manifest: Manifest, shown: Sequence[Rating], missing: Mapping[Bot, Sequence[str]], order: str, costs: Costs
) -> list[str]:  # fmt: skip
    """`missing`: bots without an overall rank, with the pools that they have played; `order`: what `_order_note` says."""
    notes = []
    if any(above.pool == below.pool and may_swap(above, below) for above, below in itertools.pairwise(shown)):
        notes.append("~ not separable from the bot above; in brackets the ranks that the 95 % intervals allow")
    if any(rating.pool == OVERALL for rating in shown) and (scale := SCALES.get(overall_rule(manifest.config))):
        notes.append(scale)
    if failed := without_numbers(shown):
        notes.append(
            f"no rating in {', '.join(failed)}: the numbers ran out of digits with these settings of `ratings`; "
            "the matches are all stored"
        )
    if missing:
        notes.append(f"no overall rank, because a pool is missing (it has matches in): {_missing_text(missing)}")
    if order:
        notes.append(order)
    for pool in dict.fromkeys(rating.pool for rating in shown if rating.pool != OVERALL):
        for rating in shown:
            faults = costs_of(costs, rating).faults if rating.pool == pool else ""
            if faults:
                notes.append(f"faults of {_name(rating)} in {pool}: {faults}")
    saved = {pool: manifest.rotations_saved[pool] for pool in manifest.rotations_saved if any(r.pool == pool for r in shown)}
    if saved:
        counts = ", ".join(f"{pool} {count:.2f}" for pool, count in saved.items())
        notes.append(f"by playing each deal in all its seatings, a match tells as much as this many independent ones: {counts}")
    notes += luck_notes(manifest, {rating.pool for rating in shown})
    if manifest.outcome is not None:
        notes.append(f"it ended because: {manifest.outcome}")
    for why, retired in (
        ("it forfeited", [bot.name for bot in manifest.bots if bot.retired and not bot.void]),
        ("it forfeited or its matches were void", [bot.name for bot in manifest.bots if bot.retired and bot.void]),
    ):
        if retired:
            notes.append(f"retired, because {why} again and again: {', '.join(retired)}")
    deviating = [f"{bot.name} ({bot.deviated} of {bot.repeated})" for bot in manifest.bots if bot.deviated]
    if deviating:
        notes.append(
            f"acted otherwise in matches played again with the same seeds, so by a clock, entropy or memory of earlier matches"
            f"{', and not rated' if manifest.unrated_bots else ''}: {', '.join(deviating)}"
        )
    for one in manifest.left_out:
        notes.append(f"left out, because it could not be loaded: {bot_name(one.name, one.version)}: {one.reason}")
    if manifest.void:
        voids = [f"{bot.name} {bot.void}" for bot in manifest.bots if bot.void]
        of_bots = f" ({', '.join(voids)})" if voids else ""
        notes.append(f"void matches, which the host could not finish, not rated: {manifest.void}{of_bots}")
    if manifest.unrated:
        notes.append(f"matches with measured latency, not rated (ratings: {{measured: true}} rates them): {manifest.unrated}")
    return ["", *notes] if notes else []


def _missing_text(missing: Mapping[Bot, Sequence[str]]) -> str:
    return "; ".join(f"{bot_name(*bot)} ({', '.join(pools) or 'none'})" for bot, pools in sorted(missing.items()))


def _order_note(manifest: Manifest, shown: Sequence[Rating], online: Online, *, has_column: bool) -> str:
    """What the online ratings are, and how far their ranks depend on the order of play; `has_column`: a table shows them."""
    shifts, moved = manifest.order_shifts, ""
    if shifts is not None:
        pools = [pool for pool in dict.fromkeys(rating.pool for rating in shown) if pool in shifts.ranks]
        ranks = ", ".join(f"{pool} {shifts.ranks[pool]}" for pool in pools)
        moved = f"in {shifts.orders} other orders of the same matches its ranks move by at most: {ranks}" if pools else ""
    if online:
        known = "online: the rating" if has_column else "a wider terminal has a column online: the rating"
        return "; ".join([f"{known} as it was played, match after match", *([moved] if moved else [])])
    is_known = any(is_order_free(rating.model) for rating in shown)
    return f"this rating depends on the order of play; {moved}" if moved and not is_known else ""


def _name(rating: Rating) -> str:
    return bot_name(rating.bot, rating.bot_version)
