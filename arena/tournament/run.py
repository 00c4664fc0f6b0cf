"""A tournament on one page: plan, play, decide, write. START READING HERE.

    plan      config -> Planned       who plays what with whom, by which seeds                      planning.py
    play      schedule -> Played      every match, on workers, into the journal at once             playing.py
    decide    rows -> Decided         ratings and how sure they are                                 deciding.py
    write     Decided -> Results      the files of the folder                                       writing.py

The same call goes on where an earlier one stopped. What is written at the end is a pure function of the journal's rows in plan
order, whoever played them, when, and on how many workers. An `Observer` hears how it goes on, and may end the run of a ladder.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.engine import jit
from arena.errors import ArenaError, StoreError
from arena.results.journal import Journal
from arena.results.lock import FolderLock
from arena.results.manifest import publish, read_manifest, unpublish
from arena.results.status import Command
from arena.tournament.archive.adding import add_to_archive
from arena.tournament.archive.folder import ARCHIVE
from arena.tournament.config import Tournament, read_config
from arena.tournament.deciding import decide, rated_rows, weights_of
from arena.tournament.memory import check_memory
from arena.tournament.models import check_can_ask
from arena.tournament.planning import Planned, announcement, plan, resumed
from arena.tournament.playing import Played, play
from arena.tournament.session import Interrupted, Observer, Results, Settings, check_settings
from arena.tournament.writing import unrated_bots, write, write_beginning, write_rows


def run_tournament(
    config: Path | str | Tournament, settings: Settings = Settings(), observer: Observer | None = None
) -> Results:
    """Play a tournament, or what is left of it, and write its folder. Raises ArenaError for every mistake of the user."""
    observer = observer or Observer()
    check_settings(settings)
    tournament = config if isinstance(config, Tournament) else read_config(Path(config), settings.out)
    check_memory(tournament, settings, observer.say)
    check_can_ask(
        tournament.bots, tournament.llm, is_offline=settings.offline is not None, is_cluster=settings.address is not None
    )  # fmt: skip
    planned = plan(tournament, settings, observer.say)
    with opened(planned.folder, settings, observer) as journal:
        planned = resumed(planned, journal)
        journal.set_meta(Command(line=settings.command, folder=str(Path.cwd())).values())
        for text in announcement(planned, journal.count()):
            observer.say(text)
        schedule = planned.schedule()
        write_beginning(planned, schedule, journal)
        played = play(planned, schedule, journal, settings, observer)
        if played.is_interrupted:
            stopped = _interrupted(planned, played, journal, settings, observer)
            if played.why:
                raise ArenaError(f"{played.why}; {stopped}") from None
            raise stopped
        if not observer.is_written(played.progress.done):
            _keep_state(played, journal)
            return Results(planned.folder, read_manifest(planned.folder), [], played.tally, schedule)
        try:
            results = _finish(planned, played, journal, settings, observer)
        except KeyboardInterrupt:
            raise Interrupted(f"{_kept(played, journal)} (The board was not written yet.)", played.tally) from None
        if results.is_void:
            lasts = [note.strip().splitlines()[-1] for note in next(journal.records()).notes if note.strip()]  # of tracebacks
            reason = "; ".join(lasts) or "the host failed"
            observer.say(f"nothing was played: all {results.manifest.void} matches are void; the first, because: {reason}")
        if played.state is None and settings.is_lasting:  # what has a state goes on, and would count again and again
            _archive(planned, settings, observer)
        return results


@contextmanager
def opened(folder: Path, settings: Settings, observer: Observer) -> Iterator[Journal]:
    """The journal of a tournament's folder, in which nobody else can write meanwhile."""
    with FolderLock(folder):
        if settings.fresh:
            set_aside(folder, observer)
        with Journal(folder) as journal:
            for repair in journal.repaired:
                observer.say(f"{journal.path}: {repair}")
            yield journal


def _finish(planned: Planned, played: Played, journal: Journal, settings: Settings, observer: Observer) -> Results:
    """Write the rows, decide what they say, and write that."""
    if settings.never_stops:
        _retire_key(planned, played, journal)
    rows = write_rows(planned, played, journal, observer)
    ratings, whole = planned.tournament.ratings, played.schedule.plan
    with_luck, without = ratings.takes_luck_out and bool(rows.luck), unrated_bots(planned, journal)
    pools = rated_rows(planned.folder, whole, ratings, without=without, with_luck=with_luck)
    decided = decide(pools, ratings, weights_of(whole, ratings), whole.sha256)
    results = write(planned, played, rows, decided, journal)
    if not played.is_interrupted:
        journal.index_ids()
    _keep_state(played, journal)
    if settings.never_stops and not played.is_interrupted:
        publish(planned.folder, results.manifest)
    return results


def _interrupted(
    planned: Planned, played: Played, journal: Journal, settings: Settings, observer: Observer
) -> Interrupted:  # fmt: skip
    """Write the results so far. A second Ctrl-C during this leaves the old files as they are.

    Where the ratings are not compiled there is no board: whoever stops a run does not want to wait for the compiler.
    """
    kept = _kept(played, journal)
    if not jit.is_warm(jit.RATINGS):
        if settings.never_stops:
            _retire_key(planned, played, journal)
        return Interrupted(f"{kept} (No board was written: the ratings are not compiled yet.)", played.tally)
    try:
        _finish(planned, played, journal, settings, observer)
    except KeyboardInterrupt:
        return Interrupted(f"{kept} (Stopped again while the board was written: it has not been made anew.)", played.tally)
    return Interrupted(f"{kept} Board so far: arena leaderboard {planned.name} --out {settings.out}", played.tally)


def _kept(played: Played, journal: Journal) -> str:
    return f"stopped; {journal.count()} of {played.progress.total} matches are kept. The same command goes on."


def _retire_key(planned: Planned, played: Played, journal: Journal) -> None:
    """Make sure, before anything else is written, that a published key is never used again."""
    _keep_state(played, journal)
    unpublish(planned.folder)


def _keep_state(played: Played, journal: Journal) -> None:
    """Store what the format remembers between its runs, now that this one is over."""
    if played.state is not None:
        plan = played.schedule.plan
        journal.set_meta({"key": plan.key, **played.state.after(plan, has_ended=not played.is_interrupted).values()})


def _archive(planned: Planned, settings: Settings, observer: Observer) -> None:
    """Add what is finished to the archive of all tournaments."""
    try:
        is_new = add_to_archive(settings.out / ARCHIVE, planned.folder, is_ours=True) is not None
    except StoreError as error:  # the tournament is over all the same
        observer.say(f"warning: not added to the archive: {error}")
        return
    if is_new:
        observer.say(f"its matches are in the archive of all tournaments now: arena leaderboard {ARCHIVE} --out {settings.out}")


def set_aside(folder: Path, observer: Observer) -> None:
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
    observer.say(f"earlier results were set aside in {aside}")
