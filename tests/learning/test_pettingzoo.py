"""The games as environments of PettingZoo: its own suites, and what they leave open: who sees, chooses, wins what."""

import pickle
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pytest

from arena import games
from arena.engine.options import OptionValue
from arena.engine.random_tables import variants
from arena.errors import ConfigError
from arena.learning import pettingzoo as server
from arena.learning import single
from arena.learning.pettingzoo import TogetherEnv, TurnsEnv
from arena.learning.tables import Tables
from helpers.browser import program
from helpers.learning import GAMES, SHORT

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # the suites import PettingZoo's own games by names of before
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

TOGETHER = ["naga", pytest.param("nertz", marks=pytest.mark.slow)]
"""The games whose seats choose together."""
EXPLAINED = (
    r"Observation is not a NumPy array"  # but a dict of arrays, as in PettingZoo's own card games
    r"|Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete"  # likewise
)
CYCLES = 30  # of the suites, which play twice as many and more


def made(game: str, seats: int | None = None, options: Any = None, **more: Any) -> TurnsEnv:
    return server.env(game, seats=seats, options={**(options or {}), **SHORT.get(game, {})}, **more)


def together(game: str, seats: int | None = None, options: Any = None, **more: Any) -> TogetherEnv:
    return server.parallel_env(game, seats=seats, options={**(options or {}), **SHORT.get(game, {})}, **more)


def tables_of(game: str) -> list[tuple[int, dict[str, OptionValue]]]:
    """All numbers of seats with the default rules, and each variant at the fewest seats that can play it."""
    loaded = games.load(game)
    found = [(seats, loaded.resolve_options({}, seats)) for seats in loaded.seats]
    known: list[dict[str, OptionValue]] = []
    for seats in loaded.seats:
        for options in variants(loaded, seats)[1:]:
            if options not in known and loaded.ms_per_tick(options) is None:
                known.append(options)
                found.append((seats, options))
    return found


def play_out(env: TurnsEnv, seed: int, choose: Callable[[Any], int]) -> list[tuple[int, int]]:
    """Play a match; gives who chose which action."""
    env.reset(seed=seed)
    played = []
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            return played
        action = choose(observation["action_mask"])
        played.append((env.possible_agents.index(agent), action))
        env.step(action)
    raise AssertionError("the match has no end")


def chooser(seed: int) -> Callable[[Any], int]:
    rng = np.random.default_rng(seed)
    return lambda mask: int(rng.choice(np.flatnonzero(mask)))


@pytest.mark.parametrize("game", GAMES)
def test_a_mask_beside_the_observation_gives_no_warning(game: str) -> None:
    """Any warning is an error here. The suite then plays illegal actions: they lose."""
    for seats, options in tables_of(game):
        api_test(made(game, seats, options, mask="info"), CYCLES)


@pytest.mark.parametrize("game", GAMES)
def test_a_mask_in_the_observation_gives_the_two_warnings_that_are_explained(game: str) -> None:
    for seats in games.load(game).seats:
        with pytest.warns(UserWarning) as warned:
            api_test(made(game, seats), CYCLES)
        kinds = {str(warning.message) for warning in warned}
        assert len(kinds) == 2 and all(re.match(EXPLAINED, kind) for kind in kinds)


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_is_the_same_match(game: str) -> None:
    for seats in {games.load(game).seats[0], games.load(game).seats[-1]}:
        for mask in ("observation", "info"):
            seed_test(lambda seats=seats, mask=mask: made(game, seats, mask=mask), CYCLES)


@pytest.mark.parametrize("game", TOGETHER)
def test_games_whose_seats_choose_together_pass_the_parallel_suites(game: str) -> None:
    """Both suites know a mask in the observation only; what is not legal loses."""
    for seats, options in tables_of(game):
        parallel_api_test(together(game, seats, options), CYCLES)
    for mask in ("observation", "info"):
        parallel_seed_test(lambda mask=mask: together(game, mask=mask), CYCLES)


@pytest.mark.slow
@pytest.mark.parametrize("game", [game for game in games.names() if game not in ("naga", "nertz")])
def test_games_that_are_played_in_turn_pass_the_parallel_suite_too(game: str) -> None:
    parallel_api_test(together(game), CYCLES)


def test_text_is_rendered(capsys: pytest.CaptureFixture[str]) -> None:
    def without_pictures(**settings: Any) -> TurnsEnv:
        env = made("naga", **settings)
        env.metadata["render_modes"] = ["human", "ansi"]
        return env

    render_test(without_pictures)  # type: ignore[arg-type]
    assert "contest" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(program() is None, reason="no Chromium on this machine")
