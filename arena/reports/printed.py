"""The leaderboard for people: a table for a terminal of any width, plain text for a pipe, or Markdown."""

import itertools
from collections.abc import Iterable, Mapping, Sequence

from arena.ratings.models import STORED, find_model, is_order_free
from arena.ratings.rows import Bot
from arena.ratings.settings import OVERALL, headline_model, overall_rule, ranked_by
from arena.records import Rating
from arena.reports import columns as titles
from arena.reports import model_use
from arena.reports.board import (
    NO_COST,
    RULES,
    SCALES,
    Costs,
    Online,
    add_up,
    asking_bots,
    chosen_pools,
    headline,
    is_overall_told,
    luck_notes,
    may_swap,
    online_beside,
    rank_of,
    ranked,
    ranking,
    ratings_by,
    retired_bots,
    shows_idle,
    warnings,
    why_no_overall,
    without_numbers,
    without_rank,
)
from arena.reports.model_use import model_uses
from arena.reports.table import name_of, shown
from arena.reports.terminal import Page, rank_texts
from arena.results.manifest import Manifest
from arena.results.schema import SeatTotals, StoredCall


def print_board(
    manifest: Manifest,
    ratings: Sequence[Rating],
    page: Page,
    *,
    choice: str | None = None,
    totals: Iterable[SeatTotals] = (),
    calls: Sequence[StoredCall] = (),
    model: str | None = None,
    title: str | None = None,
) -> None:
    """Print what happened, then the overall table and one per pool. Raises ConfigError for an unknown `choice`.

    `choice`: a pool or a game, to see it alone; `totals`: adds faults by kind and CPU time per decision; `calls`: of language
    models; `model`: whose ratings, by default the headline's; `title`: the first line, by default `headline`.
    """
    model = headline_model(manifest.config) if model is None else model
    online = online_beside(model, ratings)
    ratings = ratings_by(model, ratings)
    pools = chosen_pools(manifest, ratings, choice)
    costs = add_up(totals)
    retired = retired_bots(manifest)
    page.say(headline(manifest) if title is None else title, "bold")
    told, has_online_column = True, False
    for pool in pools:
        rows = [rating for rating in ratings if rating.pool == pool and (rating.matches or shows_idle(manifest))]
        page.say("")
        if len(pools) > 1 or choice is not None or manifest.tournaments:
            page.heading(pool)
        if not rows:
            page.say("no ratings yet")
            continue
        found = ranking(ranked(rows, pool, costs, online, asking=asking_bots(manifest)), retired=retired)
        if len(pools) > 1 and pool != OVERALL:
            found = found.without(titles.INTERVAL_COLUMN)
        columns = page.table(found)
        if models := model_uses(calls, pool):
            page.say("")
            page.table(model_use.table(models))
        told = told and (pool == OVERALL or titles.ENDINGS in columns or not any(rating.faults for rating in rows))
        has_online_column = has_online_column or titles.ONLINE in columns
    shown = [rating for rating in ratings if rating.pool in pools]
    missing = without_rank(ratings) if OVERALL in pools else {}
    order = _order_note(manifest, shown, online, has_column=has_online_column)
    why = why_no_overall(ratings, pools) if choice is None else None
    for note in [*_notes(manifest, shown, missing, order, {} if told else costs), *([why.en] if why else [])]:
        page.say(note, "dim")


def leaders(ratings: Iterable[Rating], count: int) -> str:
    """The best `count` bots, a line each, of the overall pool or the only one; where few play every game, each game's best.

    `ratings`: of one model.
    """
    listed = list(ratings)
    pools = [pool for pool in dict.fromkeys(rating.pool for rating in listed) if pool != OVERALL]
    ranked = [rating for rating in listed if rating.rank is not None and rating.matches]
    if len(pools) > 1 and not is_overall_told(listed):
        firsts = {rating.pool: rating for rating in reversed(ranked) if rating.pool != OVERALL}
        heads = [pool for pool in pools if pool in firsts]
        best = [firsts[pool] for pool in heads]
    else:
        chosen = OVERALL if len(pools) > 1 else pools[0] if pools else ""
        best = [rating for rating in ranked if rating.pool == chosen][:count]
        heads = rank_texts([rank_of(above, rating) for above, rating in zip([None, *best], best)])
    names = max((len(name_of(rating)) for rating in best), default=0)
    return "\n".join(
        f"{head:{max(map(len, heads))}}  {name_of(rating):{names}}  {rating.rating:6.2f}" for head, rating in zip(heads, best)
    )


def _notes(
    manifest: Manifest, shown: Sequence[Rating], missing: Mapping[Bot, Sequence[str]], order: str, costs: Costs
) -> list[str]:  # fmt: skip
    """`missing`: bots without an overall rank, with the pools that they have played; `order`: what `_order_note` says."""
    notes = []
    if any(above.pool == below.pool and may_swap(above, below) for above, below in itertools.pairwise(shown)):
        notes.append(
            "~ not separable from the bot above; in brackets the ranks that are possible: with 95 % all brackets hold at once"
        )
    if any(rating.bound for rating in shown):
        notes.append("rating at least, or at most: the bot has won all, or lost all, and no interval says how far it is")
    if shown and shown[0].model not in STORED and (model := find_model(shown[0].model)) is not None:
        notes.append(f"ratings by {shown[0].model}: {model.title}")
    if rule := RULES.get(ranked_by(manifest.config)):
        notes.append(rule)
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
            faults = costs.get((pool, rating.bot, rating.bot_version), NO_COST).faults if rating.pool == pool else ""
            if faults:
                notes.append(f"faults of {name_of(rating)} in {pool}: {faults}")
    saved = {pool: manifest.rotations_saved[pool] for pool in manifest.rotations_saved if any(r.pool == pool for r in shown)}
    if saved:
        counts = ", ".join(f"{pool} {count:.2f}" for pool, count in saved.items())
        notes.append(f"by playing each deal in all its seatings, a match tells as much as this many independent ones: {counts}")
    notes += luck_notes(manifest, {rating.pool for rating in shown})
    if manifest.outcome is not None:
        notes.append(f"it ended because: {manifest.outcome}")
    notes += [note.en for note in warnings(manifest)]
    return ["", *notes] if notes else []


def _missing_text(missing: Mapping[Bot, Sequence[str]]) -> str:
    return "; ".join(f"{shown(*bot)} ({', '.join(pools) or 'none'})" for bot, pools in sorted(missing.items()))


def _order_note(manifest: Manifest, shown: Sequence[Rating], online: Online, *, has_column: bool) -> str:
    """Return what the online ratings are, and how far ranks depend on the order of play; `has_column`: a table shows them."""
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
