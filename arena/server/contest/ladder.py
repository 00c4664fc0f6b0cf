"""`python -m arena.server.contest.ladder`: plays the ladder of a contest, leg after leg, until its input ends.

All that it has to remember lies in the ladder's folder: whenever it is killed, it starts where it was. A leg is a run as
`arena ladder` plays it. A new version or a withdrawn bot ends the leg within seconds, and the next one begins with it.
"""

import datetime
import os
import signal
import sys
import time
import traceback
from collections import defaultdict, deque
from collections.abc import Iterable
from pathlib import Path

from arena.errors import ArenaError, StoreError, one_line, printable
from arena.ratings.rows import Bot as Version
from arena.results.journal import stored_matches
from arena.results.manifest import published_matches
from arena.server.contest.entrants import Entrants
from arena.server.contest.leaders import note_leads
from arena.server.contest.marks import frozen_marks, keep_marks, marks_of, without
from arena.server.contest.messages import Begin, Entered, LadderState, Rated, Said
from arena.server.contest.parent_pipe import LadderPipe
from arena.server.contest.settings import Contest, read_contest
from arena.tournament.config import Bot
from arena.tournament.field import KnownProfiles
from arena.tournament.planning import OtherPlan
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, RAY, Observer, Progress, Settings

DONE, OUR_BUG, FAILED = 0, 1, 2
NICENESS = 10
POLL_SECONDS = 3.0
"""Between two looks at what is submitted, if nobody says that something is new."""
LEAST_SECONDS = 5.0
"""A leg plays so long before a new version ends it: those that come at once begin together."""
STATE_SECONDS = 1.0
"""Between two words about how it goes on."""
LATELY = 10.0
"""Seconds over which the rate is taken."""
PUBLISH_SECONDS = 600.0
"""Between two times at which the results are written, and the keys of what was played are published."""
PUBLISH_SHARE = 20
"""Writing takes at most one part in so many of the time: it is done more rarely where it takes long."""
SHORT_WRITING = 20.0
"""Seconds; if it takes no longer, the results are also written whenever all is settled."""
SLEEP_SECONDS, SLEEP_SHARE = 30.0, 0.05
"""The bots of an owner may sleep for such a share of the time while they are waited for, and for so long at once."""
MOST_TOLD = 1_000
MOST_LETTERS = 200

STOPPED = "the ladder was stopped"
CHANGED = "the field has changed"
FROZEN = "the marks were frozen"
PUBLISHED = "the results were published"


