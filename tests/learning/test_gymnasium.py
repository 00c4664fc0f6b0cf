"""The games as environments of Gymnasium: its own suites, seeds, masks, episodes that are kept as matches."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import performance
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from arena import games
from arena.cli.main import main
from arena.engine.random_tables import variants
from arena.errors import ConfigError
from arena.learning import rendering
from arena.learning.episodes import episode_record
from arena.learning.gymnasium import ManyMatches, OneMatch, environment_id
from arena.learning.tables import IllegalChoice
from arena.match.seeds import deal_seed
from arena.tournament.archive.finding import find_match
from helpers.browser import program
from helpers.learning import COMPILED, GAMES, SHORT

MODES = list(AutoresetMode)


def first_legal(mask: Any) -> Any:
    return np.argmax(mask, axis=-1)


def play_out(env: Any, seed: int | None = None) -> tuple[list[float], dict[str, Any]]:
    """Play the first legal action until the episode ends: the rewards, and the last info."""
    _, info = env.reset(seed=seed)
    rewards, is_over = [], False
    while not is_over:
        _, reward, is_over, _, info = env.step(first_legal(info["action_mask"]))
        rewards.append(reward)
    return rewards, info


@pytest.mark.parametrize("mask", ["info", "observation"])
@pytest.mark.parametrize("game", GAMES)
def test_an_environment_passes_the_check_of_gymnasium(game: str, mask: str) -> None:
    env = gymnasium.make(environment_id(game), mask=mask)
    check_env(env.unwrapped, skip_render_check=True)  # any warning is an error here


def test_environments_of_the_other_games_do_so_as_plain_python() -> None:
    """The tests of this file that are of all games, in an interpreter that compiles nothing."""
    others = " or ".join(name for name in games.names() if name != COMPILED)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--noconftest",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "-k",
        others,
        __file__,
    ]
    done = subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.skipif(program() is None, reason="no Chromium on this machine")
def test_every_way_of_rendering_passes_the_check() -> None:
    check_env(gymnasium.make("arena/Yaniv-v0").unwrapped)


@pytest.mark.parametrize("game", GAMES)
def test_all_variants_and_tables_pass_the_check(game: str) -> None:
    loaded = games.load(game)
    tables = [(seats, loaded.resolve_options({}, seats)) for seats in loaded.seats]
    tables += [(seats, options) for seats in loaded.seats[:2] for options in variants(loaded, seats)]
    for seats, options in tables:
        if loaded.ms_per_tick(options) is None:
            check_env(OneMatch(game, seats=seats, options=options), skip_render_check=True, skip_close_check=True)


@pytest.mark.skipif(not hasattr(performance, "benchmark_vector_step"), reason="this Gymnasium has no such benchmark")
@pytest.mark.parametrize("mode", MODES)
def test_gymnasiums_benchmark_runs_in_every_mode(mode: AutoresetMode) -> None:
    """It samples illegal actions, too: they lose, and the next episode begins as the mode says."""
    env = gymnasium.make_vec("arena/Naga-v0", num_envs=8, autoreset_mode=mode)
    assert performance.benchmark_vector_step(env, target_duration=0, seed=3) > 0
    if mode == AutoresetMode.DISABLED:
        return
    _, infos = env.reset(seed=3)
    illegal = infos["action_mask"].argmin(axis=1)
    _, rewards, terminated, _, infos = env.step(illegal)
    assert terminated.all() and (rewards == -1).all() and infos["is_illegal"].all()
    _, rewards, terminated, _, infos = env.step(infos["action_mask"].argmax(axis=1))
    assert not terminated.any() and not rewards.any() and infos["action_mask"].any(axis=1).all()


def test_each_environment_of_many_has_a_seed_of_its_own() -> None:
    """Seeds are given one by one or counted up; an environment without one goes on as it was seeded."""
    env = ManyMatches("naga", 3, learners=[0])
    seeded, _ = env.reset(seed=[7, 8, 9])
    counted, _ = env.reset(seed=7)
    np.testing.assert_array_equal(counted, seeded)
    again, _ = env.reset(seed=[9, None, 7])
    np.testing.assert_array_equal(again[[0, 2]], seeded[[2, 0]])
    assert not np.array_equal(again[1], seeded[1])
    second, _ = ManyMatches("naga", 1, learners=[0]).reset(seed=9)
    np.testing.assert_array_equal(second[0], seeded[2])
    with pytest.raises(ConfigError, match="seed: 2 seeds for 3 environments"):
        env.reset(seed=[1, 2])


def test_a_kept_episode_is_shown_by_arena_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = OneMatch("naga", rivals=["policy"], logs=True)
    play_out(env, 3)
    assert main(["replay", env.keep_episode(tmp_path, "pupil"), "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "pupil" in shown and "policy" in shown and "contest" in shown


def test_an_environment_is_made_by_its_id_without_an_import_of_ours() -> None:
    env = gymnasium.make("arena.learning.gymnasium:arena/Naga-v0")
    assert isinstance(env.unwrapped, OneMatch)


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_is_the_same_match(game: str) -> None:
    env = OneMatch(game, logs=True, options=SHORT.get(game))
    first = play_out(env, 5)[0], env.tables.log(0, ended=True)
    second = play_out(env)[0], env.tables.log(0, ended=True)
    assert (play_out(env, 5)[0], env.tables.log(0, ended=True)) == first
    assert (play_out(env)[0], env.tables.log(0, ended=True)) == second != first


@pytest.mark.parametrize("mode", MODES)
def test_an_environment_of_many_is_as_many_environments(mode: AutoresetMode) -> None:
    """Gymnasium's own vector environment of single ones says the same, step by step."""
    many = gymnasium.make_vec("arena/Naga-v0", num_envs=3, autoreset_mode=mode, options={"series": "first_to:1"})
    single = gymnasium.vector.SyncVectorEnv(
        [lambda: OneMatch("naga", options={"series": "first_to:1"})] * 3, autoreset_mode=mode
    )
    assert many.unwrapped.autoreset_mode == single.autoreset_mode == mode  # where TorchRL looks
    seen, _ = many.reset(seed=11)
    expected, infos = single.reset(seed=11)
    for _ in range(20):
        np.testing.assert_array_equal(seen, expected)
        actions = first_legal(infos["action_mask"])
        seen, *outcome, found = many.step(actions)
        expected, *outcomes, infos = single.step(actions)
        for ours, theirs in zip(outcome, outcomes):
            np.testing.assert_array_equal(ours, theirs)
        is_over = outcome[1]
        if mode == AutoresetMode.SAME_STEP and is_over.any():
            for ours, theirs in zip(found["final_obs"], infos["final_obs"]):
                np.testing.assert_array_equal(ours, theirs)
        if mode == AutoresetMode.DISABLED and is_over.any():
            seen, _ = many.reset(options={"reset_mask": is_over.copy()})
            expected, infos = single.reset(options={"reset_mask": is_over.copy()})


