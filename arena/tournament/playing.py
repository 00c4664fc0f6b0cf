"""The matches of a tournament are played, from one checkpoint of its schedule to the next.

Every finished match goes into the journal at once, so the same call goes on where an earlier one stopped. What comes next is
decided at checkpoints, from the rows up to there alone, so neither the number of workers nor a resume can change it.
"""

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass

import msgspec

from arena import games
from arena.engine import jit
from arena.errors import StoreError
from arena.match import void
from arena.match.choose import most_seconds
from arena.ratings.overall import pool_weights
from arena.ratings.running import RunningRatings
from arena.records import Ending, MatchRecord, Outcome
from arena.results.journal import Endings, Finished, Journal, Row, packed, record_of
from arena.results.status import Pace, Trouble, read_score
from arena.tournament import repeats
from arena.tournament.archive.luck import ToldLuck, match_luck, workers_for
from arena.tournament.field import least_isolation
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.schedule import FormatState, Schedule, UsesLuck
from arena.tournament.memory import Kills
from arena.tournament.models import Spending, Stopped, answer_folder, models_of, most_model_seconds
from arena.tournament.planning import Planned
from arena.tournament.session import LOCAL, Observer, Progress, Settings
from arena.tournament.workers.backend import Backend, Chunk, Failure
from arena.tournament.workers.compiling import RATINGS, Compiling, needs_of
from arena.tournament.workers.driver import Driver, ReadyGames, Tally, spread
from arena.tournament.workers.each_match import each_match
from arena.tournament.workers.local import LocalBackend
from arena.tournament.workers.processes import available_cpus
from arena.tournament.workers.worker import Job

MOST_AHEAD = 20_000  # how far beyond a checkpoint is played while games are compiled; their records wait in memory
_PATIENCE_SECONDS = 30.0  # for the worker's own part in a match


@dataclass(frozen=True)
class Played:
    """A tournament that was played until it was over, or stopped. Its rows are in the journal."""

    schedule: Schedule
    """The schedule with all that was decided on the way."""
    state: FormatState | None
    progress: Progress
    tally: Tally
    lucks: ToldLuck
    """The luck of the matches that this run played, where it is wanted."""
    is_interrupted: bool
    """Whether Ctrl-C stopped it before it was over, or what `why` says."""
    why: str = ""
    """Why it stopped by itself, so that the same command can go on; empty: it did not."""


def play(planned: Planned, schedule: Schedule, journal: Journal, settings: Settings, observer: Observer) -> Played:
    """Play the matches that the journal lacks. Ctrl-C ends it, and so can the observer: what is finished is kept."""
    progress = Progress(planned.name, total=planned.matches(schedule))
    spending = Spending(planned.tournament.llm, models_of(planned.tournament.bots))
    rows = _Rows(schedule, journal, observer, progress, spending)
    ratings = _running_ratings(planned)
    state, is_interrupted, why_stopped = planned.state, False, ""
    try:
        with ExitStack() as opened:
            workers = _Workers(planned, schedule, rows, settings, observer, opened)
            if spending.models:
                spending.add(journal.records())
            for first, last in schedule.segments():
                if state is not None and state != (newer := state.after(schedule.plan)):
                    state = newer
                    journal.set_meta(state.values())  # before a match of the stage is played
                progress.total = schedule.total() or progress.total
                is_new = rows.begin(last)
                is_new |= workers.play(first, last)
                workers.wait_for(jit.RATINGS)
                if schedule.plan.format.uses_luck:
                    workers.finish_compiling()
                _add_luck(schedule, journal, first, last, rows)
                for outcome in rows.outcomes(first, last):
                    ratings.add(outcome)
                    schedule.add(outcome)
                    if not outcome.is_void:
                        observer.played((seat.bot, seat.bot_version) for seat in outcome.seats)
                for news in _pass_checkpoint(schedule, rows, last):
                    if is_new:
                        observer.say(news)
                observer.passed(schedule)
                if last == len(schedule.plan) and (why := observer.end_now() or observer.end_here()) is not None:
                    raise _EndedByObserver(why)
                if not settings.never_stops and (is_new or schedule.outcome is None):
                    progress.ratings = ratings.ratings()
            rows.require_planned()
            if settings.job is Job and not settings.never_stops:  # not where matches are only counted, not played
                hashes = [bot.files.sha256 for bot in planned.tournament.bots]
                repeats.repeat(schedule.plan, journal, hashes, workers.driver, observer.say)
            workers.finish_compiling()  # luck, which is worked out next
            if schedule.outcome is not None:
                progress.total = progress.done
                observer.say(schedule.outcome)
    except KeyboardInterrupt:
        is_interrupted = True
    except Stopped as stopped:
        is_interrupted, why_stopped = True, str(stopped)
    except _EndedByObserver as ended:
        if state is not None:  # what is open of the last stage is never played
            schedule.plan = state.closed(schedule.plan, str(ended), journal)
        schedule.outcome = str(ended)
        progress.total = progress.done
    return Played(schedule, state, progress, rows.tally, rows.lucks, is_interrupted, why_stopped)


