"""Capsules: one decision of a stored match as one seat saw it, in a file, and a bot brought to that decision again.

A capsule is evidence for a bot's author. The match is played again by its own log, in which every seat repeats what it did,
and the seat in question takes notes. What comes out holds nothing that the seat could not know, and it is all that it takes
to bring a bot there: it is asked at all earlier decisions before, with the same views.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from arena import userfiles
from arena.agent import StartInfo
from arena.agent.view import View
from arena.audit.match_audit import LoggedChoice, LoggedSeat, own_decisions
from arena.engine.game import Document, Game
from arena.errors import ConfigError, printable, without_output
from arena.match import Answer, Fault, HostTrouble, MatchSetup, Player, Seat, play
from arena.match.log import check_log, checked_options
from arena.match.seeds import match_seeds, repeatable_id
from arena.match.single_match import UNHURRIED
from arena.names import HexBytes, MatchId, Sha256, in_words
from arena.records import DEFAULT_LIMITS, Clock, Ending, FaultRecord, Limits, MatchRecord, json_object
from arena.results.manifest import read_manifest, stored_clock, stored_limits
from arena.results.people import is_of_agent
from arena.tournament.archive.finding import is_of_people

FORMAT = 2
AT_START = -1


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of the seat, as it saw it."""

    index: int
    """The decision's index in the action log."""
    observed: bytes
    """The state as the seat saw it: the bytes of the game's STATE; base64."""
    codes: list[int]
    """The legal actions as codes."""
    events: list[tuple[int, str]]
    """What the seat learned since its decision before this one."""
    played: int
    """The place in `codes` of the action in the log."""


