"""A tournament's folder, audited by anyone: every match is played again, and all that the board rests on is worked out anew.

Only the folder is needed: not the bots, not the journal, not the machine that played. Checked: the key against its
commitment; the plan that the manifest tells; which matches there are (missing ones, too many); of each match its identity,
deal, every action's legality, the fallback's choices after a fault, places, scores (match_audit.py); the counts of the
manifest, `results_sha256`, `reproducible_sha256`; the ratings. The kind of a fault and the machine's columns (CPU time,
isolation, attempts) are the word of whoever ran the tournament.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena import games
from arena.audit.luck_audit import luck_problems
from arena.audit.match_audit import match_problems
from arena.audit.package_ratings import Compared, compare_with_package
from arena.errors import ConfigError, StoreError
from arena.ratings.overall import pool_weights
from arena.ratings.rows import PoolRows
from arena.ratings.settings import settings_of
from arena.ratings.standings import Field, Standings, rate_and_compare
from arena.ratings.stored import COLUMNS, stored_pools, unrated_entries
from arena.records import LuckWorth, MatchLuck, MatchRecord, Rating
from arena.results import parquet
from arena.results.hashing import ResultsHash, canonical_bytes
from arena.results.journal import JOURNAL_FILE, Journal
from arena.results.manifest import MANIFEST_FILE, BotEntry, Manifest, read_published
from arena.results.schema import LUCK, RATINGS
from arena.tournament.formats.plan import Plan, read_plan
from arena.tournament.formats.schedule import UsesLuck
from arena.tournament.workers.each_match import each_match

RATING_TOLERANCE = 1e-6  # TrueSkill points: another machine's arithmetic may differ in the last digits
NAMED = 20  # of a kind
TOLD = 16  # matches from one word on how many are done to the next
MOST_MISSING = 1_000
"""How many matches may be missing: behind that, what a manifest plans may have no end."""
MOST_UNPLAYED = 10_000_000
"""How many matches of the plan nobody may have played because their bots were retired."""


@dataclass
class Audit:
    """The result of an audit."""

    manifest: Manifest
    matches: int = 0
    """How many matches were played again."""
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)
    """What is wrong, a sentence each; empty if nothing is."""
    compared: Compared | None = None
    """The online ratings beside those of the `trueskill` package; None where the rows could not be rated."""

    @property
    def rate(self) -> float:
        """How many matches the audit replays per second."""
        return self.matches / self.seconds if self.seconds else 0.0


def audit_results(folder: Path, workers: int, on_progress: Callable[[Audit], None]) -> Audit:
    """Audit a finished tournament's folder in `workers` processes; the games' rules must be compiled.

    Raises StoreError where that is not possible at all: no manifest, a key that is not public yet, other rules.
    """
    manifest = read_published(folder)
    if manifest.key is None:
        raise StoreError(
            f"{folder}: the tournament is not finished, so the key of its deals is not public and nothing can be played again; "
            f"`arena status` tells how to go on"
        )
    for name, version in manifest.rules_versions.items():
        if games.load(name).version != version:
            raise StoreError(
                f"{folder}: {name} was played by version {version} of its rules, here is version {games.load(name).version}; "
                f"verify it with the arena that wrote it ({manifest.packages.get('arena-hall', 'unknown version')})"
            )
    audit = Audit(manifest)
    plan = _plan(manifest, audit.problems)
    if plan is not None:
        _Auditor(folder, plan, audit, on_progress).run(workers)
    return audit


def _plan(manifest: Manifest, problems: list[str]) -> Plan | None:
    """The plan that the manifest describes; None if it describes none, and the rest would make no sense."""
    try:
        key = bytes.fromhex(manifest.key or "")
    except ValueError:
        key = b""
    try:
        plan = read_plan(manifest.config, key)
        document = {**plan.document, "ratings": manifest.config.get("ratings")}
        settings_of(document["ratings"])
    except (ValueError, ConfigError) as error:  # the first: also msgspec's
        problems.append(f"{MANIFEST_FILE}: config: not the plan of a tournament: {error}")
        return None
    if plan.commitment != manifest.commitment:
        problems.append(f"{MANIFEST_FILE}: key: its SHA-256 is not the commitment")
        return None
    if plan.key_from_seed() not in (None, key):
        problems.append(f"{MANIFEST_FILE}: key: not the one that seed {plan.seed} gives")
    differing = [name for name in document if document[name] != manifest.config.get(name)]
    if differing:
        problems.append(f"{MANIFEST_FILE}: config: {', '.join(differing)} does not agree with the rest of the manifest")
    told = {
        "plan_sha256": (manifest.plan_sha256, plan.sha256),
        "pools": (manifest.pools, tuple(plan.pools())),
        "rules_versions": (manifest.rules_versions, {entry.game: entry.rules_version for entry in plan.entries}),
        "bots": (tuple(map(_identity, manifest.bots)), tuple((b.name, b.version, b.sha256, b.games) for b in plan.contestants)),
    }
    problems += [f"{MANIFEST_FILE}: {name} does not agree with config" for name, (left, right) in told.items() if left != right]
    return plan


def _identity(bot: BotEntry) -> tuple[Any, ...]:
    return bot.name, bot.version, bot.sha256, bot.games


class _Auditor:
    def __init__(self, folder: Path, plan: Plan, audit: Audit, on_progress: Callable[[Audit], None]) -> None:
        self._folder, self._plan, self._audit, self._on_progress = folder, plan, audit, on_progress
        self._manifest = audit.manifest
        self._settings = settings_of(self._manifest.config["ratings"])
        whole = plan.without_stages()
        self._schedule = whole.format.schedule(whole, self._settings)  # decides all anew
        self._segments = self._schedule.segments()
        self._checkpoint: float = 0  # plan index behind the current segment; infinite: it is over
        self._end = 0  # of the plan, as far as it is decided
        self._begin_segment()
        self._next = 0  # plan index behind the last match
        self._hash = ResultsHash()
        self._endings: Counter[str] = Counter()
        self._void = self._measured = self._played = self._wanted = self._unplayed = 0
        self._voids: Counter[tuple[str, int]] = Counter()  # of each bot, by name and version
        self._asking: set[tuple[str, int]] = set()  # bots that ask something outside themselves
        self._unread = False  # whether the files could not be read to their end
        self._lucks = parquet.read_luck(folder) if plan.format.uses_luck else None

    def run(self, workers: int) -> None:
        began = time.monotonic()
        found: list[str] = []
        for problems in each_match(_replayed, self._plan, self._records(), workers):
            self._audit.matches += 1
            found += problems
            if self._audit.matches % TOLD == 0:
                self._tell(began)
        self._tell(began)
        try:
            while not self._unread and math.isfinite(self._checkpoint):
                self._pass_until(self._end)
        except StoreError as error:
            self._unread = True
            self._audit.problems.append(str(error))
        self._audit.problems += found
        if not self._unread:
            self._check_manifest()
        if not self._audit.problems:
            wrong = list(luck_problems(self._folder, self._plan, self._manifest, workers))
            if not wrong or self._manifest.luck_worth is None:  # else the ratings rest on what is wrong
                self._check_ratings()
            self._audit.problems += wrong
        self._audit.seconds = time.monotonic() - began

    def _tell(self, began: float) -> None:
        self._audit.seconds = time.monotonic() - began
        self._on_progress(self._audit)

    def _records(self) -> Iterator[MatchRecord]:
        """The stored matches that are in the plan; notes what is missing, what is too many, and the hashes."""
        try:
            for record in parquet.read_matches(self._folder):
                self._hash.add(record)
                self._played += 1
                self._void += record.is_void
                self._voids.update((seat.bot, seat.bot_version) for seat in record.seats if record.is_void)
                self._measured += record.is_measured
                self._asking.update((seat.bot, seat.bot_version) for seat in record.seats if seat.asks_outside)
                self._endings.update(seat.ending.value for seat in record.seats)
                if not 0 <= record.index < len(self._plan):
                    self._audit.problems.append(f"match {record.index} ({record.match_id}): not in the plan")
                    continue
                self._pass_until(record.index)
                self._next = record.index + 1
                if record.index >= self._end or not self._schedule.is_wanted(record.index):
                    why = "it was decided by then" if record.index >= self._end else "one of its bots was retired before"
                    self._audit.problems.append(f"match {record.index} ({record.match_id}): too many: {why}")
                self._wanted += 1
                if self._lucks is not None:
                    self._add_luck(record, next(self._lucks, None))
                self._schedule.add(record)
                yield record
        except StoreError as error:
            self._unread = True
            self._audit.problems.append(str(error))

    def _add_luck(self, record: MatchRecord, luck: MatchLuck | None) -> None:
        """Tell a schedule that goes by luck what is stored; the luck itself is worked out again at the end."""
        assert isinstance(self._schedule, UsesLuck)
        if luck is None or (luck.match_id, len(luck.seats)) != (record.match_id, len(record.seats)):
            raise StoreError(f"{self._folder / LUCK.file}: not the luck of match {record.index} ({record.match_id})")
        self._schedule.add_luck(record, luck)

    def _pass_until(self, index: int) -> None:
        """Go on in the plan up to `index`: matches that are not stored must be those of retired bots."""
        missing: list[int] = []
        for gap in range(self._next, index):
            self._pass_checkpoints(gap)
            if self._schedule.is_wanted(gap):
                missing.append(gap)
            self._unplayed += 1
            if len(missing) > MOST_MISSING or self._unplayed > MOST_UNPLAYED:
                self._name_missing(missing, gap + 1)
                raise StoreError(f"match {gap}: too many before it were not played; what comes after it is not checked")
        self._pass_checkpoints(index)
        self._next = index
        self._wanted += len(missing)
        self._name_missing(missing, index)

    def _name_missing(self, missing: Sequence[int], index: int) -> None:
        named = [f"match {gap} ({self._plan.setup(gap).match_id}): missing" for gap in missing[:NAMED]]
        if len(missing) > NAMED:
            named.append(f"{len(missing) - NAMED:,} more matches before match {index}: missing")
        self._audit.problems += named

    def _pass_checkpoints(self, index: int) -> None:
        while self._checkpoint <= index:
            self._schedule.pass_checkpoint()
            self._begin_segment()

    def _begin_segment(self) -> None:
        following = next(self._segments, None)
        if following is None:
            self._checkpoint = math.inf
        else:
            self._checkpoint = self._end = following[1]
        told, found = self._plan.format.stages, self._schedule.plan.format.stages
        number = len(found) - 1
        if number >= 0 and found[number:] != told[number : number + 1]:
            stage = f"stage {number} of the {self._plan.format.name()}"
            self._audit.problems.append(f"{MANIFEST_FILE}: config: {stage} is not what the rows before it ask for")
            self._checkpoint = math.inf

    def _check_manifest(self) -> None:
        retired = {bot.name for place, bot in enumerate(self._plan.contestants) if place in self._schedule.retired}
        told = {
            "matches": (self._manifest.matches, self._wanted),
            "played": (self._manifest.played, self._played),
            "void": (self._manifest.void, self._void),
            "outcome": (self._manifest.outcome, self._schedule.outcome),
            "unrated": (self._manifest.unrated, 0 if self._settings.measured else self._measured),
            "endings": (self._manifest.endings, dict(self._endings)),
            "bots: void": (
                [bot.void for bot in self._manifest.bots],
                [self._voids[bot.name, bot.version] for bot in self._manifest.bots],
            ),
            "bots: asks_outside": ({(bot.name, bot.version) for bot in self._manifest.bots if bot.asks_outside}, self._asking),
            "bots: retired": ({bot.name for bot in self._manifest.bots if bot.retired}, retired),
        }
        problems = _differences(told)
        hashes = {
            "results_sha256": (self._manifest.results_sha256, self._hash.results_sha256),
            "reproducible_sha256": (self._manifest.reproducible_sha256, self._hash.reproducible_sha256),
        }
        wrong = _differences(hashes)
        if wrong and not self._audit.problems:
            problems += [*self._unknown_columns(), *self._named_by_journal()]
        self._audit.problems += problems + wrong

    def _unknown_columns(self) -> list[str]:
        """Columns of a newer version of arena, which its results hash may cover and this one's cannot."""
        return [
            f"{file}: a newer version of arena wrote it, with columns that this one does not know ({', '.join(names)}); "
            f"only that version can check the hash"
            for file, names in parquet.unknown_columns(self._folder).items()
        ]

    def _named_by_journal(self) -> list[str]:
        """Return how the rows differ from the journal's, if there is one; it shows changes that no replay can."""
        problems: list[str] = []
        if not (self._folder / JOURNAL_FILE).exists():
            return problems
        try:
            with Journal(self._folder, is_read_only=True) as journal:
                for record in parquet.read_matches(self._folder):
                    kept = journal.find(record.match_id, record.index)
                    if kept is not None and _content(kept) != _content(record):
                        problems.append(f"match {record.index} ({record.match_id}): not what the journal has")
                    if len(problems) == NAMED:
                        break
        except StoreError:  # it is only a witness
            return problems
        return problems

    def _check_ratings(self) -> None:
        """Rate the rows again, which are known to be right by now, and compare."""
        settings = self._settings
        field = self._plan.pools(with_measured=settings.measured)
        weights = pool_weights(((entry.pool, entry.game) for entry in self._plan.entries), settings)
        standings = Standings(settings, field, without=self._manifest.unrated_bots, weights=weights)
        has_measured = self._measured > 0  # which ones is in the logs
        for record in parquet.read_matches(self._folder, with_actions=has_measured):
            standings.add(record)
        try:
            pools = standings.pools() if self._manifest.luck_worth is None else self._without_luck(field)
            stored = {(rating.model, rating.pool, rating.bot): rating for rating in parquet.read_ratings(self._folder)}
        except StoreError as error:
            self._audit.problems.append(str(error))
            return
        ratings, saved = rate_and_compare(pools, settings, weights=weights)
        self._audit.compared = compare_with_package(pools, settings)
        self._audit.problems += self._audit.compared.problems
        self._audit.problems += _worth_differences(self._manifest.luck_worth, saved.luck)
        expected = {(rating.model, rating.pool, rating.bot): rating for rating in ratings}
        names = _columns_of(stored.values())
        for key in sorted(expected.keys() | stored.keys()):
            for difference in _rating_differences(stored.get(key), expected.get(key), names):
                self._audit.problems.append(f"ratings: {' '.join(key)}: {difference}")

    def _without_luck(self, field: Field) -> dict[str, PoolRows]:
        """The rows to rate, each with the stored luck, which is worked out again later."""
        columns = parquet.read_columns(self._folder, COLUMNS)
        return stored_pools(
            columns, field, without=self._manifest.unrated_bots, unrated=unrated_entries(self._manifest),
            luck=parquet.read_luck_column(self._folder, columns.numbers["index"]),
        )  # fmt: skip