@pytest.mark.parametrize("game", games.names())
def test_every_way_of_rendering_passes_the_suite(game: str) -> None:
    render_test(lambda **settings: made(game, **settings))  # type: ignore[arg-type]


def test_a_rendered_table_hides_what_the_agent_does_not_know() -> None:
    hidden, whole = (made("naga", render_mode="ansi", render_view=view) for view in ("agent", "all"))
    for env in (hidden, whole):
        env.reset(seed=1)
    assert hidden.render() != whole.render() and len(str(hidden.render())) > 100
    with pytest.raises(ConfigError, match="the environment has no render_mode"):
        env = made("naga")
        env.reset(seed=1)
        env.render()


def test_all_games_are_registered_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single, "have", lambda part: None)  # nothing is compiled: nothing is played
    for game in games.names():
        assert f"arena/{game}-v0" in pettingzoo.aec_registry and f"arena/{game}-v0" in pettingzoo.parallel_registry
        assert getattr(server, f"{game}_v0").game == game
    env = pettingzoo.make("aec", "arena/yaniv_v0", seats=3)  # PettingZoo takes both spellings
    assert isinstance(env, TurnsEnv) and env.possible_agents == ["player_0", "player_1", "player_2"]
    assert isinstance(pettingzoo.make("parallel", "arena/naga_v0"), TogetherEnv)
    assert str(server.yaniv_v0.env()) == "yaniv_v0" and isinstance(server.yaniv_v0.raw_env(seats=4), TurnsEnv)
    with pytest.raises(AttributeError, match='did you mean "yaniv_v0"'):
        server.yanif_v0  # noqa: B018


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_that_of_the_rules(game: str) -> None:
    """The cards are those that Tables deal by the same seed; the rules give the same turns, masks, ends and places."""
    loaded = games.load(game)
    seats = loaded.seats[-1]
    env = made(game, seats)
    cards = Tables(game, 1, seats=seats, options=env.seating.options, seed=5)
    cards.reset()
    played = play_out(env, 5, chooser(1))
    states = loaded.deal(seats, env.seating.options, cards.deal_seed(0))
    codes = env.seating.encoding.codes
    for seat, action in played:
        legal = loaded.legal_list(states)
        assert loaded.engine.current_seat(states) == seat
        loaded.engine.advance(states, codes[action] if codes else legal[action])
    assert loaded.engine.is_terminal(states)
    _, places = loaded.final(states, seats)
    rewards = [env.rewards[agent] for agent in env.possible_agents]
    assert sorted(range(seats), key=lambda seat: -rewards[seat]) == sorted(range(seats), key=lambda seat: places[seat])
    assert sum(rewards) == pytest.approx(0) and set(env.terminations.values()) == {True}


@pytest.mark.parametrize("game", TOGETHER)
def test_choosing_together_is_choosing_one_after_the_other(game: str) -> None:
    """With the same seed and the same actions both environments show the same features and masks, and end the same."""
    both, turns = together(game), made(game)
    observations, infos = both.reset(seed=4)
    turns.reset(seed=4)
    choose, steps, at_once = chooser(2), 0, 0
    while both.agents:
        choosing = [agent for agent in both.agents if infos[agent]["to_choose"]]
        actions = {agent: choose(observations[agent]["action_mask"]) for agent in both.agents}
        for agent in choosing:
            assert turns.agent_selection == agent
            seen = turns.observe(agent)
            for part in ("observation", "action_mask"):
                np.testing.assert_array_equal(seen[part], observations[agent][part])
            turns.step(actions[agent])
        at_once += len(choosing) > 1
        steps += 1
        observations, rewards, _, _, infos = both.step(actions)
    assert rewards == turns.rewards and all(turns.terminations.values()) and 0 < at_once <= steps


def test_who_has_nothing_to_choose_may_send_anything() -> None:
    env = together("naga")
    observations, infos = env.reset(seed=1)
    (waiting,) = [agent for agent in env.agents if not infos[agent]["to_choose"]]
    assert observations[waiting]["action_mask"].sum() == 1
    legal = {agent: int(observations[agent]["action_mask"].argmax()) for agent in env.agents}
    _, _, terminated, _, _ = env.step({**legal, waiting: 99})
    assert not any(terminated.values())