def test_what_an_environment_gives_is_the_callers_unless_it_is_not_copied() -> None:
    for copy in (True, False):
        env = ManyMatches("naga", 4, copy=copy)
        seen, infos = env.reset(seed=1)
        before = seen.copy()
        again, _, _, _, later = env.step(first_legal(infos["action_mask"]))
        assert np.shares_memory(seen, again) is not copy
        assert np.shares_memory(infos["action_mask"], later["action_mask"]) is not copy
        assert np.array_equal(seen, before) is copy


def test_an_illegal_action_loses_or_raises() -> None:
    env = OneMatch("naga", mask="info")
    _, info = env.reset(seed=1)
    illegal = int(np.argmin(info["action_mask"]))
    _, reward, is_over, _, info = env.step(illegal)
    assert (reward, is_over, info["is_illegal"]) == (-1.0, True, True)
    strict = OneMatch("naga", illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(IllegalChoice, match="is not legal; legal: "):
        strict.step(illegal)


@pytest.mark.parametrize("game", GAMES)
def test_an_episode_is_kept_as_a_match_bit_by_bit_as_the_referee_plays_it(game: str, tmp_path: Path) -> None:
    seats = games.load(game).seats[-1]
    env = OneMatch(game, seats=seats, options=SHORT.get(game), rivals=["policy", "random"][: seats - 1], logs=True)
    _, info = play_out(env, 2)
    tables = env.tables
    cards, log = tables.deal_seed(0, ended=True), tables.log(0, ended=True)
    record, key = find_match(tmp_path, env.keep_episode(tmp_path, "me"))
    assert deal_seed(key, game, tables.seats, record.options, record.deal) == cards
    assert list(record.actions) == log
    assert [row.place for row in record.seats] == info["places"].tolist()
    assert [row.score for row in record.seats] == info["scores"].tolist()
    assert [row.bot for row in record.seats].count("me") == 1
    assert record.seats[info["own_seat"]].bot == "me"
    assert episode_record(tables, 0, "me").actions == record.actions


def test_what_is_no_match_is_not_kept(tmp_path: Path) -> None:
    without = OneMatch("naga")
    with pytest.raises(ConfigError, match="logs=True"):
        without.keep_episode(tmp_path)
    env = OneMatch("naga", logs=True)
    with pytest.raises(ConfigError, match="no episode has ended"):
        env.keep_episode(tmp_path)
    env.reset(seed=1)
    env.step(9)
    with pytest.raises(ConfigError, match="whole match"):
        env.keep_episode(tmp_path)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"mask": "elsewhere"}, "mask: no 'elsewhere'"),
        ({"seats": 3}, "seats: naga is played by 2 seats"),
        ({"options": {"seris": 1}}, "options.seris"),
        ({"rivals": ["nobody"]}, r"rivals\[0\]: "),
        ({"render_mode": "film"}, "render_mode: no 'film'"),
        ({"autoreset": "off"}, "autoreset: "),
    ],
)
def test_a_wrong_setting_is_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        OneMatch("naga", **wrong)


