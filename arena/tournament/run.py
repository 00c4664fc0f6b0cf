"""A tournament on one page: config -> plan -> matches -> store -> ratings. START READING HERE.

Every finished match goes into the journal at once, so the same call goes on where an earlier one stopped. What is written at
the end is a pure function of the journal's rows in plan order, whoever played them, when, and on how many workers.
"""

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import msgspec

from arena import games
from arena.agent.submissions import Submissions
from arena.engine import jit
from arena.errors import StoreError
from arena.match import void
from arena.match.choose import most_seconds
from arena.ratings.overall import pool_weights
from arena.ratings.running import RunningRatings
from arena.records import Ending, MatchRecord
from arena.results.journal import Journal
from arena.results.lock import FolderLock
from arena.results.manifest import LeftOut, publish, read_manifest, unpublish
from arena.results.rows import Endings, Finished, Row, packed
from arena.results.status import Command, Pace, Score, Trouble, read_score
from arena.tournament import repeats
from arena.tournament.admission.field import admit, least_isolation
from arena.tournament.archive.adding import add_to_hall
from arena.tournament.archive.folder import HALL
from arena.tournament.begun import NOT_BEGUN, as_it_began, begun_in, keep_left_out
from arena.tournament.config import Tournament, read_config
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.schedule import FormatState, UsesLuck
from arena.tournament.planning import plan_of
from arena.tournament.session import LOCAL, Interrupted, Progress, Reporter, Results, Settings, Silent, Steering, check_settings
from arena.tournament.workers.backend import Backend
from arena.tournament.workers.compiling import Compiling
from arena.tournament.workers.driver import Driver, Tally, spread
from arena.tournament.workers.gate import CompilingGate, OpenGate
from arena.tournament.workers.local import LocalBackend
from arena.tournament.workers.needs import needs_of
from arena.tournament.workers.processes import available_cpus
from arena.tournament.workers.reckoning import MATCHES_FOR_ALL, Reckoner
from arena.tournament.workers.worker import Chunk, Failure, Job
from arena.tournament.writing import Writing

MOST_AHEAD = 20_000  # how far beyond a checkpoint is played while games are compiled; their records wait in memory
_PATIENCE_SECONDS = 30.0  # for the worker's own part in a match


def run_tournament(
    config: Path | str | Tournament, settings: Settings = Settings(), reporter: Reporter | None = None
) -> Results:
    """Play a tournament, or what is left of it, and write its folder. Raises ArenaError for every mistake of the user."""
    reporter = reporter or Silent()
    check_settings(settings)
    tournament = config if isinstance(config, Tournament) else read_config(Path(config), settings.out)
    name = settings.name or tournament.name
    seed = tournament.seed if settings.seed is None else settings.seed
    folder = settings.out / name
    begun = NOT_BEGUN if settings.fresh else begun_in(folder)
    tournament, news = as_it_began(tournament, begun, Submissions(settings.out))
    field = admit(
        tournament, isolation=settings.isolation, unsafe_trust_bots=settings.unsafe_trust_bots, begun=begun.contestants,
        known=None if settings.steering is None else settings.steering.known,
    )  # fmt: skip
    left_out = begun.left_out if begun.contestants else field.left_out
    with FolderLock(folder):
        if settings.fresh:
            set_aside(folder, reporter)
        with Journal(folder) as journal:
            for repair in journal.repaired:
                reporter.say(f"{journal.path}: {repair}")
            plan, state = plan_of(tournament, field.contestants, seed, journal, folder)
            keep_left_out(journal, left_out)
            journal.set_meta(Command(line=settings.command, folder=str(Path.cwd())).values())
            run = _Run(name, folder, tournament, plan, state, journal, reporter, left_out, settings.steering)
            for text in news:
                reporter.say(text)
            run.announce(field.isolation)
            try:
                run.play(settings)
            except KeyboardInterrupt:
                raise run.stopped(settings) from None
            except _Closed as closed:
                run.close(str(closed))
            if settings.steering is not None and not settings.steering.is_written(run.progress.done):
                return run.end_unwritten()
            results = run.finish(is_finished=True)
            if results.is_void:
                reason = "; ".join(next(journal.records()).notes) or "the host failed"
                reporter.say(f"nothing was played: all {results.manifest.void} matches are void; the first, because: {reason}")
            run.enter_hall(settings.out, is_lasting=settings.is_lasting)
            return results


