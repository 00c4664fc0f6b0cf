"""Real time, in virtual time: ticks come on a grid, nobody holds them up, and the last click of a tick counts."""

import threading
from collections.abc import Iterable
from itertools import pairwise

import pytest

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.errors import ConfigError
from arena.games import load
from arena.match import Answer, Fault
from arena.records import Ending
from arena.server.table_process.bots import BotInTime
from arena.server.table_process.broadcaster import Adviser, Broadcaster
from arena.server.table_process.input_queue import InputQueue
from arena.server.table_process.messages import Act, Ask, Envelope, Frame, FromTable, Refused, Replace
from arena.server.table_process.ticks import READY_TICKS, Ticks
from helpers.scripted_tables import Reaction, ScriptedServer, played, setup

TICK_MS = 250
TICK = TICK_MS / 1000
TICKS = 30
ONE_ROUND = {"max_rounds": 1, "tick_limit": TICKS, "delays": 0}
SLOW_FLIP = {**ONE_ROUND, "delays": [[5, 5, 5, 5, 5], [0, 0, 0, 0, 0]]}


class TimedServer(ScriptedServer):
    """Notes when each message was sent."""

    def send(self, message: FromTable) -> None:
        """The table says something."""
        self.times.append((self.time, message))
        super().send(message)

    @property
    def times(self) -> list[tuple[float, FromTable]]:
        """When each message was sent."""
        return self.__dict__.setdefault("_times", [])

    def frames(self, seat: int) -> list[tuple[float, Frame]]:
        """When each frame of a seat was sent."""
        return [
            (at, one.message)
            for at, one in self.times
            if isinstance(one, Envelope) and one.seat == seat and isinstance(one.message, Frame)
        ]


def silent(_: FromTable) -> Iterable[Reaction]:
    """People who say nothing."""
    return ()


def asked_of_seat_0(message: FromTable) -> Ask | None:
    """The Ask for seat 0, if that is what the message is."""
    is_it = isinstance(message, Envelope) and message.seat == 0 and isinstance(message.message, Ask)
    return message.message if is_it else None  # type: ignore[union-attr, return-value]


def test_a_silent_table_ticks_on_a_grid() -> None:
    server = TimedServer(silent)
    _, record = played(setup("nertz", [None, None], ONE_ROUND, seed=1, tick_ms=TICK_MS), server)
    frames = server.frames(0)
    assert [at for at, _ in frames[1:]] == pytest.approx([(READY_TICKS + number) * TICK for number in range(len(frames) - 1)])
    assert [frame.tick_ms for _, frame in frames[:-1]] == [READY_TICKS * TICK_MS] + [TICK_MS] * (len(frames) - 2)
    assert len(record.actions) == 2 * (len(frames) - 1) and set(record.actions) == {0}


def test_every_round_begins_with_some_ticks_to_look_at_the_cards() -> None:
    server = TimedServer(silent)
    options = {**ONE_ROUND, "max_rounds": 2, "tick_limit": 5}
    played(setup("nertz", [None, None], options, seed=1, tick_ms=TICK_MS), server)
    frames = server.frames(1)
    deals = [at for at, one in frames if one.tick_ms == READY_TICKS * TICK_MS and not one.is_end_of_round]
    first = [min(at for at, _ in frames if at > deal) for deal in deals]
    assert len(deals) == 2 and [after - deal for deal, after in zip(deals, first)] == pytest.approx([READY_TICKS * TICK] * 2)


def test_people_who_talk_all_the_time_hold_no_tick() -> None:
    def chatter(message: FromTable) -> Iterable[Reaction]:
        if isinstance(message, Envelope) and isinstance(message.message, Ask):
            ask = message.message
            for part in range(40):
                yield part * TICK / 20, Act(seat=message.seat, decision=ask.decision, action=ask.legal[part % len(ask.legal)])

    server = TimedServer(chatter)
    played(setup("nertz", [None, None], ONE_ROUND, seed=1, tick_ms=TICK_MS), server)
    assert all(after - before < TICK * 1.001 for (before, _), (after, _) in pairwise(server.frames(0)[1:]))


def test_a_late_process_skips_ticks_and_never_hurries() -> None:
    server = ScriptedServer(silent)
    ticks = Ticks(server, TICK_MS)
    ticks.begin_round()
    begin = READY_TICKS * TICK
    for late, following in ((0.0, 1), (0.1, 2), (2.3 * TICK, 5), (0.0, 6)):
        server.time += ticks.left() + late
        ticks.end()
        assert server.time + ticks.left() == pytest.approx(begin + following * TICK)
        assert 0 < ticks.left() <= TICK


def is_first_ask(message: FromTable) -> bool:
    """Whether seat 0 is asked for its first decision."""
    return isinstance(message, Envelope) and isinstance(message.message, Ask) and message.seat == message.message.decision == 0


