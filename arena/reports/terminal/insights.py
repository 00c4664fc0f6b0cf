"""What a board leaves out: head-to-head, the history of a bot's ratings, and where its points come from."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from arena.ratings.explain import Explanation
from arena.ratings.head_to_head import HeadToHead
from arena.ratings.models import MODELS
from arena.ratings.second_opinions import SecondOpinion
from arena.ratings.settings import OVERALL
from arena.records import HistoryPoint, Rating
from arena.reports.selection.names import bot_name
from arena.reports.terminal.page import Column, Page, fitting

HISTORY_LINES = 20  # of a bot in a pool; JSON and CSV have all points


def head_to_head_rows(pairs: Mapping[str, HeadToHead]) -> list[dict[str, Any]]:
    """A row per pool and ordered pair of bots that met."""
    return [
        {
            "pool": pool, "bot": bot[0], "bot_version": bot[1], "against": other[0], "against_version": other[1],
            "meetings": int(found.meetings[one, two]), "better": float(found.better[one, two]),
            "share": found.share(one, two),
        }
        for pool, found in pairs.items()
        for one, bot in enumerate(found.bots)
        for two, other in enumerate(found.bots)
        if found.meetings[one, two]
    ]  # fmt: skip


def print_head_to_head(pairs: Mapping[str, HeadToHead], ratings: Sequence[Rating], page: Page) -> None:
    """Print a square per pool, best first: how often the row's bot finished ahead of the column's. `ratings`: of one model."""
    for pool, found in pairs.items():
        listed = [(rating.bot, rating.bot_version) for rating in ratings if rating.pool == pool]
        order = [found.bots.index(bot) for bot in listed if bot in found.bots]
        page.say("")
        page.heading(pool)
        if not order:
            page.say("no matches yet")
            continue
        columns = [
            Column("", [str(number + 1) for number in range(len(order))]),
            Column("bot", [bot_name(*found.bots[bot]) for bot in order], justify="left"),
        ]
        for number, other in enumerate(order):
            cells = [_percent(found.share(bot, other)) for bot in order]
            columns.append(Column(str(number + 1), cells, len(order) - number))
        page.table(fitting(columns, page.width))
    page.say("")
    page.say("share of the matches of the two that the bot of the row finished before that of the column, ties as halves")


def opinion_rows(found: Mapping[str, Sequence[SecondOpinion]], ratings: Sequence[Rating]) -> list[dict[str, Any]]:
    """A row per pool and bot, headline rank first. `ratings`: of one model."""
    ranks = {(rating.pool, rating.bot, rating.bot_version): rating.rank for rating in ratings}
    return [
        {"pool": pool, "rank": ranks.get((pool, one.bot, one.bot_version)), **msgspec.structs.asdict(one)}
        for pool, opinions in found.items()
        for one in opinions
    ]


def print_opinions(found: Mapping[str, Sequence[SecondOpinion]], ratings: Sequence[Rating], page: Page) -> None:
    """Print a table per pool, in the order of the headline. `ratings`: of one model."""
    for pool, opinions in found.items():
        by_bot = {(one.bot, one.bot_version): one for one in opinions}
        listed = [rating for rating in ratings if rating.pool == pool and (rating.bot, rating.bot_version) in by_bot]
        shown = [by_bot[rating.bot, rating.bot_version] for rating in listed]
        page.say("")
        page.heading(pool)
        if not shown:
            page.say("no matches yet")
            continue
        columns = [
            Column("rank", [_rank(rating.rank) for rating in listed]),
            Column("bot", [bot_name(one.bot, one.bot_version) for one in shown], justify="left"),
            Column("Bradley-Terry", [f"{_rank(one.elo_rank)} ({one.elo:+,.0f})" for one in shown]),
            Column("place", [f"{_rank(one.place_rank)} ({one.mean_place:.2f})" for one in shown], 3),
            Column("score", [f"{_rank(one.score_rank)} ({one.mean_score:,.2f})" for one in shown], 2),
            Column("opponents beaten", [f"{one.rivals_beaten:g} of {one.rivals}" for one in shown], 1),
        ]
        page.table(fitting(columns, page.width))
    page.say("")
    page.say(
        "rank: the headline's. Others: Bradley-Terry of all pairs (Elo points, mean of the field 0), mean place, mean score; "
        "opponents that finished behind it more often than ahead. They never change the headline"
    )


def print_history(points: Sequence[HistoryPoint], page: Page) -> None:
    """Print the history of one bot's ratings, pool by pool and model by model, thinned to a screen."""
    for pool, bot, model in dict.fromkeys((point.pool, (point.bot, point.bot_version), point.model) for point in points):
        own = [point for point in points if (point.pool, (point.bot, point.bot_version), point.model) == (pool, bot, model)]
        last = len(own) - 1
        shown = [own[place] for place in sorted({last * line // HISTORY_LINES for line in range(HISTORY_LINES + 1)})]
        page.say("")
        page.heading(f"{pool}: {bot_name(*bot)}{_how(model)}")
        columns = [
            Column("matches", [f"{point.matches:,}" for point in shown]),
            Column("of the pool", [f"{point.pool_matches:,}" for point in shown], 1),
            Column("rating", [f"{point.mu - 3 * point.sigma:.2f}" for point in shown]),
            Column("mu", [f"{point.mu:.2f}" for point in shown]),
            Column("sigma", [f"{point.sigma:.2f}" for point in shown]),
        ]
        page.table(columns)


def _how(model: str) -> str:
    """How the history of a model came about; empty for one that only the stored files know."""
    if model not in MODELS:
        return ""
    return ", by the matches up to there" if MODELS[model].is_order_free else ", as it was played"


def print_explanations(
    bot: tuple[str, int],
    found: Mapping[str, Explanation],
    ids: Mapping[tuple[str, int], str],
    ratings: Sequence[Rating],
    skills: Mapping[str, str],
    page: Page,
) -> None:
    """Print for each pool the rating, then the results by seat and by opponent, and the worst losses.

    `ids`: match ids by pool and `Loss.row`; `ratings`: of one model; `skills`: skill against luck by pool, where it is known.
    """
    if not found:
        page.say("")
        page.say(f"{bot_name(*bot)} has played no matches yet")
    for pool in [OVERALL, *found] if len(found) > 1 else list(found):
        for rating in ratings:
            if (rating.pool, rating.bot, rating.bot_version) == (pool, *bot):
                rank = "no rank" if rating.rank is None else f"rank {rating.rank}"
                share = f"{rating.wins / max(1, rating.matches):.1%} won"
                page.say("")
                page.heading(
                    f"{bot_name(*bot)}, {pool}: {rank}, rating {rating.rating:.2f}, {rating.matches:,} matches, {share}"
                )
        if pool in skills:
            page.say(skills[pool])
            page.say("")
        if pool in found:
            _print_explanation(pool, found[pool], ids, page)


def explanation_rows(
    bot: tuple[str, int], found: Mapping[str, Explanation], ids: Mapping[tuple[str, int], str]
) -> list[dict[str, Any]]:
    """One object per pool, with match ids in place of row numbers, and the shares that the table shows beside the counts."""
    objects = []
    for pool, explanation in found.items():
        part = msgspec.to_builtins(explanation)
        for loss in part["losses"]:
            loss["match_id"] = ids[pool, loss.pop("row")]
        for seat in part["seats"]:
            seat["share_won"] = seat["wins"] / seat["matches"]
        for opponent in part["opponents"]:
            opponent["share"] = opponent["better"] / opponent["meetings"]
        objects.append({"pool": pool, "bot": bot[0], "bot_version": bot[1], **part})
    return objects


def _print_explanation(pool: str, found: Explanation, ids: Mapping[tuple[str, int], str], page: Page) -> None:
    columns = [
        Column("seat", [f"{part.seat} of {part.seats}" for part in found.seats], justify="left"),
        Column("matches", [f"{part.matches:,}" for part in found.seats]),
        Column("wins", [f"{part.wins / part.matches:.1%}" for part in found.seats]),
        Column("place", [f"{part.mean_place:.2f}" for part in found.seats]),
        Column("score", [f"{part.mean_score:,.2f}" for part in found.seats]),
    ]
    page.table(columns)
    page.say("")
    columns = [
        Column("against", [bot_name(part.bot, part.bot_version) for part in found.opponents], justify="left"),
        Column("matches", [f"{part.meetings:,}" for part in found.opponents]),
        Column("better", [_percent(part.better / part.meetings) for part in found.opponents]),
    ]
    page.table(fitting(columns, page.width, "against"))
    if not found.losses:
        page.say("")
        page.say("no losses")
        return
    page.say("")
    columns = [
        Column("worst losses", [ids[pool, loss.row] for loss in found.losses], justify="left"),
        Column("place", [f"{loss.place} of {loss.seats}" for loss in found.losses]),
        Column("score", [f"{loss.score:,.6g}" for loss in found.losses], 2),
        Column("winner's", [f"{loss.best_score:,.6g}" for loss in found.losses], 1),
        Column("winner", [", ".join(loss.winners) for loss in found.losses], justify="left"),
        Column("", ["fault" if loss.is_fault else "" for loss in found.losses], 3, "left"),
    ]
    page.table(fitting(columns, page.width, "winner"))
    page.say("")
    page.say(f"to see one: arena replay {ids[pool, found.losses[0].row]}")


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def _percent(share: float | None) -> str:
    return "." if share is None else f"{share:.0%}"
