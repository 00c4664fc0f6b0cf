"""The seat of a remote program: what it is sent, what it may answer, its clock, and a connection that is lost."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pytest

from arena.engine.game import Game, States
from arena.engine.random_tables import Decision, Table, decisions, make_table
from arena.games import load, names
from arena.match.history import MatchHistory
from arena.records import Clock, Ending, MatchRecord
from arena.server.table_process.arranging import REMOTE_CLOCK, BotSeats, arrange
from arena.server.table_process.messages import Cut, Forward, GaveUp, Remote, Replied, Resumed, SeatPlan, Setup, ToTable
from arena.server.table_process.process import play_unattended
from arena.server.table_process.programs import GRACE_SECONDS, STILL_SECONDS, Lines, Programs, RemoteSeat
from helpers.views import worlds

Reply = tuple[float, ToTable]


class Program:
    """A program at a table, by a script and in a time of its own."""

    def __init__(self, react: Callable[[dict[str, Any]], Iterable[Reply]]) -> None:
        self.time = 0.0
        self.asked: list[dict[str, Any]] = []
        self.inbox = _Scripted(self)
        self.coming: list[Reply] = []
        self._react = react

    def send(self, message: object) -> None:
        if isinstance(message, Forward):
            line = json.loads(message.line)
            self.asked.append(line)
            self.coming += [(self.time + seconds, said) for seconds, said in self._react(line)]
            self.coming.sort(key=lambda one: one[0])


class _Scripted(Lines):
    """The inbox of the table, whose time goes on when somebody waits."""

    def __init__(self, program: Program) -> None:
        super().__init__(lambda: program.time)
        self._program = program

    def take(self, seconds: float) -> tuple[float, ToTable] | None:
        program = self._program
        if not program.coming or program.coming[0][0] > program.time + seconds:
            program.time += seconds
            return None
        at, message = program.coming.pop(0)
        program.time = max(program.time, at)
        return at, message


def answer(line: dict[str, Any]) -> str:
    """The right answer: ready, or the first legal action."""
    return json.dumps({"id": line["id"]} | ({"ok": True} if line["type"] == "start" else {"action": 0}))


def replied(text: str, seconds: float = 0.01) -> Reply:
    return seconds, Replied(seat=0, line=text)


def played(react: Callable[[dict[str, Any], int], Iterable[Reply]]) -> tuple[MatchRecord, Program]:
    """A match of a program against a house bot. `react`: to a line, with the number of the decision (the start is 0)."""
    setup = Setup(
        game="naga", seats=[SeatPlan(name="ann/bot", remote=Remote()), SeatPlan(name="beginner", bot="house:random_bot")],
        results="nowhere", pool="remote", seed=5, options={"series": "first_to:1"},
    )  # fmt: skip
    counted: list[int] = []

    def numbered(line: dict[str, Any]) -> Iterable[Reply]:
        if line["type"] == "end":
            return []
        if line["id"] not in counted:
            counted.append(line["id"])
        return react(line, counted.index(line["id"]))

    program = Program(numbered)
    table = arrange(setup)
    with BotSeats(table) as seats:
        return play_unattended(table, seats, program.inbox, program.send), program


def test_a_program_that_answers_plays_to_the_end() -> None:
    record, program = played(lambda line, _: [replied(answer(line))])
    row = record.seats[0]
    assert (row.ending, row.isolation, row.bot, record.pool) == (Ending.PLAYED, "remote", "ann/bot", "remote/naga")
    assert [line["type"] for line in program.asked][:2] == ["start", "act"] and program.asked[-1]["type"] == "end"
    assert program.asked[0]["clock"] == msgspec.to_builtins(REMOTE_CLOCK)
    assert not row.reproducible


@pytest.mark.parametrize(
    ("said", "ending"),
    [
        (lambda line: ["nonsense"], Ending.MALFORMED),
        (lambda line: [""], Ending.MALFORMED),
        (lambda line: ["[" * 60_000], Ending.MALFORMED),
        (lambda line: ['"' + "x" * 70_000 + '"'], Ending.MALFORMED),
        (lambda line: [json.dumps({"id": line["id"], "action": 0, "more": 1})], Ending.MALFORMED),
        (lambda line: [json.dumps({"id": line["id"], "action": None})], Ending.MALFORMED),
        (lambda line: ["\ud800"], Ending.MALFORMED),
        (lambda line: [json.dumps({"id": line["id"] + 1, "action": 0})], Ending.PROTOCOL),
        (lambda line: [answer(line), answer(line)], Ending.PROTOCOL),
        (lambda line: [json.dumps({"id": line["id"], "action": 10**6})], Ending.ILLEGAL),
        (lambda line: [json.dumps({"id": line["id"], "action": "fold"})], Ending.ILLEGAL),
    ],
)
def test_a_wrong_answer_forfeits_as_a_command_bots_does(said: Callable[[dict[str, Any]], list[str]], ending: Ending) -> None:
    record, _ = played(lambda line, number: [replied(text) for text in (said(line) if number == 1 else [answer(line)])])
    assert (record.seats[0].ending, record.seats[0].place, record.seats[1].ending) == (ending, 2, Ending.PLAYED)


def test_it_has_time_by_the_wall() -> None:
    slow = REMOTE_CLOCK.move + REMOTE_CLOCK.bank
    record, _ = played(lambda line, number: [replied(answer(line), slow - 1 if number == 1 else 0.01)])
    assert record.seats[0].ending is Ending.PLAYED and record.seats[0].wall_ms_total >= 1000 * (slow - 1)
    record, _ = played(lambda line, number: [replied(answer(line), slow - 1 if number in (1, 2) else 0.01)])
    assert record.seats[0].ending is Ending.TIMEOUT  # the bank was spent
    record, program = played(lambda line, number: [] if number == 1 else [replied(answer(line))])
    assert record.seats[0].ending is Ending.TIMEOUT and program.time < 2 * slow


def test_a_program_that_never_becomes_ready_forfeits_at_the_start() -> None:
    record, program = played(lambda line, number: [])
    assert record.seats[0].ending is Ending.STARTUP and [line["type"] for line in program.asked] == ["start"]


@pytest.mark.parametrize(
    ("away", "charged"), [(STILL_SECONDS - 1, 0.0), (GRACE_SECONDS - 1, GRACE_SECONDS - 1 - STILL_SECONDS)]
)
def test_a_lost_connection_stops_the_clock_for_a_moment_and_no_longer(away: float, charged: float) -> None:
    """Who cuts the line so as to think has the time that others have."""

    def react(line: dict[str, Any], number: int) -> list[Reply]:
        if number != 3:
            return [replied(answer(line))]
        return [(0.01, Cut(seat=0)), (away, Resumed(seat=0)), replied(answer(line), away + 0.1)]

    record, program = played(react)
    assert record.seats[0].ending is Ending.PLAYED and program.time > away
    assert charged <= record.seats[0].wall_ms_total / 1000 < charged + 1.0


@pytest.mark.parametrize("number", [0, 3])
def test_the_table_asks_nothing_twice(number: int) -> None:
    """The server knows what a program has heard: a table that asked again, too, would get two answers and call them a fault."""

    def react(line: dict[str, Any], now: int) -> list[Reply]:
        cut: list[Reply] = [(0.0, Cut(seat=0)), (0.01, Resumed(seat=0))] if now == number else []
        return [*cut, replied(answer(line), 0.02)]

    record, program = played(react)
    ids = [line["id"] for line in program.asked]
    assert record.seats[0].ending is Ending.PLAYED and len(ids) == len(set(ids))


def test_who_is_away_for_too_long_forfeits_however_often_the_line_is_cut() -> None:
    record, program = played(lambda line, number: [(0.01, Cut(seat=0))] if number == 1 else [replied(answer(line))])
    assert record.seats[0].ending is Ending.TIMEOUT and GRACE_SECONDS <= program.time < GRACE_SECONDS + 5

    def often(line: dict[str, Any], number: int) -> list[Reply]:
        cut: list[Reply] = [(0.01, Cut(seat=0)), (GRACE_SECONDS / 3, Resumed(seat=0))] if number else []
        return [*cut, replied(answer(line), GRACE_SECONDS / 3 + 0.01 if number else 0.01)]

    record, _ = played(often)
    assert record.seats[0].ending is Ending.TIMEOUT


def test_who_leaves_forfeits_and_the_others_play_on() -> None:
    record, _ = played(
        lambda line, number: (
            [(0.01, GaveUp(seat=0, ending=Ending.CRASH, reason="left the table"))] if number == 2 else [replied(answer(line))]
        )
    )
    assert (record.seats[0].ending, record.seats[1].place) == (Ending.CRASH, 1)
    assert record.faults[0].reason == "left the table" and not record.faults[0].output


@pytest.mark.parametrize("wants_state", [False, True])
@pytest.mark.parametrize("game", names())
def test_what_the_seat_cannot_know_changes_no_byte_of_what_it_is_sent(game: str, wants_state: bool) -> None:
    found = seed = 0
    loaded = load(game)
    while found < 60:
        table, seed = make_table(loaded, seed), seed + 1
        for moment in decisions(table):
            true = question(loaded, table, moment, moment.states, wants_state)
            for world in worlds(loaded, moment, moment.seat):
                assert question(loaded, table, moment, world, wants_state) == true, f"{table}: {moment}"
                found += 1
            if found >= 60:
                break


def test_a_question_that_showed_too_much_would_be_found() -> None:
    """The other seat's question differs between worlds that the first cannot tell apart."""
    game = load("naga")
    table = make_table(game, 1)
    moment = next(one for one in decisions(table) if len(one.codes) > 1)
    other = {game.observed(world, 1 - moment.seat).tobytes() for world in (moment.states, *worlds(game, moment, moment.seat))}
    assert len(other) > 1


def question(game: Game, table: Table, moment: Decision, states: States, wants_state: bool) -> bytes:
    """The line that a remote program is sent at a decision, in some world."""
    tape = MatchHistory(game, table.seats, states.copy())
    legal = game.new_actions()
    count = game.engine.legal_actions(tape.states, legal)
    view = game.view.at(tape.decision(moment.seat, count, legal.data, 0), Clock(move=1.0, bank=0.0))
    seat = RemoteSeat(Programs(Lines(), lambda _: None), moment.seat, 7, Remote(wants_state=wants_state))
    return msgspec.json.encode(seat._question(view))
