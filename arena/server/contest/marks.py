"""The marks of a contest: who is surely above which reference bot. A pure function of the ladder's rows.

A bot is surely above another one if the 95 % interval of their difference leaves out 0 (ratings/error_bars.py), as on every
board. It is held against a reference bot by the mean over all pools in which both play: with one game that is its pool, with
several, of two bots that play them all, the overall board. The mark of a bot is the highest one of a reference bot
that it is surely above. Matches between bots of one owner, such as two versions of one bot, do not count for marks. A withdrawn
bot has no mark: whoever could stop at a lucky moment and keep it would have one that is too high sooner or later.

Frozen marks are stored with the number of matches that count and with their hash; the ladder closes its leg before, so which
matches those are can be told for ever (`before`), and everybody can compute the marks again.
"""

import datetime
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import UNSET

from arena import games, userfiles
from arena.disk import write_whole
from arena.errors import StoreError
from arena.names import in_words
from arena.ratings.overall import joined, pool_weights
from arena.ratings.rows import Bot, Collector
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Rated, overall, rated_pool
from arena.records import Outcome
from arena.results.hashing import ResultsHash
from arena.results.journal import JOURNAL_FILE, Journal
from arena.server.contest.settings import Contest
from arena.tournament.formats.ladder.state import StoredLadder, read_ladder

MARKS_FILE = "marks.json"
ABOVE, BELOW, OPEN = "above", "below", "open"


class PoolMark(msgspec.Struct, frozen=True, kw_only=True):
    """A bot in one pool, or over all of them."""

    pool: str
    """The pool; `overall` for all of them together, if there are several."""
    mu: float
    low: float
    """The lower end of the 95 % interval of `mu`."""
    high: float
    rating: float
    rank: int | None
    """The rank among the bots that can have a mark."""
    matches: int
    against: dict[str, str]
    """For each reference bot with a mark that plays here: `above`, `below` or `open`."""


