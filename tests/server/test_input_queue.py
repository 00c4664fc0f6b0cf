"""What people may say at a table, and what comes of it: actions, hints, a bot that takes over and gives the seat back."""

import threading
from collections.abc import Callable, Iterable
from typing import cast

import pytest
from msgspec.structs import replace

from arena.agent.view import View
from arena.match import Fault
from arena.match.in_process import InProcessSeat
from arena.records import Ending, MatchRecord
from arena.server.table_process import broadcaster
from arena.server.table_process.input_queue import InputQueue
from arena.server.table_process.messages import Act, Advise, Ask, Envelope, FromTable, Hint, Refused, Replace, Restore, ToTable
from helpers.scripted_tables import Reaction, ScriptedServer, played, setup


def table_of(
    answers: Callable[[int, Ask], Iterable[ToTable]],
    game: str = "naga",
    seats: Iterable[str | None] = (None, "house:random_bot"),
) -> tuple[ScriptedServer, MatchRecord]:
    """A match in which people answer each Ask so, one message after the other."""

    def react(message: FromTable) -> Iterable[Reaction]:
        if isinstance(message, Envelope) and isinstance(message.message, Ask):
            yield from ((0.0, one) for one in answers(message.seat, message.message))

    server = ScriptedServer(react)
    _, record = played(setup(game, seats, seed=3), server)
    return server, record


def test_only_the_first_legal_answer_to_a_decision_counts() -> None:
    def answers(seat: int, ask: Ask) -> list[ToTable]:
        right = Act(seat=seat, decision=ask.decision, action=ask.legal[-1])
        return [
            Act(seat=seat, decision=ask.decision, action="fly to the moon"),
            Act(seat=seat, decision=ask.decision - 1, action=ask.legal[0]),
            right,
            Act(seat=seat, decision=ask.decision, action=ask.legal[0]),
        ]

    server, record = table_of(answers)
    asks, refused = server.of(0, Ask), server.of(0, Refused)
    expected = []
    for ask in asks:
        expected += [(ask.decision, "illegal"), (ask.decision - 1, "late"), (ask.decision, "late")]
    assert [(one.decision, one.why) for one in refused] == expected[: len(refused)]
    assert len(refused) >= len(expected) - 1  # nobody reads what is said after the last decision
    assert not record.faults


def test_what_another_person_says_early_is_kept_until_it_is_asked_for() -> None:
    """In a simultaneous choice all are asked together, and the last seat may be the first to know."""
    told: list[Envelope] = []

    def answers(seat: int, ask: Ask) -> list[ToTable]:
        told.append(Envelope(seat=seat, message=ask))
        if len(told) < 2:
            return []
        both, told[:] = told[::-1], []
        return [Act(seat=one.seat, decision=ask.decision, action=ask_of(one).legal[0]) for one in both]

    def ask_of(one: Envelope) -> Ask:
        assert isinstance(one.message, Ask)
        return one.message

    server, record = table_of(answers, "nertz", (None, None))
    assert not server.of(0, Refused) and not server.of(1, Refused)
    assert {row.isolation for row in record.seats} == {"person"}