def main() -> int:
    """Play until the input ends; returns the exit code of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the server, which then ends the pipe
    os.nice(NICENESS)
    pipe = LadderPipe()
    try:
        begin = pipe.begin()
        if begin is not None:
            ContestLadder(begin, pipe).run()
        return DONE
    except ArenaError as error:
        pipe.send(LadderState(doing="failed", text=one_line(str(error))))
        return FAILED
    except Exception as error:
        traceback.print_exc()
        pipe.send(LadderState(doing="failed", text=one_line(f"a bug of the arena: {type(error).__name__}: {error}")))
        return OUR_BUG


class ContestLadder(Observer):
    """The ladder of one contest. Observes and steers its legs."""

    def __init__(self, begin: Begin, pipe: LadderPipe) -> None:
        """Read the contest's file. Raises ConfigError, BotError and StoreError."""
        self._pipe = pipe
        self._results = Path(begin.results)
        self._contest: Contest = read_contest(Path(begin.contest), self._results)
        self.folder = self._results / self._contest.name
        self._entrants = Entrants(self._contest, self._results, self.say)
        self.known = KnownProfiles()
        self._settings = Settings(
            out=self._results, backend=LOCAL if begin.address is None else RAY, address=begin.address, workers=begin.workers,
            is_lasting=False, known=self.known, command=f"arena serve {self._results} --contest {begin.contest}",
        )  # fmt: skip
        self._told: deque[str] = deque(maxlen=MOST_TOLD)
        self._leg = _Leg()
        self._entered: set[Version] = set()
        self._has_played: set[Version] = set()
        self._asleep: defaultdict[Version, float] = defaultdict(float)  # seconds in all
        self._sleep: dict[str, tuple[float, float]] = {}  # of each owner: seconds beyond the share, and when they were counted
        self._owners: dict[str, str] = {}
        self._is_frozen = frozen_marks(self.folder) is not None
        self._published = published_matches(self.folder)
        self._published_at, self._writing_seconds = time.monotonic(), 0.0
        self._stored = self._stored_before = stored_matches(self.folder)

    def run(self) -> None:
        """Play leg after leg."""
        self._tell("starting")
        settled: frozenset[Version] | None = None
        while not self._pipe.is_over:
            self._pipe.is_new = False
            bots = self._bots()
            field = frozenset((bot.name, bot.version) for bot in (*self._contest.base.bots, *bots))
            if not self._can_play(bots):
                if self._is_freeze_due():
                    self._freeze()
                self._tell("waiting", "no game has as many bots as seats yet")
            elif field != settled or self._is_freeze_due() or self._is_unpublished():
                self._play(bots, field)
                settled = field if self._leg.is_idle else None
                if self._is_freeze_due():  # the leg is over now, whatever ended it
                    self._freeze()
                continue
            else:
                self._tell("waiting", "every bot is rated well enough; the ladder goes on when somebody submits")
            self._pipe.wait(POLL_SECONDS)
        if self._stored > self._published:  # the server hung up between two legs
            bots = self._bots()
            self._play(bots, frozenset((bot.name, bot.version) for bot in (*self._contest.base.bots, *bots)))

    # What the run of a leg asks and tells ------------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Hand a line on to the organiser; what every leg says again is told once."""
        shown = printable(text, MOST_LETTERS)  # some lines name all bots
        if shown not in self._told:
            self._told.append(shown)
            self._pipe.send(Said(text=shown))

    def progress(self, progress: Progress) -> None:
        """Tell now and then how it goes on."""
        now = time.monotonic()
        self._stored = progress.done
        if now - self._leg.told >= STATE_SECONDS:
            self._leg.told = now
            rate = self._leg.rate(now, progress.done)
            if progress.compiling:
                self._tell("compiling", progress.compiling, rate)
            else:
                self._tell("playing", f"{len(self._leg.field)} bots", rate)

    def end_now(self) -> str | None:
        """Why the leg ends at once."""
        if self._pipe.is_over:
            self._leg.why = STOPPED
        elif self._is_freeze_due():
            self._leg.why = FROZEN
        elif self._has_changed():
            self._leg.why = CHANGED
        return self._leg.why or None

    def end_here(self) -> str | None:
        """Why the leg ends at a checkpoint."""
        if self._is_unpublished():
            self._leg.why = PUBLISHED
        return self._leg.why or None

    def is_written(self, stored: int) -> bool:
        """Return whether the results are written now that the leg is over."""
        leg = self._leg
        leg.is_idle = not leg.why and stored == self._stored_before
        self._stored = stored
        is_stopped = leg.why in (STOPPED, PUBLISHED) and stored > self._published
        leg.is_written = is_stopped or self._is_unpublished() or (leg.is_idle and self._writing_seconds <= SHORT_WRITING)
        leg.ended = time.monotonic()
        return self._leg.is_written

    def played(self, bots: Iterable[Version]) -> None:
        """Tell of those that have their first rated match."""
        for bot in bots:
            if bot not in self._has_played:
                self._has_played.add(bot)
                if bot in self._entered:
                    self._pipe.send(Rated(bot=bot[0], version=bot[1]))

    def slept(self, bot: Version, seconds: float) -> None:
        """Leave a bot out from now on that makes its matches slow: the others play on without it.

        If all bots of an owner together are too slow, it is the one that has slept most.
        """
        owner, now = self._owners.get(bot[0], bot[0]), time.monotonic()
        seconds_before, then = self._sleep.get(owner, (0.0, now))
        beyond = max(0.0, seconds_before - SLEEP_SHARE * (now - then)) + seconds
        self._asleep[bot] += seconds
        if beyond > SLEEP_SECONDS and bot not in self._entrants.left_out:
            theirs = [one for one in self._asleep if self._owners.get(one[0], one[0]) == owner]
            slowest = max(set(theirs) - self._entrants.left_out, key=lambda one: self._asleep[one])
            beyond -= self._asleep[slowest]
            self._leave_out(slowest)
        self._sleep[owner] = max(0.0, beyond), now

    def _leave_out(self, bot: Version) -> None:
        asleep = self._asleep[bot]
        self._entrants.leave_out(bot, asleep)
        self._leg.mark = None  # another field
        self._pipe.is_new = True
        self.say(
            f"{bot[0]}@{bot[1]} is left out: too slow to take part. It slept for {asleep:.0f} s while others waited for it; "
            f"its next version takes part again"
        )

    # Legs --------------------------------------------------------------------------------------------------------------------

    def _play(self, bots: list[Bot], field: frozenset[Version]) -> None:
        """Play one leg."""
        self._owners = self._entrants.owners()
        tournament = self._contest.tournament(bots, self._owners)
        self.known.declared |= self._entrants.declared
        self._leg = _Leg(field=field, mark=self._entrants.mark())
        for version in sorted(field - self._entered):
            self._pipe.send(Entered(bot=version[0], version=version[1]))
            if version in self._has_played:  # it was left out of the legs since then
                self._pipe.send(Rated(bot=version[0], version=version[1]))
        self._entered |= field
        self._stored_before = stored_matches(self.folder)
        try:
            run_tournament(tournament, self._settings, self)
        except OtherPlan as other:
            raise StoreError(
                f'{self.folder}: the contest "{self._contest.name}" was begun with other settings (they differ in '
                f"{other.differing}); its file has to say what it said, or give the contest another `name`: that one begins "
                f"anew, with the same accounts and bots"
            ) from None
        if self._leg.is_written:
            self._published, self._published_at = self._stored, time.monotonic()
            self._writing_seconds = self._published_at - self._leg.ended
            self._note_leads(field)

    def _note_leads(self, field: frozenset[Version]) -> None:
        """Note who leads now. The ladder plays on where that cannot be read or written: it is news, and no result."""
        try:
            for lead in note_leads(self.folder, field):
                self.say(f"{lead.bot}@{lead.version} leads {lead.pool}")
        except StoreError as error:
            self.say(f"who leads cannot be noted: {error}")

    def _can_play(self, bots: list[Bot]) -> bool:
        """Return whether any game has enough bots; who plays it exactly is found out when the leg begins."""
        most = len(self._contest.base.bots) + len({bot.name for bot in bots})
        return any(game.seats <= most for game in self._contest.games)

    def _bots(self) -> list[Bot]:
        """The submitted bots that take part now."""
        return self._entrants.bots()

    def _has_changed(self) -> bool:
        """Return whether the field is another one by now. Asked several times a second; looked at every few seconds."""
        now = time.monotonic()
        if now - self._leg.began < LEAST_SECONDS or not (self._pipe.is_new or now - self._leg.looked >= POLL_SECONDS):
            return False
        self._pipe.is_new, self._leg.looked = False, now
        mark = self._entrants.mark()
        if mark == self._leg.mark:
            return False
        self._leg.mark = mark
        bots = (*self._contest.base.bots, *self._bots())
        return frozenset((bot.name, bot.version) for bot in bots) != self._leg.field

    def _is_unpublished(self) -> bool:
        """Return whether it is time to publish what was played."""
        pause = max(PUBLISH_SECONDS, PUBLISH_SHARE * self._writing_seconds)
        return self._stored > self._published and time.monotonic() - self._published_at >= pause

    # Marks -------------------------------------------------------------------------------------------------------------------

    def _is_freeze_due(self) -> bool:
        if self._is_frozen:
            return False
        moment = self._contest.freeze
        return self._pipe.is_freezing or (moment is not None and datetime.datetime.now(datetime.UTC) >= moment)

    def _freeze(self) -> None:
        """Compute the marks for good, by all matches that are stored: the leg that played them is closed."""
        marks = marks_of(self._contest, self.folder, is_frozen=True)
        keep_marks(self.folder, without(marks, self._entrants.withdrawn()))
        self._is_frozen = True
        self.say(f"the marks of {self._contest.name} are frozen")

    def _tell(self, doing: str, text: str = "", rate: float = 0.0) -> None:
        self._pipe.send(LadderState(doing=doing, text=text, matches=self._stored, rate=rate))


class _Leg:
    """What is known of the leg that is played, or was played last."""

    def __init__(self, *, field: frozenset[Version] = frozenset(), mark: object = None) -> None:
        self.field, self.mark = field, mark
        self.why = ""
        """Why it was ended; empty: it came to its end, or goes on."""
        self.is_written = self.is_idle = False
        self.began = self.looked = time.monotonic()
        self.ended = self.told = 0.0
        self._lately: deque[tuple[float, int]] = deque()

    def rate(self, now: float, stored: int) -> float:
        """Matches per second of late."""
        self._lately.append((now, stored))
        while self._lately[0][0] < now - LATELY:
            self._lately.popleft()
        (since, before) = self._lately[0]
        return (stored - before) / (now - since) if now > since else 0.0


if __name__ == "__main__":
    sys.exit(main())
