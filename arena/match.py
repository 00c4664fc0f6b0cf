"""The referee of one match, from the deal to its record: who is asked, clocks, faults. Trusts nothing that a seat says."""

import contextlib
import copy
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Protocol

import msgspec
import numpy as np

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.engine.options import OptionValue
from arena.engine.room import Game, States
from arena.errors import printable
from arena.faults import FORFEIT, FaultPolicy, settle_places
from arena.records import Clock, Ending, FaultRecord, MatchRecord, SeatRecord, canonical_json

BACKSTOP_FACTOR, BACKSTOP_SECONDS = 4.0, 1.0  # wall time that a decision may take, from its CPU time (docs/formats.md, "Clock")
MATCH_SECONDS, MATCH_MOVES = 30.0, 100  # wall time of a seat in a match: so many decisions may be as slow as one may be
FAULTS_KEPT = 8  # of a seat, with all that is known of them: what bots print is long
NOBODY = -1  # the seat that a match waits for while none has to act
DECISION_LIMIT = 10_000_000  # far above any match of any room: a loop here is a bug of ours, and says so


class HostTrouble(Exception):
    """A host fault: a seat failed through no bot. The match is played again; this attempt is not scored."""

    def __init__(self, seat: int, reason: str, *, starved: float = 0.0) -> None:
        """`starved`: see Fault."""
        super().__init__(f"seat {seat}: {reason}")
        self.seat = seat
        self.starved = starved


class Player(msgspec.Struct, frozen=True):
    """The identity of the bot at one seat."""

    bot: str
    sha256: str
    params: str = "{}"
    version: int = 1


