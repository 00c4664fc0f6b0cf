"""OpenSpiel's own test suites over the games of arena: all seats, every variant; and what it is told of a state."""

import json
import pickle
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel
import pytest
from absl import flags

from arena.engine.options import OptionValue
from arena.engine.random_tables import variants
from arena.errors import ConfigError
from arena.games import load, names
from arena.learning.openspiel import PREFIX, ArenaGame, ArenaState, setups

SHORT: dict[str, dict[str, OptionValue]] = {
    "nertz": {"max_rounds": 1, "tick_limit": 3},
    "yaniv": {"max_rounds": 1, "turn_limit": 3},
}
"""Options that keep matches short."""
LONG = "nanatoridori"
"""No option keeps its random matches with more than two seats short, of a thousand decisions: tests begin near their end."""
LEFT = 8  # decisions, where they do
VARIED = {"nanatoridori": (2, 3), "nertz": (2, 6)}
"""The numbers of seats that have all variants together, where the fewest seats have not."""
GAMES = names()
SLOWLY = [pytest.param(name, marks=() if name == "naga" else pytest.mark.slow) for name in GAMES]


def absl_flags() -> None:
    """Have the program's flags read: the playthrough generator asks for one."""
    flags.FLAGS.unparse_flags()
    flags.FLAGS(["tests"])


def loaded(name: str, seats: int, options: Mapping[str, OptionValue], **more: Any) -> ArenaGame:
    given = setups.parameters_of(load(name), seats, {**options, **SHORT.get(name, {})})
    return pyspiel.load_game(PREFIX + name, {**given, "rng_seed": 1, **more})


def explicit(name: str, seats: int, options: Mapping[str, OptionValue]) -> ArenaGame:
    """A game of two deals, or of a position near the end where matches are long."""
    if name != LONG or seats == 2:
        return loaded(name, seats, options, deals=2)
    game, rng = load(name), random.Random(seats)
    states = [game.deal(seats, game.resolve_options(options, seats), seats)]
    while not game.engine.is_terminal(states[-1]):
        states.append(states[-1].copy())
        game.engine.advance(states[-1], rng.choice(game.legal_list(states[-2])))
    position = game.text.to_position(states[max(0, len(states) - LEFT)][0])
    return pyspiel.load_game(PREFIX + name, {"position": json.dumps(position)})


def played(game: ArenaGame, seed: int, decisions: int = 1 << 30) -> ArenaState:
    """A state after random play."""
    rng, state = np.random.RandomState(seed), game.new_initial_state()
    while not state.is_terminal() and len(state.history()) <= decisions:
        state.apply_action(int(rng.choice(state.legal_actions())))
    return state


def test_all_games_are_registered() -> None:
    registered = {found.short_name: found for found in pyspiel.registered_games()}
    for name in GAMES:
        kind = registered[PREFIX + name]
        assert (kind.min_num_players, kind.max_num_players) == (min(load(name).seats), max(load(name).seats))
        assert kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
    assert str(pyspiel.load_game("arena_naga(series=first_to:1)")) == "arena_naga()"


@pytest.mark.parametrize("name", SLOWLY)
def test_random_simulations_pass(name: str) -> None:
    """Every variant, all numbers of seats. Of sampled chance OpenSpiel can serialize no Python game, so it is not asked to."""
    game = load(name)
    for seats in game.seats:
        pyspiel.random_sim_test(explicit(name, seats, {}), 1, True, False)
    for seats in VARIED.get(name, game.seats[:1]):
        for options in variants(game, seats)[1:]:
            if options.get("latency") != "measured":  # there is nothing to measure
                pyspiel.random_sim_test(explicit(name, seats, options), 1, True, False)
    pyspiel.random_sim_test(loaded(name, game.seats[0], {}), 1, False, False)


@pytest.mark.parametrize("name", SLOWLY)
def test_simulations_in_python_pass(name: str) -> None:
    from open_spiel.python.tests import games_sim_test  # imports much

    np.random.seed(1)  # what the suite draws from
    suite = games_sim_test.GamesSimTest()
    for seats in load(name).seats:
        suite.sim_game(explicit(name, seats, {}))
    suite.sim_game(loaded(name, load(name).seats[0], {}), check_pyspiel_serialization=False)


