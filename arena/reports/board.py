"""The board of a tournament: which ratings and pools it shows, its rows, and the ranking as a table."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from arena.errors import ConfigError, nearest
from arena.ratings.models import MODEL, is_order_free
from arena.ratings.rows import Bot
from arena.ratings.settings import LEAST_FIELD, MEAN_RANK, MU, OVERALL, STANDARDIZED, THREE_SIGMA, headline_model
from arena.records import Ending, HistoryPoint, Rating
from arena.reports import columns as titles
from arena.reports.table import BEST, DIM, Cell, Interval, Phrase, Rank, Table, name_of, said, shown, table
from arena.results.manifest import Manifest
from arena.results.schema import SeatTotals

SCALES = {
    STANDARDIZED: "Overall = 25 + 25/3 z, where z is how many standard deviations a bot is above the mean of the field's "
    "skill, as the mean over the games; the more luck decides, the less of it counts.",
    MEAN_RANK: "Overall = 25 + 25/3 z, where z is how far the expected rank of a bot is above the middle one in standard "
    "deviations of ranks, as the mean over the games.",
}
"""What the numbers of the overall table are, by its rule."""
RULES = {
    MU: "rating is mu here: nothing is taken off for what is not known yet",
    THREE_SIGMA: "rating is mu - 3 sigma here: sigma takes every match for an independent one",
}
"""What the rating is, by `rank_by`, where it is not the lower end of the interval."""


def ratings_by(model: str, ratings: Iterable[Rating]) -> list[Rating]:
    """The ratings of one model."""
    return [rating for rating in ratings if rating.model == model]


def headline_ratings(manifest: Manifest, ratings: Iterable[Rating]) -> list[Rating]:
    """The ratings whose ranks are the headline of a tournament, as its settings have it."""
    return ratings_by(headline_model(manifest.config), ratings)


def headline_history(manifest: Manifest, points: Sequence[HistoryPoint]) -> list[HistoryPoint]:
    """Return how the headline ratings came about; by the model that there is, where older files have one alone."""
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
    """The pools to show: those that `choice` names; by default all, the overall one first where it says something.

    `choice`: a pool, a game or `overall`. Raises ConfigError that names `option` if there is no such pool or game.
    """
    found = list(dict.fromkeys([*manifest.pools, *(rating.pool for rating in ratings if rating.pool != OVERALL)]))
    if choice is None:
        return [OVERALL, *found] if len(found) > 1 and is_overall_told(ratings) else found
    if choice in found or choice == OVERALL:
        return [choice]
    of_game = [entry["pool"] for entry in manifest.entries if entry.get("game") == choice and "pool" in entry]
    if not of_game:
        games = [entry["game"] for entry in manifest.entries if "game" in entry]
        hint = nearest(choice, {*found, *games, OVERALL})
        raise ConfigError(f"{option} {choice}: no such pool or game in {manifest.name}; {hint}")
    return [pool for pool in found if pool in of_game]


def is_overall_told(ratings: Iterable[Rating]) -> bool:
    """Whether an overall ranking says something: five bots or more have a rank in it, and most of those that have played.

    Its scale is how far the ranked bots are apart, so that of a few is noise, and nothing to those who are not ranked.
    """
    ranked, played = _overall_field(ratings)
    return ranked >= LEAST_FIELD and 2 * ranked >= played


def why_no_overall(ratings: Sequence[Rating], pools: Sequence[str]) -> Phrase | None:
    """Return why the board of several pools has no overall table; None if it has one, or nobody would expect it.

    `pools`: its own.
    """
    (ranked, played), least = _overall_field(ratings), LEAST_FIELD
    if OVERALL in pools or len(pools) < 2 or ranked < 2:
        return None
    return Phrase(
        f"no overall ranking: {ranked} of {played} bots play all games; it takes {least}, and half of them",
        f"総合順位なし：全ゲームに参加したボットは{played}体中{ranked}体（{least}体以上かつ半数以上が必要）",
    )


def _overall_field(ratings: Iterable[Rating]) -> tuple[int, int]:
    """How many bots have an overall rank, and how many have played at all."""
    played = [rating for rating in ratings if rating.pool == OVERALL and rating.matches]
    return sum(rating.rank is not None for rating in played), len(played)


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
    """Return whether a board shows bots that had no match to play.

    Where a question was answered, its tables had no seat for them.
    """
    return manifest.outcome is None


def rank_of(above: Rating | None, rating: Rating) -> Rank:
    """The rank of a rating on a board, below another one."""
    return Rank(rating.rank, rating.rank_low, rating.rank_high, above is None or not may_swap(above, rating))


def may_swap(above: Rating, below: Rating) -> bool:
    """Return whether two neighbours of a board are not separable: the lower one may have the rank of the upper one."""
    return above.rank is not None and below.rank_low is not None and below.rank_low <= above.rank


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot's decisions cost in a pool, and how its matches ended."""

    median_ms: float
    """The median CPU time of a decision, the mean over pools; 0 without a decision."""
    mean_ms: float
    worst_ms: float
    decisions: int
    endings: dict[Ending, int]

    @property
    def faults(self) -> str:
        """The bot's faults by kind, such as `crash 2, timeout 1`; empty without any."""
        return ", ".join(f"{ending.value} {count}" for ending, count in self.endings.items() if ending.blame == "bot")


