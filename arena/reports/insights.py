"""What a closer look at one pool of a stored tournament finds: typed, for the report, for pages and as their JSON."""

import math
from collections.abc import Collection, Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.ratings.error_bars import ErrorBars, rank_probabilities
from arena.ratings.pairs import HeadToHead, Partners, SeatShare, partners, seat_advantage
from arena.ratings.rows import Bot, PoolRows
from arena.ratings.second_opinions import SecondOpinion
from arena.records import Rating
from arena.reports.table import name_of, shown

MOST_BOTS = 40  # in a square table: its fields grow with their square
MOST_PARTNERS = 10  # pairs shown
MOST_TO_COMPARE = 100  # bots whose pairs are compared: that takes seconds


class Pairs(msgspec.Struct, frozen=True, kw_only=True):
    """How often each bot finished ahead of each other one; best first."""

    bots: tuple[str, ...]
    """The names, for addresses."""
    versions: tuple[int, ...]
    shown: tuple[str, ...]
    """The names as a page shows them."""
    shares: tuple[tuple[float | None, ...], ...]
    """[bots][bots]: the share of the meetings in which the first finished ahead; a tie is half; None: they never met."""
    meetings: tuple[tuple[int, ...], ...]
    """[bots][bots]: the matches in which the two are compared."""


class Chances(msgspec.Struct, frozen=True, kw_only=True):
    """How likely each bot is truly the best, the second best and so on, by the joint error bars."""

    bots: tuple[str, ...]
    shown: tuple[str, ...]
    """The names as a page shows them, best first."""
    chances: tuple[tuple[float, ...], ...]
    """[bots][ranks]: a probability; both sum up to 1 where all bots are here."""
    total: int
    """How many bots there are."""


class Opinion(SecondOpinion, frozen=True, kw_only=True):
    """What other ways to count say of one bot, beside the headline."""

    rank: int | None
    """The headline's."""
    others: dict[str, int | None]
    """The rank by each other rating model."""


class Opinions(msgspec.Struct, frozen=True, kw_only=True):
    """What other ways to count say of a pool."""

    bots: tuple[Opinion, ...]
    """Best first, as the headline has it."""
    is_low_good: bool
    """Whether low scores are good."""


def opinions_among(found: Opinions, gone: Collection[Bot]) -> Opinions:
    """The opinions without some bots, with ranks that count the others alone."""
    left = [one for one in found.bots if (one.bot, one.bot_version) not in gone]

    def counted(rank: int | None, ranks: Iterable[int | None]) -> int | None:
        return None if rank is None else 1 + sum(other is not None and other < rank for other in ranks)

    return msgspec.structs.replace(
        found,
        bots=tuple(
            msgspec.structs.replace(
                one,
                others={model: counted(rank, [other.others[model] for other in left]) for model, rank in one.others.items()},
                **{name: counted(getattr(one, name), [getattr(other, name) for other in left]) for name in _RANKS},
            )
            for one in left
        ),
    )


_RANKS = ("rank", "elo_rank", "place_rank", "score_rank", "rivals_rank")


class Together(msgspec.Struct, frozen=True, kw_only=True):
    """Pairs of bots at tables of three or more, compared together and apart."""

    pairs: tuple[Partners, ...]
    """The pairs that surely do better together, then the most suspicious others."""
    compared: int
    """How many pairs were compared."""
    named: int
    """How many surely do better together."""


class Fairness(msgspec.Struct, frozen=True, kw_only=True):
    """What seats had to do with it, and what playing each deal in all its rotations is worth."""

    seats: tuple[SeatShare, ...]
    """The seats of the tables; empty where nobody plays against anybody."""
    matches: int
    deals: int
    saved: float | None
    """How many matches with cards of their own a match is worth; None: that cannot be measured."""


def pairs_of(found: HeadToHead, ratings: Sequence[Rating], most: int | None = MOST_BOTS) -> Pairs | None:
    """The pairs of a pool, the best bots first; None if there is none. `ratings`: of the pool, best first."""
    ranked = [(rating.bot, rating.bot_version) for rating in ratings]
    order = [found.bots.index(bot) for bot in ranked if bot in found.bots][:most]
    if not order:
        return None
    bots = [found.bots[number] for number in order]
    return Pairs(
        bots=tuple(bot for bot, _ in bots), versions=tuple(version for _, version in bots),
        shown=tuple(shown(*bot) for bot in bots),
        shares=tuple(tuple(_rounded(found.share(one, other)) for other in order) for one in order),
        meetings=tuple(tuple(int(found.meetings[one, other]) for other in order) for one in order),
    )  # fmt: skip


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def chances_of(ratings: Sequence[Rating], bars: ErrorBars, rng: np.random.Generator) -> Chances | None:
    """The rank probabilities of ratings, best first, with error bars in their order; None if there is nothing to compare."""
    if len(ratings) < 2 or not any(rating.matches for rating in ratings):
        return None
    mu: NDArray[np.float64] = np.array([rating.mu for rating in ratings])
    chances = rank_probabilities(mu, bars, rng)[:MOST_BOTS, :MOST_BOTS].tolist()
    best = ratings[:MOST_BOTS]
    return Chances(
        bots=tuple(rating.bot for rating in best), shown=tuple(name_of(rating) for rating in best),
        chances=tuple(map(tuple, chances)), total=len(ratings),
    )  # fmt: skip


def together_of(rows: PoolRows) -> Together | None:
    """Return which bots do better at one table than apart; only of games for three or more without teams."""
    if not rows.matches or np.diff(rows.starts).max() < 3 or len(rows.bots_by_number) > MOST_TO_COMPARE:
        return None
    found = partners(rows)
    named = sum(pair.is_better for pair in found)
    if not found:
        return None
    return Together(pairs=tuple(found[: max(MOST_PARTNERS, named)]), compared=len(found), named=named)


def fairness_of(rows: PoolRows, bars: ErrorBars) -> Fairness | None:
    """Seats and rotations; None without a match."""
    if not rows.matches:
        return None
    seats = seat_advantage(rows) if np.diff(rows.starts).max() > 1 else []
    deals = len(np.unique(rows.deals))
    is_known = deals != rows.matches and math.isfinite(bars.saved)
    return Fairness(seats=tuple(seats), matches=rows.matches, deals=deals, saved=float(bars.saved) if is_known else None)


def opinions_of(
    found: Sequence[SecondOpinion], ratings: Sequence[Rating], others: Sequence[Rating] = (), *, is_low_good: bool = False
) -> Opinions | None:
    """Second opinions in the order of the headline's ratings; None without a bot. `others`: ratings by other models."""
    by_bot = {(one.bot, one.bot_version): one for one in found}
    models = list(dict.fromkeys(one.model for one in others))
    ranks = {(one.model, one.bot, one.bot_version): one.rank for one in others}
    bots = []
    for rating in ratings:
        bot = (rating.bot, rating.bot_version)
        if bot in by_bot:
            known = {model: ranks.get((model, *bot)) for model in models}
            bots.append(Opinion(**msgspec.structs.asdict(by_bot[bot]), rank=rating.rank, others=known))
    return Opinions(bots=tuple(bots), is_low_good=is_low_good) if bots else None
