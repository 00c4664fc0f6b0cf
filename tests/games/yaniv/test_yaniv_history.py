"""What a state of Yaniv remembers of the last turns: as everybody saw them, in positions and features, and nothing else."""

import random

import numpy as np
import pytest

from arena.audit.laws.traces import play_text
from arena.games.yaniv.rows import CARDS, RANK, RANKS
from arena.games.yaniv.state import MAX_SEATS, RECENT
from arena.search import Settings, search
from helpers.views import ones, planes
from helpers.yaniv_tables import GAME, after, copied, deal, legal, made, masked, position

HANDS = ["S4 S5 S6 D9", "H4 C4 DK", "SQ HQ C2"]


def recent(states, seat=None):
    memory = position(states)["memory"] if seat is None else masked(states, seat)["memory"]
    return (memory or {}).get("recent", [])


def test_everybody_sees_who_laid_what_and_took_what():
    states = after(made(HANDS), "discard S4 S5 S6", "draw first", "discard H4 C4", "draw stock", "discard SQ", "draw last")
    wanted = [
        {"laid": ["S4", "S5", "S6"], "taken": "CJ"},
        {"laid": ["H4", "C4"], "taken": None},
        {"laid": ["SQ"], "taken": "C4"},
    ]
    assert [recent(states, seat) for seat in (None, 0, 1, 2)] == [wanted] * 4


def test_the_features_count_seats_from_the_own_one_and_turns_from_the_last_one_back():
    states = after(made(HANDS), "discard S4 S5 S6", "draw first", "discard H4 C4", "draw stock")
    rows = np.reshape(planes(states, 2, GAME)["recent"], (RECENT, -1))
    seats, laid, is_run, taken = np.split(rows, np.cumsum([MAX_SEATS, RANKS + 1, 1]), axis=1)
    assert [ones(row) for row in seats[:2]] == [[2], [1]]  # seat 1 sits before seat 2, seat 0 is the next one
    assert np.round(laid[0] * 5).tolist() == [0, 0, 0, 2, *[0] * 10] and np.round(laid[1] * 5).tolist()[3:6] == [1, 1, 1]
    assert is_run[:2].tolist() == [[0], [1]]
    assert [ones(row) for row in taken[:2]] == [[RANKS + 1], [RANK[CARDS.parse("CJ", "") + 1]]]
    assert not rows[2:].any()


@pytest.mark.parametrize(("seats", "options"), [(2, {"slap_down": True}), (3, {"mode": "elim201", "limit": 60}), (5, {})])
def test_the_last_eight_turns_of_the_round_are_those_that_were_played(seats, options):
    states, rng = deal(seats, seats, max_rounds=4, **options), random.Random(seats)
    told, number, laid, slaps = [], 1, [], 0
    while not GAME.engine.is_terminal(states):
        if position(states)["round"] != number:
            told, number = [], position(states)["round"]
        assert recent(states) == told[-RECENT:]
        before = position(states)
        text = rng.choice(legal(states))
        play_text(GAME, states, text)
        verb = text.split()[0]
        if verb == "discard":
            laid = text.split()[1:]
        elif verb == "draw":
            ends = {"first": before["previous"][0], "last": before["previous"][-1]}
            if position(states)["phase"] != "slap":
                told.append({"laid": laid, "taken": ends.get(text.split()[1])})
        elif verb in ("slap", "hold"):
            slaps += verb == "slap"
            told.append({"laid": laid + [before["drawn"]] * (verb == "slap"), "taken": None})
    assert slaps > 0 or not options.get("slap_down")


def test_a_search_finds_the_same_whatever_came_before():
    states = after(made(HANDS), "discard S4 S5 S6", "draw first", "discard H4 C4", "draw stock")
    other = copied(states)
    other[0].recent[:] = 0
    assert recent(states, 2) and not recent(other, 2)
    found = []
    for one in (states, other):
        seen = GAME.observed(one, 2)
        choices = search(GAME, seen, 2, GAME.legal_list(seen), Settings(iterations=200)).choices
        found.append([(choice.visits, choice.value) for choice in choices])
    assert found[0] == found[1]