def _pass_checkpoint(schedule: Schedule, rows: "_Rows", last: int) -> list[str]:
    """Decide how it goes on, only from the rows up to `last`; returns the news."""
    retired = len(schedule.retired)
    news = schedule.pass_checkpoint()
    if (total := schedule.total()) is not None:
        rows.progress.total = total
    elif len(schedule.retired) > retired:
        rows.progress.total = rows.count(0, last) + schedule.plan.count_without(schedule.retired, last)
    return news


class _EndedByObserver(Exception):
    """The run is ended from outside, with the reason."""


_STORED, _FOUND = 1, 2  # of a match in the journal: by this run, by whoever wrote what was there before; 0: it lacks


class _Rows:
    """Takes finished matches into the journal, each once. Those of later segments wait until it is decided if they count."""

    def __init__(
        self, schedule: Schedule, journal: Journal, observer: Observer, progress: Progress, spending: Spending
    ) -> None:
        self.schedule, self.progress, self._spending = schedule, progress, spending
        self.tally = Tally()
        self.lucks = ToldLuck()
        self._journal, self._observer = journal, observer
        self._done = bytearray(len(schedule.plan))
        self._beyond: set[int] = set()  # matches of stages that the plan, which may still be growing, does not have yet
        for index in journal.indices():
            if index < len(self._done):
                self._done[index] = _FOUND
            else:
                self._beyond.add(index)
        self._score = read_score(journal)
        progress.done = self._score.done
        self._trouble = Trouble.of(journal) or Trouble()
        self._end = 0  # of the segment that is played
        self._ahead: dict[int, tuple[Row, Endings]] = {}  # matches of later segments

    def begin(self, last: int) -> bool:
        """Begin the segment that ends before `last`: store its matches that were played before it, if they count."""
        self._done.extend(bytes(max(0, last - len(self._done))))
        for index in [index for index in self._beyond if index < last]:
            self._beyond.remove(index)
            self._done[index] = _FOUND
        self._end = last
        known = [self._ahead.pop(index) for index in sorted(self._ahead) if index < last]
        self.progress.ahead = len(self._ahead)
        if wanted := [match for match in known if self.schedule.is_wanted(match[0][1])]:
            self._store(Finished([row for row, _ in wanted], [endings for _, endings in wanted]))
        return bool(wanted)

    def require_planned(self) -> None:
        """Raise StoreError if the journal has a match that the plan, which has all its stages, does not have."""
        if self._beyond:
            raise _odd_row(self._journal, min(self._beyond))

    def outcomes(self, first: int, last: int) -> Iterator[Outcome]:
        """What came of the stored matches of a part. Raises StoreError for a found one that the plan has otherwise."""
        for outcome in self._journal.outcomes(first, last):
            index = outcome.index
            if not first <= index < last or (self._done[index] == _FOUND and not _is_planned(self.schedule.plan, outcome)):
                raise _odd_row(self._journal, index)
            yield outcome

    def lacking(self, first: int, last: int) -> Iterator[int]:
        """The matches of a part of the plan that have to be played, in the order of playing, made one at a time."""
        for index in spread(first, last):
            if not self._done[index] and index not in self._ahead and self.schedule.is_wanted(index):
                yield index

    def count(self, first: int, last: int) -> int:
        """Return how many matches of a part of the plan are stored."""
        return len(range(len(self._done))[first:last]) - self._done.count(0, first, last)

    def keep(self, chunk: Chunk, earlier: Mapping[int, Sequence[Failure]]) -> None:
        """Store the matches of a chunk. `earlier`: failed attempts at those that were tried before, by index."""
        for place, seconds in chunk.slept.items():
            bot = self.schedule.plan.contestants[place]
            self._observer.slept((bot.name, bot.version), seconds)
        finished = chunk.finished
        if earlier:
            finished = packed(_after(earlier.get(record.index, ()), record) for record in finished.records)
        self.lucks.add(chunk.lucks)
        self._store(finished)
        if self._spending.models:
            self._spending.add(finished.records)
            self._spending.hear(len(finished.rows), chunk.failures.values())
            if self.progress.done < self.progress.total:
                self.check_budget()

    def check_budget(self) -> None:
        """Raise Stopped if the tournament's language models may not be asked any more."""
        self._spending.check_budget()

    def keep_void(self, index: int, attempts: int, reason: str) -> None:
        """Store a match that could not be played."""
        setup = self.schedule.plan.setup(index)
        self._store(packed([void(games.load(setup.game), setup, attempts, reason)]))

    def _store(self, finished: Finished) -> None:
        """Store matches in the journal, with what `arena status` shows; those of later segments wait."""
        progress = self.progress
        matches = list(zip(finished.rows, finished.endings))
        if any(row[1] >= self._end for row in finished.rows):
            self._ahead |= {match[0][1]: match for match in matches if match[0][1] >= self._end}
            matches = [match for match in matches if match[0][1] < self._end]
        progress.ahead = len(self._ahead)
        fresh = {row[1]: endings for row, endings in matches if not self._done[row[1]]}
        score = self._score.plus(fresh.values())
        pace = Pace(total=progress.total, played=progress.played_now + len(fresh), seconds=progress.seconds)
        notes = {**pace.values(), **score.values(), **self._trouble_by_now().values()}
        new = self._journal.add([row for row, _ in matches], notes)
        for row in new:
            self._done[row[1]] = _STORED
        self._observer.played(bot for row in new if Ending.HOST not in fresh[row[1]] for bot in self._bots(row[1]))
        for row in new:
            if any(ending.blame == "bot" for ending in fresh[row[1]]):
                self._observer.failed(record_of(row))
        for ending, count in score.endings.items():
            if ending is not Ending.PLAYED and (more := count - self._score.endings.get(ending, 0)):
                progress.endings[ending] += more
        self._score = score
        self.tally.duplicates += len(matches) - len(new)
        progress.done += len(new)
        progress.played_now += len(new)

    def _bots(self, index: int) -> Iterator[tuple[str, int]]:
        """Name and version of the bots of a match."""
        plan = self.schedule.plan
        return ((plan.contestants[place].name, plan.contestants[place].version) for place in plan.bots(index))

    def _trouble_by_now(self) -> Trouble:
        before, tally = self._trouble, self.tally
        return Trouble(
            runs=before.runs + 1, lost_chunks=before.lost_chunks + tally.lost_chunks,
            overdue_chunks=before.overdue_chunks + tally.overdue_chunks,
            failed_attempts=before.failed_attempts + tally.failed_attempts, duplicates=before.duplicates + tally.duplicates,
        )  # fmt: skip


