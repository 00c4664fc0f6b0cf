"""The tables of results beside the ranking, each defined once for the terminal, the report and the pages of `arena serve`."""

from collections.abc import Sequence

import msgspec

from arena.ratings.explain import OpponentResults, SeatResults
from arena.ratings.fit import Fit
from arena.ratings.pairs import Partners, SeatShare
from arena.ratings.rows import Bot
from arena.ratings.skill import Skill
from arena.ratings.through_time import Better
from arena.records import Ending, HistoryPoint
from arena.reports import columns as titles
from arena.reports.board import Cost
from arena.reports.insights import Chances, Opinion, Pairs
from arena.reports.links import NO_LINKS, Links
from arena.reports.pages.words import ended
from arena.reports.table import NO, YES, Cell, Column, Phrase, Row, Table, shown, table

MOST_CYCLES = 3  # that are named


class Lost(msgspec.Struct, frozen=True, kw_only=True):
    """A match that a bot lost."""

    match_id: str
    seat: int
    place: int
    seats: int
    score: float
    best_score: float
    """The score of a winner."""
    winners: tuple[str, ...]
    is_fault: bool
    """Whether the bot was to blame for the ending."""


class FaultCard(msgspec.Struct, frozen=True, kw_only=True):
    """A fault of a bot."""

    match_id: str
    bot: str
    version: int
    seat: int
    decision: int
    """The index of the decision in the log; -1: the start of the match."""
    ending: Ending
    reason: str


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot's matches in a pool cost, and how they ended."""

    bot: str
    shown: str
    rating: float | None
    cost: Cost


def head_to_head(pairs: Pairs, caption: str = "", links: Links = NO_LINKS) -> Table:
    """A square: how often the row's bot finished ahead of the column's, in percent."""
    count = len(pairs.bots)
    columns = [titles.NUMBER, titles.BOT]
    columns += [
        titles.SHARE.but(title=str(place + 1), meaning=name, dropped=count - place) for place, name in enumerate(pairs.shown)
    ]
    rows = []
    bots = list(zip(pairs.bots, pairs.versions))
    for place, (bot, name) in enumerate(zip(bots, pairs.shown)):
        cells = [Cell(place + 1), Cell(name, link=links.bot(bot[0]))]
        for rival, share, meetings in zip(bots, pairs.shares[place], pairs.meetings[place]):
            if share is None or not meetings:
                cells.append(Cell(None))
                continue
            hint = Phrase(f"{meetings:,} matches", f"{meetings:,} 試合")
            cells.append(Cell(100 * share, share=share, hint=hint, link=links.pair(bot, rival)))
        rows.append(cells)
    return Table(columns, rows, caption, heat="sides")


def endings(played: Sequence[Played], caption: str = "", links: Links = NO_LINKS) -> Table | None:
    """Return how the matches of each bot ended, by kind."""
    kinds = [ending for ending in Ending if any(one.cost.endings.get(ending) for one in played)]
    if not kinds:
        return None
    columns = [titles.BOT, *(Column(ended(kind), ",", titles.MEANINGS.get(kind, ""), empty="") for kind in kinds)]
    rows = []
    for one in played:
        counts = [(kind, one.cost.endings.get(kind)) for kind in kinds]
        cells = [Cell(count or None, link=links.ended(one.bot, kind) if count else "") for kind, count in counts]
        rows.append([Cell(one.shown, link=links.bot(one.bot)), *cells])
    return Table(columns, rows, caption)


def cost(played: Sequence[Played], caption: str = "", links: Links = NO_LINKS) -> Table | None:
    """The CPU time of decisions."""
    if not any(one.cost.decisions for one in played):
        return None
    columns = [
        titles.BOT, titles.RATING, titles.MEDIAN_MS, titles.MEAN_MS, titles.WORST_MS, titles.DECISIONS, titles.CPU_SECONDS,
    ]  # fmt: skip
    rows: list[Row] = [
        [
            Cell(one.shown, link=links.bot(one.bot)), one.rating, one.cost.median_ms, one.cost.mean_ms, one.cost.worst_ms,
            one.cost.decisions, one.cost.mean_ms * one.cost.decisions / 1000,
        ]
        for one in played
    ]  # fmt: skip
    return Table(columns, rows, caption)