class MatchSetup(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that fixes a match, except the bots' code. The plan computes it from the index of the match."""

    index: int
    match_id: str
    game: str
    pool: str
    options: dict[str, OptionValue]
    """All rule options with their values, defaults included."""
    deal: int
    rotation: int
    players: tuple[Player, ...]
    """The bots at the table, in seat order."""
    deal_seed: int
    bot_seeds: tuple[int, ...]
    fallback_seeds: tuple[int, ...]
    clock: Clock
    faults: FaultPolicy = FaultPolicy()


@dataclass(frozen=True)
class Fault:
    """The failure of a seat, and what is known about it."""

    ending: Ending
    reason: str
    output: str = ""
    """The end of what the bot printed, printable."""
    exit: str = ""
    """How the bot's process ended; empty: it still runs, or the bot has none of its own."""
    starved: float = 0.0
    """Wall seconds in which the seat was ready and got next to no CPU; 0: its failure has another cause."""


@dataclass(frozen=True)
class Answer:
    """What a seat replied, unchecked, and what the decision cost."""

    action: object
    """A legal action's text, or its index among the legal actions; anything else is a fault."""
    cpu_seconds: float
    wall_seconds: float
    output: Callable[[], str] = str
    """Returns the end of what the bot printed, made printable. Called only if the reply is a fault."""
    is_timed: bool = False
    """Whether a search with a time budget took part in the decision."""


class Seat(Protocol):
    """How the referee talks to a bot. When choices are simultaneous, all seats are asked before the first one answers."""

    wants_forced: bool

    @property
    def isolation(self) -> str:
        """The isolation level of the bot, as the column `isolation` stores it."""
        ...

    def start(self, info: StartInfo) -> Fault | None:
        """Get the bot ready to play."""
        ...

    def ask(self, view: View) -> None:
        """Put a decision to the bot."""
        ...

    def answer(self) -> Answer | Fault:
        """Wait for the bot's answer to the decision that was put last."""
        ...

    def end(self, result: EndInfo) -> None:
        """Tell the bot how the match ended."""
        ...


def seconds_of_match(clock: Clock) -> float:
    """The wall seconds that one seat's decisions may take in a match, all together; then it is late.

    >>> seconds_of_match(Clock(move=1.0, bank=10.0))
    470.0
    """
    return MATCH_SECONDS + BACKSTOP_FACTOR * (clock.bank + MATCH_MOVES * clock.move)


def play(
    game: Game, setup: MatchSetup, seats: Sequence[Seat], waits_for: Callable[[int], object] = lambda seat: None
) -> MatchRecord:
    """Play a match to its end; faults of bots are recorded, never raised. `seats` in seat order; the caller closes them.

    `waits_for` is told which seat has to act now, and NOBODY when it has.

    Raises HostTrouble if the host failed a seat, and NotCompiled (arena/readiness.py) if a bot asks for what has to be
    compiled before.
    """
    table = _Table(game, setup, seats, waits_for)
    table.start()
    while not game.engine.is_terminal(table.states):
        table.play_decisions()
    return table.finish()


def void(game: Game, setup: MatchSetup, attempts: int, reason: str) -> MatchRecord:
    """The record of a match that the host could not finish: it is stored and reported, but not rated."""
    units = game.units(len(setup.players), setup.options)
    rows = tuple(
        _seat_record(player, unit, 0, 0.0, Ending.HOST, None, "none", [], 0, reproducible=False)
        for player, unit in zip(setup.players, units)
    )
    return _match_record(game, setup, rows, (), attempts, (f"host: {printable(reason)}",))


@dataclass
class _SeatState:
    """What the referee keeps about one seat."""

    seat: Seat
    fallback: random.Random
    bank: float
    heard: int = 0  # how much of the history the seat was told
    faults: int = 0
    first_fault: int | None = None
    ending: Ending = Ending.PLAYED
    reproducible: bool = True
    decisions: int = 0
    cpu: list[float] = field(default_factory=list)
    wall: float = 0.0

    @property
    def has_forfeited(self) -> bool:
        return self.ending is not Ending.PLAYED


class _Table:
    """A match while it is played: the state, and what each seat has done."""

    def __init__(self, game: Game, setup: MatchSetup, seats: Sequence[Seat], waits_for: Callable[[int], object]) -> None:
        self.game = game
        self.setup = setup
        self.waits_for = waits_for
        self.books = [
            _SeatState(seat, random.Random(seed), setup.clock.bank) for seat, seed in zip(seats, setup.fallback_seeds)
        ]
        self.states: States = game.deal(len(seats), setup.options, setup.deal_seed)
        self.bytes = memoryview(self.states.view(np.uint8).data)
        self.history: list[tuple[bytes, int]] = []  # (state before, action as `step` took it)
        self.actions: list[int] = []
        self.ms_per_tick = game.ms_per_tick(setup.options)
        self.delays: list[int] = []  # ticks of each action, where thinking takes them
        self.notes: list[str] = []
        self.faults: list[FaultRecord] = []
        self.buffer = game.new_actions()

    def start(self) -> None:
        for seat, book in enumerate(self.books):
            options = copy.deepcopy(self.setup.options)  # a bot may do to it what it likes
            info = StartInfo(self.setup.game, options, len(self.books), seat, self.setup.clock)
            self.waits_for(seat)
            fault = book.seat.start(info)
            self.waits_for(NOBODY)
            if fault is not None:
                self._record_fault(seat, fault, -1)
                book.ending = fault.ending

    def play_decisions(self) -> None:
        """Play one decision, or all decisions of one simultaneous choice: asked together, then answered in seat order."""
        batch = self._batch()
        for seat, states, codes in batch:
            if self._is_asked(seat, codes):
                self._ask(seat, states, codes)
        for seat, states, codes in batch:
            book = self.books[seat]
            asked = len(book.cpu)
            action = self._decision(seat, states, codes) if self._is_asked(seat, codes) else self._unasked(seat, codes)
            book.decisions += 1
            self._advance(action, sum(book.cpu[asked:]))
        if len(self.history) > DECISION_LIMIT:
            raise RuntimeError(f"match {self.setup.match_id} of {self.game.name} does not end")

    def _advance(self, action: int, cpu_seconds: float) -> None:
        """Play an action; in a game that measures thinking time it is delayed by the time that it took."""
        self.actions.append(action)
        if self.ms_per_tick is not None:
            self.delays.append(int(1000 * cpu_seconds / self.ms_per_tick))
            action = self.game.timed(action, self.delays[-1])
        self.history.append((bytes(self.bytes), action))
        self.game.engine.advance(self.states, action)

    def finish(self) -> MatchRecord:
        scores, places = self.game.final(self.states, len(self.books))
        units = self.game.units(len(self.books), self.setup.options)
        faults = {seat: book.first_fault or 0 for seat, book in enumerate(self.books) if book.has_forfeited}
        places = settle_places(places, units, faults, has_one_loser=self.game.engine.has_one_loser(self.states))
        rows = tuple(
            _seat_record(
                player, unit, place, score, book.ending, book.first_fault, book.seat.isolation, book.cpu, book.decisions,
                wall=book.wall, reproducible=book.reproducible and self.ms_per_tick is None,
            )
            for player, unit, place, score, book in zip(self.setup.players, units, places, scores, self.books)
        )  # fmt: skip
        record = _match_record(self.game, self.setup, rows, self.actions, 1, self.notes, self.delays, self.faults)
        for seat, book in enumerate(self.books):  # only now: nothing that a bot does to what it is told can reach the record
            if not book.has_forfeited:
                self.waits_for(seat)
                with contextlib.suppress(Exception):  # nor can what goes wrong meanwhile: the result stands
                    book.seat.end(EndInfo(tuple(places), tuple(scores)))
                self.waits_for(NOBODY)
        return record

    def _batch(self) -> list[tuple[int, States, list[int]]]:
        """(seat, state, legal codes) of the decision to take, with those that are taken at the same time.

        The later seats' states follow from any choice of the earlier ones, which they cannot see.
        """
        engine = self.game.engine
        states = self.states
        batch = [(engine.current_seat(states), states, self._codes(states))]
        while engine.is_simultaneous(states):
            seat, _, codes = batch[-1]
            states = self.game.from_bytes(bytes(states.view(np.uint8)))
            engine.step(states, codes[0])
            follower = engine.current_seat(states)
            if engine.is_round_over(states) or follower <= seat or not engine.is_simultaneous(states):
                break
            batch.append((follower, states, self._codes(states)))
        return batch

    def _codes(self, states: States) -> list[int]:
        count = self.game.engine.legal_actions(states, self.buffer)
        codes: list[int] = self.buffer[:count].tolist()
        return codes

    def _is_asked(self, seat: int, codes: list[int]) -> bool:
        book = self.books[seat]
        return not book.has_forfeited and (len(codes) > 1 or book.seat.wants_forced)

    def _unasked(self, seat: int, codes: list[int]) -> int:
        return codes[0] if len(codes) == 1 else self._fallback(seat, codes)

    def _fallback(self, seat: int, codes: list[int]) -> int:
        return codes[self.books[seat].fallback.randrange(len(codes))]

    def _ask(self, seat: int, states: States, codes: list[int]) -> None:
        book = self.books[seat]
        observed = self.game.observed(states, seat)
        events = self._events_since(book.heard, seat)
        book.heard = len(self.history)
        clock = Clock(self.setup.clock.move, book.bank, self.setup.clock.start)
        view = self.game.view(self.game, observed, seat, codes=codes, events=events, clock=clock)
        self.waits_for(seat)
        book.seat.ask(view)
        self.waits_for(NOBODY)

    def _events_since(self, heard: int, viewer: int) -> Callable[[], list[tuple[int, str]]]:
        """A function that makes the texts of the events which the seat has not heard of; called only if the bot asks."""
        news = self.history[heard:]

        def texts() -> list[tuple[int, str]]:
            result = []
            for before, action in news:
                states = self.game.from_bytes(before)
                seen = self.game.engine.seen_action(states, action, viewer)
                if seen:
                    result += self.game.text.event_texts(states[0], seen)
            return result

        return texts

    def _decision(self, seat: int, states: States, codes: list[int]) -> int:
        """The seat's answer as a legal code, or the fallback's choice if the seat failed."""
        book = self.books[seat]
        self.waits_for(seat)
        answer = book.seat.answer()
        self.waits_for(NOBODY)
        if isinstance(answer, Answer):
            book.cpu.append(answer.cpu_seconds)
            book.wall += answer.wall_seconds
            book.reproducible &= not answer.is_timed
            late = self._clock_fault(book, answer)
            found = late or _legal_code(self.game, states, codes, answer.action)
            if not isinstance(found, Fault):
                return found
            answer = replace(found, output=answer.output())
        self._record_fault(seat, answer, len(self.history))
        return self._fallback(seat, codes)

    def _clock_fault(self, book: _SeatState, answer: Answer) -> Fault | None:
        """Charge the bank, and return a fault if it is empty. Seats watch the wall clock: only they know when the bot began."""
        limit = self.setup.clock.move + book.bank
        book.bank = min(book.bank, max(0.0, limit - answer.cpu_seconds))
        if answer.cpu_seconds > limit:
            return Fault(Ending.TIMEOUT, f"used {answer.cpu_seconds:.3f} s of CPU time, {limit:.3f} s were left")
        return None

    def _record_fault(self, seat: int, fault: Fault, decision: int) -> None:
        if fault.ending is Ending.HOST:
            raise HostTrouble(seat, fault.reason, starved=fault.starved)
        book = self.books[seat]
        book.faults += 1
        if book.first_fault is None:
            book.first_fault = decision
        if fault.ending in (Ending.TIMEOUT, Ending.STARTUP):  # a clock may have decided it
            book.reproducible = False
        policy = self.setup.faults
        if policy.policy == FORFEIT or book.faults >= policy.max_faults:
            book.ending = fault.ending
        reason = printable(fault.reason)
        self.notes.append(f"seat {seat} {self.setup.players[seat].bot} {fault.ending} at {decision}: {reason}")
        if book.faults > FAULTS_KEPT:
            return
        self.faults.append(
            FaultRecord(seat=seat, decision=decision, ending=fault.ending, reason=reason, output=fault.output, exit=fault.exit)
        )


def _legal_code(game: Game, states: States, codes: list[int], action: object) -> int | Fault:
    """The legal code that a reply means, or the fault that it is."""
    if type(action) is not str and type(action) is not int:  # not isinstance: a subclass is untrusted code
        return Fault(
            Ending.MALFORMED, f"a reply is one of the legal texts or its index, not a {printable(type(action).__name__)}"
        )
    if isinstance(action, int):
        if 0 <= action < len(codes):
            return codes[action]
        return Fault(Ending.ILLEGAL, f"index {_shortened(action)}; there are {len(codes)} legal actions")
    texts = game.text.action_texts(states[0], codes)
    if action in texts:
        return codes[texts.index(action)]
    legal = ", ".join(texts)
    return Fault(Ending.ILLEGAL, f"{_shortened(action)}; legal: {legal}")


def _shortened(value: str | int) -> str:
    if isinstance(value, int):
        return str(value) if value.bit_length() <= 64 else "a huge number"
    return printable(repr(value[:60]))


def _seat_record(
    player: Player, unit: int, place: int, score: float, ending: Ending, fault: int | None, isolation: str,
    cpu_seconds: list[float], decisions: int, *, wall: float = 0.0, reproducible: bool = True,
) -> SeatRecord:  # fmt: skip
    milliseconds = [1000 * seconds for seconds in cpu_seconds] or [0.0]
    return SeatRecord(
        bot=player.bot, bot_version=player.version, bot_sha256=player.sha256, params=player.params, unit=unit,
        place=place, score=score, ending=ending, fault_decision=fault, decisions=decisions, isolation=isolation,
        reproducible=reproducible, cpu_ms_total=sum(milliseconds), cpu_ms_p50=median(milliseconds),
        cpu_ms_max=max(milliseconds), wall_ms_total=1000 * wall,
    )  # fmt: skip


def _match_record(
    game: Game, setup: MatchSetup, rows: tuple[SeatRecord, ...], actions: Sequence[int], attempts: int, notes: Sequence[str],
    delays: Sequence[int] = (), faults: Sequence[FaultRecord] = (),
) -> MatchRecord:  # fmt: skip
    return MatchRecord(
        index=setup.index, match_id=setup.match_id, game=setup.game, pool=setup.pool,
        options=canonical_json(setup.options), rules_version=game.version, deal=setup.deal, rotation=setup.rotation,
        seats=rows, actions=tuple(actions), delays=tuple(delays), attempts=attempts, notes=tuple(notes),
        faults=tuple(faults),
    )  # fmt: skip