NO_COST = Cost(median_ms=0.0, mean_ms=0.0, worst_ms=0.0, decisions=0, endings={})
Costs = Mapping[tuple[str, str, int], Cost]
"""The costs by pool, bot and version; in the overall pool every pool counts the same."""


@dataclass
class _Sums:
    """What a bot's matches in a pool add up to; times in ms."""

    endings: dict[Ending, int] = field(default_factory=dict)
    medians: list[float] = field(default_factory=list)
    """The median of each pool, over matches with the most frequent ending."""
    worst: float = 0.0
    decisions: int = 0
    cpu_ms: float = 0.0

    def cost(self) -> Cost:
        return Cost(
            median_ms=sum(self.medians) / len(self.medians) if self.medians else 0.0,
            mean_ms=self.cpu_ms / self.decisions if self.decisions else 0.0, worst_ms=self.worst, decisions=self.decisions,
            endings=self.endings,
        )  # fmt: skip


def add_up(totals: Iterable[SeatTotals]) -> Costs:
    """The costs of all bots in all pools, and in the overall pool."""
    sums: dict[tuple[str, str, int], _Sums] = {}
    most: dict[tuple[str, str, int], SeatTotals] = {}
    for total in totals:
        key = (total.pool, total.bot, total.bot_version)
        if key not in most or total.seats > most[key].seats:
            most[key] = total
        for pool in (total.pool, OVERALL):
            cost = sums.setdefault((pool, *key[1:]), _Sums())
            cost.worst = max(cost.worst, total.cpu_ms_worst)
            cost.endings[total.ending] = cost.endings.get(total.ending, 0) + total.seats
            cost.decisions += total.decisions
            cost.cpu_ms += total.cpu_ms
    for (pool, bot, version), total in most.items():
        if total.decisions:
            sums[pool, bot, version].medians.append(total.cpu_ms_median)
            sums[OVERALL, bot, version].medians.append(total.cpu_ms_median)
    return {key: found.cost() for key, found in sums.items()}


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """One bot of a board."""

    bot: str
    version: int
    shown: str
    """The name as a page shows it: cut to a length, in one line, all of it visible."""
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    """The worst rank that the intervals allow; `rank_low` is the best one."""
    separable: bool | None
    """Whether the intervals separate the bot from the one above it; None for the first, and without a rank."""
    rating: float
    """What the bot is ranked by: `low`, mu or mu - 3 sigma."""
    online: float | None
    """The rating as it was played, match after match; None where that is the one by which bots are ranked."""
    mu: float
    sigma: float
    low: float
    high: float
    """The upper end of the 95 % interval of mu; while a tournament is played it is that of the belief alone."""
    matches: int
    wins: int
    mean_place: float
    faults: int
    bound: str = ""
    """`least`: it has won all, so it is at least that good; `most`: it has lost all."""
    cost: Cost | None = None
    """What its decisions cost; None while the tournament is played."""
    asks_outside: bool = False
    """Whether it asks something outside itself, such as a network: its matches cannot be repeated."""


ASKS_OUTSIDE = " *"
"""The mark behind the name of a bot that asks something outside itself; a note below the board says what it means."""
NOTHING: Online = {}