def test_a_card_is_left_to_the_environment_that_knows_one() -> None:
    for make in (OneMatch, ManyMatches):
        make("naga", device="cpu")
        with pytest.raises(ConfigError, match=r"^device: tables on a card are environments of gymnasium\.make_vec"):
            make("naga", device="cuda")


def test_an_environment_that_was_not_reset_says_so() -> None:
    for env in (OneMatch("naga"), ManyMatches("naga", 2)):
        with pytest.raises(ConfigError, match=r"call reset\(\) first"):
            env.step(0)  # type: ignore[arg-type]


@pytest.mark.parametrize("game", GAMES)  # by places in the legal list, and by codes
def test_the_features_of_actions_stand_at_the_places_of_the_mask(game: str) -> None:
    check_env(OneMatch(game, mask="observation", action_features=True), skip_render_check=True, skip_close_check=True)
    env = ManyMatches(game, 3, action_features=True, rivals=["policy"])
    _, infos = env.reset(seed=4)
    rows, mask = infos["action_features"], infos["action_mask"].astype(bool)
    tables = env.tables
    for table in range(3):
        seen = tables.game.observed(tables.states[table : table + 1], int(tables.seat[table]))
        codes = tables.actions[table, : tables.counts[table]].tolist()
        expected = tables.encoding.action_features(seen, int(tables.seat[table]), codes)
        np.testing.assert_array_equal(rows[table][mask[table]], expected)
        assert not rows[table][~mask[table]].any()


def test_a_table_is_shown_as_the_learner_sees_it() -> None:
    env = OneMatch("naga", render_mode="ansi")
    env.reset(seed=1)
    assert f"seat {1 - int(env.tables.own_seat(0))}: 5 cards" in str(env.render())
    assert len(set(env.action_texts())) == env.action_masks().sum() > 1


def test_pictures_without_the_extra_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "_studios", [])
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    env = OneMatch("naga", render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(ConfigError, match=r"pip install 'arena-hall\[draw\]'"):
        env.render()
    env.close()
