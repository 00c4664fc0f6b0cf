"""Of the policies of a game each table has the one for its number of seats, as if the game had no other."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from arena.agent import View
from arena.engine.game import Game
from arena.engine.net import Net, Nets
from arena.errors import ConfigError
from arena.games import load
from arena.learning.training.gate import Imitator
from arena.records import Clock
from arena.search import Settings, search

GAME = "nanatoridori"
TABLES = {2: "policy", 3: "policy2", 4: "policy2", 5: None}  # the policy of each number of seats
DEAL = 5


@cache
def policies() -> dict[str, Net]:
    """Two policies that nobody has trained."""
    layout, chance = load(GAME).layout, np.random.default_rng(1)
    inputs = layout.size + layout.action_size

    def policy(*seats: int, hidden: int) -> Net:
        weights, bias, out = (chance.standard_normal(shape).astype(np.float32) for shape in ((inputs, hidden), hidden, hidden))
        return Net(weights, bias, out, 0.0, row=layout.action_size, seats=frozenset(seats))

    return {"policy": policy(2, hidden=24), "policy2": policy(3, 4, hidden=8)}


@cache
def side_by_side() -> Game:
    return replace(load(GAME), nets=Nets(policies()))


@cache
def with_one(name: str | None) -> Game:
    """The game with one of the policies alone, or with none."""
    return replace(load(GAME), nets=Nets({"policy": policies()[name]} if name else {}))


def decision(game: Game, seats: int) -> tuple[Any, int, list[int]]:
    states = game.deal(seats, game.resolve_options({}, seats), DEAL)
    seat = game.engine.current_seat(states)
    return game.observed(states, seat), seat, game.legal_list(states)


def searched(game: Game, seats: int, proposals: str = "net") -> list[tuple[int, float]]:
    found = search(game, *decision(game, seats), Settings(iterations=100, proposals=proposals, trust=1.0))
    return [(choice.visits, choice.value) for choice in found.choices]


def view_of(game: Game, seats: int) -> View:
    observed, seat, codes = decision(game, seats)
    return View(game, observed, seat, codes=codes, events=list, clock=Clock(1.0, 0.0))


def test_searches_of_all_tables_in_turn_are_led_by_the_policy_of_their_own() -> None:
    for seats in (2, 3, 5, 2, 4, 3):
        found = searched(side_by_side(), seats)
        assert found == searched(with_one(TABLES[seats]), seats)
        assert (found == searched(load(GAME), seats, "rule")) == (TABLES[seats] is None)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_bots_without_a_search_are_told_by_the_policy_of_their_table(seats: int) -> None:
    found = view_of(side_by_side(), seats)
    assert found.has_policy and found.policy() == view_of(with_one(TABLES[seats]), seats).policy()
    game = side_by_side()
    states = game.deal(seats, game.resolve_options({}, seats), DEAL)
    codes, seat = game.legal_list(states), game.engine.current_seat(states)
    assert Imitator(game).choose(states, seat, codes) == codes[int(np.argmax(found.policy()))]


def test_a_table_without_one_has_none() -> None:
    found = view_of(side_by_side(), 5)
    assert not found.has_policy
    with pytest.raises(ConfigError, match="has learnt none for this number of seats"):
        found.policy()


def test_a_game_of_two_seats_alone_can_have_a_policy_though_its_positions_name_no_seats() -> None:
    game = load("naga")
    inputs = game.layout.size + game.layout.action_size
    ones = np.ones(4, np.float32)
    net = Net(np.ones((inputs, 4), np.float32), ones, ones, 0.0, row=game.layout.action_size, seats=frozenset({2}))
    found = view_of(replace(game, nets=Nets({"policy": net})), 2)
    assert found.has_policy and len(found.policy()) == len(found.legal)