class _Workers:
    """The workers of a run, which are started when the first match is to be played, and what is compiled for them meanwhile."""

    def __init__(
        self, planned: Planned, schedule: Schedule, rows: _Rows, settings: Settings, observer: Observer, opened: ExitStack
    ) -> None:
        self._planned, self._schedule, self._rows = planned, schedule, rows
        self._settings, self._observer, self._opened = settings, observer, opened
        self._driver: Driver | None = None
        self._compiling: Compiling | None = None
        self._since = 0.0
        self._kills = Kills(observer.say)

    def play(self, first: int, last: int) -> bool:
        """Play what is to be played of a segment; returns whether there was anything."""
        lacking = self._rows.lacking(first, last)
        nearest = next(lacking, None)
        if nearest is None:
            return False
        self._rows.check_budget()
        driver = self.driver()
        self._since = time.monotonic() - self._rows.progress.seconds
        driver.backend.stage = self._schedule.plan.stage_from(first)
        left = (last - first) - self._rows.count(first, last)
        driver.run(itertools.chain([nearest], lacking), left, self._later(last))
        return True

    def wait_for(self, name: str) -> None:
        """Wait until something is compiled, if it is being compiled."""
        if self._compiling is not None:
            self._compiling.wait_for(name)

    def finish_compiling(self) -> None:
        """Wait until all is compiled, the luck of matches, too."""
        if self._compiling is not None:
            self._compiling.finish()

    def driver(self) -> Driver:
        """The driver loop; the workers are started when it is first asked for."""
        if self._driver is None:
            self._driver = self._start()
        return self._driver

    def _start(self) -> Driver:
        settings, tournament, plan, say = self._settings, self._planned.tournament, self._schedule.plan, self._observer.say
        bots = {bot.files.sha256: bot.files for bot in tournament.bots}
        is_elsewhere = settings.address is not None  # a cluster's nodes compile for themselves
        with_luck = self._planned.with_luck
        needs = {} if is_elsewhere else needs_of(plan, bots, with_luck=with_luck)
        if not plan.format.IS_STAGED:
            left = self._games_left()
            needs = {game: parts for game, parts in needs.items() if game in left}
        self._compiling = compiling = self._opened.enter_context(Compiling(needs, say, RATINGS))
        if len(needs) > 1 and not compiling.is_over:
            say("each game is played as soon as it is compiled")
        self._since = time.monotonic()
        self._tick()  # the backend takes its time, too
        least = least_isolation(tournament, unsafe_trust_bots=settings.unsafe_trust_bots)
        answers = answer_folder(self._planned.folder, tournament.bots, tournament.llm, settings.offline)
        kept = {"answers": answers} if answers is not None else {}
        job = settings.job(
            plan.without_stages(), bots, least=least, isolation=settings.isolation, with_luck=with_luck, **kept
        )  # fmt: skip
        backend = self._opened.enter_context(_backend(job, settings, say))
        patience = _PATIENCE_SECONDS + max(entry.seats for entry in plan.entries) * most_seconds(plan.clock)
        patience += max(entry.seats for entry in plan.entries) * most_model_seconds(tournament.bots)
        ready = ReadyGames(None if is_elsewhere else compiling, backend.compile)
        rows = self._rows
        return Driver(backend, rows.keep, rows.keep_void, self._tick, patience, rows.tally, ready, self._game_of)

    def _games_left(self) -> set[str]:
        """The games of a plan that is known from the start that have matches to play."""
        left: set[str] = set()
        games_in_all = {entry.game for entry in self._schedule.plan.entries}
        for index in self._rows.lacking(0, len(self._schedule.plan)):
            left.add(self._game_of(index))
            if left == games_in_all:
                break
        return left

    def _game_of(self, index: int) -> str:
        """The game of match `index`."""
        plan = self._schedule.plan
        return plan.entries[plan.entry_of(index)].game

    def _later(self, last: int) -> Iterator[int]:
        """Matches from index `last` on that can be played before it is decided whether they count; only while we compile."""
        format = self._schedule.plan.format
        if self._compiling is None or self._compiling.is_over or format.IS_STAGED or format.MAY_END_EARLY:
            return
        yield from self._rows.lacking(last, min(len(self._schedule.plan), last + MOST_AHEAD))

    def _tick(self) -> None:
        progress = self._rows.progress
        progress.seconds = time.monotonic() - self._since
        if self._compiling is not None:
            self._compiling.look()
            progress.compiling = self._compiling.text
            if progress.compiling:
                progress.early, progress.waited = progress.played_now + progress.ahead, progress.seconds
        self._kills.look(self._rows.tally.lost_chunks)
        self._observer.progress(progress)
        if (why := self._observer.end_now()) is not None:
            raise _EndedByObserver(why)


