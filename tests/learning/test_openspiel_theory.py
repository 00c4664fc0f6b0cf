"""OpenSpiel's solvers on the games of arena: the trees of Kuhn poker and Leduc hold'em are its own, end games can be solved."""

import json
import random
from collections import Counter
from collections.abc import Iterator

import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms.cfr import CFRSolver
from open_spiel.python.algorithms.expected_game_score import policy_value
from open_spiel.python.algorithms.exploitability import exploitability

from arena.games import load
from arena.learning.openspiel import ArenaGame, register_all


@pytest.fixture(autouse=True, scope="module")
def rooms(poker: None) -> None:
    """Rooms of another distribution are registered as ours are."""
    register_all()


def decided(state: pyspiel.State, chance: float = 1.0) -> Iterator[tuple[pyspiel.State, float]]:
    """All states but those of chance, each with its chance."""
    if state.is_chance_node():
        for outcome, share in state.chance_outcomes():
            yield from decided(state.child(outcome), chance * share)
        return
    yield state, chance
    for action in state.legal_actions():
        yield from decided(state.child(action), chance)


def measured(game: pyspiel.Game) -> tuple[object, ...]:
    """What two games that are the same have in common, however chance is cut into pieces.

    How many histories there are for the players, how many information sets each of them has, and how many ends bring which
    returns with which chance.
    """
    known: Counter[tuple[str, str, bool]] = Counter()
    ends: dict[tuple[str, str, bool], list[float]] = {}
    sets: list[dict[str, int]] = [{}, {}]
    for state, chance in decided(game.new_initial_state()):
        key = (state.information_state_string(0), state.information_state_string(1), state.is_terminal())
        known[key] += chance
        if state.is_terminal():
            ends[key] = state.returns()
        else:
            sets[state.current_player()][state.information_state_string()] = len(state.legal_actions())
    returns = Counter((*ends[key], round(known[key], 9)) for key in ends)
    return len(known), [len(each) for each in sets], [Counter(each.values()) for each in sets], returns


def test_kuhn_poker_is_openspiels() -> None:
    ours = measured(pyspiel.load_game("arena_kuhn(deals=-1,reward=score)"))
    assert ours == measured(pyspiel.load_game("kuhn_poker"))
    assert ours[:2] == (54, [6, 6])


@pytest.mark.slow
def test_leduc_holdem_is_openspiels() -> None:
    ours = measured(pyspiel.load_game("arena_leduc(deals=-1,reward=score)"))
    assert ours == measured(pyspiel.load_game("leduc_poker"))
    assert ours[:2] == (9300, [468, 468])


def test_openspiels_solver_finds_the_value_of_kuhn_poker() -> None:
    """H. W. Kuhn 1950: -1/18 for the first seat; uniform play gives away 11/24."""
    game = pyspiel.load_game("arena_kuhn(deals=-1,reward=score)")
    assert exploitability(game, policy.UniformRandomPolicy(game)) == pytest.approx(11 / 24)
    solver = CFRSolver(game)
    for _ in range(150):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    assert exploitability(game, average) < 0.01
    assert policy_value(game.new_initial_state(), [average] * 2) == pytest.approx([-1 / 18, 1 / 18], abs=0.005)


def near_the_end() -> str:
    """The last contest but one of a game of Naga, one choice of cards made, as JSON."""
    game, rng = load("naga"), random.Random(0)
    states = game.deal(2, game.resolve_options({}, 2), 0)
    while states[0].contest < 6 or not states[0].pending.any():
        game.engine.advance(states, rng.choice(game.legal_list(states)))
    return json.dumps(game.text.to_position(states[0]))


def test_the_end_of_a_game_is_solved() -> None:
    """Alone it has one deal; with others that nobody can tell from it, each is as likely as another."""
    position = near_the_end()
    alone = pyspiel.load_game("arena_naga", {"position": position})
    assert alone.new_initial_state().chance_outcomes() == [(0, 1.0)]
    game: ArenaGame = pyspiel.load_game("arena_naga", {"position": position, "deals": 3})
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    starts = [game.new_initial_state().child(deal) for deal, _ in game.new_initial_state().chance_outcomes()]
    assert len({str(state) for state in starts}) == len(starts) == 3
    assert str(starts[0]) == str(alone.new_initial_state().child(0))
    uniform = exploitability(game, policy.UniformRandomPolicy(game))
    solver = CFRSolver(game)
    for _ in range(8):
        solver.evaluate_and_update_policy()
    assert exploitability(game, solver.average_policy()) < uniform
    assert pyspiel.load_game(str(game)).starts[0].states.tobytes() == game.starts[0].states.tobytes()


def test_fixed_deals_are_always_the_same() -> None:
    texts = [
        [str(game.new_initial_state().child(deal)) for deal in range(3)]
        for game in (pyspiel.load_game("arena_yaniv(deals=3)") for _ in range(2))
    ]
    assert texts[0] == texts[1] and len(set(texts[0])) == 3
    other = pyspiel.load_game("arena_yaniv(deals=3,rng_seed=2)")
    assert str(other.new_initial_state().child(0)) not in texts[0]