def losses(
    found: Sequence[tuple[str, str, Lost]], caption: str = "", links: Links = NO_LINKS, *, of_one: bool = False
) -> Table:
    """The worst losses: bot, its name as it is shown, and the match. `of_one`: they are all of one bot, which is not named."""
    columns = [
        None if of_one else titles.BOT, titles.LOST, titles.PLACE_IN_MATCH, titles.SCORE,
        titles.WINNER_SCORE, titles.WINNER,
        titles.BY_FAULT if any(one.is_fault for _, _, one in found) else None,
    ]  # fmt: skip
    rows: list[Row] = [
        [
            Cell(name, link=links.bot(bot)), Cell(one.match_id, link=links.match(one.match_id, one.seat)),
            Cell(one.place, Phrase(f"{one.place} of {one.seats}", f"{one.place} / {one.seats}")), one.score, one.best_score,
            ", ".join(one.winners), titles.IS_FAULT if one.is_fault else "",
        ]
        for bot, name, one in found
    ]  # fmt: skip
    return table(columns, rows, caption)


def faults(found: Sequence[FaultCard], caption: str = "", links: Links = NO_LINKS) -> Table:
    """The first faults: what a bot did, and where."""
    columns = [titles.BOT, titles.MATCH, titles.SEAT, titles.DECISION, titles.ENDING, titles.REASON]
    rows: list[Row] = [
        [
            Cell(shown(one.bot, one.version), link=links.bot(one.bot)),
            Cell(one.match_id, link=links.match(one.match_id, one.seat, one.decision)), one.seat, one.decision,
            Cell(one.ending.value, ended(one.ending)), one.reason,
        ]
        for one in found
    ]  # fmt: skip
    return Table(columns, rows, caption)


def opponents(
    found: Sequence[OpponentResults], caption: str = "", links: Links = NO_LINKS, bot: Bot = ("", 1), fit: Fit | None = None
) -> Table:  # fmt: skip
    """The results of `bot` against each opponent, the hardest first. `fit`: what was to be expected of them."""
    expected = {} if fit is None else fit.expected_of(bot)
    rows: list[Row] = []
    for one in found:
        share = one.better / one.meetings if one.meetings else None
        name = Cell(shown(one.bot, one.bot_version), link=links.bot(one.bot))
        ahead = Cell(share, share=share, link=links.pair(bot, (one.bot, one.bot_version)))
        rows.append([name, one.meetings, ahead, expected.get((one.bot, one.bot_version))])
    columns = [titles.AGAINST, titles.MEETINGS, titles.AHEAD, titles.EXPECTED if expected else None]
    return table(columns, rows, caption, heat="sides")


def fit(found: Fit, most: int, caption: str = "", links: Links = NO_LINKS) -> Table:
    """The pairs that the ratings tell worst: how often the first finished ahead of the other, and how often it should have."""
    columns = [titles.BOT, titles.AGAINST, titles.MEETINGS, titles.AHEAD, titles.EXPECTED, titles.BY_CHANCE]
    rows: list[Row] = [
        [
            *(Cell(shown(*bot), link=links.bot(bot[0])) for bot in (one.bot, one.other)), one.meetings,
            Cell(one.observed, link=links.pair(one.bot, one.other)), one.predicted, one.chance,
        ]
        for one in found.pairs[:most]
    ]  # fmt: skip
    return Table(columns, rows, caption)


