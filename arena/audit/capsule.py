"""One decision of a stored match as one seat saw it, and a bot brought to it again: evidence for its author.

The match is played again by its own log: every seat repeats what it did, and the seat in question stops at the decision. With
a bot in that seat, the bot is asked at each of its decisions with the same views, but the log decides what is played.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.audit.stored_log import check_log, checked_options
from arena.engine.options import OptionValue
from arena.engine.room import Document, Game
from arena.errors import ConfigError
from arena.match import Answer, Fault, MatchSetup, Player, Seat, play
from arena.records import Clock, Ending, FaultRecord, MatchRecord, json_object
from arena.seeds import match_seeds

FORMAT = 1
AT_START = -1


class Capsule(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a bot's author needs to reproduce one decision, and nothing that the seat could not know."""

    format: int = FORMAT
    tournament: str
    match_id: str
    game: str
    rules_version: int
    options: dict[str, OptionValue]
    """All rule options, resolved."""
    seats: int
    seat: int
    bot: str
    bot_version: int
    bot_sha256: str
    params: msgspec.Raw
    seed: str
    """The seed of the bot's own generator; hex."""
    clock: Clock
    decision: int
    """The decision's index in the action log; -1: the start of the match."""
    ending: Ending | None
    """The kind of the fault; None: the bot made this decision without one."""
    reason: str
    output: str
    """The end of what the bot printed."""
    exit: str
    """How its process ended."""
    played: str | None
    """The action in the log; where the bot failed, that of the fallback."""
    legal: list[str]
    events: list[tuple[int, str]]
    """What the seat learned since its last decision."""
    position: Document | None
    """The masked position; None at the start, where there is none."""
    view: str | None
    """The masked position in words."""


@dataclass
class Rerun:
    """What a bot did when it was put before a decision again."""

    asked: int = 0
    """How many earlier decisions the bot was asked for."""
    differing: list[tuple[int, str, str]] = field(default_factory=list)
    """The earlier decisions that it took differently: index in the log, action then, action now."""
    reached: bool = False
    """Whether the bot came to the decision; if not, `fault` says why."""
    action: object = None
    is_legal: bool = False
    cpu_seconds: float = 0.0
    fault: Fault | None = None
    output: str = ""
    """The end of what the bot printed."""


def setup_of(record: MatchRecord, key: bytes, clock: Clock) -> MatchSetup:
    """The setup of a stored match. `key`: the key of its deals."""
    seeds = match_seeds(key, record.match_id, record.game, len(record.seats), record.options, record.deal)
    return MatchSetup(
        index=record.index, match_id=record.match_id, game=record.game, pool=record.pool,
        options=json_object(record.options), deal=record.deal, rotation=record.rotation,
        players=tuple(Player(row.bot, row.bot_sha256, row.params, row.bot_version) for row in record.seats),
        deal_seed=seeds.deal, bot_seeds=seeds.bots, fallback_seeds=seeds.fallbacks, clock=clock,
    )  # fmt: skip


def first_fault(record: MatchRecord, seat: int) -> FaultRecord:
    """The first fault of a seat. Raises ConfigError if the seat made none."""
    for fault in record.faults:
        if fault.seat == seat:
            return fault
    row = record.seats[seat]
    if row.fault_decision is None:
        raise ConfigError(
            f"seat {seat} ({row.bot}) made no fault in match {record.match_id}; choose one of its decisions with --decision "
            f"(`arena replay {record.match_id}` numbers them)"
        )
    return FaultRecord(seat=seat, decision=row.fault_decision, ending=row.ending, reason="")