def test_a_bot_that_chooses_together_with_a_person_has_answered_when_the_person_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would compute, and be charged nothing, for as long as the person thinks."""
    computing, seen = set[InProcessSeat](), list[int]()
    ask, answer, serve = InProcessSeat.ask, InProcessSeat.answer, InputQueue._serve
    monkeypatch.setattr(InProcessSeat, "ask", lambda seat, view: (computing.add(seat), ask(seat, view))[1])
    monkeypatch.setattr(InProcessSeat, "answer", lambda seat: (computing.discard(seat), answer(seat))[1])
    monkeypatch.setattr(InputQueue, "_serve", lambda desk, message: (seen.append(len(computing)), serve(desk, message))[1])
    table_of(lambda seat, ask: [act(seat, ask)])
    assert seen and not any(seen)


def test_a_seat_that_is_no_persons_is_not_served(capsys: pytest.CaptureFixture[str]) -> None:
    server, _ = table_of(lambda seat, ask: [Act(seat=1, decision=0, action="x"), Advise(seat=9, decision=0), act(seat, ask)])
    assert not server.of(1, Refused) and "no person sits there" in capsys.readouterr().err


def act(seat: int, ask: Ask) -> Act:
    """The first legal action."""
    return Act(seat=seat, decision=ask.decision, action=ask.legal[0])


def test_a_bot_plays_for_who_has_left_until_the_person_is_back() -> None:
    decisions: list[int] = []

    def answers(seat: int, ask: Ask) -> list[ToTable]:
        decisions.append(ask.decision)
        if len(decisions) == 2:
            return [Replace(seat=seat)]
        return [Restore(seat=seat), act(seat, ask)]

    server, record = table_of(answers)
    assert len(decisions) > 3 and not server.of(0, Refused)
    assert record.seats[0].isolation == "person" and record.seats[0].ending is Ending.PLAYED


def test_everybody_may_leave_and_the_match_goes_on() -> None:
    server, record = table_of(lambda seat, ask: [Replace(seat=seat)], "yaniv", (None, None))
    assert all(row.ending is Ending.PLAYED for row in record.seats)
    assert server.of(0, Ask) and server.of(1, Ask)


def test_a_bot_that_cannot_take_over_costs_the_person_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    server = ScriptedServer(lambda message: [(0.0, Replace(seat=0))] if isinstance(message, Envelope) else [])
    asked = setup("naga", [None, "house:random_bot"], seed=1)
    broken = replace(asked.seats[0], bot="house:ismcts", params={"iterations": -1})
    _, record = played(replace(asked, seats=[broken, asked.seats[1]]), server)
    assert record.seats[0].ending is Ending.PLAYED and "plays for a person failed" in capsys.readouterr().err


def test_a_hint_is_what_the_search_found_best_first() -> None:
    asked: list[Ask] = []

    def answers(seat: int, ask: Ask) -> list[ToTable]:
        asked.append(ask)
        return [Advise(seat=seat, decision=ask.decision - 1), Advise(seat=seat, decision=ask.decision), act(seat, ask)]

    server, _ = table_of(answers)
    for thread in threading.enumerate():
        if thread.name == "hint":
            thread.join()
    hints = {hint.decision: hint for hint in server.of(0, Hint)}
    assert hints and set(hints) <= {ask.decision for ask in asked}
    for ask in asked:
        if ask.decision in hints:
            hint = hints[ask.decision]
            assert hint.best == hint.choices[0].action and {one.action for one in hint.choices} <= set(ask.legal)
            assert hint.loss is None or hint.loss >= 0


def test_a_decision_is_searched_once_however_often_a_hint_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks without end gets the same hint again, and costs no CPU time."""
    searched: list[int] = []

    def found(view: object, decision: int, settings: object) -> Hint:
        searched.append(decision)
        return Hint(decision=decision, best="a", simulations=1, choices=[], loss=None)

    monkeypatch.setattr(broadcaster, "hint", found)
    told: list[FromTable] = []
    adviser = broadcaster.Adviser(told.append)
    for decision in (4, 4, 4, 6, 6):
        adviser.advise(0, decision, cast(View, None))
        for thread in threading.enumerate():
            if thread.name == "hint":
                thread.join()
    assert searched == [4, 6]
    assert [one.message.decision for one in told if isinstance(one, Envelope) and isinstance(one.message, Hint)] == [
        4,
        4,
        4,
        6,
        6,
    ]


def test_where_the_machine_fails_a_bot_people_do_not_lose_their_match(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InProcessSeat, "answer", lambda _: Fault(Ending.HOST, "no memory left"))
        _, record = table_of(lambda seat, ask: [act(seat, ask)])
    assert [row.ending for row in record.seats] == [Ending.PLAYED] * 2 and "no memory left" in capsys.readouterr().err