class _Closed(Exception):
    """The run is ended from outside, with the reason."""


class _Run:
    """One run of a tournament whose folder is locked and whose journal is open."""

    def __init__(
        self, name: str, folder: Path, tournament: Tournament, plan: Plan, state: FormatState | None, journal: Journal,
        reporter: Reporter, left_out: tuple[LeftOut, ...], steering: Steering | None,
    ) -> None:  # fmt: skip
        self.steering = steering
        self.left_out = left_out
        self.folder, self.tournament, self.plan, self.state = folder, tournament, plan, state
        self.journal, self.reporter = journal, reporter
        self.progress = Progress(name)
        self.tally = Tally()
        self.done = bytearray(max(len(plan), 1 + max(journal.indices(), default=-1)))  # a plan may still be growing
        self.score = Score()
        self.trouble = Trouble.of(journal) or Trouble()
        self.running = RunningRatings(
            tournament.ratings, plan.pools(with_measured=tournament.ratings.measured),
            models=(tournament.ratings.headline_model,),
            weights=pool_weights(((entry.pool, entry.game) for entry in plan.entries), tournament.ratings),
        )  # fmt: skip
        self._playing_since = 0.0
        self._compiling: Compiling | None = None
        self._end = 0  # of the segment that is played
        self._ahead: dict[int, tuple[Row, Endings]] = {}  # of later segments: whether they count is not decided yet
        self.schedule = plan.format.schedule(plan, tournament.ratings)
        self.writing = Writing(folder, tournament, journal, left_out)

    def announce(self, isolation: str) -> None:
        for index in self.journal.indices():
            self.done[index] = 1
        self.score = read_score(self.journal)
        self.progress.done, self.progress.total = self.score.done, len(self.plan) or self.schedule.total() or 0
        self.reporter.say(
            f"{self.progress.name}: {len(self.plan.contestants)} bots, {self.plan.format.size_text(self.plan)}"
            + (f", {self.progress.done:,} of them played before" if self.progress.done else "")
        )
        for text in self.plan.format.notes(self.plan):
            self.reporter.say(text)
        for one in self.left_out:
            self.reporter.say(f"warning: {one.name} is left out, because it cannot be loaded: {one.reason}")
        self.reporter.say(f"commitment to the deals: {self.plan.commitment}")
        untrusted = [bot.name for bot in self.plan.contestants if not bot.trusted]
        if untrusted:
            self.reporter.say(f"isolation of bots that are not trusted: {isolation} ({', '.join(untrusted)})")
            if self.plan.seed is not None:
                self.reporter.say("warning: with a public seed, a bot that is not trusted can predict the deals")
        for place, entry in enumerate(self.plan.entries):
            for warning in games.load(entry.game).option_warnings(entry.seats, entry.options):
                self.reporter.say(f"warning: games[{place}].{warning}")
        self.writing.begin(self.plan, self.schedule, self.progress)

    def play(self, settings: Settings) -> None:
        """Play the matches that the journal lacks, segment by segment."""
        with ExitStack() as opened:
            driver: Driver | None = None
            for first, last in self.schedule.segments():
                self._follow(last)
                is_new = self._take_in(last)
                todo = self._todo(first, last)
                nearest = next(todo, None)
                if nearest is not None:
                    is_new = True
                    driver = driver or self._driver(settings, opened)
                    self._playing_since = time.monotonic() - self.progress.seconds
                    driver.backend.stage = self.plan.stage_from(first)
                    driver.run(itertools.chain([nearest], todo), self.done.count(0, first, last), self._later(last))
                self._pass_checkpoint(first, last, is_new=is_new)
            self.plan = self.schedule.plan
            if settings.job is Job and self.steering is None:  # not where matches are only counted, not played
                self._repeat(settings, driver, opened)
            if self.schedule.outcome is not None:
                self.progress.total = self.progress.done
                self.reporter.say(self.schedule.outcome)

    def _repeat(self, settings: Settings, driver: Driver | None, opened: ExitStack) -> None:
        """Play some matches again, once all are played."""
        hashes = [bot.files.sha256 for bot in self.tournament.bots]
        repeats.repeat(self.plan, self.journal, hashes, lambda: driver or self._driver(settings, opened), self.reporter.say)

    def stopped(self, settings: Settings) -> Interrupted:
        """Write the results so far. A second Ctrl-C during this leaves the old files as they are."""
        kept = f"stopped; {self.journal.count()} of {self.progress.total} matches are kept. The same command goes on."
        try:
            self.finish(is_finished=False)
        except KeyboardInterrupt:
            return Interrupted(f"{kept} (Stopped again while the board was written: it has not been made anew.)", self.tally)
        return Interrupted(f"{kept}  Board so far: arena leaderboard {self.progress.name} --out {settings.out}", self.tally)

    def close(self, why: str) -> None:
        """End the run where it is: what is open of its last stage is never played."""
        if self.state is not None:
            self.plan = self.schedule.plan = self.state.closed(self.schedule.plan, why, self.journal)
        self.schedule.outcome = why
        self.progress.total = self.progress.done

    def end_unwritten(self) -> Results:
        """Note that the run is over, and leave the files of results as they were."""
        if self.state is not None:
            self.journal.set_meta({"key": self.plan.key, **self.state.after(self.plan, has_ended=True).values()})
        return Results(self.folder, read_manifest(self.folder), [], self.tally, self.schedule)

    def _todo(self, first: int, last: int) -> Iterator[int]:
        """The indices of the matches of a segment that have to be played, in the order of playing, made one at a time."""
        for index in spread(first, last):
            if not self.done[index] and self.schedule.is_wanted(index):
                yield index

    def _follow(self, last: int) -> None:
        """Take over the stage that was just chosen; a state goes into the journal before the stage is played."""
        self.plan = self.schedule.plan
        if self.state is not None and self.state != (state := self.state.after(self.plan)):
            self.state = state
            self.journal.set_meta(state.values())
        self.done.extend(bytes(max(0, last - len(self.done))))
        self.progress.total = self.schedule.total() or self.progress.total

    def finish(self, *, is_finished: bool) -> Results:
        """Write matches, actions, ratings, their history and manifest from the journal's rows in plan order."""
        if self.state is not None and self.steering is not None:  # first of all: a key that is published is never used again
            self.journal.set_meta({"key": self.plan.key, **self.state.after(self.plan, has_ended=is_finished).values()})
            unpublish(self.folder)
        tell = self._luck_told()
        manifest, ratings = self.writing.write(self.plan, self.schedule, self.progress, tell, is_finished=is_finished)
        if is_finished:
            self.journal.index_ids()
        if self.state is not None:
            self.journal.set_meta({"key": self.plan.key, **self.state.after(self.plan, has_ended=is_finished).values()})
        if self.steering is not None and is_finished:
            publish(self.folder, manifest)
        return Results(self.folder, manifest, ratings, self.tally, self.schedule)

    def _luck_told(self) -> Callable[[int], None]:
        """Shows how much of the luck is worked out, from now on."""
        began, progress = time.monotonic(), self.progress

        def tell(done: int) -> None:
            progress.weighed, progress.weighing_seconds = done, time.monotonic() - began
            self.reporter.progress(progress)

        return tell

    def enter_hall(self, out: Path, *, is_lasting: bool) -> None:
        """Add what is finished to the hall of all tournaments; what has a state goes on, and would count again and again."""
        if self.state is not None or not is_lasting:
            return
        try:
            is_new = add_to_hall(out / HALL, self.folder, is_ours=True) is not None
        except StoreError as error:  # the tournament is over all the same
            self.reporter.say(f"warning: not added to the hall: {error}")
            return
        if is_new:
            self.reporter.say(f"its matches are in the hall of all tournaments now: arena leaderboard {HALL} --out {out}")

    def _driver(self, settings: Settings, opened: ExitStack) -> Driver:
        bots = {bot.files.sha256: bot.files for bot in self.tournament.bots}
        is_elsewhere = settings.address is not None  # a cluster's nodes compile for themselves
        needs = {} if is_elsewhere else needs_of(self.plan, bots, with_luck=self._wants_luck)
        if not self.plan.format.IS_STAGED:
            left = self._games_left()
            needs = {game: parts for game, parts in needs.items() if game in left}
        compiling = Compiling(needs, self.reporter.say, {jit.RATINGS: "arena.ratings"})
        self._compiling = opened.enter_context(compiling)
        if len(needs) > 1 and not compiling.is_over:
            self.reporter.say("each game is played as soon as it is compiled")
        self._playing_since = time.monotonic()
        self._tick()  # the backend takes its time, too
        least = least_isolation(self.tournament, unsafe_trust_bots=settings.unsafe_trust_bots)
        job = settings.job(self.plan.without_stages(), bots, least=least, isolation=settings.isolation)
        backend = opened.enter_context(_backend(job, settings, self.reporter.say))
        patience = _PATIENCE_SECONDS + max(entry.seats for entry in self.plan.entries) * most_seconds(self.plan.clock)
        gate = OpenGate(backend.compile) if is_elsewhere else CompilingGate(compiling, backend.compile)
        return Driver(backend, self._keep, self._keep_void, self._tick, patience, self.tally, gate, self._game_of)

    @property
    def _wants_luck(self) -> bool:
        return bool(self.tournament.ratings.luck) or self.plan.format.uses_luck

    def _games_left(self) -> set[str]:
        """The games of a plan that is known from the start that have matches to play."""
        left: set[str] = set()
        games_in_all = {entry.game for entry in self.plan.entries}
        for index in self._todo(0, len(self.plan)):
            left.add(self._game_of(index))
            if left == games_in_all:
                break
        return left

    def _game_of(self, index: int) -> str:
        """The game of match `index`."""
        return self.plan.entries[self.plan.entry_of(index)].game

    def _keep(self, chunk: Chunk, earlier: Mapping[int, Sequence[Failure]]) -> None:
        finished = chunk.finished
        if self.steering is not None:
            for place, seconds in chunk.slept.items():
                bot = self.plan.contestants[place]
                self.steering.slept((bot.name, bot.version), seconds)
        if earlier:
            finished = packed(_after(earlier.get(record.index, ()), record) for record in finished.records)
        self._store(finished)

    def _keep_void(self, index: int, attempts: int, reason: str) -> None:
        setup = self.plan.setup(index)
        self._store(packed([void(games.load(setup.game), setup, attempts, reason)]))

    def _store(self, finished: Finished) -> None:
        """Store matches in the journal, with what `arena status` shows; those of later segments wait."""
        progress = self.progress
        matches = list(zip(finished.rows, finished.endings))
        if any(row[1] >= self._end for row in finished.rows):
            self._ahead |= {match[0][1]: match for match in matches if match[0][1] >= self._end}
            matches = [match for match in matches if match[0][1] < self._end]
        fresh = {row[1]: endings for row, endings in matches if not self.done[row[1]]}
        score = self.score.plus(fresh.values())
        pace = Pace(total=progress.total, played=progress.played_now + len(fresh), seconds=progress.seconds)
        notes = {**pace.values(), **score.values(), **self._trouble_by_now().values()}
        new = self.journal.add([row for row, _ in matches], notes)
        for row in new:
            self.done[row[1]] = 1
            if self.steering is not None and Ending.HOST not in fresh[row[1]]:
                bots = [self.plan.contestants[place] for place in self.plan.bots(row[1])]
                self.steering.played((bot.name, bot.version) for bot in bots)
        for ending, count in score.endings.items():
            if ending is not Ending.PLAYED and (more := count - self.score.endings.get(ending, 0)):
                progress.endings[ending] += more
        self.score = score
        self.tally.duplicates += len(matches) - len(new)
        progress.done += len(new)
        progress.played_now += len(new)

    def _later(self, last: int) -> Iterator[int]:
        """Matches from index `last` on that can be played before it is decided whether they count; only while we compile."""
        if self._compiling is None or self._compiling.is_over or self.plan.format.IS_STAGED or self.plan.format.MAY_END_EARLY:
            return
        for index in spread(last, min(len(self.plan), last + MOST_AHEAD)):
            if not self.done[index] and index not in self._ahead and self.schedule.is_wanted(index):
                yield index

    def _take_in(self, last: int) -> bool:
        """Begin the segment that ends before `last`: store its matches that were played before it, if they count."""
        self._end = last
        known = [self._ahead.pop(index) for index in sorted(self._ahead) if index < last]
        if wanted := [match for match in known if self.schedule.is_wanted(match[0][1])]:
            self._store(Finished([row for row, _ in wanted], [endings for _, endings in wanted]))
        return bool(wanted)

    def _trouble_by_now(self) -> Trouble:
        before, tally = self.trouble, self.tally
        return Trouble(
            runs=before.runs + 1, lost_chunks=before.lost_chunks + tally.lost_chunks,
            overdue_chunks=before.overdue_chunks + tally.overdue_chunks,
            failed_attempts=before.failed_attempts + tally.failed_attempts, duplicates=before.duplicates + tally.duplicates,
        )  # fmt: skip

    def _tick(self) -> None:
        progress = self.progress
        progress.seconds, progress.ahead = time.monotonic() - self._playing_since, len(self._ahead)
        if self._compiling is not None:
            self._compiling.look()
            progress.compiling = self._compiling.text
            if progress.compiling:
                progress.early, progress.waited = progress.played_now + progress.ahead, progress.seconds
        self.reporter.progress(progress)
        if self.steering is not None and (why := self.steering.end_now()) is not None:
            raise _Closed(why)

    def _pass_checkpoint(self, first: int, last: int, *, is_new: bool) -> None:
        """Decide what comes next, only from the rows up to here, so that workers and resumes cannot change it."""
        retired = len(self.schedule.retired)
        if self._compiling is not None:
            self._compiling.wait_for(jit.RATINGS)
        self._take_luck(first, last)
        for outcome in self.journal.outcomes(first, last):
            self.running.add(outcome)
            self.schedule.add(outcome)
            if self.steering is not None and not outcome.is_void:
                self.steering.played((seat.bot, seat.bot_version) for seat in outcome.seats)
        for news in self.schedule.pass_checkpoint():
            if is_new:
                self.reporter.say(news)
        total = self.schedule.total()
        if total is not None:
            self.progress.total = total
        elif len(self.schedule.retired) > retired:
            self.progress.total = self.done.count(1, 0, last) + self.plan.count_without(self.schedule.retired, last)
        if self.steering is not None:
            if last == len(self.schedule.plan) and (why := self.steering.end_now() or self.steering.end_here()) is not None:
                raise _Closed(why)
        elif is_new or self.schedule.outcome is None:
            self.progress.ratings = self.running.ratings()

    def _take_luck(self, first: int, last: int) -> None:
        """Work out the luck of the matches up to a checkpoint, where it counts for what is decided there."""
        if not self.plan.format.uses_luck:
            return
        assert isinstance(self.schedule, UsesLuck)
        matches = self.done.count(1, first, last)
        with Reckoner(self.plan, available_cpus() if matches >= MATCHES_FOR_ALL else 1) as reckoner:
            lucks = reckoner.reckon(self.journal.records(first, last))
            for outcome, luck in zip(self.journal.outcomes(first, last), lucks, strict=True):
                self.schedule.add_luck(outcome, luck)


def _after(failures: Sequence[Failure], record: MatchRecord) -> MatchRecord:
    """The record with its failed attempts: a seat that the host failed is not reproducible.

    See docs/formats.md, "matches.parquet".

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


def set_aside(folder: Path, reporter: Reporter) -> None:
    """Move earlier results into a folder beside this one. Nothing is ever deleted."""
    old = [path for path in folder.iterdir() if path.name != "lock"]
    if not old:
        return
    number = 1
    while (aside := folder.with_name(f"{folder.name}.{number}")).exists():
        number += 1
    aside.mkdir()
    for path in old:
        path.rename(aside / path.name)
    reporter.say(f"earlier results were set aside in {aside}")