def pack(game: Game, record: MatchRecord, setup: MatchSetup, tournament: str, seat: int, fault: FaultRecord | int) -> Capsule:
    """The capsule of a fault or of any decision of the seat. Raises ConfigError if the seat made no such decision."""
    decision = fault if isinstance(fault, int) else fault.decision
    failed = None if isinstance(fault, int) else fault
    view, played = None, None
    if decision != AT_START:
        own = _replayed(game, record, setup, seat, decision, None)
        assert own.view is not None
        view, played = own.view, own.view.legal[own.view.codes.index(record.actions[decision])]
    row = record.seats[seat]
    json_object(row.params)  # it is written as it stands
    return Capsule(
        tournament=tournament, match_id=record.match_id, game=record.game, rules_version=record.rules_version,
        options=setup.options, seats=len(record.seats), seat=seat, bot=row.bot, bot_version=row.bot_version,
        bot_sha256=row.bot_sha256, params=msgspec.Raw(row.params.encode()), seed=f"{setup.bot_seeds[seat]:x}",
        clock=setup.clock, decision=decision, ending=None if failed is None else failed.ending,
        reason="" if failed is None else failed.reason.partition("\nit printed: ")[0],
        output="" if failed is None else failed.output, exit="" if failed is None else failed.exit, played=played,
        legal=[] if view is None else view.legal, events=[] if view is None else view.events,
        position=None if view is None else view.position, view=None if view is None else str(view),
    )  # fmt: skip


def bring_back(game: Game, record: MatchRecord, setup: MatchSetup, seat: int, decision: int, bot: Seat) -> Rerun:
    """Put a bot before a decision again, or before its start (-1). The caller closes `bot`. Raises HostTrouble."""
    return _replayed(game, record, setup, seat, decision, bot).rerun


class _ReachedDecision(Exception):
    """Raised at the decision in question: nothing after it is played."""


class _LeftTheLog(Exception):
    """Raised when the fallback plays for the bot in question since its fault, and the others cannot repeat what they did."""


def _replayed(
    game: Game, record: MatchRecord, setup: MatchSetup, seat: int, decision: int, bot: Seat | None
) -> "_QuestionedSeat":
    setup = msgspec.structs.replace(setup, options=checked_options(game, record))
    check_log(game, record, setup.options, setup.deal_seed)
    logs = _own_decisions(game, record, setup)
    if decision != AT_START and all(choice.index != decision for choice in logs[seat]):
        raise ConfigError(
            f"decision {decision} of match {record.match_id} is none of seat {seat}; "
            f"`arena replay {record.match_id}` numbers them"
        )
    questioned = _QuestionedSeat(logs[seat], game.ms_per_tick(setup.options), decision, bot)
    seats: list[Seat] = [
        questioned if place == seat else _LoggedSeat(log, game.ms_per_tick(setup.options)) for place, log in enumerate(logs)
    ]
    try:
        played = play(game, setup, seats)
    except _ReachedDecision:
        return questioned
    except _LeftTheLog:
        late = f"used more CPU time than its clock gives, before decision {decision}"
        questioned.rerun.fault = questioned.failed or Fault(Ending.TIMEOUT, late)
        return questioned
    faults = [fault for fault in played.faults if fault.seat == seat]  # before the decision: a clock, or the start
    if faults:
        questioned.rerun.fault = Fault(faults[0].ending, faults[0].reason, faults[0].output, faults[0].exit)
    return questioned


@dataclass(frozen=True)
class _Choice:
    """A decision in the action log."""

    index: int
    code: int
    is_forced: bool
    delay: int
    """The ticks that the decision took, in games that measure thinking time."""


def _own_decisions(game: Game, record: MatchRecord, setup: MatchSetup) -> list[list[_Choice]]:
    """The decisions of the action log, by seat."""
    logs: list[list[_Choice]] = [[] for _ in record.seats]
    states = game.deal(len(record.seats), setup.options, setup.deal_seed)
    delays = record.delays or (0,) * len(record.actions)
    timed = game.timed_log(record.actions, record.delays)
    for index, (code, action) in enumerate(zip(record.actions, timed)):
        mover = int(game.engine.current_seat(states))
        logs[mover].append(_Choice(index, code, len(game.legal_list(states)) == 1, delays[index]))
        game.engine.advance(states, action)
    return logs


