"""No byte that reaches the browsers of a seat depends on what the seat cannot know: frames, asks, hints, refusals."""

import msgspec
import pytest

from arena.engine.game import Game, States
from arena.engine.random_tables import Decision, Table, copy, decisions, make_table
from arena.games import load, names
from arena.match.history import MatchHistory
from arena.records import Clock
from arena.server.table_process.broadcaster import Adviser, Broadcaster, hint
from arena.server.table_process.input_queue import InputQueue
from arena.server.table_process.messages import Act, Advise, Envelope, FromTable
from helpers.scripted_tables import ScriptedServer
from helpers.views import deals_anew, same_action, seen_after, worlds

WORLDS = 3
"""Worlds that are compared with the true one, for each moment and seat."""
SEARCH = {"iterations": 12, "seed": 7}


@pytest.mark.parametrize("game", names())
def test_what_a_seat_cannot_know_changes_no_byte_of_what_it_is_told(game: str) -> None:
    assert compared(load(game), 120) >= 120


@pytest.mark.slow
@pytest.mark.parametrize("game", names())
def test_what_a_seat_cannot_know_changes_no_byte_of_many_messages(game: str) -> None:
    assert compared(load(game), 600) >= 600


def test_a_message_that_showed_too_much_would_be_found() -> None:
    """Who sits on the other seat is told something else in each of these worlds."""
    game = load("naga")
    table = make_table(game, 1)
    moment = next(one for one in decisions(table) if len(one.codes) > 1)
    viewer, other = moment.seat, 1 - moment.seat
    told = {b"".join(told_to(table, world, moment, other)) for world in (moment.states, *worlds(game, moment, viewer))}
    assert len(told) == 1 + WORLDS


def compared(game: Game, wanted: int) -> int:
    """Compare so many messages for seats in permuted worlds with the true ones, in matches of all seat counts and options."""
    found, seed = 0, 0
    while found < wanted:
        table, seed = make_table(game, seed), seed + 1
        for moment in decisions(table):
            found += _compared_at(table, moment)
            if found >= wanted:
                break
    return found


def _compared_at(table: Table, moment: Decision) -> int:
    game, found = table.game, 0
    for viewer in range(table.seats):
        true, seen = told_to(table, moment.states, moment, viewer), seen_after(game, moment.states, moment, viewer)
        for world in worlds(game, moment, viewer):
            if seen_after(game, world, moment, viewer) == seen:  # what it sees differ, its page may show
                assert told_to(table, world, moment, viewer) == true, f"{table}: {moment}: seat {viewer} learns too much"
                found += len(true)
    return found


def told_to(table: Table, states: States, moment: Decision, viewer: int) -> list[bytes]:
    """All messages for the browsers of a seat around a decision, as they are sent.

    That is what it is shown before and after it, and if the decision is its own the Ask, a hint and refusals.
    """
    game, server = table.game, ScriptedServer(lambda _: ())
    broadcaster = Broadcaster(game, table.options, copy(game, states), range(table.seats), server.send, None)
    broadcaster.begin()
    if moment.seat == viewer:
        view = game.view.at(_decision(table, states, viewer), Clock(move=1.0, bank=0.0))
        desk = InputQueue(server, broadcaster, _AtOnce(server), None)
        for seat in range(table.seats):
            desk.add(seat, lambda: None)  # type: ignore[arg-type, return-value]
        desk.ask(viewer, view)
        server.say(Act(seat=viewer, decision=0, action="no such action"))
        server.say(Act(seat=viewer, decision=5, action=view.legal[0]))
        server.say(Advise(seat=viewer, decision=0))
        server.say(Act(seat=viewer, decision=0, action=view.legal[-1]))
        desk.answer(viewer)
    action = same_action(game, states, moment)
    if action is not None:
        broadcaster.played(action)
    told = [msgspec.json.encode(one) for one in server.sent if isinstance(one, Envelope) and one.seat == viewer]
    return told[:-1] if action is not None and deals_anew(game, states, action) else told  # other worlds have other deals


class _AtOnce(Adviser):
    """Gives hints without a thread."""

    def __init__(self, server: ScriptedServer) -> None:
        super().__init__(server.send, SEARCH)
        self._server = server

    def advise(self, seat: int, decision: int, view: object) -> None:
        """Search here and now."""
        message: FromTable = Envelope(seat=seat, message=hint(view, decision, SEARCH))  # type: ignore[arg-type]
        self._server.send(message)


def _decision(table: Table, states: States, seat: int) -> object:
    tape = MatchHistory(table.game, table.seats, copy(table.game, states))
    legal = table.game.new_actions()
    count = table.game.engine.legal_actions(tape.states, legal)
    return tape.decision(seat, count, legal.data, 0)
