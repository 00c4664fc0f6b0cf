"""The solution of Naga's last two contests, and of small games by the same regret matching."""

import itertools

import numpy as np
import pytest

from arena.agent import StartInfo, read_bot
from arena.agent.loading import house_bots
from arena.engine.rng import seed_words
from arena.games.naga import endgame
from arena.games.naga.regret_matching import equilibrium
from arena.match.single_match import UNHURRIED, Named, bot_seat
from helpers.naga_tables import GAME, copied
from lab.exact.naga import position, worlds

LAST_SINGLE, ELTAM = 6, 7
SIGNIFICANT = 1e-3  # shares below it are left from the first rounds


def solved(payoffs, *, pairs=((0, 0),), first=1, second=1, rounds=2000):
    """The strategies of both seats. `payoffs`: a matrix for each pair of hands; every hand of a seat has as many choices."""
    rows, columns = np.shape(payoffs)[1:]
    found = np.empty(first * rows), np.empty(second * columns)
    starts = [np.arange(hands + 1) * choices for hands, choices in ((first, rows), (second, columns))]
    equilibrium(*starts, np.array(pairs), np.array(payoffs, np.float32).reshape(-1), rounds, *found)
    return found[0].reshape(first, rows), found[1].reshape(second, columns)


def selecting(number, contest=LAST_SINGLE, **options):
    """The first selection of a contest after random play."""
    states = None
    while states is None:
        states = position(GAME, number, contest)
        number += 1000
    for name, value in options.items():
        states[name] = value
    return states


def shares_of(states, seat, seen=True):
    looked_at = GAME.observed(states, seat) if seen else states
    shares = np.full(10, np.nan)
    endgame.solve(looked_at[0], seat, endgame.ROUNDS, shares)
    return shares


def view_of(states, seat):
    observed = GAME.observed(states, seat)
    return GAME.view(GAME, observed, seat, codes=GAME.legal_list(states), events=list, clock=UNHURRIED)


def test_rock_paper_scissors_is_played_evenly():
    first, second = solved([[[0, -1, 1], [1, 0, -1], [-1, 1, 0]]])
    assert first[0] == pytest.approx([1 / 3] * 3, abs=0.01)
    assert second[0] == pytest.approx([1 / 3] * 3, abs=0.01)


def test_a_costly_rock_is_played_as_theory_says():
    """Rock against scissors wins 2: each choice is played as often as the stake of the pair that it is not in."""
    first, _ = solved([[[0, -1, 2], [1, 0, -1], [-2, 1, 0]]])
    assert first[0] == pytest.approx([1 / 4, 1 / 2, 1 / 4], abs=0.01)


def test_each_hand_is_played_for_itself():
    """Two hands of the first seat against one of the second: each guesses the other's penny, but is paid for another side."""
    pennies = [[[3, 0], [0, 1]], [[1, 0], [0, 3]]]
    first, second = solved(pennies, pairs=((0, 0), (1, 0)), first=2)
    assert second[0] == pytest.approx([1 / 2, 1 / 2], abs=0.02)  # else the second seat would lose more than 3/2 on average
    assert first[0][0] > 0.98
    assert first[1][1] > 0.98


@pytest.mark.parametrize("number", [2, 10])
def test_nobody_gains_by_another_selection(number):
    """Every selection of the own hand against what each hand of the other does, counted by the rules themselves."""
    states = selecting(number)
    behind = [GAME.from_bytes(world) for world in worlds(GAME, states, 0)]
    codes = GAME.legal_list(states)
    theirs = {}
    value = np.zeros(len(codes))
    for world in behind:
        hand = int(world[0].hand[1])
        if hand not in theirs:
            theirs[hand] = shares_of(world, 1)
        for (own, code), (share, other) in itertools.product(enumerate(codes), zip(theirs[hand], codes)):
            if share > SIGNIFICANT:
                value[own] += share * won_by_first(world, code, other) / len(behind)
    assert value.max() - shares_of(states, 0) @ value < 0.005


def won_by_first(world, *selections):
    """What seat 0 gets of the game if both then show their strongest cards at Eltam."""
    states = copied(world)
    for code in selections:
        GAME.engine.step(states, code)
    while not GAME.engine.is_round_over(states):
        shares = shares_of(states, GAME.engine.current_seat(states))[:3]
        GAME.engine.step(states, GAME.legal_list(states)[int(shares.argmax())])
    return (1 + int(states[0].games[0]) - int(states[0].games[1])) / 2


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("contest", [LAST_SINGLE, ELTAM])
def test_what_a_seat_cannot_see_changes_nothing(seat, contest):
    states = selecting(3, contest)
    if seat == 1:
        GAME.engine.step(states, GAME.legal_list(states)[1])
    expected = shares_of(states, seat)
    assert np.array_equal(shares_of(states, seat, seen=False), expected, equal_nan=True)
    for seed in range(3):
        other = copied(states)
        GAME.engine.determinize(other, seat, seed_words(seed))
        assert other.tobytes() != states.tobytes()
        assert np.array_equal(shares_of(other, seat), expected, equal_nan=True)


@pytest.mark.parametrize("bits", list(np.ndindex(2, 2, 2, 2)))
def test_only_legal_selections_are_played_whatever_the_rules(bits):
    options = dict(zip(("none_compare", "moon_class", "moon_duplicate", "majority"), bits))
    for contest in (LAST_SINGLE, ELTAM):
        view = view_of(selecting(1, contest, **options), 0)
        shares = view.solution()
        assert len(shares) == len(view.legal)
        assert min(shares) >= 0
        assert sum(shares) == pytest.approx(1)


def test_the_strongest_cards_are_shown_at_eltam():
    for number in range(20):
        view = view_of(selecting(number, ELTAM), 0)
        chosen = view.legal[int(np.argmax(view.solution()))]
        assert view.strength(view.selections[chosen], 4) == max(view.strength(cards, 4) for cards in view.selections.values())


@pytest.mark.parametrize("contest", range(1, LAST_SINGLE))
def test_earlier_contests_are_not_solved(contest):
    assert view_of(selecting(0, contest), 0).solution() is None


def test_a_scholar_plays_the_solution():
    states = selecting(0)
    view = view_of(states, 0)
    with bot_seat(Named("scholar", read_bot(house_bots()["scholar"]), {}), 1) as bot:
        bot.start(StartInfo("naga", GAME.resolve_options({}, 2), 2, 0, UNHURRIED))
        bot.ask(view)
        answer = bot.answer()
    assert view.solution()[view.legal.index(answer.action)] > SIGNIFICANT