def ranked(
    ratings: Iterable[Rating],
    pool: str,
    costs: Costs | None = None,
    online: Online = NOTHING,
    *,
    asking: Collection[Bot] = (),
) -> list[Ranked]:
    """The rows of a pool from ratings of one model, best first.

    `online`: the ratings in the order of play; `asking`: the bots that ask something outside themselves.
    """
    chosen = [rating for rating in ratings if rating.pool == pool]
    rows = []
    for above, rating in zip([None, *chosen], chosen):
        key = (pool, rating.bot, rating.bot_version)
        rows.append(
            Ranked(
                bot=rating.bot, version=rating.bot_version, shown=name_of(rating), rank=rating.rank, rank_low=rating.rank_low,
                rank_high=rating.rank_high,
                separable=None if above is None or rating.rank is None else not may_swap(above, rating),
                rating=rating.rating, online=online[key].rating if key in online else None, mu=rating.mu, sigma=rating.sigma,
                low=rating.low, high=rating.high, matches=rating.matches, wins=rating.wins, mean_place=rating.mean_place,
                faults=rating.faults, bound=rating.bound, cost=None if costs is None else costs.get(key, NO_COST),
                asks_outside=key[1:] in asking,
            )
        )  # fmt: skip
    return rows


def retired_bots(manifest: Manifest) -> set[Bot]:
    """The bots that were taken out for their faults."""
    return {(bot.name, bot.version) for bot in manifest.bots if bot.retired}


def asking_bots(manifest: Manifest) -> set[Bot]:
    """The bots that ask something outside themselves: their matches cannot be repeated."""
    return {(bot.name, bot.version) for bot in manifest.bots if bot.asks_outside}


def no_address(_: str) -> str:
    """No address: where bots have no page of their own."""
    return ""


def ranking(
    rows: Sequence[Ranked],
    caption: str = "",
    *,
    retired: Collection[Bot] = (),
    address: Callable[[str], str] = no_address,
    keys: Collection[str] | None = None,
) -> Table:
    """The ranking as a table: the columns that have something to show.

    `retired`: bots out of competition; `address`: of a bot's page; `keys`: of the columns of a board whose numbers move, which
    are there even if they have nothing to show.
    """
    has_online, has_faults = any(row.online is not None for row in rows), any(row.faults for row in rows)
    has_costs = any(row.cost is not None and row.cost != NO_COST for row in rows)
    has_endings = any(row.cost is not None and row.cost.faults for row in rows)
    heads = [
        titles.RANK_COLUMN, titles.BOT, titles.RATING, titles.MU, titles.INTERVAL_COLUMN,
        titles.ONLINE if has_online or keys else None, titles.SIGMA, titles.MATCHES, titles.WINS, titles.PLACE,
        titles.FAULTS if has_faults or keys else None, titles.MEDIAN_MS.but(in_pages=False) if has_costs else None,
        titles.WORST_MS.but(in_pages=False) if has_costs else None, titles.ENDINGS if has_endings else None,
    ]  # fmt: skip
    chosen = [head if head and (keys is None or head.key in keys) else None for head in heads]
    outside = [(row.bot, row.version) in retired or row.rank is None for row in rows]
    return table(
        chosen, [_cells(row, address(row.bot), is_moving=keys is not None) for row in rows], caption,
        emphasis=[
            DIM if is_out or not row.matches else BEST if row.rank == 1 else "" for is_out, row in zip(outside, rows)
        ],
        about=[(row.bot, row.version) for row in rows] if keys else (),
    )  # fmt: skip


LIVE_KEYS = ("rank", "shown", "rating", "interval", "online", "matches", "wins", "place", "faults")
"""The columns of boards whose numbers move."""


def _cells(row: Ranked, link: str, *, is_moving: bool) -> list[Any]:
    cost, has_played = row.cost or NO_COST, row.matches > 0
    interval = Interval(row.low, row.mu, row.high)
    return [
        Cell(Rank(row.rank, row.rank_low, row.rank_high, row.separable is not False)),
        Cell(f"{row.shown}{ASKS_OUTSIDE}" if row.asks_outside else row.shown, link=link),
        rating_cell(row.rating, row.bound),
        Cell(row.mu, f"{row.mu:.2f} ±{row.high - row.mu:5.2f}"), interval if has_played or is_moving else None, row.online,
        row.sigma, row.matches, row.wins / row.matches if has_played else None, row.mean_place if has_played else None,
        row.faults or None, cost.median_ms, cost.worst_ms, cost.faults,
    ]  # fmt: skip


def rating_cell(rating: float, bound: str) -> Cell:
    """A rating, with a sign where a bot has won all and is perhaps much better, or has lost all."""
    return Cell(rating, f"{'≥' if bound == 'least' else '≤'} {rating:.2f}".replace("-", "−") if bound else None)


def luck_notes(manifest: Manifest, pools: Collection[str]) -> list[str]:
    """Say that a board goes without luck, and what that is worth in those of its pools that are shown."""
    if manifest.luck_worth is None:
        return []
    worth = [
        f"{pool}: its {one.deals:,} deals are as certain as {one.worth:,} without luck correction"
        for pool, one in manifest.luck_worth.items()
        if pool in pools
    ]
    return ["; ".join(["the luck of the cards is taken out of these ratings", *worth])]