class BotMark(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot has reached."""

    bot: str
    version: int
    is_reference: bool
    mark: float | None
    """The highest mark that is surely reached; None: none yet."""
    against: dict[str, str]
    """For each reference bot with a mark: `above`, `below` or `open`, by the mean over all pools in which both play."""
    pools: tuple[PoolMark, ...]
    """The overall board first, if there are several pools."""

    @property
    def headline(self) -> PoolMark | None:
        """The overall rating, or that of the only pool; None: it has played nowhere."""
        return self.pools[0] if self.pools else None


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """All marks at one moment."""

    contest: str
    at: str
    """When they were computed: UTC, ISO 8601."""
    is_frozen: bool
    marks: dict[str, float]
    """The reference bots that are thresholds, and the mark of whoever is surely above each."""
    matches: int
    """How many matches were stored."""
    before: int
    """Matches with a plan index from this one on do not count."""
    sha256: str | None
    """The hash over those matches, as `results_sha256` of a manifest; None: it was not computed."""
    bots: tuple[BotMark, ...]
    """All of the field, the best first."""


def marks_of(contest: Contest, folder: Path, *, is_frozen: bool = False, before: int | None = None) -> Marks:
    """The marks by the matches that the ladder in a folder has stored. Raises StoreError.

    `is_frozen`: for good, with the hash of the matches; `before`: matches from this plan index on do not count.
    """
    rows = {entry.pool: Collector() for entry in contest.base.entries if _is_rated(contest, entry.game, entry.options)}
    counted, hashed, state, at = 0, ResultsHash(), None, 0
    if (folder / JOURNAL_FILE).exists():
        with Journal(folder, is_read_only=True) as journal:
            state = read_ladder(journal)
            rows = {pool: Collector(_field(state, contest, pool)) for pool in rows} if state is not None else rows
            at = max(journal.indices(), default=-1) + 1
            owners = {} if state is None else _owners(state)
            if before is not None:
                at = before
            for outcome in journal.outcomes(0, at):
                counted += 1
                if (
                    outcome.pool in rows
                    and not _is_among_own(outcome, owners)
                    and (contest.base.ratings.measured or not outcome.is_measured)
                ):
                    rows[outcome.pool].add(outcome)
            if is_frozen:
                for record in journal.records(0, at):
                    hashed.add(record)
    settings = contest.base.ratings
    rated = [rated_pool(settings.headline_model, pool, collector.rows(), settings) for pool, collector in rows.items()]
    field = [] if state is None else list(_newest(state))
    return Marks(
        contest=contest.name, at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), is_frozen=is_frozen,
        marks=dict(contest.marks), matches=counted, before=at, sha256=hashed.results_sha256 if is_frozen else None,
        bots=_marked(contest, rated, field),
    )  # fmt: skip


def without(marks: Marks, withdrawn: Collection[str]) -> Marks:
    """Marks without those of bots that were withdrawn since the leg began."""
    left = [one for one in marks.bots if one.is_reference or one.bot not in withdrawn]
    return marks if len(left) == len(marks.bots) else msgspec.structs.replace(marks, bots=_with_ranks(left))


def frozen_marks(folder: Path) -> Marks | None:
    """The marks that were frozen; None: they are not. Raises StoreError."""
    path = folder / MARKS_FILE
    try:
        return msgspec.json.decode(userfiles.content(path), type=Marks)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise StoreError(f"{path}: damaged or not ours: {in_words(error)}") from None


def keep_marks(folder: Path, marks: Marks) -> None:
    """Store frozen marks in one step. Raises StoreError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be made: {error.strerror}") from None
    write_whole(folder / MARKS_FILE, msgspec.json.format(msgspec.json.encode(marks), indent=2) + b"\n")


def _is_rated(contest: Contest, game: str, options: Mapping[str, object]) -> bool:
    return contest.base.ratings.measured or games.load(game).ms_per_tick(dict(options)) is None  # type: ignore[arg-type]


def _field(state: StoredLadder, contest: Contest, pool: str) -> Iterator[Bot]:
    """The bots of a pool in the order of the ladder's plan, as the board has them."""
    for entry in contest.base.entries:
        if entry.pool == pool:
            yield from ((one.name, one.version) for one in state.contestants if entry.game in one.games)


def _owners(state: StoredLadder) -> dict[Bot, str]:
    """The owner of each version that somebody has submitted."""
    owners = () if state.owners is UNSET else state.owners
    return {(one.name, one.version): owner for one, owner in zip(state.contestants, owners) if owner}


def _is_among_own(outcome: Outcome, owners: Mapping[Bot, str]) -> bool:
    """Return whether two bots of one owner played: one could have let the other one win."""
    found = [owners[bot] for bot in ((seat.bot, seat.bot_version) for seat in outcome.seats) if bot in owners]
    return len(set(found)) < len(found)


def _newest(state: StoredLadder) -> Iterator[Bot]:
    """The bots of the newest leg; of each the newest version."""
    newest: dict[str, int] = {}
    for place in state.legs[-1].field if state.legs else ():
        one = state.contestants[place]
        newest[one.name] = max(one.version, newest.get(one.name, 0))
    yield from newest.items()


@dataclass(frozen=True)
class _Scale:
    """How pools become one ranking."""

    settings: RatingSettings
    weights: Mapping[str, float]

    @classmethod
    def of(cls, contest: Contest) -> "_Scale":
        pools = ((entry.pool, entry.game) for entry in contest.base.entries)
        return cls(contest.base.ratings, pool_weights(pools, contest.base.ratings))


def _marked(contest: Contest, rated: Sequence[Rated], field: Sequence[Bot]) -> tuple[BotMark, ...]:
    thresholds = [bot for bot in field if bot[0] in contest.marks]
    found: dict[Bot, list[PoolMark]] = {bot: [] for bot in field}
    scale = _Scale.of(contest)
    for bot, mark in _pool_marks(rated, thresholds, scale):
        if bot in found:
            found[bot].append(mark)
    shared = _Verdicts(rated, scale)
    bots = [
        _bot_mark(
            contest, bot, pools, {reference[0]: shared.of(bot, reference) for reference in thresholds if reference != bot}
        )
        for bot, pools in found.items()
    ]
    return _with_ranks(sorted(bots, key=lambda one: (-one.headline.rating if one.headline else 0.0, one.bot)))


def _with_ranks(bots: Sequence[BotMark]) -> tuple[BotMark, ...]:
    """The same bots with ranks that count nobody else. Who has none, because the bot lacks a game, gets none."""
    ratings: defaultdict[str, list[float]] = defaultdict(list)
    for one in bots:
        for pool in one.pools:
            if pool.rank is not None:
                ratings[pool.pool].append(pool.rating)

    def ranked(pool: PoolMark) -> PoolMark:
        above = sum(rating > pool.rating for rating in ratings[pool.pool])
        return pool if pool.rank is None else msgspec.structs.replace(pool, rank=1 + above)

    return tuple(msgspec.structs.replace(one, pools=tuple(map(ranked, one.pools))) for one in bots)


def _bot_mark(contest: Contest, bot: Bot, pools: Sequence[PoolMark], against: dict[str, str]) -> BotMark:
    reached = [contest.marks[reference] for reference, verdict in against.items() if verdict == ABOVE]
    return BotMark(
        bot=bot[0], version=bot[1], is_reference=bot[0] in contest.reference_bots, mark=max(reached, default=None),
        against=against, pools=tuple(pools),
    )  # fmt: skip


def _pool_marks(rated: Sequence[Rated], thresholds: Sequence[Bot], scale: _Scale) -> Iterator[tuple[Bot, PoolMark]]:
    """Every bot in the overall pool, if there are several pools, and then in each pool."""
    model = scale.settings.headline_model
    boards = [overall(model, rated, scale.settings, scale.weights)] if len(rated) > 1 else []
    boards += [pool.ratings() for pool in rated]
    of_board = ([list(rated)] if len(rated) > 1 else []) + [[pool] for pool in rated]
    for board, pools in zip(boards, of_board):
        known = {
            reference: _held_against(reference, pools, scale)
            for reference in thresholds
            if all(reference in pool.bots for pool in pools)
        }
        for one in board:
            bot = (one.bot, one.bot_version)
            against = {reference[0]: verdicts.get(bot, OPEN) for reference, verdicts in known.items() if reference != bot}
            yield bot, PoolMark(
                pool=one.pool, mu=one.mu, low=one.low, high=one.high, rating=one.rating, rank=one.rank, matches=one.matches,
                against=against,
            )  # fmt: skip


class _Verdicts:
    """How bots stand to the reference bots, by all pools in which both play."""

    def __init__(self, rated: Sequence[Rated], scale: _Scale) -> None:
        self._rated, self._scale = rated, scale
        self._fields = [set(pool.bots) for pool in rated]
        self._known: dict[tuple[Bot, tuple[int, ...]], dict[Bot, str]] = {}

    def of(self, bot: Bot, reference: Bot) -> str:
        """One bot against a reference bot."""
        shared = tuple(number for number, field in enumerate(self._fields) if bot in field and reference in field)
        if not shared:
            return OPEN
        if (reference, shared) not in self._known:
            self._known[reference, shared] = _held_against(reference, [self._rated[number] for number in shared], self._scale)
        return self._known[reference, shared][bot]


def _held_against(reference: Bot, pools: Sequence[Rated], scale: _Scale) -> dict[Bot, str]:
    """Return how each bot of all these pools stands to a reference bot; open where one has not played in all of them."""
    found = dict.fromkeys((bot for bot in pools[0].bots if all(bot in pool.bots for pool in pools)), OPEN)
    if not all(pool.counts[0].any() for pool in pools):
        return found
    bots, mu, bars = joined([pool.skills for pool in pools], scale.settings, scale.weights)
    if reference not in bots:
        return found
    place = bots.index(reference)
    apart = bars.separable(mu)[place]
    for number, bot in enumerate(bots):
        if apart[number]:
            found[bot] = ABOVE if mu[number] > mu[place] else BELOW
    return found
