"""What is known of a stored tournament, as its report needs it: read once, and pool by pool."""

import hashlib
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.rng import derive
from arena.errors import StoreError
from arena.ratings.beliefs import bars_by
from arena.ratings.draws import Ties
from arena.ratings.error_bars import ErrorBars
from arena.ratings.fit import Fit, fit_of
from arena.ratings.models import MODEL, is_order_free, model_of
from arena.ratings.overall import PoolSkills, joined
from arena.ratings.pairs import HeadToHead, head_to_head
from arena.ratings.patterns import patterns_of
from arena.ratings.rows import Beliefs, Bot, PoolRows
from arena.ratings.second_opinions import is_low_good, second_opinions
from arena.ratings.settings import OVERALL, RatingSettings, draw_margin, headline_model
from arena.ratings.standings import rated_pool
from arena.ratings.stored import (
    COLUMNS,
    StoredRows,
    entry_identity,
    stored_settings,
    stored_weights,
    unrated_entries,
)
from arena.records import HistoryPoint, Rating
from arena.reports.board import NO_COST, Costs, add_up, chosen_pools, headline_history, online_beside, ratings_by
from arena.reports.insights import Chances, Opinions, chances_of, opinions_of
from arena.reports.model_use import ModelUse, model_uses
from arena.reports.table import Phrase, bot_name, shown
from arena.reports.tables import Played
from arena.results import parquet
from arena.results.columns import Columns
from arena.results.manifest import Manifest, read_manifest
from arena.results.schema import FaultPlace, StoredCall
from arena.tournament.archive import boards

NO_TOTALS = Phrase("without CPU times and kinds of endings", "CPU時間と終わり方の種類なし")
NO_HISTORY = Phrase("without the history of the ratings", "レーティングの推移なし")
NO_LUCK = Phrase("without skill and luck", "実力と運なし")