@pytest.mark.parametrize("name", SLOWLY)
def test_a_playthrough_is_written_and_read_again(name: str) -> None:
    from open_spiel.python.algorithms.generate_playthrough import _playthrough_params, playthrough  # imports much

    absl_flags()
    seats = load(name).seats
    for game in (loaded(name, seats[0], {}), explicit(name, seats[-1], {})):
        written = playthrough(str(game), None, seed=1)
        assert playthrough(**_playthrough_params(written.splitlines())) == written
        assert "IsTerminal() = True" in written


@pytest.mark.parametrize("name", GAMES)
def test_states_and_games_survive_pickling_with_all_that_seats_have_learnt(name: str) -> None:
    game = loaded(name, min(load(name).seats), {})
    state = played(game, 3, decisions=9)
    again = pickle.loads(pickle.dumps(state))
    for _ in range(4):
        for player in range(game.num_players()):
            assert again.information_state_string(player) == state.information_state_string(player)
        if state.is_terminal():
            break
        action = state.legal_actions()[-1]
        state.apply_action(action)
        again.apply_action(action)
    assert str(again) == str(state) and again.history() == state.history()
    other = pickle.loads(pickle.dumps(game))
    assert [str(played(one, 5)) for one in (game, game)] == [str(played(one, 5)) for one in (other, other)]


@pytest.mark.parametrize("name", SLOWLY)
def test_nothing_hidden_reaches_a_resampled_state(name: str) -> None:
    """From states that a player cannot tell apart, the same numbers make the same state: it is made of what was seen alone."""
    game = loaded(name, max(load(name).seats), {})
    for decisions in (1, 4, 12):
        state = played(game, decisions, decisions)
        if state.is_terminal():
            continue
        player = state.current_player()
        other = state.resample_from_infostate(player, pyspiel.UniformProbabilitySampler(1, 0.0, 1.0))
        made = [one.resample_from_infostate(player, np.random.RandomState(2).uniform) for one in (state, other)]
        assert made[0].node.states.tobytes() == made[1].node.states.tobytes()
        assert made[0].history() == []
        for seat in range(game.num_players()):
            assert made[0].information_state_string(seat) == made[1].information_state_string(seat)
        for one in (other, *made):
            assert one.information_state_string(player) == state.information_state_string(player)
            assert one.information_state_tensor(player) == state.information_state_tensor(player)
            assert one.legal_actions() == state.legal_actions()


def test_choices_made_together_are_hidden() -> None:
    """The seats of Nertz choose in the same tick, one after the other: what the first chose, the second cannot see."""
    game = pyspiel.load_game("arena_nertz(rng_seed=3)")
    before = game.new_initial_state()
    before.apply_action(0)
    seen = {before.child(action).information_state_string(1) for action in before.legal_actions()}
    own = {before.child(action).information_state_string(0) for action in before.legal_actions()}
    assert before.current_player() == 0 and len(before.legal_actions()) > 1
    assert len(seen) == 1 and len(own) == len(before.legal_actions())


def test_lists_and_numbers_are_given_as_text() -> None:
    short = {"tick_limit": 3, "max_rounds": 1, "latency": "declared", "delays": "[1, [0, 0, 2, 1, 1]]"}
    game = pyspiel.load_game("arena_nertz", short)
    assert game.setup.options["delays"] == [[1] * 5, [0, 0, 2, 1, 1]]
    assert pyspiel.load_game(str(game)).setup is game.setup
    yaniv = pyspiel.load_game('arena_yaniv(threshold="7",decks="2")')
    assert (yaniv.setup.options["threshold"], yaniv.setup.options["decks"]) == (7, 2)
    assert pyspiel.load_game(str(yaniv)).setup is yaniv.setup


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("arena_naga(players=3)", "seats: naga is played by 2 seats, not 3"),
        ("arena_naga(series=ever)", "options.series: games:N or first_to:N"),
        ("arena_naga(deals=-2)", "deals: 0 .drawn anew., -1 .all. or a number"),
        ("arena_naga(deals=-1)", "deals: there are more than 2,000 of them"),
        ("arena_naga(reward=money)", "reward: one of places, score is needed"),
        ("arena_naga(position=none.json)", "position: no such file: .*none.json"),
        ("arena_nertz(latency=measured)", "options.latency: thinking time cannot be measured here"),
        ("arena_naga(position={})", "position: the key seats is needed"),
    ],
)
def test_what_is_wrong_with_parameters_is_said(text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        pyspiel.load_game(text)