def fit_text(found: Fit) -> Phrase:
    """Whether the ratings of a pool tell its results, in a sentence or two without a full stop at the end."""
    odds = "0.1" if found.chance < 0.001 else f"{found.chance:.1%}".removesuffix("%")
    less = ("less than ", "未満") if found.chance < 0.001 else ("", "")
    verdict = Phrase("the ratings do not fit these results", "レーティングは結果に合っていません")
    if not found.is_doubtful:
        verdict = Phrase("the ratings fit these results", "レーティングは結果に合っています")
    cycles = [[shown(*bot) for bot in cycle] for cycle in found.cycles[:MOST_CYCLES]]
    english = "".join(f"; {one} surely beats {two}, {two} beats {three}, and {three} beats {one}" for one, two, three in cycles)
    japanese = "".join(f"。{one}は{two}に、{two}は{three}に、{three}は{one}に確実に勝ちます" for one, two, three in cycles)
    return Phrase(
        f"{verdict.en}: where the model holds, {less[0]}{odds} % of pools are as far off{english}",
        f"{verdict.ja}：モデルが正しい場合でも、これだけ外れるのは{odds}%{less[1]}です{japanese}",
    )


def seats(found: Sequence[SeatResults], caption: str = "") -> Table:
    """The results of a bot by seat."""
    columns = [titles.SEAT, titles.MATCHES.but(dropped=0), titles.WINS, titles.PLACE, titles.MEAN_SCORE]
    rows: list[Row] = [
        [seat_cell(one.seat, one.seats), one.matches, one.wins / one.matches, one.mean_place, one.mean_score]
        for one in found
        if one.matches
    ]
    return Table(columns, rows, caption)


def seat_advantage(found: Sequence[SeatShare], caption: str = "") -> Table:
    """The results of all bots by seat."""
    columns = [
        titles.SEAT, titles.MATCHES, titles.BETTER_IN_SEAT, titles.HALF_WIDTH, titles.WINS, titles.PLACE, titles.MEAN_SCORE,
    ]  # fmt: skip
    rows: list[Row] = [
        [
            seat_cell(one.seat, one.seats), one.matches, one.better, one.half_width, one.wins, one.mean_place, one.mean_score
        ]
        for one in found
    ]  # fmt: skip
    return Table(columns, rows, caption)


def seat_cell(seat: int, seats: int) -> Cell:
    """A seat of a table."""
    return Cell(100 * seats + seat, Phrase(f"{seat} of {seats}", f"{seat}（{seats}人）"))


def second_opinions(found: Sequence[Opinion], caption: str = "", links: Links = NO_LINKS) -> Table:
    """Other ways to rank the same bots, beside the headline."""
    models = list(found[0].others) if found else []
    columns = [
        titles.PLAIN_RANK, titles.BOT,
        *(titles.MODEL_RANKS[model] for model in models),
        titles.BRADLEY_TERRY, titles.BY_PLACE, titles.BY_SCORE, titles.BEATEN,
    ]  # fmt: skip
    rows: list[Row] = [
        [
            one.rank, Cell(shown(one.bot, one.bot_version), link=links.bot(one.bot)), *one.others.values(),
            _ranked(one.elo_rank, f"{one.elo:+,.0f}"), _ranked(one.place_rank, f"{one.mean_place:.2f}"),
            _ranked(one.score_rank, f"{one.mean_score:,.2f}"),
            Cell(one.rivals_beaten, Phrase(f"{one.rivals_beaten:g} of {one.rivals}", f"{one.rivals_beaten:g} / {one.rivals}")),
        ]
        for one in found
    ]  # fmt: skip
    return Table(columns, rows, caption)


def _ranked(rank: int | None, by: str) -> Cell:
    return Cell(rank, f"{'-' if rank is None else rank} ({by.replace('-', '−')})")


