"""The closer looks of `arena leaderboard`: --head-to-head, --second-opinions, --history BOT, --explain BOT.

Apart from boards.py because it computes with what is heavy: numba, scipy and pyarrow take seconds to start.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec

from arena.cli.shared.printing import Format, show
from arena.errors import ConfigError, nearest
from arena.ratings.explain import AUTHOR_COLUMNS, Explanation, explain, faults_of, seeds, slowest_decisions
from arena.ratings.fit import Fit, fit_of
from arena.ratings.meta_game import MetaGame, meta_game_of
from arena.ratings.models import THROUGH_TIME
from arena.ratings.pairs import head_to_head
from arena.ratings.rows import Bot
from arena.ratings.second_opinions import second_opinions
from arena.ratings.settings import OVERALL
from arena.ratings.skill import skill_of
from arena.ratings.standings import rated_pool
from arena.ratings.stored import COLUMNS, StoredRows, stored_settings, unrated_entries
from arena.ratings.through_time import better_than, earlier_versions
from arena.records import Rating
from arena.reports import closer_looks as insights
from arena.reports.board import chosen_pools, headline
from arena.reports.closer_looks import AuthorEvidence, SlowDecision, author_rows, print_author_evidence
from arena.reports.tables import skill_text, versions_text
from arena.reports.terminal import Page
from arena.results import parquet
from arena.results.manifest import Manifest
from arena.tournament.archive import boards
from arena.tournament.archive.names import called


class Looker:
    """Prints closer looks at one tournament in one format."""

    def __init__(self, folder: Path, manifest: Manifest, ratings: Sequence[Rating], format: Format, game: str | None) -> None:
        """`ratings`: of one model. Raises ConfigError for an unknown `game`."""
        self._folder, self._manifest, self._ratings, self._format = folder, manifest, ratings, format
        self._pools = [pool for pool in chosen_pools(manifest, ratings, game) if game == OVERALL or pool != OVERALL]
        if game == OVERALL:
            self._pools = [pool for pool in chosen_pools(manifest, ratings) if pool != OVERALL]

    def head_to_head(self) -> None:
        """Print who beats whom."""
        stored = self._stored()
        pairs = {pool: head_to_head(stored.pool_rows(pool)) for pool in self._pools}
        self._show(insights.head_to_head_rows(pairs), lambda page: insights.print_head_to_head(pairs, self._ratings, page))

    def second_opinions(self) -> None:
        """Print what other ways to count say."""
        stored = self._stored()
        found = {pool: second_opinions(stored.pool_rows(pool)) for pool in self._pools}
        rows = insights.opinion_rows(found, self._ratings)
        self._show(rows, lambda page: insights.print_opinions(found, self._ratings, page))

    def history(self, bot: str, model: str | None) -> None:
        """Print how a bot's ratings came about. `model`: by default all that are stored, the headline's first.

        Raises ConfigError for a model of which no history is stored.
        """
        points = [point for point in parquet.read_history(self._folder) if point.pool in self._pools]
        self._check("--history", bot, {point.bot for point in points})
        points = [point for point in points if called(bot, [point.bot])]
        known = {point.model for point in points}
        if model is not None and known and model not in known:
            raise ConfigError(f"--history: no history by {model} is stored; {nearest(model, known)}")
        points = [point for point in points if model in (None, point.model)]
        self._show([msgspec.structs.asdict(point) for point in points], lambda page: insights.print_history(points, page))

    def explain(self, bot: str) -> None:
        """Print where a bot's points come from."""
        entries = dict.fromkeys((rating.bot, rating.bot_version) for rating in self._ratings)
        self._check("--explain", bot, {name for name, _ in entries})
        columns = boards.read_columns(self._folder, COLUMNS)
        stored, luck = self._stored(columns), boards.read_known_luck(self._folder, self._manifest, columns)
        settings = stored_settings(self._manifest, self._folder)
        rows_of = cache(stored.pool_rows)  # each pool once, however many versions of the bot there are
        fit_in = cache(lambda pool: fit_of(rows_of(pool), settings))
        game_in = cache(
            lambda pool: meta_game_of(head_to_head(rows_of(pool)), () if (fit := fit_in(pool)) is None else fit.cycles)
        )
        through_time = cache(lambda pool: rated_pool(THROUGH_TIME, pool, rows_of(pool), settings))
        objects: list[dict[str, Any]] = []
        pages: list[Callable[[Page], None]] = []
        for entry in (entry for entry in entries if called(bot, [entry[0]])):
            explained = {pool: explain(rows_of(pool), entry) for pool in self._pools}
            found = {pool: explanation for pool, explanation in explained.items() if explanation is not None}
            places = {
                (pool, loss.row): int(stored.row_numbers(pool)[loss.row])
                for pool, explanation in found.items()
                for loss in explanation.losses
            }
            ids = boards.read_match_ids(self._folder, places.values())
            known = {place: ids[row] for place, row in places.items()}
            lost = {pool: {row: ids[row] for (where, _), row in places.items() if where == pool} for pool in found}
            evidence = {pool: self._own_evidence(pool, entry, lost[pool]) for pool in found}
            fits = {pool: fit for pool in found if (fit := fit_in(pool)) is not None}
            choosing = {pool: game_in(pool) for pool in found}
            skills = {} if luck is None else {pool: skill_of(pool, stored.with_luck(pool, luck), entry) for pool in found}
            before = {pool: earlier_versions(rows_of(pool), entry) for pool in found}
            better = {pool: better_than(through_time(pool), entry, own) if own else () for pool, own in before.items()}
            for explained_pool in insights.explanation_rows(entry, found, known):
                pool = explained_pool["pool"]
                whole = {
                    "skill": skills.get(pool), "fit": fits.get(pool), "meta_game": choosing[pool], "versions": better[pool],
                }  # fmt: skip
                objects.append(explained_pool | msgspec.to_builtins(whole) | author_rows(evidence[pool]))
            told = {
                pool: [
                    *(skill_text(skill) for skill in [skills.get(pool)] if skill is not None),
                    *(versions_text(chances) for chances in [better[pool]] if chances),
                ]
                for pool in found
            }
            pages.append(partial(self._explain, entry, found, known, evidence, told, fits, choosing))
        self._show(objects, lambda page: [write(page) for write in pages])

    def _explain(
        self,
        entry: Bot,
        found: Mapping[str, Explanation],
        known: Mapping[tuple[str, int], str],
        evidence: Mapping[str, AuthorEvidence],
        told: Mapping[str, Sequence[str]],
        fits: Mapping[str, Fit],
        choosing: Mapping[str, MetaGame | None],
        page: Page,
    ) -> None:
        """Write one bot's part; `known`: match ids by pool and row of a loss; `told`: sentences by pool."""
        insights.print_explanations(entry, found, known, self._ratings, told, fits, page)
        for pool, game in choosing.items():
            if game is not None:
                insights.print_meta_game(entry, pool, game, page)
        for pool, own in evidence.items():
            print_author_evidence(pool, own, page)

    def _own_evidence(self, pool: str, bot: Bot, losses: Mapping[int, str]) -> AuthorEvidence:
        """`losses`: ids of the worst ones by stored row."""
        columns = boards.read_columns(self._folder, AUTHOR_COLUMNS)
        slowest = slowest_decisions(columns, pool, bot)
        ids = boards.read_match_ids(self._folder, [slow.row for slow in slowest])
        found = {} if self._manifest.key is None else boards.find_matches(self._folder, losses)
        return AuthorEvidence(
            [place.fault for place in faults_of(columns, boards.locate_faults(self._folder), pool, bot)],
            [SlowDecision(ids[slow.row], slow.seat, slow.cpu_ms) for slow in slowest],
            {
                match_id: seeds(columns, row, match_id, bytes.fromhex(key))
                for row, match_id in losses.items()
                if row in found and (key := found[row][1]) is not None
            },
        )  # fmt: skip

    def _stored(self, columns: Any = None) -> Any:
        """`columns`: those of all matches, if they are read already."""
        if columns is None:
            columns = boards.read_columns(self._folder, COLUMNS)
        return StoredRows(columns, without=self._manifest.unrated_bots, unrated=unrated_entries(self._manifest))

    def _check(self, option: str, bot: str, known: set[str]) -> None:
        if not called(bot, known):
            hint = nearest(bot, known) if known else "no bot has played yet"
            raise ConfigError(f"{option} {bot}: no such bot in {self._manifest.name}; {hint}")

    def _show(self, rows: Sequence[Mapping[str, Any]], write: Callable[[Page], object]) -> None:
        def whole(page: Page) -> None:
            page.say(headline(self._manifest), "bold")
            write(page)

        show(self._format, whole, rows, rows)
