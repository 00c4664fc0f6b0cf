"""What a bot noted and printed in a stored match. Nothing of it is stored: the match is played again by its log for it.

The bot is put before each of its decisions as it was in the match, locked in and with its seeds; what it answers is compared
with the log and changes nothing. Where it answers otherwise, what it says is no longer what it said then, and is marked so.
"""

import contextlib
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from arena import games
from arena.agent import BotFiles, EndInfo, StartInfo, unpacked
from arena.agent.loading import is_house_bot
from arena.agent.submissions import Submissions
from arena.agent.view import Note, Notes, View
from arena.audit.capsule import AT_START, match_settings, setup_of
from arena.audit.choices import house_files
from arena.audit.match_audit import LoggedChoice, LoggedSeat, own_decisions
from arena.audit.model_calls import calls_of, told_calls
from arena.engine.game import Game
from arena.errors import ArenaError, ConfigError, StoreError, printable, without_output
from arena.match import Answer, Fault, HostTrouble, MatchSetup, Seat, play
from arena.match.holder import Holder
from arena.match.in_process import InProcessSeat
from arena.match.log import check_log, checked_options
from arena.match.model_seat import ISOLATION as MODEL
from arena.match.model_seat import ModelSeat
from arena.match.sandbox import HeldSeat
from arena.match.single_match import REMOTE_CLOCK, TABLE_CLOCK, UNHURRIED
from arena.records import Clock, Ending, MatchRecord, json_object
from arena.results.people import REMOTE
from arena.tournament.archive.finding import is_of_people, locate_match, with_faults
from arena.tournament.workers.compiling import needs_at, warm_games

ListenedSeat = InProcessSeat | HeldSeat
"""A seat whose bot can note and print something."""
MOST_LETTERS = 1 << 20
"""How many letters a bot may note and print in a match; then no more is collected."""
_REASON_LETTERS = 4096
_FAULTS_KNOWN = 8  # of a seat, as the referee keeps them: what came after that is not known