class Capsule(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a bot's author needs to reproduce one decision, and nothing that the seat could not know."""

    format: int = FORMAT
    tournament: str
    match_id: MatchId
    game: str
    rules_version: int
    options: dict[str, Any]
    """All rule options, resolved."""
    seats: int
    seat: int
    bot: str
    bot_version: int
    bot_sha256: Sha256
    params: msgspec.Raw
    seed: HexBytes
    """The seed of the bot's own generator: 32 hex digits."""
    clock: Clock
    limits: Limits
    """What the bot may use."""
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
    """What the seat learned since its last decision with a choice."""
    position: Document | None
    """The masked position; None at the start, where there is none."""
    view: str | None
    """The masked position in words."""
    decisions: list[Decision]
    """All decisions of the seat up to this one, forced ones too."""


def read_capsule(path: Path) -> Capsule:
    """The capsule in a file. Raises ConfigError that names the file."""
    try:
        content = userfiles.content(path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        written = msgspec.json.decode(content, type=_AnyFormat).format
        if written != FORMAT:
            raise ConfigError(f"{path}: a capsule of format {written}; this version runs format {FORMAT}: save it again")
        found = msgspec.json.decode(content, type=Capsule)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ConfigError(f"{path}: no capsule: {in_words(error)}") from None
    last = found.decisions[-1].index if found.decisions else AT_START
    if last != found.decision:
        raise ConfigError(f"{path}: no capsule: its decisions end at {last}, not at {found.decision}")
    if not 0 <= found.seat < found.seats or any(not 0 <= one.played < len(one.codes) for one in found.decisions):
        raise ConfigError(f"{path}: no capsule: a seat or an action that there is not")
    return found


class _AnyFormat(msgspec.Struct):
    format: int


def setup_of(record: MatchRecord, key: bytes, clock: Clock) -> MatchSetup:
    """The setup of a stored match. `key`: the key of its deals."""
    seeds_id = record.match_id
    if is_of_agent(record.pool):
        seeds_id = repeatable_id(key, record.game, record.options, [row.bot for row in record.seats])
    seeds = match_seeds(key, seeds_id, record.game, len(record.seats), record.options, record.deal)
    return MatchSetup(
        index=record.index, match_id=record.match_id, game=record.game, pool=record.pool,
        options=json_object(record.options), deal=record.deal, rotation=record.rotation,
        players=tuple(Player(row.bot, row.bot_sha256, row.params, row.bot_version) for row in record.seats),
        deal_seed=seeds.deal, bot_seeds=seeds.bots, fallback_seeds=seeds.fallbacks, clock=clock,
    )  # fmt: skip


def match_settings(folder: Path, record: MatchRecord) -> tuple[str, Clock, Limits]:
    """The tournament's name, its clock and its limits; those of people's matches, where it is one. Raises StoreError."""
    if is_of_people(record):
        return folder.name, UNHURRIED, DEFAULT_LIMITS
    manifest = read_manifest(folder)
    return manifest.name, stored_clock(manifest, folder), stored_limits(manifest, folder)


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


def pack(
    game: Game, record: MatchRecord, setup: MatchSetup, tournament: str, seat: int, fault: FaultRecord | int, *, limits: Limits
) -> Capsule:
    """The capsule of a fault or of any decision of the seat. `limits`: of the bot.

    Raises ConfigError if the seat made no such decision, and StoreError if the log cannot be played.
    """
    index = fault if isinstance(fault, int) else fault.decision
    failed = None if isinstance(fault, int) else fault
    seen = [] if index == AT_START else _replayed(game, record, setup, seat, index)
    view = seen[-1].view if seen else None
    row = record.seats[seat]
    json_object(row.params)  # it is written as it stands
    return Capsule(
        tournament=tournament, match_id=record.match_id, game=record.game, rules_version=record.rules_version,
        options=setup.options, seats=len(record.seats), seat=seat, bot=row.bot, bot_version=row.bot_version,
        bot_sha256=row.bot_sha256, params=msgspec.Raw(row.params.encode()), seed=f"{setup.bot_seeds[seat]:032x}",
        clock=setup.clock, limits=limits, decision=index, ending=None if failed is None else failed.ending,
        reason="" if failed is None else without_output(failed.reason),
        output="" if failed is None else failed.output, exit="" if failed is None else failed.exit,
        played=None if view is None else view.legal[view.codes.index(record.actions[index])],
        legal=[] if view is None else view.legal, events=_since_a_choice([one.decision for one in seen]),
        position=None if view is None else view.position, view=None if view is None else str(view),
        decisions=[one.decision for one in seen],
    )  # fmt: skip


def seen_at(game: Game, record: MatchRecord, setup: MatchSetup, seat: int, index: int) -> View:
    """Return what a seat saw at a decision of its own. Raises like `pack`."""
    return _replayed(game, record, setup, seat, index)[-1].view


def _since_a_choice(decisions: Sequence[Decision]) -> list[tuple[int, str]]:
    """The events since the decision before the last one at which the seat had a choice."""
    events: list[tuple[int, str]] = []
    for place, decision in enumerate(decisions):
        if place and len(decisions[place - 1].codes) > 1:
            events = []
        events += decision.events
    return events


class _ReachedDecision(Exception):
    """Raised at the decision in question: nothing after it is played."""


@dataclass(frozen=True)
class _Seen:
    """A decision, and the view of it."""

    decision: Decision
    view: View


def _replayed(game: Game, record: MatchRecord, setup: MatchSetup, seat: int, index: int) -> list[_Seen]:
    """The decisions of a seat up to the one with this index in the log."""
    setup = msgspec.structs.replace(setup, options=checked_options(game, record), clock=UNHURRIED)
    check_log(game, record, setup.options, setup.deal_seed)
    logs = own_decisions(game, record, setup)
    if all(choice.index != index for choice in logs[seat]):
        raise ConfigError(
            f"decision {index} of match {record.match_id} is none of seat {seat}; `arena replay {record.match_id}` numbers them"
        )
    ms_per_tick = game.ms_per_tick(setup.options)
    noting = _NotingSeat(logs[seat], ms_per_tick, index)
    seats: list[Seat] = [noting if place == seat else LoggedSeat(log, ms_per_tick) for place, log in enumerate(logs)]
    try:
        play(game, setup, seats)
    except _ReachedDecision:
        return noting.seen
    raise AssertionError  # the log has the decision


class _NotingSeat(LoggedSeat):
    """A seat that notes its decisions up to the one in question."""

    def __init__(self, log: Sequence[LoggedChoice], ms_per_tick: int | None, index: int) -> None:
        super().__init__(log, ms_per_tick)
        self.seen: list[_Seen] = []
        self._index = index

    def _logged(self, view: View, choice: LoggedChoice) -> Answer:
        codes = list(view.codes)
        noted = Decision(
            index=choice.index, observed=view.state.tobytes(), codes=codes, events=view.events,
            played=codes.index(choice.code),
        )  # fmt: skip
        self.seen.append(_Seen(noted, view))
        if choice.index == self._index:
            raise _ReachedDecision
        return super()._logged(view, choice)


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


def bring_back(game: Game, capsule: Capsule, bot: Seat) -> Rerun:
    """Put a bot before a decision again, or before its start (-1). The caller closes `bot`.

    Raises HostTrouble, and ConfigError for a capsule that does not fit the rules.
    """
    rerun = Rerun()
    fault = bot.start(_start(capsule))
    _check_host(capsule, fault)
    if capsule.decision == AT_START:
        rerun.reached, rerun.fault, rerun.output = True, fault, "" if fault is None else fault.output
        return rerun
    rerun.fault = fault
    bank, events = capsule.clock.bank, list[tuple[int, str]]()
    for decision in capsule.decisions:
        if rerun.fault is not None:
            return rerun
        is_last = decision.index == capsule.decision
        events += decision.events
        if len(decision.codes) == 1 and not bot.wants_forced and not is_last:
            continue
        view = _view(game, capsule, decision, events, bank)
        events = []
        bot.ask(view)
        found = bot.answer()
        _check_host(capsule, found)
        if is_last:
            _note(rerun, view, found)
        elif isinstance(found, Fault):
            rerun.fault = found
        else:
            bank = _charged(rerun, capsule.clock.move + bank, bank, found)
            _compare(rerun, view, decision, found)
    return rerun


def _start(capsule: Capsule) -> StartInfo:
    return StartInfo(capsule.game, dict(capsule.options), capsule.seats, capsule.seat, capsule.clock)


def _check_host(capsule: Capsule, found: object) -> None:
    """Raise HostTrouble if the host failed the seat, not the bot."""
    if isinstance(found, Fault) and found.ending is Ending.HOST:
        raise HostTrouble(capsule.seat, found.reason, starved=found.starved)


def _view(game: Game, capsule: Capsule, decision: Decision, events: list[tuple[int, str]], bank: float) -> View:
    clock = Clock(capsule.clock.move, bank, capsule.clock.start)
    if len(decision.observed) != game.rules.STATE.itemsize:
        raise ConfigError(f"the capsule does not fit the rules of {game.name} here: its states have another size")
    try:
        states = game.from_bytes(decision.observed)
        view: View = game.view(game, states, capsule.seat, codes=decision.codes, events=lambda: events, clock=clock)
        _ = view.legal[decision.played]
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise ConfigError(
            f"the capsule does not fit the rules of {game.name} here: decision {decision.index}: {printable(str(error))}"
        ) from None
    return view


def _charged(rerun: Rerun, limit: float, bank: float, answer: Answer) -> float:
    """Return what is left in the bank after a decision; a fault if it took more than `limit` seconds of CPU time."""
    if answer.cpu_seconds > limit:
        reason = f"used {answer.cpu_seconds:.3f} s of CPU time, {limit:.3f} s were left"
        rerun.fault = Fault(Ending.TIMEOUT, reason)
    return min(bank, max(0.0, limit - answer.cpu_seconds))


def _compare(rerun: Rerun, view: View, decision: Decision, answer: Answer) -> None:
    rerun.asked += 1
    then, now = view.legal[decision.played], _as_text(view, answer.action)
    if then != now:
        rerun.differing.append((decision.index, then, now))


def _note(rerun: Rerun, view: View, found: Answer | Fault) -> None:
    rerun.reached = True
    if isinstance(found, Fault):
        rerun.fault, rerun.output = found, found.output
    else:
        rerun.action = _as_text(view, found.action)
        rerun.is_legal = rerun.action in view.legal
        rerun.cpu_seconds, rerun.output = found.cpu_seconds, found.output()


def _as_text(view: View, action: object) -> str:
    """An answer as text; an index stands for the legal action at that position."""
    if type(action) is int and 0 <= action < len(view.legal):
        return view.legal[action]
    return action if type(action) is str else repr(action)[:60]