@dataclass(frozen=True)
class PoolEvidence:
    """What the report shows of one rating pool."""

    tournament: "Evidence"
    pool: str
    anchor: str
    rows: PoolRows
    """The rated matches of the pool."""
    row_numbers: NDArray[np.int64]
    """[rows]: the number of each row among the stored rows."""
    ratings: Sequence[Rating]
    """The headline ratings, best first."""
    bars: ErrorBars
    """The error bars, in the order of `bots`."""
    draws: tuple[float, float] | None
    """The share of the pairs that met and tied, and the draw probability of equal bots that the ratings go by; None: these are
    in the order of play."""

    @property
    def bots(self) -> Sequence[Bot]:
        """The bots, by the numbers that the rows have."""
        return self.rows.bots_by_number

    @property
    def ranked(self) -> list[int]:
        """The numbers of the bots, best first."""
        return [self.bots.index((rating.bot, rating.bot_version)) for rating in self.ratings]

    @property
    def rows_with_luck(self) -> PoolRows | None:
        """The rated matches with their luck; None where that was not worked out."""
        return self.tournament.rows_with_luck(self.pool)

    @property
    def is_measured(self) -> bool:
        """Whether nothing is rated here because thinking time became ticks of the game."""
        return not self.ratings and any(entry_identity(entry) in self.tournament.unrated for entry in self.entries)

    @property
    def played(self) -> list[Played]:
        """What the matches of every bot cost, best first, with the bots that are not rated at the end."""
        own = {(bot, version): cost for (pool, bot, version), cost in self.tournament.costs.items() if pool == self.pool}
        rated: dict[Bot, float | None] = {(rating.bot, rating.bot_version): rating.rating for rating in self.ratings}
        return [
            Played(bot=bot[0], shown=shown(*bot), rating=rating, cost=own.get(bot, NO_COST))
            for bot, rating in (rated | dict.fromkeys(own) | rated).items()
        ]

    @property
    def models(self) -> tuple[ModelUse, ...]:
        """How language models played in the pool; empty if none did."""
        return model_uses(self.tournament.calls, self.pool)

    @cached_property
    def pairs(self) -> HeadToHead:
        """How often each bot finished ahead of each other bot."""
        return head_to_head(self.rows)

    @property
    def fit(self) -> Fit | None:
        """Whether the ratings tell the results; None where that cannot be said."""
        return fit_of(self.rows, self.tournament.settings)

    def chances(self, gone: Collection[Bot] = ()) -> Chances | None:
        """Return how likely each rank is among the bots that are not `gone`."""
        left = [rating for rating in self.ratings if (rating.bot, rating.bot_version) not in gone]
        return _chances(left, self.bots, self.bars, self.tournament.rng("rank probabilities", self.pool))

    @property
    def opinions(self) -> Opinions | None:
        """What other ways to count say; None without a match, or without two bots."""
        if not self.rows.matches:
            return None
        others = [one for one in self.tournament.all_ratings if one.pool == self.pool and one.model != self.tournament.model]
        found = second_opinions(self.rows, self.pairs)
        return opinions_of(found, self.ratings, others, is_low_good=is_low_good(self.rows))

    @property
    def history(self) -> list[HistoryPoint]:
        """The history of the headline ratings."""
        points = headline_history(self.tournament.manifest, self.tournament.history)
        return [point for point in points if point.pool == self.pool]

    @property
    def history_as_played(self) -> list[HistoryPoint]:
        """The history of the ratings match after match; empty where that is the headline's."""
        if self.tournament.model == MODEL:
            return []
        return [point for point in self.tournament.history if (point.model, point.pool) == (MODEL, self.pool)]

    @property
    def faults(self) -> list[FaultPlace]:
        """The stored faults in the rated matches of the pool, in plan order."""
        rows = [place.row for place in self.tournament.faults]
        return [place for place, is_here in zip(self.tournament.faults, np.isin(rows, self.row_numbers)) if is_here]

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The games of the config that are rated in this pool."""
        return [entry for entry in self.tournament.manifest.entries if entry.get("pool") == self.pool]


class Evidence:
    """The stored results of a tournament or of the archive, as the report needs them."""

    def __init__(self, folder: Path) -> None:
        """Raises StoreError for what cannot be read; without totals and history the report goes on, and says so."""
        self.folder = folder
        self.manifest: Manifest = read_manifest(folder)
        self.all_ratings = parquet.read_ratings(folder)
        self.model = headline_model(self.manifest.config)
        """The model whose ranks are the headline."""
        self.ratings = ratings_by(self.model, self.all_ratings)
        self.online = online_beside(self.model, self.all_ratings)
        """The ratings in the order of play, where the headline knows no order."""
        self._reasons: list[Phrase] = []
        columns = boards.read_columns(folder, COLUMNS)
        self.unrated = unrated_entries(self.manifest)
        """The games with options whose matches are not rated."""
        self._luck = self._known_luck(columns)
        is_without = self.manifest.luck_worth is not None
        self.stored = StoredRows(
            columns, without=self.manifest.unrated_bots, unrated=self.unrated, luck=self._luck if is_without else None
        )
        self.settings: RatingSettings = stored_settings(self.manifest, folder)
        self._skills: dict[str, PoolSkills] = {}

    def _known_luck(self, columns: Columns) -> NDArray[np.float64] | None:
        """[rows]: the luck of each row, where it was worked out. A board without luck cannot do without it."""
        try:
            return boards.read_known_luck(self.folder, self.manifest, columns)
        except StoreError as error:
            if self.manifest.luck_worth is not None:
                raise
            self._miss(NO_LUCK, error)
            return None

    def _miss(self, what: Phrase, error: StoreError) -> None:
        self._reasons.append(Phrase(*(f"{part}: {self.reason(error)}" for part in what)))

    @property
    def missing(self) -> list[Phrase]:
        """Why parts are left out."""
        _ = self.costs, self.history
        return self._reasons

    @cached_property
    def costs(self) -> Costs:
        """What decisions cost; empty where that is missing."""
        try:
            return add_up(parquet.read_totals(self.folder))
        except StoreError as error:
            self._miss(NO_TOTALS, error)
            return {}

    @cached_property
    def history(self) -> list[HistoryPoint]:
        """How the ratings came about; empty where that is missing."""
        try:
            return parquet.read_history(self.folder)
        except StoreError as error:
            self._miss(NO_HISTORY, error)
            return []

    @cached_property
    def calls(self) -> list[StoredCall]:
        """The calls of language models, in plan order; none where no model played."""
        return parquet.read_calls(self.folder)

    def rows_with_luck(self, pool: str) -> PoolRows | None:
        """The rated matches of a pool with their luck; None where that was not worked out."""
        return None if self._luck is None else self.stored.with_luck(pool, self._luck)

    @cached_property
    def faults(self) -> list[FaultPlace]:
        """All stored faults of bots, in plan order."""
        return boards.locate_faults(self.folder)

    @cached_property
    def slowest_ms(self) -> NDArray[np.float32]:
        """[rows]: the CPU time of each row's slowest decision; ms."""
        found: NDArray[np.float32] = boards.read_columns(self.folder, ("cpu_ms_max",)).numbers["cpu_ms_max"]
        return found

    @property
    def pools(self) -> list[str]:
        """The pools that the report has a chapter for."""
        return [pool for pool in chosen_pools(self.manifest, self.ratings) if pool != OVERALL]

    @property
    def overall(self) -> list[Rating]:
        """The overall ratings of the bots that play all pools, best first; empty if too few bots do."""
        if OVERALL not in chosen_pools(self.manifest, self.ratings):
            return []
        return [rating for rating in self.ratings if rating.pool == OVERALL and rating.rank is not None]

    def reason(self, error: Exception) -> str:
        """The text of an error without the folder's path: the page may be published."""
        return str(error).replace(f"{self.folder}{os.sep}", "")

    def pool(self, name: str, anchor: str) -> PoolEvidence:
        """Read one pool; its error bars are kept for `overall_chances`."""
        ratings = [rating for rating in self.ratings if rating.pool == name]
        known = {(rating.bot, rating.bot_version): rating for rating in ratings}
        rows = self.stored.pool_rows(name, known)
        unknown = [bot for bot in rows.bots_by_number if bot not in known]
        if unknown:
            raise StoreError(
                f"{self.folder}: {bot_name(*unknown[0])} plays in {name}, and has no rating there: the files are of "
                f"different runs; `arena rerate` rates the rows alone"
            )
        mu, sigma = (np.array([getattr(known[bot], key) for bot in rows.bots_by_number]) for key in ("mu", "sigma"))
        settings, equal = self.settings, ratings[0].draw_probability if ratings else None
        beliefs = Beliefs(mu, sigma, None if equal is None else draw_margin(equal, settings.beta))
        if rows.luck is None or not model_of(self.model).takes_luck_out:
            bars = bars_by(self.model, rows, beliefs, settings)
        else:  # from which luck was taken out to get these beliefs
            bars = rated_pool(self.model, name, rows, settings).bars
        if ratings:  # a pool that is not rated takes no part in the overall ones
            matches = rows.per_bot(np.ones(len(rows.bots)))
            self._skills[name] = PoolSkills(name, rows.bots_by_number, beliefs.mu, bars, matches)
        draws = None
        if equal is not None and is_order_free(self.model) and rows.matches:
            patterns = patterns_of(rows)
            tied, met = Ties(patterns, patterns.counts, settings.beta).tied
            draws = tied / max(1.0, met), equal
        return PoolEvidence(self, name, anchor, rows, self.stored.row_numbers(name), ratings, bars, draws)

    def overall_chances(self, gone: Collection[Bot] = ()) -> Chances | None:
        """Return how likely each overall rank is among the bots that are not `gone`; all pools must have been read."""
        left = [rating for rating in self.overall if (rating.bot, rating.bot_version) not in gone]
        if not left:
            return None
        weights = stored_weights(self.manifest, self.settings)
        bots, _, bars = joined(list(self._skills.values()), self.settings, weights)
        return _chances(left, bots, bars, self.rng("rank probabilities", OVERALL))

    def rng(self, *purpose: str) -> np.random.Generator:
        """A generator that depends on the plan and the purpose alone: the same report for the same results."""
        key = hashlib.sha256(self.manifest.plan_sha256.encode()).digest()
        return np.random.default_rng(derive(key, "report", *purpose))


def _chances(left: Sequence[Rating], bots: Sequence[Bot], bars: ErrorBars, rng: np.random.Generator) -> Chances | None:
    """How likely each rank is among the bots of `left`. `bots`: in the order of the error bars."""
    order = [bots.index((rating.bot, rating.bot_version)) for rating in left]
    return chances_of(left, ErrorBars(bars.covariance[np.ix_(order, order)], bars.degrees, bars.saved), rng)