def rank_chances(found: Chances, caption: str = "", links: Links = NO_LINKS) -> Table:
    """The probability of every rank, in percent."""
    columns = [titles.BOT]
    columns += [
        titles.SHARE.but(title=str(rank), meaning=Phrase(f"chance of rank {rank}", f"{rank}位の確率"))
        for rank in range(1, len(found.bots) + 1)
    ]
    rows: list[Row] = [
        [Cell(name, link=links.bot(bot)), *map(_chance, own)] for bot, name, own in zip(found.bots, found.shown, found.chances)
    ]
    return Table(columns, rows, caption, heat="rising")


def _chance(chance: float) -> Cell:
    percent = round(100 * chance)
    if percent == 0:
        return Cell(None)
    return Cell(99.5, ">99", share=chance) if percent == 100 and chance < 1 else Cell(100 * chance, share=chance)


def partners(found: Sequence[Partners], caption: str = "", links: Links = NO_LINKS) -> Table:
    """Pairs of bots: how they do against all others together, compared with apart."""
    columns = [titles.BOT, titles.PARTNER, titles.MEETINGS, titles.GAIN, titles.HALF_WIDTH_OF_PAIRS, titles.SURELY]
    rows: list[Row] = [
        [
            *(Cell(shown(*bot), link=links.bot(bot[0])) for bot in (one.bot, one.other)), one.matches, one.gain,
            one.half_width, YES if one.is_better else NO,
        ]
        for one in found
    ]  # fmt: skip
    return Table(columns, rows, caption)


def skill(found: Sequence[Skill], caption: str = "", links: Links = NO_LINKS) -> Table:
    """Skill against luck: what of each bot's results its cards gave it."""
    columns = [
        titles.BOT, titles.DEALS, titles.BEAT, titles.LUCK, titles.SKILL, titles.SKILL_INTERVAL, titles.CERTAIN_AS,
    ]  # fmt: skip
    rows: list[Row] = [
        [
            Cell(shown(one.bot, one.bot_version), link=links.bot(one.bot)), one.deals, one.beaten, one.luck, one.skill,
            Cell(one.low, _interval(one)) if one.has_interval else None, one.worth,
        ]
        for one in found
    ]  # fmt: skip
    return Table(columns, rows, caption)


def skill_text(one: Skill) -> str:
    """Skill against luck in a sentence."""
    sure = f" ({_interval(one).en})" if one.has_interval else ""
    told = f"it beat {one.beaten:.1%} of its rivals; {one.luck:+.1%} of that came from the cards"
    told += f", and {one.skill:.1%}{sure} is skill"
    worth = titles.CERTAIN_AS.text(one.worth)
    return told if worth == "-" else f"{told}; its {one.deals:,} deals are as certain as {worth} without luck correction"


def versions_text(found: Sequence[Better]) -> str:
    """How likely a version of a bot is better than earlier ones, in a sentence."""
    sure = [min(0.99, max(0.01, one.chance)) for one in found]  # the model is not the world
    others = ", ".join(f"v{one.than} with {chance:.0%}" for one, chance in zip(found, sure))
    return f"v{found[0].version} is better than {others}, by TrueSkill through time"


def _interval(one: Skill) -> Phrase:
    return Phrase(f"{one.low:.1%} to {one.high:.1%}", f"{one.low:.1%}～{one.high:.1%}")


def history(points: Sequence[HistoryPoint]) -> Table:
    """Return how the rating of one bot came about."""
    columns = [titles.MATCHES.but(dropped=0), titles.OF_THE_POOL, titles.MU, titles.SIGMA]
    rows = [[one.matches, one.pool_matches, one.mu, one.sigma] for one in points]
    return Table(columns, rows)


def slow_decisions(found: Sequence[tuple[str, str, int, float]], caption: str = "", links: Links = NO_LINKS) -> Table:
    """The slowest decisions: bot, match, seat, CPU time in ms."""
    columns = [titles.BOT, titles.MATCH, titles.SEAT, titles.SLOWEST_MS]
    return Table(
        columns, [[bot, Cell(match, link=links.match(match, seat, 0)), seat, ms] for bot, match, seat, ms in found], caption
    )
