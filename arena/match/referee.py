"""The referee of one match, from the deal to its record: who is asked, clocks, faults. Trusts nothing that a seat says."""

import contextlib
import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from arena.agent import EndInfo, StartInfo
from arena.engine.entries import COUNT_SHIFT, ENDED_ROUND, IS_OVER, IS_TOGETHER, SEAT_MASK, SEAT_SHIFT
from arena.engine.game import Actions, Game
from arena.engine.position import cached_property
from arena.engine.readiness import NotCompiled
from arena.errors import printable
from arena.match.faults import FORFEIT, settle_places
from arena.match.history import Decision, MatchHistory
from arena.match.seat import NOBODY, Answer, Fault, HostTrouble, Seat, TakeBack, asks_model, asks_outside, taken_calls
from arena.match.setup import MatchSetup, match_record, seat_record
from arena.records import MOST_ACTIONS, CallRecord, Clock, Ending, FaultRecord, MatchRecord, copied

FAULTS_KEPT = 8  # of a seat, with all that is known of them: what bots print is long


def play(
    game: Game,
    setup: MatchSetup,
    seats: Sequence[Seat],
    waits_for: Callable[[int], object] = lambda seat: None,
    observer: Callable[[int], object] | None = None,
    again: Sequence[tuple[int, int]] = (),
    may_take_back: Collection[int] = (),
) -> MatchRecord:
    """Play a match to its end; faults of bots are recorded, never raised. `seats` in seat order; the caller closes them.

    `waits_for` is told which seat has to act now, and NOBODY when it has. `observer` is told each action that was played, as
    `step` took it. `again`: what was played before the match had to begin anew (see NotCompiled). All are asked as before, but
    it is played whatever they answer: nobody begins a match anew so as to play it otherwise. `may_take_back`: the seats that
    may raise TakeBack.

    Raises HostTrouble if the host failed a seat, and NotCompiled (arena/engine/readiness.py) if a bot asks for what has to be
    compiled before.
    """
    table = _Table(game, setup, seats, waits_for, observer, again, may_take_back)
    try:
        table.start()
        table.play()
    except NotCompiled as needed:
        needed.played = table.played()
        raise
    return table.finish()


@dataclass
class _Book:
    """What the referee keeps about one seat."""

    number: int
    seat: Seat
    fallback_seed: int
    clock: Clock
    heard: int = 0  # how many actions the seat was told of
    heard_before: int = -1  # and when it was asked the time before
    faults: int = 0
    first_fault: int | None = None
    ending: Ending = Ending.PLAYED
    has_forfeited: bool = False
    reproducible: bool = True
    decisions: int = 0
    cpu: list[float] = field(default_factory=list)
    wall: float = 0.0

    @cached_property
    def fallback(self) -> random.Random:
        """What chooses for the seat after a fault: few seats need it."""
        return random.Random(self.fallback_seed)


@dataclass
class _Turn:
    """The turn of one seat in a simultaneous choice."""

    book: _Book
    legal: memoryview
    count: int
    decision: Decision | None
    """What the seat is asked; None if it is not."""


