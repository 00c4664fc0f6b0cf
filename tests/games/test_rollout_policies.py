"""Priors and rollout policies: as good as a strong rule bot's play; and what a short search adds to them."""

import itertools
import random
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.agent import Agent, LoadedBot, read_bot
from arena.agent.view import View
from arena.engine.rng import seed_words
from arena.games import load
from arena.games.naga.estimates import ONLY_SINGLES, OUTLOOKS
from arena.games.nanatoridori.estimates import plan
from arena.games.nanatoridori.state import VALUES
from arena.games.nertz import NertzView
from arena.games.nertz.state import MATCH_OVER
from arena.match.single_match import play_match
from helpers.paths import HOUSE_BOTS

SURE = 1e9  # visits that the prior counts as: the search then plays by it


class ByPrior(Agent):
    """Plays the action with the highest prior."""

    def act(self, view: View) -> str:
        return view.search(iterations=1, prior=SURE).best


class Brief(Agent):
    """A short search."""

    def act(self, view: View) -> str:
        return view.search(iterations=60).best


def share(game: str, one: type[Agent], other: Path | type[Agent], deals: int, seats: int = 2, **options: Any) -> float:
    """Of the matches of `one` against others, in all rotations, the share in which it is before one of them; half for a tie."""
    won = 0.0
    for deal in range(deals):
        for seat in range(seats):
            record = play_match(game, [one if own == seat else other for own in range(seats)], seed=deal, options=options)
            places = [row.place for row in record.seats]
            won += sum(0.5 + 0.5 * ((places[seat] < place) - (places[seat] > place)) for place in places) - 0.5
    return won / (deals * seats * (seats - 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "deals", "options"),
    [("naga", 12, {}), ("nertz", 4, {"max_rounds": 1}), ("nanatoridori", 12, {})],
)
def test_what_looks_best_beats_the_greedy_bot(game: str, deals: int, options: dict[str, Any]) -> None:
    assert share(game, ByPrior, HOUSE_BOTS / f"{game}_greedy.py", deals, **options) > 0.6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "deals", "options"),
    [
        ("naga", 100, {}),
        ("nertz", 12, {"max_rounds": 1}),
        ("nanatoridori", 10, {}),
        ("hisatsu", 20, {"seats": 3}),
        ("yaniv", 60, {"max_rounds": 3}),
    ],
)
def test_a_short_search_beats_what_looks_best(game: str, deals: int, options: dict[str, Any]) -> None:
    """More iterations play better."""
    assert share(game, Brief, ByPrior, deals, **options) > 0.55


@pytest.mark.parametrize(
    ("loaded", "seats", "options"),
    [
        ("naga", 2, {}),
        ("hisatsu", 4, {}),
        ("yaniv", 4, {"max_rounds": 2}),
        ("nertz", 2, {"target": 5}),
        ("nertz", 5, {"target": 5}),
        ("nertz", 6, {"target": 10, "teams": True}),
    ],
)
def test_the_end_of_a_match_is_worth_more_in_a_better_place(loaded: str, seats: int, options: dict[str, Any]) -> None:
    game = load(loaded)
    worth, out = np.zeros(max(game.seats)), game.new_actions()
    for deal in range(10):
        states = game.deal(seats, game.resolve_options(options, seats), deal)
        game.engine.play_random(states, seed_words(deal), out, 1 << 20)
        assert game.engine.is_terminal(states)
        game.rollout.evaluate(states[0], game.constants, worth)
        _, places = game.final(states, seats)
        for one, other in itertools.combinations(range(seats), 2):
            assert np.sign(places[other] - places[one]) in (0, np.sign(worth[one] - worth[other]))


def test_a_call_that_wins_at_nertz_is_worth_more_than_points() -> None:
    """RULES.md 4.5: who has the target and calls is first, whatever the others have."""
    game = load("nertz")
    states, worth = game.deal(2, game.resolve_options({}, 2), 1), np.zeros(max(game.seats))
    states[0].totals[:2] = (100, 115)
    states[0].phase, states[0].caller = MATCH_OVER, 1
    game.rollout.evaluate(states[0], game.constants, worth)
    assert worth[0] > worth[1]
    states[0].caller = 2
    game.rollout.evaluate(states[0], game.constants, worth)
    assert worth[1] > worth[0]


def test_a_score_at_naga_is_worth_what_the_planner_says() -> None:
    with LoadedBot(read_bot(HOUSE_BOTS / "naga_planner.py")) as bot:
        outlook = sys.modules[bot.agent_class.__module__].outlook
        for mine in range(7):
            for theirs in range(7):
                for singles in range(7):
                    assert OUTLOOKS[mine, theirs, singles] == outlook(mine, theirs, (1,) * singles + (3,))
                    assert OUTLOOKS[mine, theirs, ONLY_SINGLES + singles] == outlook(mine, theirs, (1,) * singles)


def test_the_plan_for_a_hand_takes_the_fewest_turns() -> None:
    """Against all orders of all plays, one run with all that has met at a time."""
    constants = np.array([1.5, 0.1, 0.45, 0.1, *([0.0] * 20)])

    @cache
    def fewest(hand: tuple[int, ...]) -> float:
        best = np.inf if hand else 0.0
        first = 0
        while first < len(hand):
            last = first
            while last < len(hand) and hand[last] == hand[first]:
                last += 1
            price = max(0.0, 1.5 - 0.1 * hand[first] - 0.45 * (last - first - 1))
            best = min(best, price + fewest(hand[:first] + hand[last:]))
            first = last
        return best

    chance = random.Random(1)
    for _ in range(200):
        hand = [chance.randrange(1, VALUES + 1) for _ in range(chance.randrange(1, 10))]
        found = plan(np.array([*hand, 0, 0], np.int8), len(hand), constants)
        assert found == pytest.approx(fewest(tuple(hand)) + 0.1 * len(hand)), hand


def test_the_prior_at_nertz_agrees_with_the_racer() -> None:
    """Nearly always what the racer's list of rules prefers."""
    game = load("nertz")
    with LoadedBot(read_bot(HOUSE_BOTS / "nertz_racer.py")) as bot:
        racer = bot.agent_class.__new__(bot.agent_class)
        racer.knobs = sys.modules[bot.agent_class.__module__].Knobs()
        states = game.deal(2, game.resolve_options({}, 2), 1)
        agreed = asked = 0
        while asked < 150:
            seat, codes = game.engine.current_seat(states), game.legal_list(states)
            view = game.view(game, game.observed(states, seat), seat, codes=codes, events=list, clock=None)
            assert isinstance(view, NertzView)
            chosen = codes[0]
            if len(codes) > 1:
                worth = {action: racer.worth(view, action) for action in view.legal}
                found = view.search(iterations=1, prior=SURE)
                agreed += worth[found.best] == max(worth.values())
                asked += 1
                chosen = found.best_code
            game.engine.advance(states, chosen)
    assert agreed > 0.9 * asked


def test_the_last_two_choices_are_tried_most_and_equally_often() -> None:
    """Sequential halving: as often as the budget allows, in the same worlds."""
    game = load("naga")
    states = game.deal(2, game.resolve_options({}, 2), 3)
    game.engine.step(states, game.legal_list(states)[0])
    view = game.view(game, game.observed(states, 0), 0, codes=game.legal_list(states), events=list, clock=None)
    found = view.search(iterations=800)
    visits = sorted(choice.visits for choice in found.choices)
    assert sum(visits) == 800 and visits[-1] - visits[-2] <= 1 and visits[-2] > 2 * visits[4]
    best = next(choice for choice in found.choices if choice.action == found.best)
    assert best.visits >= visits[-2]