@pytest.mark.parametrize(("clicks", "expected"), [(["flip"], "flip"), (["flip", "wait"], "wait"), (["wait", "flip"], "flip")])
def test_the_last_click_of_a_tick_counts(clicks: list[str], expected: str) -> None:
    def react(message: FromTable) -> Iterable[Reaction]:
        if is_first_ask(message):
            for number, click in enumerate(clicks):
                yield 0.01 * number, Act(seat=0, decision=0, action=click)

    server = TimedServer(react)
    played(setup("nertz", [None, None], ONE_ROUND, seed=1, tick_ms=TICK_MS), server)
    events = [(event.seat, event.text) for event in server.of(0, Frame)[1].events]
    assert events == ([(0, "flip")] if expected == "flip" else [])
    assert [one.action for one in server.of(0, Refused)] == clicks[:-1]


def test_a_click_that_comes_after_its_tick_counts_in_the_next_one_or_is_taken_back() -> None:
    def react(message: FromTable) -> Iterable[Reaction]:
        if is_first_ask(message):
            start = READY_TICKS * TICK
            yield start + 0.1, Act(seat=0, decision=0, action="flip")
            yield start + 0.1 + TICK, Act(seat=0, decision=0, action="no such move")
            yield start + 0.1 + 2 * TICK, Act(seat=0, decision=6, action="no such move")

    server = TimedServer(react)
    played(setup("nertz", [None, None], ONE_ROUND, seed=1, tick_ms=TICK_MS), server)
    frames = server.of(0, Frame)
    assert [(one.number, one.events[0].text) for one in frames if one.events][:1] == [(4, "flip")]
    assert [(one.decision, one.why) for one in server.of(0, Refused)] == [(0, "late"), (6, "illegal")]


def test_while_a_move_runs_another_one_is_refused() -> None:
    def react(message: FromTable) -> Iterable[Reaction]:
        if (
            isinstance(message, Envelope)
            and isinstance(message.message, Ask)
            and message.seat == 0
            and message.message.decision < 4
        ):
            yield 0.0, Act(seat=0, decision=message.message.decision, action="flip")

    server = TimedServer(react)
    played(setup("nertz", [None, None], SLOW_FLIP, seed=1, tick_ms=TICK_MS), server)
    assert [one.why for one in server.of(0, Refused)] == ["busy"]


def test_a_bot_takes_over_in_real_time_and_holds_nothing() -> None:
    server = TimedServer(lambda message: [(0.0, Replace(seat=0))] if isinstance(message, Envelope) else [])
    _, record = played(setup("nertz", [None, "house:nertz_greedy"], ONE_ROUND, seed=1, tick_ms=TICK_MS), server)
    assert [row.ending for row in record.seats] == [Ending.PLAYED] * 2
    assert [at for at, _ in server.frames(0)[1:]] == pytest.approx(
        [(READY_TICKS + n) * TICK for n in range(len(server.frames(0)) - 1)]
    )


class Stubborn:
    """A seat that answers only when it is let; implements match.Seat."""

    isolation = "none"
    wants_forced = False

    def __init__(self, answer: Answer | Fault) -> None:
        self.may_answer = threading.Event()
        self.has_answered = threading.Event()
        self._answer = answer

    def start(self, info: StartInfo) -> Fault | None:
        """Be ready."""
        return None

    def ask(self, view: View) -> None:
        """Take the question."""

    def answer(self) -> Answer | Fault:
        """Wait until somebody lets it."""
        self.may_answer.wait()
        return self._answer

    def end(self, result: EndInfo) -> None:
        """Do nothing."""


def test_ticks_do_not_wait_for_a_bot() -> None:
    """What it answers late counts in a later tick, if it is legal there."""
    game = load("nertz")
    options = game.resolve_options({"latency": "declared", **ONE_ROUND}, 2)
    states = game.deal(2, options, 1)
    server = ScriptedServer(silent)
    ticks = Ticks(server, TICK_MS)
    broadcaster = Broadcaster(game, options, states, [], server.send, ticks)
    desk = InputQueue(server, broadcaster, Adviser(server.send), ticks)
    seat = Stubborn(Answer("flip", 0.2, 0.2))
    bot = BotInTime(seat, "stubborn", desk)
    bot.start(StartInfo("nertz", options, 2, 0, clock=None))  # type: ignore[arg-type]
    view = game.view(game, states, 0, codes=game.legal_list(states), events=list, clock=None)
    for tick in range(3):
        bot.ask(view)
        assert bot.answer() == Answer("wait", 0.0, 0.0)
        assert server.time == pytest.approx((READY_TICKS + tick) * TICK)
    seat.may_answer.set()
    bot.ask(view)
    bot.wait()
    assert bot.answer() == Answer("flip", 0.2, 0.2)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (setup("naga", [None, None], {}, tick_ms=250), "naga is not played in real time"),
        (setup("nertz", [None, None], {"latency": "measured"}, tick_ms=250), "options.latency: declared in real time"),
        (setup("nertz", [None, None], {}, tick_ms=0), "tick_ms: at least 1"),
    ],
)
def test_what_cannot_be_played_in_real_time_is_refused(asked: object, error: str) -> None:
    with pytest.raises(ConfigError, match=error):
        played(asked, ScriptedServer(silent))  # type: ignore[arg-type]