class DecisionNotes(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot said at one decision."""

    decision: int
    """The decision, by its number in `arena replay`."""
    notes: list[Note] = []
    is_cut: bool = False
    """Whether it noted more than 1 KB: the rest is left out."""
    is_odd: bool = False
    """Whether it noted something that is no text, or no finite number, which is left out."""
    output: str = ""
    """What it printed since its decision before this one."""
    now: str | None = None
    """What it answered now, if that is not what it answered in the match; None: the same."""


class Begun(msgspec.Struct, frozen=True, kw_only=True, tag="begun"):
    """The match begins, with nothing heard yet; said again if it has to begin anew."""

    decisions: int
    """How many decisions the seat had."""


class Heard(msgspec.Struct, frozen=True, kw_only=True, tag="heard"):
    """The bot has answered once more."""

    asked: int
    """How many decisions it has answered."""
    said: DecisionNotes | None
    """What it said; None: nothing."""


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """There is no more to hear."""

    fault: str = ""
    """Why the bot was asked no more before its last decision; empty: it was asked to the end, or failed as in the match."""
    is_timed: bool = False
    """Whether it searched with a time budget: then it cannot repeat itself."""
    is_full: bool = False
    """Whether it said more than is collected in a match."""
    first_output: str = ""
    """What it printed before its first decision."""
    last_output: str = ""
    """What it printed after its last decision."""


Report = Begun | Heard | Ended


class MatchNotes(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot noted and printed in a match."""

    match_id: str
    seat: int
    bot: str
    decisions: int
    """How many decisions the seat had."""
    asked: int
    """How many of them the bot was put before."""
    said: list[DecisionNotes]
    """The decisions at which it said something, or answered otherwise than in the match."""
    ended: Ended

    @property
    def differs_from(self) -> int | None:
        """The first decision at which the bot answered otherwise than in the match; None: it repeated itself."""
        return next((one.decision for one in self.said if one.now is not None), None)


class NoStoredCode(ArenaError):
    """Raised for a seat that nobody can put before its decisions again: a person's, or of a bot whose files are not here."""


def notes_of(
    results: Path, match_id: str, seat: int, *, hear: Callable[[Report], object] = lambda report: None,
    say: Callable[[str], None] = lambda text: None, unsafe_trust_bots: bool = False,
) -> MatchNotes:  # fmt: skip
    """Play a stored match again and collect what the bot of a seat notes and prints. `hear` is told of it as it goes on.

    Of a language model, which is not asked again, it is what it was asked and answered, in place of what it printed.

    Raises NoStoredCode, ConfigError for a seat that there is not, StoreError for a damaged match, ArenaError if the machine
    failed or cannot lock the bot in.
    """
    folder, record, key = locate_match(results, match_id)
    if not 0 <= seat < len(record.seats):
        raise ConfigError(f"a seat from 0 to {len(record.seats) - 1}, not {seat}")
    row = record.seats[seat]
    if row.isolation == MODEL:
        return _of_model(folder, record, seat, hear)
    files = stored_files(results, row.bot_sha256)
    if files is None:
        raise NoStoredCode(f"seat {seat} of match {record.match_id} ({printable(row.bot, 80)}): notes are not there for seats "
                           "that were not played by code that is stored here")  # fmt: skip
    record = with_faults(record, folder)
    _, clock, limits = match_settings(folder, record)
    if is_of_people(record):
        clock = REMOTE_CLOCK if record.pool.startswith(f"{REMOTE}/") else TABLE_CLOCK
    game, params = games.load(record.game), json_object(row.params)
    if game.version != record.rules_version:
        raise StoreError(f"match {record.match_id}: played by other rules of {record.game} than those here")
    warm_games(needs_at(record.game, [(files, params)]), say)
    listening = _Listening(hear)
    with Holder([record.game], limits=limits) as holder:
        is_trusted = bool(holder.not_locked) and (unsafe_trust_bots or is_house_bot(files))
        if holder.not_locked and not is_trusted:
            raise ArenaError(f"this machine cannot lock the bot in ({holder.not_locked})")

        def heard() -> None:
            with holder.seat(files, setup.bot_seeds[seat], params, is_trusted=is_trusted) as bot:
                assert not isinstance(bot, ModelSeat), "stored_files finds none"
                collect(game, record, setup, seat, bot, listening)

        setup = setup_of(record, key, clock)
        try:
            holder.play(heard, say)
        except HostTrouble as trouble:
            raise ArenaError(f"the machine failed, not the bot: {trouble}; try again when it is idle") from None
    return listening.found(record, seat)


def _of_model(folder: Path, record: MatchRecord, seat: int, hear: Callable[[Report], object]) -> MatchNotes:
    """What the language model of a seat was asked and answered."""
    listening, letters = _Listening(hear), 0
    calls = calls_of(folder, record, seat)
    listening(Begun(decisions=len({call.decision for call in calls})))
    for asked, (decision, text) in enumerate(told_calls(folder, calls), 1):
        left = max(0, MOST_LETTERS - letters)
        letters += len(text)
        listening(Heard(asked=asked, said=DecisionNotes(decision=decision, output=text[:left])))
    listening(Ended(is_full=letters > MOST_LETTERS))
    return listening.found(record, seat)


def stored_files(results: Path, sha256: str) -> BotFiles | None:
    """The files with this content hash: a house bot's, submitted ones, or of one that played here; None: they are gone.

    Also None for a language model, which has no code, and would be asked anew.
    """
    found = house_files(sha256) or Submissions(results).of_content(sha256) or unpacked(sha256)
    return None if found is not None and found.model is not None else found


def collect(
    game: Game, record: MatchRecord, setup: MatchSetup, seat: int, bot: ListenedSeat, listening: Callable[[Report], object]
) -> None:
    """Play a match again with a bot put before the decisions of a seat, and report what it says. The caller closes `bot`.

    `record`: with its faults. Raises HostTrouble, NotCompiled, and StoreError for a log that the rules do not allow.
    """
    clock = setup.clock
    setup = msgspec.structs.replace(setup, options=checked_options(game, record), clock=UNHURRIED)
    check_log(game, record, setup.options, setup.deal_seed)
    logs = own_decisions(game, record, setup)
    ms_per_tick = game.ms_per_tick(setup.options)
    listening(Begun(decisions=len(logs[seat])))
    asked = _AskedSeat(bot, logs[seat], ms_per_tick, record, seat, clock, listening)
    seats: list[Seat] = [asked if place == seat else LoggedSeat(log, ms_per_tick) for place, log in enumerate(logs)]
    with contextlib.suppress(_HeardEnough):
        play(game, setup, seats, observer=asked.count)
    listening(asked.ended())


class _Listening:
    """Puts reports together; passes them on."""

    def __init__(self, hear: Callable[[Report], object]) -> None:
        self._hear = hear
        self._decisions = self._asked = 0
        self._said: list[DecisionNotes] = []
        self._ended = Ended()

    def __call__(self, report: Report) -> None:
        if isinstance(report, Begun):
            self._decisions, self._asked, self._said = report.decisions, 0, []
        elif isinstance(report, Heard):
            self._asked = report.asked
            if report.said is not None:
                self._said.append(report.said)
        else:
            self._ended = report
        self._hear(report)

    def found(self, record: MatchRecord, seat: int) -> MatchNotes:
        return MatchNotes(
            match_id=record.match_id, seat=seat, bot=record.seats[seat].bot, decisions=self._decisions, asked=self._asked,
            said=self._said, ended=self._ended,
        )  # fmt: skip


class _HeardEnough(Exception):
    """Raised when the bot is asked no more: what follows would tell nothing about it."""


class _AskedSeat(LoggedSeat):
    """A seat that plays by the log, and puts a bot before each decision; implements match.Seat."""

    def __init__(
        self, bot: ListenedSeat, log: Sequence[LoggedChoice], ms_per_tick: int | None, record: MatchRecord, seat: int,
        clock: Clock, hear: Callable[[Report], object],
    ) -> None:  # fmt: skip
        super().__init__(log, ms_per_tick)
        self.wants_forced = False
        self._bot, self._clock, self._bank, self._hear = bot, clock, clock.bank, hear
        self._choices = list(log)
        self._row = record.seats[seat]
        self._result = EndInfo([row.place for row in record.seats], [row.score for row in record.seats])
        self._faults = {fault.decision for fault in record.faults if fault.seat == seat}
        if self._row.fault_decision is not None:
            self._faults.add(self._row.fault_decision)
        is_known = len(self._faults) < _FAULTS_KNOWN and self._row.ending.blame != "bot"
        self._last = None if is_known or not self._faults else max(self._faults)  # the decision after which nobody asked it
        self._next = 0  # of the choices
        self._played = 0  # actions, all seats'
        self._asked = 0
        self._letters = 0
        self._codes: list[int] = []
        self._legal: list[str] = []
        self._printed = io.StringIO()
        self._fault = ""
        self._first_output = self._last_output = ""
        self._is_timed = self._is_full = False

    def count(self, action: int) -> None:
        """An action was played: the match is one decision further."""
        self._played += 1

    def start(self, info: StartInfo) -> Fault | None:
        """Start the bot. Raises _HeardEnough if that is all that it did, HostTrouble, and NotCompiled."""
        self._bot.listen()
        with self._printing():
            fault = self._bot.start(msgspec.structs.replace(info, clock=self._clock))
        self.wants_forced = self._bot.wants_forced
        self._first_output = self._output()
        if fault is not None:
            self._take(fault, AT_START)
        if fault is not None or self._last == AT_START:
            raise _HeardEnough
        return None

    def ask(self, view: View) -> None:
        """Put the decision to the bot. Raises _HeardEnough where the match had no more faults to wait for."""
        while self._choices[self._next].index < self._played:  # forced ones, for which it is not asked
            self._next += 1
        self._codes, self._legal = list(view.codes), list(view.legal)  # the view is the bot's to change
        view.clock = Clock(self._clock.move, self._bank, self._clock.start)
        self._bot.ask(view)

    def answer(self) -> Answer | Fault:
        """Return what the log has; what the bot says is reported. Raises HostTrouble and NotCompiled."""
        choice = self._choices[self._next]
        self._next += 1
        with self._printing():
            found = self._bot.answer()
        self._asked += 1
        now = self._judged(found, choice)
        said = self._said(choice.index, now)
        self._hear(Heard(asked=self._asked, said=said))
        if self._fault or self._is_full or choice.index == self._last:
            raise _HeardEnough
        return self._as_logged(self._codes, choice)

    def end(self, result: EndInfo) -> None:
        """Tell the bot the result that the match had."""
        with self._printing():
            self._bot.end(self._result)
        self._last_output = self._output()

    def ended(self) -> Ended:
        """The last report."""
        return Ended(
            fault=self._fault, is_timed=self._is_timed, is_full=self._is_full, first_output=self._first_output,
            last_output=self._last_output,
        )  # fmt: skip

    def _judged(self, found: Answer | Fault, choice: LoggedChoice) -> str | None:
        """Return what the bot answered, if that is not what it did in the match. Raises HostTrouble."""
        failed_then = choice.index in self._faults
        if isinstance(found, Answer):
            self._is_timed |= found.is_timed
            limit = self._clock.move + self._bank
            self._bank = min(self._bank, max(0.0, limit - found.cpu_seconds))
            if found.cpu_seconds > limit:
                found = Fault(Ending.TIMEOUT, f"used {found.cpu_seconds:.3f} s of CPU time, {limit:.3f} s were left")
        if isinstance(found, Fault):
            self._take(found, choice.index)
            return None if failed_then else f"({found.ending})"
        action = found.action
        now = self._legal[action] if type(action) is int and 0 <= action < len(self._legal) else str(action)
        is_same = now not in self._legal if failed_then else now == self._legal[self._codes.index(choice.code)]
        return None if is_same else printable(now, 200)

    def _take(self, fault: Fault, decision: int) -> None:
        """Take note of a fault, unless the match had it too. Raises HostTrouble."""
        if fault.ending is Ending.HOST:
            raise HostTrouble(self._row.unit, fault.reason, starved=fault.starved)
        if decision not in self._faults:
            self._fault = printable(without_output(fault.reason), _REASON_LETTERS)

    def _said(self, decision: int, now: str | None) -> DecisionNotes | None:
        notes, output = self._bot.take_notes(), self._output()
        taken = self._room_for(notes)
        if not (taken or notes.is_cut or notes.is_odd or output or now is not None):
            return None
        return DecisionNotes(
            decision=decision, notes=taken, is_cut=notes.is_cut, is_odd=notes.is_odd, output=output, now=now
        )  # fmt: skip

    def _room_for(self, notes: Notes) -> list[Note]:
        taken = [Note(printable(note.text, len(note.text)), note.value) for note in notes.taken]
        self._letters += sum(len(note.text) + 8 for note in taken)
        self._is_full |= self._letters > MOST_LETTERS
        return taken

    def _output(self) -> str:
        """Return what the bot has printed since the last look, such that it can be shown."""
        if isinstance(self._bot, InProcessSeat):
            printed, self._printed = self._printed.getvalue(), io.StringIO()
        else:
            printed = self._bot.take_output()
        left = max(0, MOST_LETTERS - self._letters)
        self._letters += len(printed)
        self._is_full |= self._letters > MOST_LETTERS
        return printable(printed, left).rstrip("\n")

    @contextlib.contextmanager
    def _printing(self) -> Iterator[None]:
        """Keep what a bot in this process prints."""
        if not isinstance(self._bot, InProcessSeat):
            yield
            return
        with contextlib.redirect_stdout(self._printed), contextlib.redirect_stderr(self._printed):
            yield
