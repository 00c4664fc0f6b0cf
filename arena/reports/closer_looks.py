"""What a board leaves out, in the terminal: head to head, second opinions, the history of a bot's ratings, where its points
come from, and for its author its faults with what it printed, its slowest decisions, and the seeds of its losses.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from arena.errors import without_output
from arena.hints import hints
from arena.ratings.explain import Explanation, Seeds
from arena.ratings.fit import Fit
from arena.ratings.meta_game import MetaGame
from arena.ratings.models import find_model
from arena.ratings.pairs import HeadToHead
from arena.ratings.second_opinions import SecondOpinion
from arena.ratings.settings import OVERALL
from arena.records import HistoryPoint, Rating
from arena.reports import columns as titles
from arena.reports import tables
from arena.reports.insights import opinions_of, pairs_of
from arena.reports.table import Cell, Column, Table, shown
from arena.reports.terminal import Page, cut
from arena.results.schema import StoredFault

MOST_CHOICES, LEAST_PART = 20, 0.005  # of more bots only those are listed that have a part in a solution
MOST_COPIES = 3  # pairs that are named
HISTORY_LINES = 20  # of a bot in a pool; JSON and CSV have all points
_FAULTS_SHOWN, _OUTPUT_LINES = 3, 6  # on the page; JSON has all of them


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
        page.say("")
        page.heading(pool)
        square = pairs_of(found, [rating for rating in ratings if rating.pool == pool], most=None)
        if square is None:
            page.say("no matches yet")
        else:
            page.table(tables.head_to_head(square))
    page.say("")
    page.say("percent of the matches of the two that the bot of the row finished before that of the column, ties as halves")


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
        page.say("")
        page.heading(pool)
        if not opinions:
            page.say("no matches yet")
            continue
        shown_here = opinions_of(opinions, [rating for rating in ratings if rating.pool == pool])
        page.table(tables.second_opinions(shown_here.bots if shown_here else ()))
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
        thinned = [own[place] for place in sorted({last * line // HISTORY_LINES for line in range(HISTORY_LINES + 1)})]
        page.say("")
        page.heading(f"{pool}: {shown(*bot)}{_how(model)}")
        page.table(tables.history(thinned))


def _how(model: str) -> str:
    """Return how the history of a model came about; empty for one that only the stored files know."""
    known = find_model(model)
    if known is None:
        return ""
    return ", by the matches up to there" if known.is_order_free else ", as it was played"


def print_explanations(
    bot: tuple[str, int],
    found: Mapping[str, Explanation],
    ids: Mapping[tuple[str, int], str],
    ratings: Sequence[Rating],
    told: Mapping[str, Sequence[str]],
    fits: Mapping[str, Fit],
    page: Page,
) -> None:
    """Print for each pool the rating, then the results by seat and by opponent, and the worst losses.

    `ids`: match ids by pool and `Loss.row`; `ratings`: of one model; `told`: what else is known, in sentences, by pool;
    `fits`: how well the ratings tell the results.
    """
    if not found:
        page.say("")
        page.say(f"{shown(*bot)} has played no matches yet")
    for pool in [OVERALL, *found] if len(found) > 1 else list(found):
        for rating in ratings:
            if (rating.pool, rating.bot, rating.bot_version) == (pool, *bot):
                rank = "no rank" if rating.rank is None else f"rank {rating.rank}"
                share = f"{rating.wins / max(1, rating.matches):.1%} won"
                page.say("")
                page.heading(f"{shown(*bot)}, {pool}: {rank}, rating {rating.rating:.2f}, {rating.matches:,} matches, {share}")
        for sentence in told.get(pool, ()):
            page.say(sentence)
            page.say("")
        if pool in found:
            _print_explanation(bot, pool, found[pool], ids, fits.get(pool), page)


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


def _print_explanation(
    bot: tuple[str, int],
    pool: str,
    found: Explanation,
    ids: Mapping[tuple[str, int], str],
    fit: Fit | None,
    page: Page,
) -> None:
    page.table(tables.seats(found.seats))
    page.say("")
    page.table(tables.opponents(found.opponents, bot=bot, fit=fit))
    page.say("")
    if fit is not None:
        page.say(tables.fit_text(fit).en, "yellow" if fit.is_doubtful else "")
        page.say("")
    if not found.losses:
        page.say("no losses")
        return
    lost = [
        (bot[0], shown(*bot), tables.Lost(
            match_id=ids[pool, loss.row], seat=-1, place=loss.place, seats=loss.seats, score=loss.score,
            best_score=loss.best_score, winners=loss.winners, is_fault=loss.is_fault,
        ))
        for loss in found.losses
    ]  # fmt: skip
    page.table(tables.losses(lost, of_one=True))
    page.say("")
    page.say(f"to see one: arena replay {ids[pool, found.losses[0].row]}")


def print_meta_game(bot: tuple[str, int], pool: str, found: MetaGame, page: Page) -> None:
    """Print the solutions of the game of choosing a bot, and what each says that the rating does not."""
    page.say("")
    if not found.choices:
        page.say(f"{pool}: neither cycles nor copies, so one order of the bots tells whom to choose")
        return
    page.say(f"{pool}, whom to choose where bots beat each other in turn, or copies crowd the field:", "bold")
    if found.copies:
        named = ", ".join(f"{shown(*one)} and {shown(*other)}" for one, other in found.copies[:MOST_COPIES])
        more = len(found.copies) - MOST_COPIES
        page.say(f"alike against each other and all others: {named}" + (f", and {more:,} more pairs" if more > 0 else ""))
    columns = [
        Column("bot", is_name=True), Column("lottery", ".1%"), Column("Nash", ".1%"), Column("points", ",.0f"),
        Column("alpha-rank", ".1%"),
    ]  # fmt: skip
    is_short = len(found.choices) <= MOST_CHOICES
    listed = [
        one
        for one in found.choices
        if is_short or max(one.lottery, one.nash, one.alpha_rank) >= LEAST_PART or (one.bot, one.bot_version) == bot
    ]
    listed.sort(key=lambda one: (-one.nash_points, -one.nash, one.bot, one.bot_version))
    page.table(
        Table(
            columns,
            [[shown(one.bot, one.bot_version), one.lottery, one.nash, one.nash_points, one.alpha_rank] for one in listed],
        )
    )
    for line in (
        "lottery: a bot drawn by these chances finishes behind none more often than ahead; the first of the board may",
        "Nash: a mix that none beats by log-odds, and Elo points against it; copies change ratings, but not these points",
        "alpha-rank: time in use where bots replace those that they beat; a cycle shares it, where a rating names a first",
    ):
        page.say(line)


class SlowDecision(msgspec.Struct, frozen=True):
    """The slowest decision of a match."""

    match_id: str
    seat: int
    cpu_ms: float


class AuthorEvidence(msgspec.Struct, frozen=True):
    """What the author of a bot wants to see of one pool."""

    faults: Sequence[StoredFault]
    """The bot's faults, in plan order."""
    slowest: Sequence[SlowDecision]
    """The matches with its slowest decisions, the slowest first."""
    seeds: Mapping[str, Seeds]
    """The seeds of its worst losses, by match id; empty until the key of the deals is public."""