@pytest.mark.parametrize("game", ["naga", pytest.param("yaniv", marks=pytest.mark.slow)])  # by codes; by places in the list
def test_the_mask_stands_where_it_is_asked_for(game: str) -> None:
    beside, inside = (made(game, mask=mask, action_features=True) for mask in ("info", "observation"))
    for env in (beside, inside):
        env.reset(seed=3)
    for _ in range(4):
        agent = beside.agent_selection
        seen, found = inside.observe(agent), beside.infos[agent]
        np.testing.assert_array_equal(beside.observe(agent), seen["observation"])
        for part in ("action_mask", "action_features"):
            np.testing.assert_array_equal(found[part], seen[part])
        legal = seen["action_mask"].astype(bool)
        assert len(inside.action_texts()) == legal.sum() > 0 and not seen["action_features"][~legal].any()
        other = next(name for name in inside.agents if name != agent)
        assert not inside.observe(other)["action_mask"].any() and beside.infos[other] == {}
        assert inside.observation_space(agent).contains(seen) and beside.observation_space(agent).contains(seen["observation"])
        for env in (beside, inside):
            env.step(int(legal.argmax()))


@pytest.mark.parametrize("action", [99, -1, None, "a"])
def test_an_illegal_action_loses_or_raises(action: Any) -> None:
    env = made("naga")
    env.reset(seed=1)
    loser = env.agent_selection
    env.step(action)
    assert env.rewards == {agent: -1.0 if agent == loser else 1.0 for agent in env.possible_agents}
    strict = made("naga", illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(ValueError, match="is not legal in naga_v0; legal: "):
        strict.step(action)
    strict.step(int(strict.observe(strict.agent_selection)["action_mask"].argmax()))
    both = together("naga", illegal="raise")
    both.reset(seed=1)
    with pytest.raises(ValueError, match="is not legal in naga_v0; legal: "):
        both.step(dict.fromkeys(both.agents, action))
    lenient = together("naga")
    _, infos = lenient.reset(seed=1)
    _, rewards, terminated, _, _ = lenient.step(dict.fromkeys(lenient.agents, action))
    assert rewards == {agent: -1.0 if infos[agent]["to_choose"] else 1.0 for agent in rewards} and all(terminated.values())


def test_an_episode_is_cut_off_after_some_cycles() -> None:
    env = made("naga", max_cycles=3)
    assert len(play_out(env, 1, chooser(1))) >= 3
    assert all(env.truncations.values()) and not any(env.terminations.values()) and not any(env.rewards.values())
    both = together("naga", max_cycles=1)
    observations, _ = both.reset(seed=1)
    _, rewards, _, truncated, _ = both.step({agent: int(seen["action_mask"].argmax()) for agent, seen in observations.items()})
    assert all(truncated.values()) and not any(rewards.values()) and both.agents == []


def test_environments_are_pickled_by_their_settings() -> None:
    for env in (made("naga", illegal="raise"), together("naga")):
        again = pickle.loads(pickle.dumps(env))
        for one in (env, again):
            one.reset(seed=1)
        np.testing.assert_equal(again.__dict__["_table"].features, env.__dict__["_table"].features)
        assert again._settings == env._settings


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"mask": "elsewhere"}, 'mask: "elsewhere" is none of observation, info'),
        ({"seats": 3}, "seats: naga is played by 2 seats, not 3"),
        ({"options": {"seris": 1}}, "options.seris"),
        ({"illegal": "forfeit"}, 'illegal: "forfeit" is none of lose, raise'),
        ({"render_mode": "film"}, 'render_mode: "film" is none of None, human, ansi, rgb_array'),
        ({"max_cycles": 0}, "max_cycles: a whole number from 1, or None, not 0"),
    ],
)
def test_a_wrong_setting_is_named(wrong: dict[str, Any], message: str) -> None:
    for make in (server.env, server.parallel_env):
        with pytest.raises(ConfigError, match=re.escape(message)):
            make("naga", **wrong)
    with pytest.raises(ConfigError, match=r"options.latency: thinking time cannot be measured here"):
        server.env("nertz", options={"latency": "measured"})


def test_what_comes_before_a_reset_or_after_the_end_is_said() -> None:
    env, both = made("naga"), together("naga")
    for ask in (lambda: env.agents, lambda: env.step(0), lambda: both.step({})):
        with pytest.raises(AttributeError, match=r"call reset\(\) first"):
            ask()
    both.reset(seed=1)
    with pytest.raises(ValueError, match="no action of player_1; all agents of naga_v0 send one"):
        both.step({"player_0": 0})
    env.reset(seed=1)
    env.step(99)
    for _ in range(2):
        env.step(None)
    with pytest.raises(ValueError, match=r"have left; call reset\(\) first"):
        env.step(None)
