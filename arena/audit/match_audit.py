"""One stored match, played again from its action log: whether its row is what the rules make of the log and the key.

The log is checked before it is played (arena/match/log.py). Then seats play that repeat what the log has of them.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.engine.game import Game
from arena.match import Answer, Fault, MatchSetup
from arena.match.faults import FORFEIT, settle_places
from arena.records import Ending, MatchRecord, SeatRecord, canonical_json
from arena.results.hashing import as_float32


@dataclass(frozen=True)
class LoggedChoice:
    """A decision in the action log."""

    index: int
    code: int
    delay: int
    """The ticks that the decision took, in games that measure thinking time."""


def own_decisions(game: Game, record: MatchRecord, setup: MatchSetup) -> list[list[LoggedChoice]]:
    """The decisions of the action log, by seat."""
    logs: list[list[LoggedChoice]] = [[] for _ in record.seats]
    states = game.deal(len(record.seats), setup.options, setup.deal_seed)
    delays = record.delays or (0,) * len(record.actions)
    timed = game.timed_log(record.actions, record.delays)
    for index, (code, action) in enumerate(zip(record.actions, timed)):
        mover = int(game.engine.current_seat(states))
        logs[mover].append(LoggedChoice(index, code, delays[index]))
        game.engine.advance(states, action)
    return logs


class LoggedSeat:
    """A seat that repeats its decisions from the action log; implements match.Seat."""

    isolation = "none"
    wants_forced = True

    def __init__(self, log: Sequence[LoggedChoice], ms_per_tick: int | None) -> None:
        self._log = iter(log)
        self._ms_per_tick = ms_per_tick or 0
        self._view: View | None = None

    def start(self, info: StartInfo) -> Fault | None:
        """Do nothing: a replay starts no bot."""
        return None

    def ask(self, view: View) -> None:
        """Keep the view."""
        self._view = view

    def answer(self) -> Answer | Fault:
        """The next decision of the log, with the delay that it had."""
        assert self._view is not None
        return self._logged(self._view, next(self._log))

    def end(self, result: EndInfo) -> None:
        """Do nothing: there is no bot to tell the result to."""

    def _logged(self, view: View, choice: LoggedChoice) -> Answer:
        return self._as_logged(list(view.codes), choice)

    def _as_logged(self, codes: Sequence[int], choice: LoggedChoice) -> Answer:
        cpu_seconds = (choice.delay + 0.5) * self._ms_per_tick / 1000 if self._ms_per_tick else 0.0
        return Answer(codes.index(choice.code), cpu_seconds, 0.0)


def match_problems(game: Game, setup: MatchSetup, record: MatchRecord) -> list[str]:
    """Return what is wrong with a stored match, in words; empty if nothing is.

    `setup`: the match that the plan has at its index.

    What a log cannot show is not judged: which kind of fault a bot made, and what the machine's columns say.
    """
    problems = list(_identity_problems(game, setup, record))
    if len(record.seats) != len(setup.players):
        return problems
    if record.is_void:
        return problems + list(_void_problems(record))
    replay = _Replay(game, setup, record)
    broken = replay.play()
    return [*problems, broken] if broken else problems + list(replay.result_problems())


def _identity_problems(game: Game, setup: MatchSetup, record: MatchRecord) -> Iterator[str]:
    """Yield how the row differs from the match that the plan has at its index, one text for each difference."""
    expected = {
        "match_id": setup.match_id, "game": setup.game, "pool": setup.pool, "options": canonical_json(setup.options),
        "rules_version": game.version, "deal": setup.deal, "rotation": setup.rotation, "seats": len(setup.players),
    }  # fmt: skip
    for name, value in expected.items():
        stored = len(record.seats) if name == "seats" else getattr(record, name)
        if stored != value:
            yield f"{name} is {stored!r}; by the plan {value!r}"
    units = game.units(len(setup.players), setup.options)
    for place, (seat, player, unit) in enumerate(zip(record.seats, setup.players, units)):
        planned = {
            "bot": player.bot, "bot_version": player.version, "bot_sha256": player.sha256, "params": player.params,
            "unit": unit,
        }  # fmt: skip
        for name, value in planned.items():
            if getattr(seat, name) != value:
                yield f"seat {place}: {name} is {getattr(seat, name)!r}; by the plan {value!r}"


def _void_problems(record: MatchRecord) -> Iterator[str]:
    if record.actions:
        yield "void, and yet it has actions"
    for place, seat in enumerate(record.seats):
        stored = (seat.ending, seat.place, seat.score, seat.decisions, seat.fault_decision)
        if stored != (Ending.HOST, 0, 0.0, 0, None):
            yield f"seat {place}: a void match has ending host, place, score and decisions 0 at every seat"


class _Replay:
    """A stored match that is played again from its action log."""

    def __init__(self, game: Game, setup: MatchSetup, record: MatchRecord) -> None:
        self._game, self._setup, self._record = game, setup, record
        self._states = game.deal(len(setup.players), setup.options, setup.deal_seed)
        self._buffer = game.new_actions()
        self._decisions = [0] * len(setup.players)
        self._fallbacks = [random.Random(seed) for seed in setup.fallback_seeds]

    def play(self) -> str:
        """Play the log to its end; returns why that is not possible, or nothing."""
        engine, states, buffer = self._game.engine, self._states, self._buffer
        delays = self._record.delays
        is_measured = self._game.ms_per_tick(self._setup.options) is not None
        if len(delays) != len(self._record.actions) * is_measured or min(delays, default=0) < 0:
            return f"{len(delays)} delays of {len(self._record.actions)} actions; each has one, if time is measured, else none"
        movers = []
        for number, action in enumerate(self._record.actions):
            if engine.is_terminal(states):
                return f"the log goes on after the end of the match, which is at decision {number}"
            seat = engine.current_seat(states)
            codes = buffer[: engine.legal_actions(states, buffer)].tolist()
            if action not in codes:
                return f"decision {number}: seat {seat}: the action with code {action} is not legal"
            expected = self._fallback_choice(seat, number, codes)
            if expected is not None and action != expected:
                return (
                    f"decision {number}: seat {seat}: after its fault the fallback plays code {expected}, the log has {action}"
                )
            self._decisions[seat] += 1
            movers.append(seat)
            engine.advance(states, self._game.timed(action, delays[number]) if delays else action)
        if not engine.is_terminal(states):
            return f"the log ends after {len(movers)} decisions, before the match does"
        for place, seat_record in enumerate(self._record.seats):
            at = seat_record.fault_decision
            if at is not None and at != -1 and not (0 <= at < len(movers) and movers[at] == place):
                return f"seat {place}: fault_decision is {at}, which is no decision of this seat"
        return ""

    def result_problems(self) -> Iterator[str]:
        """Yield how the row differs from the result that the action log leads to, one text for each difference."""
        seats = self._record.seats
        scores, places = self._game.final(self._states, len(seats))
        faults = {place: seat.fault_decision or 0 for place, seat in enumerate(seats) if seat.ending.blame == "bot"}
        units = self._game.units(len(seats), self._setup.options)
        has_one_loser = self._game.engine.has_one_loser(self._states)
        places = settle_places(places, units, faults, has_one_loser=has_one_loser)
        for number, (seat, place, score, decisions) in enumerate(zip(seats, places, scores, self._decisions)):
            if seat.place != place:
                yield f"seat {number}: place is {seat.place}; by the log {place}"
            if as_float32(seat.score) != as_float32(score):
                yield f"seat {number}: score is {seat.score:g}; by the log {as_float32(score):g}"
            if seat.decisions != decisions:
                yield f"seat {number}: decisions is {seat.decisions}; by the log {decisions}"
            if seat.asks_outside and seat.reproducible:
                yield f"seat {number}: reproducible, and yet its bot asks something outside itself"
            if self._has_fault_without_ending(seat):
                yield f"seat {number}: ending {seat.ending.value} does not go with fault_decision {seat.fault_decision}"

    def _has_fault_without_ending(self, seat: SeatRecord) -> bool:
        if seat.ending.blame == "bot":
            return seat.fault_decision is None
        return seat.fault_decision is not None and self._setup.faults.policy == FORFEIT

    def _fallback_choice(self, seat: int, number: int, codes: list[int]) -> int | None:
        """The code that the fallback chooses at this decision; None where the bot chose, or may have chosen."""
        at = self._record.seats[seat].fault_decision
        if at is None or number < at:
            return None
        if number == at:
            return self._draw(seat, codes)
        faults = self._setup.faults
        if faults.policy != FORFEIT and faults.max_faults > 1 and at != -1:
            return None  # only the first fault is stored, and the bot played on
        return codes[0] if len(codes) == 1 else self._draw(seat, codes)

    def _draw(self, seat: int, codes: list[int]) -> int:
        return codes[self._fallbacks[seat].randrange(len(codes))]