def author_rows(found: AuthorEvidence) -> dict[str, Any]:
    """The evidence as plain data, for JSON."""
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return plain


def print_author_evidence(pool: str, found: AuthorEvidence, page: Page) -> None:
    """Print the evidence for the author of a bot about one pool."""
    page.say("")
    page.say(f"{pool}, for the author:", "bold")
    if found.slowest:
        columns = [titles.MATCH.but(title="slowest"), titles.SEAT, titles.SLOWEST_MS]
        page.table(Table(columns, [[slow.match_id, Cell(slow.seat, str(slow.seat)), slow.cpu_ms] for slow in found.slowest]))
    if found.seeds:
        page.say("")
        columns = [
            titles.MATCH.but(title="seeds of", is_name=True), Column("deal", dropped=2), Column("bot", dropped=1),
        ]  # fmt: skip
        page.table(Table(columns, [[match_id, seeds.deal, seeds.bot] for match_id, seeds in found.seeds.items()]))
    _print_faults(found.faults, page)


def _print_faults(faults: Sequence[StoredFault], page: Page) -> None:
    for fault in faults[:_FAULTS_SHOWN]:
        page.say("")
        where = "at the start" if fault.decision < 0 else f"at decision {fault.decision}"
        page.say(f"{fault.ending.value} {where} of {fault.match_id}, seat {fault.seat}", "red")
        reason = without_output(fault.reason)
        for line in reason.splitlines():
            page.say(f"  {cut(line, max(40, page.width - 2))}")
        for hint in hints([reason]):
            page.say(f"  {hint}", "yellow")
        if fault.exit:
            page.say(f"  its process: {fault.exit}")
        if fault.output:
            page.say("  it printed at the end:")
            for line in fault.output.splitlines()[-_OUTPUT_LINES:]:
                page.say(f"    {cut(line, max(40, page.width - 4))}")
    if faults:
        page.say("")
        rest = len(faults) - _FAULTS_SHOWN
        more = f"and {rest:,} more (--format json has all); " if rest > 0 else ""
        page.say(f"{more}what it saw then, and what it does now: arena capsule {faults[0].match_id} {faults[0].seat} --run")