class _LoggedSeat:
    """A seat that repeats its decisions from the action log; implements match.Seat."""

    isolation = "none"

    def __init__(self, log: Sequence[_Choice], ms_per_tick: int | None) -> None:
        self.wants_forced = False
        self._log = iter(log)
        self._ms_per_tick = ms_per_tick or 0
        self.view: View | None = None

    def start(self, info: StartInfo) -> Fault | None:
        """Do nothing: a replay starts no bot."""
        return None

    def ask(self, view: View) -> None:
        """Keep the view, so that the capsule can have it."""
        self.view = view

    def answer(self) -> Answer | Fault:
        """The next decision of the log, with the delay that it had."""
        return self._logged(self._next(), 0.0)

    def end(self, result: EndInfo) -> None:
        """Do nothing: there is no bot to tell the result to."""

    def _next(self) -> _Choice:
        for choice in self._log:
            if self.wants_forced or not choice.is_forced:
                return choice
        raise _LeftTheLog

    def _logged(self, choice: _Choice, cpu_seconds: float) -> Answer:
        assert self.view is not None
        if self._ms_per_tick:
            cpu_seconds = (choice.delay + 0.5) * self._ms_per_tick / 1000
        codes = list(self.view.codes)
        if choice.code not in codes:
            raise _LeftTheLog
        return Answer(codes.index(choice.code), cpu_seconds, 0.0)


class _QuestionedSeat(_LoggedSeat):
    """A seat that repeats its decisions up to the one in question, while a bot is asked at each of them too."""

    def __init__(self, log: Sequence[_Choice], ms_per_tick: int | None, decision: int, bot: Seat | None) -> None:
        super().__init__(log, ms_per_tick)
        self.rerun = Rerun()
        self.failed: Fault | None = None
        """How the bot failed before the decision, where it said so itself; a clock is the referee's."""
        self._decision = decision
        self._bot = bot

    def start(self, info: StartInfo) -> Fault | None:
        """Start the bot; where that was the decision, all is known then."""
        if self._bot is None:
            return None
        fault = self._bot.start(info)
        self.wants_forced = self._bot.wants_forced
        if self._decision == AT_START:
            self.rerun.reached, self.rerun.fault = True, fault
            self.rerun.output = "" if fault is None else fault.output
            raise _ReachedDecision
        self.failed = fault
        return fault

    def ask(self, view: View) -> None:
        """Show the view to the bot too."""
        self.view = view
        if self._bot is not None:
            self._bot.ask(view)

    def answer(self) -> Answer | Fault:
        """The decision of the log, until the one in question; a bot that fails earlier ends the match."""
        choice = self._next()
        found = None if self._bot is None else self._bot.answer()
        if choice.index == self._decision:
            self._note(found)
            raise _ReachedDecision
        if isinstance(found, Fault):
            self.failed = found
            return found
        if found is None:
            return self._logged(choice, 0.0)
        assert self.view is not None
        self.rerun.asked += 1
        then, now = self.view.legal[list(self.view.codes).index(choice.code)], _as_text(self.view, found.action)
        if then != now:
            self.rerun.differing.append((choice.index, then, now))
        return self._logged(choice, found.cpu_seconds)

    def _note(self, found: Answer | Fault | None) -> None:
        self.rerun.reached = True
        if isinstance(found, Fault):
            self.rerun.fault, self.rerun.output = found, found.output
        elif found is not None:
            assert self.view is not None
            self.rerun.action = _as_text(self.view, found.action)
            self.rerun.is_legal = self.rerun.action in self.view.legal
            self.rerun.cpu_seconds, self.rerun.output = found.cpu_seconds, found.output()


def _as_text(view: View, action: object) -> str:
    """An answer as text; an index stands for the legal action at that position."""
    if type(action) is int and 0 <= action < len(view.legal):
        return view.legal[action]
    return action if type(action) is str else repr(action)[:60]