def _is_planned(plan: Plan, outcome: Outcome) -> bool:
    """Return whether the plan has the match as the journal has it."""
    place, deal = plan.deal_of(outcome.index)
    entry, seats = plan.entries[place], outcome.seats
    bots = [plan.contestants[bot] for bot in plan.bots(outcome.index)]
    return (
        (outcome.deal, outcome.pool, outcome.options, len(seats)) == (deal, entry.pool, entry.options_text, entry.seats)
        and sorted((bot.name, bot.version) for bot in bots) == sorted((seat.bot, seat.bot_version) for seat in seats)
        and not (outcome.is_measured and games.load(entry.game).ms_per_tick(entry.options) is None)
    )


def _odd_row(journal: Journal, index: int) -> StoreError:
    return StoreError(
        f"{journal.path}: match {index} is not the one of this plan; start anew with --fresh (the old results are set aside)"
    )


def _add_luck(schedule: Schedule, journal: Journal, first: int, last: int, rows: _Rows) -> None:
    """Tell the luck of the matches up to a checkpoint, where it counts for what is decided there."""
    if not schedule.plan.format.uses_luck:
        return
    assert isinstance(schedule, UsesLuck)
    workers = workers_for(rows.count(first, last) - rows.lucks.count(first, last))
    lucks = each_match(match_luck, schedule.plan, journal.records(first, last), workers, rows.lucks.of)
    for outcome, luck in zip(journal.outcomes(first, last), lucks, strict=True):
        schedule.add_luck(outcome, luck)