class _Table:
    """A match while it is played: the state, and what each seat has done."""

    def __init__(
        self,
        game: Game,
        setup: MatchSetup,
        seats: Sequence[Seat],
        waits_for: Callable[[int], object],
        observer: Callable[[int], object] | None,
        again: Sequence[tuple[int, int]],
        may_take_back: Collection[int],
    ) -> None:
        self.game = game
        self.setup = setup
        self.waits_for = waits_for
        self.observer = observer
        self.again = again
        self.may_take_back = may_take_back
        self.books = [
            _Book(number, seat, seed, setup.clock) for number, (seat, seed) in enumerate(zip(seats, setup.fallback_seeds))
        ]
        self.history = MatchHistory(game, len(seats), game.deal(len(seats), setup.options, setup.deal_seed))
        self.actions: list[int] = []
        self.ms_per_tick = game.ms_per_tick(setup.options)
        self.delays: list[int] = []  # ticks of each action, where thinking takes them
        self.notes: list[str] = []
        self.faults: list[FaultRecord] = []
        self.calls: list[CallRecord] = []
        self.models = {number for number, seat in enumerate(seats) if asks_model(seat)}
        self.out = game.new_actions()
        self.legal = self.out.data  # the legal actions of the next decision
        self.later: list[Actions] = []  # those of the later seats of a simultaneous choice
        self.next = self._first()

    def start(self) -> None:
        for seat, book in enumerate(self.books):
            options = copied(self.setup.options)  # a bot may do to it what it likes
            info = StartInfo(self.setup.game, options, len(self.books), seat, self.setup.clock)
            self.waits_for(seat)
            fault = book.seat.start(info)
            self.waits_for(NOBODY)
            if fault is not None:
                self._record_fault(book, fault, -1)
                book.ending = fault.ending
                book.has_forfeited = True

    def play(self) -> None:
        while not self.next & IS_OVER:
            if self.next & IS_TOGETHER:
                self._choose_together()
            else:
                self._choose_alone()
            if len(self.actions) > MOST_ACTIONS:  # a loop here is a bug of ours, and says so
                raise RuntimeError(f"match {self.setup.match_id} of {self.game.name} does not end")

    def played(self) -> tuple[tuple[int, int], ...]:
        """The actions so far with their delays, and what is still to be played again."""
        delays = self.delays or [0] * len(self.actions)
        return (*zip(self.actions, delays), *self.again[len(self.actions) :])

    def finish(self) -> MatchRecord:
        states = self.history.states
        scores, places = self.game.final(states, len(self.books))
        units = self.game.units(len(self.books), self.setup.options)
        faults = {seat: book.first_fault or 0 for seat, book in enumerate(self.books) if book.has_forfeited}
        places = settle_places(places, units, faults, has_one_loser=self.game.engine.has_one_loser(states))
        rows = tuple(
            seat_record(
                player, unit, place, score, book.ending, book.first_fault, book.seat.isolation, book.cpu, book.decisions,
                wall=book.wall, reproducible=book.reproducible and self.ms_per_tick is None,
                is_asking=asks_outside(book.seat),
            )
            for player, unit, place, score, book in zip(self.setup.players, units, places, scores, self.books)
        )  # fmt: skip
        record = match_record(
            self.game, self.setup, rows, self.actions, 1, self.notes, self.delays, self.faults, self.calls
        )  # fmt: skip
        for seat, book in enumerate(self.books):  # only now: nothing that a bot does to what it is told can reach the record
            if not book.has_forfeited:
                self.waits_for(seat)
                with contextlib.suppress(Exception):  # nor can what goes wrong meanwhile: the result stands
                    book.seat.end(EndInfo(tuple(places), tuple(scores)))
                self.waits_for(NOBODY)
        return record

    def _first(self) -> int:
        """Return what `Engine.follow` says before the first decision."""
        engine, states = self.game.engine, self.history.states
        if engine.is_terminal(states):
            return IS_OVER
        count = engine.legal_actions(states, self.out)
        found = IS_TOGETHER if engine.is_simultaneous(states) else 0
        return found | engine.current_seat(states) << SEAT_SHIFT | count << COUNT_SHIFT

    def _choose_alone(self) -> None:
        """Play one decision."""
        book, count = self.books[self.next >> SEAT_SHIFT & SEAT_MASK], self.next >> COUNT_SHIFT
        if self._is_asked(book, count):
            decision = self._decision(book, count, self.legal)
            self.waits_for(book.number)
            book.seat.ask(self.game.view.at(decision, book.clock))
            try:
                answer = book.seat.answer()
            except TakeBack:
                self.waits_for(NOBODY)
                self._take_back(book)
                return
            self.waits_for(NOBODY)
            self._play_answer(book, decision, answer)
        else:
            self._play(book, self._unasked(book, count, self.legal), 0.0)

    def _choose_together(self) -> None:
        """Play all decisions of one simultaneous choice: asked together, then answered in seat order.

        A seat that may take its last action back answers before the others are asked: they hear of nothing that is not played.
        """
        turns = self._turns()
        first = self._hesitant(turns) if self.may_take_back else None
        early: Answer | Fault | None = None
        if first is not None:
            self._ask(first)
            try:
                early = self._answer(first)
            except TakeBack:
                self.waits_for(NOBODY)
                for turn in turns:  # they were not asked
                    if turn.decision is not None and turn is not first:
                        turn.book.heard = turn.book.heard_before
                self._take_back(first.book)
                return
        for turn in turns:
            if turn.decision is not None and turn is not first:
                self._ask(turn)
        for turn in turns:
            if turn.decision is not None:
                answer = early if turn is first and early is not None else self._answer(turn)
                self._play_answer(turn.book, turn.decision, answer)
            else:
                self._play(turn.book, self._unasked(turn.book, turn.count, turn.legal), 0.0)

    def _hesitant(self, turns: Sequence[_Turn]) -> _Turn | None:
        """The turn of the seat that may take its last action back now; None: none may."""
        return next((turn for turn in turns if turn.decision is not None and self._may_take_back(turn.book)), None)

    def _ask(self, turn: _Turn) -> None:
        assert turn.decision is not None
        self.waits_for(turn.book.number)
        turn.book.seat.ask(self.game.view.at(turn.decision, turn.book.clock))
        self.waits_for(NOBODY)

    def _answer(self, turn: _Turn) -> Answer | Fault:
        """The answer of a seat that was asked. Raises TakeBack."""
        self.waits_for(turn.book.number)
        answer = turn.book.seat.answer()
        self.waits_for(NOBODY)
        return answer

    def _turns(self) -> list[_Turn]:
        """The seats that choose together now.

        The later seats' states follow from any choice of the earlier ones, which they cannot see.
        """
        following = self.next
        turns = [self._turn(following, self.legal)]
        while turns[-1].book.number + 1 < len(self.books):
            before = turns[-1].book.number
            if len(self.later) < len(turns):
                self.later.append(self.game.new_actions())
            out = self.later[len(turns) - 1]
            following = self.history.suppose(turns[-1].legal[0], out)
            is_next = following & IS_TOGETHER and not following & (IS_OVER | ENDED_ROUND)
            if not is_next or following >> SEAT_SHIFT & SEAT_MASK <= before:
                break
            turns.append(self._turn(following, out.data))
        return turns

    def _turn(self, following: int, legal: memoryview) -> _Turn:
        book, count = self.books[following >> SEAT_SHIFT & SEAT_MASK], following >> COUNT_SHIFT
        return _Turn(book, legal, count, self._decision(book, count, legal) if self._is_asked(book, count) else None)

    def _is_asked(self, book: _Book, count: int) -> bool:
        return not book.has_forfeited and (count > 1 or book.seat.wants_forced)

    def _decision(self, book: _Book, count: int, legal: memoryview) -> Decision:
        decision = self.history.decision(book.number, count, legal, book.heard)
        book.heard_before, book.heard = book.heard, len(self.actions)
        return decision

    def _unasked(self, book: _Book, count: int, legal: memoryview) -> int:
        return legal[0] if count == 1 else self._fallback(book, count, legal)

    def _fallback(self, book: _Book, count: int, legal: memoryview) -> int:
        return legal[book.fallback.randrange(count)]

    def _play(self, book: _Book, action: int, cpu_seconds: float) -> None:
        """Play an action; in a game that measures thinking time it is delayed by the time that it took."""
        book.decisions += 1
        delay = 0 if self.ms_per_tick is None else int(1000 * cpu_seconds / self.ms_per_tick)
        if len(self.actions) < len(self.again):
            action, delay = self.again[len(self.actions)]
        self.actions.append(action)
        if self.ms_per_tick is not None:
            self.delays.append(delay)
            action = self.game.timed(action, self.delays[-1])
        self.next = self.history.play(action, self.out)
        if self.observer is not None:
            self.observer(action)

    def _may_take_back(self, book: _Book) -> bool:
        """Whether a seat that is asked now may take the last action back: its own, the only one since it was asked before."""
        is_own = book.number in self.may_take_back and book.heard_before == len(self.actions) - 1
        return is_own and not self.again and self.ms_per_tick is None

    def _take_back(self, book: _Book) -> None:
        """Undo the seat's last action, the only one since it was asked the time before. The time that it took stays spent."""
        is_own = self._may_take_back(book)
        if is_own:
            self.actions.pop()
            self.history.take_back()
        if not is_own or self.game.engine.current_seat(self.history.states) != book.number:
            raise RuntimeError(f"match {self.setup.match_id}: seat {book.number} has nothing to take back")
        book.decisions -= 1
        book.heard, book.heard_before = len(self.actions), -1
        self.next = self._first()

    def _play_answer(self, book: _Book, decision: Decision, answer: Answer | Fault) -> None:
        """Play a seat's answer, or the fallback's choice if the seat failed."""
        seconds = 0.0
        if book.number in self.models:
            calls = taken_calls(book.seat)
            self.calls += [msgspec.structs.replace(call, decision=len(self.actions)) for call in calls]
        if isinstance(answer, Answer):
            seconds = answer.cpu_seconds
            book.cpu.append(seconds)
            book.wall += answer.wall_seconds
            book.reproducible &= not answer.is_timed and not answer.overslept
            found = self._clock_fault(book, seconds, answer.overslept) or _legal_code(decision, answer.action)
            if not isinstance(found, Fault):
                self._play(book, found, seconds)
                return
            answer = replace(found, output=answer.output())
        self._record_fault(book, answer, len(self.actions))
        self._play(book, self._fallback(book, decision.count, decision.legal_codes), seconds)

    def _clock_fault(self, book: _Book, cpu_seconds: float, overslept: float) -> Fault | None:
        """Charge the bank, and return a fault if it is empty. Seats watch the wall clock: only they know when the bot began.

        `overslept`: see Answer.
        """
        clock = book.clock
        limit = clock.move + clock.bank
        bank = min(clock.bank, max(0.0, limit - cpu_seconds - overslept))
        if bank < clock.bank:
            book.clock = Clock(clock.move, bank, clock.start)
        if cpu_seconds + overslept > limit:
            asleep = f" and overslept {overslept:.3f} s" if overslept else ""
            return Fault(Ending.TIMEOUT, f"used {cpu_seconds:.3f} s of CPU time{asleep}, {limit:.3f} s were left")
        return None

    def _record_fault(self, book: _Book, fault: Fault, decision: int) -> None:
        seat = book.number
        if fault.ending is Ending.HOST:
            raise HostTrouble(seat, fault.reason, starved=fault.starved)
        book.faults += 1
        if book.first_fault is None:
            book.first_fault = decision
        if fault.ending in (Ending.TIMEOUT, Ending.STARTUP):  # a clock may have decided it
            book.reproducible = False
        policy = self.setup.faults
        if policy.policy == FORFEIT or book.faults >= policy.max_faults:
            book.ending = fault.ending
            book.has_forfeited = True
        reason = printable(fault.reason)
        where = "at the start" if decision < 0 else f"at decision {decision}"
        self.notes.append(f"seat {seat} {self.setup.players[seat].bot} {fault.ending} {where}: {reason}")
        if book.faults > FAULTS_KEPT:
            return
        self.faults.append(
            FaultRecord(seat=seat, decision=decision, ending=fault.ending, reason=reason, output=fault.output, exit=fault.exit)
        )


def _legal_code(decision: Decision, action: object) -> int | Fault:
    """The legal code that a reply means, or the fault that it is."""
    if type(action) is int:  # not isinstance: a subclass is untrusted code
        if 0 <= action < decision.count:
            code: int = decision.legal_codes[action]
            return code
        return Fault(Ending.ILLEGAL, f"index {_shortened(action)}; there are {decision.count} legal actions")
    if type(action) is not str:
        return Fault(
            Ending.MALFORMED, f"a reply is one of the legal texts or its index, not a {printable(type(action).__name__)}"
        )
    if action in decision.texts:
        code = decision.legal_codes[decision.texts.index(action)]
        return code
    legal = ", ".join(decision.texts)
    return Fault(Ending.ILLEGAL, f"{_shortened(action)}; legal: {legal}")


def _shortened(value: str | int) -> str:
    if isinstance(value, int):
        return str(value) if value.bit_length() <= 64 else "a huge number"
    return printable(repr(value[:60]))