def _replayed(plan: Plan, record: MatchRecord) -> list[str]:
    """Play a stored match again, and return what is wrong with it."""
    setup = plan.setup(record.index)
    problems = match_problems(games.load(setup.game), setup, record)
    return [f"match {record.index} ({record.match_id}): {text}" for text in problems]


def _differences(pairs: Mapping[str, tuple[object, object]]) -> list[str]:
    """Return what the manifest says that the rows do not. `pairs`: by name, what the manifest says and what the rows say."""
    return [f"{MANIFEST_FILE}: {name}: {told}; by the rows {found}" for name, (told, found) in pairs.items() if told != found]


def _worth_differences(told: Mapping[str, LuckWorth] | None, found: Mapping[str, LuckWorth]) -> list[str]:
    """`told`: None where the board takes no luck out."""
    if told is None or (told.keys() == found.keys() and all(_is_near(told[pool], found[pool]) for pool in told)):
        return []
    return [f"{MANIFEST_FILE}: luck_worth: {dict(told)}; by the rows {dict(found)}"]


def _is_near(told: LuckWorth, found: LuckWorth) -> bool:
    return told.deals == found.deals and abs(told.worth - found.worth) <= 1  # another machine may round otherwise


def _content(record: MatchRecord) -> tuple[bytes, tuple[bool, ...]]:
    return canonical_bytes(record), tuple(seat.reproducible for seat in record.seats)


def _columns_of(ratings: Iterable[Rating]) -> list[str]:
    """The columns of stored ratings: without those that were added later, where all of these read as in files of before."""
    added = {column.name: column.default.value for column in RATINGS.columns if column.default is not None}
    is_of_before = all(getattr(rating, name) == value for rating in ratings for name, value in added.items())
    return [name for name in Rating.__struct_fields__ if not (is_of_before and name in added)]


def _rating_differences(stored: Rating | None, expected: Rating | None, names: Iterable[str]) -> Iterator[str]:
    """`names`: of the columns to compare."""
    if stored is None or expected is None:
        yield "missing" if stored is None else "not rated by the rows"
        return
    for name in names:
        told, found = getattr(stored, name), getattr(expected, name)
        is_close = isinstance(told, float) and isinstance(found, float) and abs(told - found) <= RATING_TOLERANCE
        if told != found and not is_close and not (told != told and found != found):  # NaN equals NaN here
            yield f"{name} is {told}; by the rows {found}"