def warnings(manifest: Manifest) -> list[Phrase]:
    """Return what a reader must know before the numbers, as sentences without their first capital and their full stop."""
    notes, gone = [], [bot for bot in manifest.bots if bot.retired]
    for why, retired in (
        (Phrase("it forfeited", "反則"), [bot for bot in gone if not bot.void]),
        (Phrase("it forfeited or its matches were void", "反則または無効試合"), [bot for bot in gone if bot.void]),
    ):
        if retired:
            names = ", ".join(shown(bot.name, bot.version) for bot in retired)
            notes.append(
                Phrase(f"retired, because {why.en} again and again: {names}", f"{why.ja}が続いたため外されたボット：{names}")
            )
    if any(bot.deviated for bot in manifest.bots):
        names = ", ".join(
            f"{shown(bot.name, bot.version)} ({bot.deviated} of {bot.repeated})" for bot in manifest.bots if bot.deviated
        )
        unrated = Phrase(", and not rated", "（評価対象外）") if manifest.unrated_bots else Phrase("", "")
        notes.append(
            Phrase(
                "acted otherwise in matches played again with the same seeds, so by a clock, entropy or memory of earlier "
                f"matches{unrated.en}: {names}",
                f"同じシードで再現した試合で違う行動をした（時計、乱数源、以前の試合の記憶による）ボット{unrated.ja}：{names}",
            )
        )
    if asking := [bot for bot in manifest.bots if bot.asks_outside]:
        names = ", ".join(shown(bot.name, bot.version) for bot in asking)
        notes.append(
            Phrase(
                f"{ASKS_OUTSIDE.strip()} asks something outside itself, such as a network, so that its matches cannot be "
                f"repeated: {names}",
                f"{ASKS_OUTSIDE.strip()} ネットワークなど自分の外に問い合わせるため、試合を再現できないボット：{names}",
            )
        )
    for one in manifest.left_out:
        name = shown(one.name, one.version)
        notes.append(
            Phrase(
                f"left out, because it could not be loaded: {name}: {one.reason}",
                f"読み込めなかったため不参加：{name}：{one.reason}",
            )
        )
    if manifest.void:
        voids = ", ".join(f"{shown(bot.name, bot.version)} {bot.void}" for bot in manifest.bots if bot.void)
        of_bots = f" ({voids})" if voids else ""
        notes.append(
            Phrase(
                f"void matches, which the host could not finish, not rated: {manifest.void}{of_bots}",
                f"大会側の問題で終わらなかった無効試合（評価対象外）：{manifest.void}{of_bots}",
            )
        )
    if manifest.unrated:
        notes.append(
            Phrase(
                f"matches with measured latency, not rated (ratings: {{measured: true}} rates them): {manifest.unrated}",
                f"遅延を計測した試合（評価対象外。ratings: {{measured: true}} で評価）：{manifest.unrated}",
            )
        )
    return notes


def sentence(text: str, language: str) -> str:
    """A note as a sentence of its own."""
    return f"{text[:1].upper()}{text[1:]}{'。' if language == 'ja' else '.'}"


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


def headline(manifest: Manifest, language: str = "en") -> str:
    """A tournament in one line: its name, matches, deals and faults, and whether it is finished."""
    played, planned = f"{manifest.played:,}", f"{manifest.matches:,}"
    parts = [
        Phrase(f"{played} matches", f"{played}試合")
        if manifest.finished
        else Phrase(f"{played} of {planned} matches", f"{planned}試合中{played}試合")
    ]
    if manifest.tournaments:
        parts.append(Phrase(f"tournaments: {len(manifest.tournaments)}", f"大会：{len(manifest.tournaments)}"))
    deals = sorted({entry["deals"] for entry in manifest.entries if isinstance(entry.get("deals"), int)})
    if deals:
        few, many = deals[0], deals[-1]
        parts.append(
            Phrase(f"{few} deals a table", f"1卓につき配札{few}回")
            if few == many
            else Phrase(f"{few} to {many} deals a table", f"1卓につき配札{few}～{many}回")
        )
    failed = ", ".join(f"{name} {count}" for name, count in manifest.endings.items() if name != Ending.PLAYED and count)
    parts.append(Phrase(failed or "no faults", failed or "反則なし"))
    if not manifest.tournaments:
        parts.append(Phrase("finished", "終了") if manifest.finished else Phrase("not finished", "未終了"))
    return f"{manifest.name}: {'; '.join(said(part, language) for part in parts)}"