def _running_ratings(planned: Planned) -> RunningRatings:
    """The ratings at the checkpoints, for those who watch."""
    plan, settings = planned.plan, planned.tournament.ratings
    return RunningRatings(
        settings, plan.pools(with_measured=settings.measured), models=(settings.headline_model,),
        weights=pool_weights(((entry.pool, entry.game) for entry in plan.entries), settings),
    )  # fmt: skip


def _after(failures: Sequence[Failure], record: MatchRecord) -> MatchRecord:
    """The record with its failed attempts: a seat that the host failed is not reproducible.

    See docs/formats.md, "The folder of a tournament".

    A lost worker is not the seat's failure: the match is played again exactly as it would have been.
    """
    if not failures:
        return record
    failed = {failure.seat for failure in failures}
    seats = tuple(
        msgspec.structs.replace(seat, reproducible=seat.reproducible and place not in failed)
        for place, seat in enumerate(record.seats)
    )
    return msgspec.structs.replace(record, attempts=1 + len(failures), seats=seats)


def _backend(job: Job, settings: Settings, say: Callable[[str], None]) -> AbstractContextManager[Backend]:
    if settings.backend == LOCAL:
        return LocalBackend(job, settings.workers or available_cpus())
    from arena.tournament.workers.ray.backend import RayBackend  # only now: importing Ray takes a third of a second

    if settings.address is not None:
        say(f"playing on the Ray cluster at {settings.address}")
    return RayBackend(job, settings.workers, settings.address, say)
