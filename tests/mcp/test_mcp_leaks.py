"""No byte of any answer about a match depends on what the agent's seat cannot know: views, parts, refusals, hints, results."""

import pytest

from arena.engine.game import Game, States
from arena.engine.random_tables import Decision, Table, copy, decisions, make_table
from arena.games import load, names
from arena.match.history import MatchHistory
from arena.mcp.answers import Refused
from arena.mcp.telling import PARTS, Teller
from arena.mcp.told import Told
from arena.records import Clock
from arena.reports.table import LANGUAGES
from arena.server.table_process.broadcaster import Broadcaster, hint
from arena.server.table_process.messages import Envelope, FromTable
from arena.server.table_process.process import AGENTS_SEARCH
from helpers.views import deals_anew, same_action, seen_after, worlds

SEARCH = {**AGENTS_SEARCH, "iterations": 4}


@pytest.mark.parametrize("game", names())
def test_what_a_seat_cannot_know_changes_no_byte_of_an_answer(game: str) -> None:
    assert compared(load(game), 7) >= 7


@pytest.mark.slow
@pytest.mark.parametrize("game", names())
def test_what_a_seat_cannot_know_changes_no_byte_at_a_thousand_positions(game: str) -> None:
    assert compared(load(game), 1000) >= 1000


def test_an_answer_that_told_too_much_would_be_found() -> None:
    """Who sits on the other seat is told something else in each of these worlds."""
    game = load("naga")
    table = make_table(game, 1)
    moment = next(one for one in decisions(table) if len(one.codes) > 1)
    told = {
        tuple(answers(table, world, moment, 1 - moment.seat)) for world in (moment.states, *worlds(game, moment, moment.seat))
    }
    assert len(told) == 4


def compared(game: Game, wanted: int) -> int:
    """Compare the answers at so many positions, for all seats, in permuted worlds with the true ones."""
    found, seed = 0, 0
    while found < wanted:
        table, seed = make_table(game, seed), seed + 1
        for moment in decisions(table):
            found += _is_compared(table, moment)
            if found >= wanted:
                break
    return found


def _is_compared(table: Table, moment: Decision) -> bool:
    is_one = False
    for viewer in range(table.seats):
        true, seen = answers(table, moment.states, moment, viewer), seen_after(table.game, moment.states, moment, viewer)
        for world in worlds(table.game, moment, viewer):
            if seen_after(table.game, world, moment, viewer) == seen:  # what it sees differ, it may be told
                assert answers(table, world, moment, viewer) == true, f"{table}: {moment}: seat {viewer} learns too much"
                is_one = True
    return is_one


def answers(table: Table, states: States, moment: Decision, viewer: int) -> list[str]:
    """All that the agent of a seat can be answered around a decision, in both languages."""
    game, told, found = table.game, Told(), list[str]()

    def hear(message: FromTable) -> None:
        if isinstance(message, Envelope) and message.seat == viewer:
            told.hear(message.message)

    tellers = [Teller(game.name, table.seats, viewer, "HANDLE", language) for language in LANGUAGES]
    broadcaster = Broadcaster(game, table.options, copy(game, states), range(table.seats), hear, None, in_words=True)
    broadcaster.begin()
    if moment.seat == viewer:
        tape = MatchHistory(game, table.seats, copy(game, states))
        legal = game.new_actions()
        decision = tape.decision(viewer, game.engine.legal_actions(tape.states, legal), legal.data, 0)
        view = game.view.at(decision, Clock(move=1.0, bank=0.0))
        broadcaster.ask(viewer, view)
        if told.is_open:
            assert told.asked is not None
            hear(Envelope(seat=viewer, message=hint(view, 0, SEARCH)))
            for teller in tellers:
                assert told.hint is not None
                found += [teller.hint(told.hint), teller.illegal(told.asked, "no such action")]
                found += [teller.illegal(told.asked, refusal.card) for refusal in told.asked.refusals]
    found += _parts(tellers, told)
    action = same_action(game, states, moment)
    if action is not None and not deals_anew(game, states, action):
        told.act()
        broadcaster.played(action)
        found += _parts(tellers, told)
    return found


def _parts(tellers: list[Teller], told: Told) -> list[str]:
    found = []
    for teller in tellers:
        for part in PARTS:
            try:
                found.append(teller.part(told, part))
            except Refused as refused:
                found.append(str(refused))
    return found
