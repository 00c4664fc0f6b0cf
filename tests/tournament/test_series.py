"""Tournaments that are played one after the other: chains of comparisons, and settings found by play."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from arena.cli.main import main
from arena.cli.verbs.tune import _plain
from arena.errors import ArenaError
from arena.games import load, names
from arena.tournament.chain import check_steps, read_steps, run_steps
from arena.tournament.config import read_config
from arena.tournament.formats.format import Seating
from arena.tournament.session import LOCAL, Interrupted, Observer, Settings
from arena.tournament.space import Choices, Range, merged, read_space, settings_at, spread, start_of
from arena.tournament.tuning import Tuned, check_tuning, read_tuning, run_tuning
from helpers.paths import CONFIGS, HOUSE_BOTS
from helpers.tournaments import Stops

RANDOM, GREEDY = HOUSE_BOTS / "random_bot.py", HOUSE_BOTS / "naga_greedy.py"
PEAK = 0.6
TOY = f'''"""Plays its strongest cards the more often, the nearer `skill.level` is to {PEAK}; else its weakest."""
from arena.agent import Agent

class Toy(Agent):
    def act(self, view):
        if view.phase == "designate":
            return view.legal[0]
        level = self.params.get("skill", {{}}).get("level", 0.0)
        choose = max if self.rng.random() > 2 * abs(level - {PEAK}) else min
        return choose(view.legal, key=lambda action: view.strength(action.split()[1:], view.place or 0))
'''
CHAIN: dict[str, Any] = {
    "name": "steps",
    "format": "compare",
    "seed": 5,
    "chain": [{"bot": "random_bot"}, {"bot": "naga_greedy", "share": 0.6}, {"bot": "again", "deals": 10}],
    "compare": {"share": 0.55},
    "games": [{"game": "naga", "seats": 2}],
    "bots": [
        {"path": str(RANDOM), "trusted": True},
        {"path": str(GREEDY), "trusted": True},
        {"path": str(GREEDY), "name": "again", "trusted": True},
    ],
    "deals": 40,
}


def tune_config(folder: Path, **changes: Any) -> dict[str, Any]:
    toy = folder / "toy.py"
    toy.write_text(TOY)
    tune = {"bot": "toy", "space": {"skill.level": [0.0, 1.0]}, "candidates": 8, "generations": 2, "final": 60}
    return {
        "name": "tuned",
        "format": "tune",
        "tune": {**tune, **changes.pop("tune", {})},
        "games": [{"game": "naga", "seats": 2}],
        "bots": [{"path": str(toy), "trusted": True}, {"path": str(RANDOM), "trusted": True}],
        "deals": 3,
        **changes,
    }


def tuned(folder: Path, workers: int = 1, listener: Any = None, **changes: Any) -> Tuned:
    folder.mkdir(exist_ok=True)
    settings = Settings(out=folder / "out", backend=LOCAL, workers=workers)
    return run_tuning(check_tuning(tune_config(folder, **changes), folder, settings), settings, listener or Observer())


def message(document: Any, check: Any) -> str:
    with pytest.raises(ArenaError) as caught:
        check(document, Path(), Settings())
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.slow
def test_the_best_level_of_a_toy_is_found_and_better_than_the_start(tmp_path: Path) -> None:
    found = tuned(tmp_path)
    level = found.params["skill"]["level"]
    assert abs(level - PEAK) < 0.15
    assert found.final is not None and found.final.verdict == "better" and found.final.low > 0
    assert [len(played.candidates) for played in found.rounds] == [8, 4, 2] * 2
    assert [played.candidates[0][3] for played in found.rounds] == [3, 9, 21] * 2  # deals by then
    assert all(name != "archive" for name in (path.name for path in (tmp_path / "out").iterdir()))


@pytest.mark.slow
def test_workers_and_resumes_change_nothing(tmp_path: Path) -> None:
    small = {"candidates": 4, "final": 8}
    calm = tuned(tmp_path / "calm", tune=small)
    other = tuned(tmp_path / "three", workers=3, tune=small)
    folder = tmp_path / "stopped"
    for after in (1, 20):
        with pytest.raises(Interrupted, match="The same command goes on"):
            tuned(folder, listener=Stops(after), tune=small)
    resumed = tuned(folder, tune=small)
    for found in (other, resumed):
        assert found.rounds == calm.rounds and found.final == calm.final and found.params == calm.params


def test_the_command_writes_and_prints_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "tuned.yaml"
    config.write_text(yaml.safe_dump(tune_config(tmp_path, tune={"candidates": 3, "generations": 1, "final": 8})))
    words = ["tune", str(config), "--backend", LOCAL, "--out", str(tmp_path / "out"), "--seed", "3"]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "generation  round  candidates" in text and "--seed 3" in text and "against the start, on 8 new deals" in text
    best = yaml.safe_load((tmp_path / "out" / "tuned" / "best.yaml").read_text())
    assert main([*words, "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["best"]["params"] == best["params"] and answer["seed"] == 3 and len(answer["rounds"]) == 2
    assert answer["final"]["deals"] == 8
    assert main([*words, "--fresh"]) == 0
    assert (tmp_path / "out" / "tuned.1" / "final").is_dir()


def test_deals_of_two_pools_count_apart(tmp_path: Path) -> None:
    games = [{"game": "naga", "seats": 2}, {"game": "naga", "seats": 2, "options": {"series": "first_to:2"}, "label": "long"}]
    found = tuned(tmp_path, tune={"candidates": 2, "generations": 1, "final": 2}, games=games)
    assert [played.candidates[0][3] for played in found.rounds] == [2 * 3]


def test_the_best_settings_are_read_back_as_they_are() -> None:
    settings = {"rate": 2e-05, "big": 1e22, "inner": {"list": [1e-07, 1.5e-07, True, None, "1e-4"], "k": 0.5, "whole": 3}}
    assert yaml.safe_load(_plain(settings)) == settings
    assert _plain({"a": 0.5, "b": {"c": "x"}}) == '{"a": 0.5, "b": {"c": "x"}}'


def test_where_nothing_is_better_the_start_is_kept(tmp_path: Path) -> None:
    changes = {"candidates": 4, "generations": 1, "space": {"unused": ["a", "b", "c"]}}
    bots = [{"path": str(tmp_path / "toy.py"), "params": {"skill": {"level": PEAK}}, "trusted": True}]
    found = tuned(tmp_path, tune=changes, bots=[*bots, {"path": str(RANDOM), "trusted": True}])
    assert found.best.name == "start" and found.final is None and found.params == {"skill": {"level": PEAK}}


def test_settings_with_which_the_bot_cannot_play_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"tune\.space: with such settings toy forfeits each match: AttributeError: "):
        tuned(tmp_path, tune={"space": {"skill": ["high", "low"]}, "generations": 1, "candidates": 3})


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"format": "ladder"}, "format: tune is needed here"),
        ({"tune": {"bot": "tay"}}, 'tune.bot: no bot is called "tay"; did you mean "toy"?'),
        ({"tune": {"candidate": 3}}, 'tune.candidate: no such key; did you mean "candidates"?'),
        ({"tune": {"candidates": 1}}, "tune.candidates: at least 2, not 1"),
        ({"tune": {"space": {}}}, "tune.space: at least one setting with its range is needed"),
        ({"tune": {"space": {"a": 3}}}, "tune.space.a: a range [low, high], [low, high, log], or a list of choices"),
        ({"tune": {"space": {"a": [2, 1]}}}, "tune.space.a: the first number of a range is below the second"),
        ({"tune": {"space": {"a": [0, 1, "log"]}}}, "tune.space.a: a range with log begins above 0"),
        ({"tune": {"space": {"a": ["x", "x"]}}}, "tune.space.a: a choice is there twice"),
        ({"tune": {"space": {"a": [1, 2], "a.b": [1, 2]}}}, "tune.space.a: a.b is inside it"),
        ({"tune": {"space": {"a": ["1e-4", "1e-2", "log"]}}},
         'tune.space.a: "1e-4" is text in YAML; a number is written as in 0.0001 or 1.0e-4'),
        ({"tune": {"space": {"a": ["x", "-2e3"]}}}, 'tune.space.a: "-2e3" is text in YAML; a number'),
        ({"tune": {"space": {"a": [1, 2, 3, "log"]}}}, "tune.space.a: log follows two numbers, as in [0.1, 10.0, log], not [1"),
        ({"tune": {"space": {"a": ["linear", "log"]}}}, "tune.space.a: log follows two numbers"),
        ({"bots": [{"path": str(RANDOM), "name": "toy"}, {"path": str(RANDOM), "name": "start"}]},
         'bots: "start" is what a candidate of the tuning is called; give the bot another name'),
        ({"bots": [{"path": str(RANDOM), "name": "toy"}, {"path": str(RANDOM), "name": "g12c007"}]},
         'bots: "g12c007" is what a candidate'),
        ({"deels": 3}, 'deels: no such key; did you mean "deals"?'),
        ({"games": [{"game": "naag", "seats": 2}]}, "games[0].game: no game"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(changes: dict[str, Any], expected: str, tmp_path: Path) -> None:
    assert expected in message(tune_config(tmp_path, **changes), check_tuning)


def test_a_space_is_filled_evenly_and_a_smaller_box_within_it() -> None:
    space = read_space({"a": [0.0, 8.0], "b": [1.0, 100.0, "log"], "c": [1, 4], "d.e": ["x", "y"]}, [load("naga")], "space")
    assert space["c"] == Range(1, 4, True, False) and space["d.e"] == Choices(("x", "y"))
    nowhere = (None,) * 4
    points = spread(space, 8, Random(1), nowhere)
    found = [settings_at(space, point, nowhere) for point in points]
    assert sorted(int(one["a"]) for one in found) == list(range(8))
    assert sorted(one["c"] for one in found) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert sum(one["b"] < 10 for one in found) == 4 and sum(one["d.e"] == "x" for one in found) == 4
    centre = (0.9, 0.5, None, 0.75)
    near = spread(space, 64, Random(1), centre, 0.25)
    assert all(0.75 <= one[0] <= 1 and 0.375 <= one[1] <= 0.625 for one in near)
    assert sum(one[3] >= 0.5 for one in near) >= 48
    changes = [sum(own != middle for own, middle in zip(one, centre)) for one in near]
    assert set(changes) <= {1, 2, 3, 4} and 1.8 < sum(changes) / len(near) < 3.2
    assert merged({"d": {"f": 1}}, found[0])["d"] == {"f": 1, "e": found[0]["d.e"]}


def test_the_constants_of_a_room_are_a_space() -> None:
    constants = load("naga").rollout.CONSTANTS
    space = read_space({"constants": "room", "prior": [0.0, 9.0]}, [load("naga")], "space")
    assert set(space) == {"prior", *(f"constants.{constant.name}" for constant in constants)}
    point = start_of(space, {"constants": {constants[0].name: constants[0].low}}, [load("naga")])
    assert point[0] is None and point[1] == 0.0
    assert settings_at(space, point, (None,) * len(space))[f"constants.{constants[1].name}"] == pytest.approx(
        constants[1].default
    )
    assert settings_at(space, (*point[:-1], 0.0), point) == {f"constants.{constants[-1].name}": constants[-1].low}
    with pytest.raises(ArenaError, match=r"space\.constants: room: of one game"):
        read_space({"constants": "room"}, [load("naga"), load("yaniv")], "space")


def test_most_of_a_candidate_is_the_start_that_the_room_gives() -> None:
    document = yaml.safe_load((CONFIGS / "tune" / "naga.yaml").read_text())["tune"]["space"]
    game, searched = load("naga"), ("exploration", "prior", "evaluate")
    space = read_space(document, [game], "space")
    start = start_of(space, {"iterations": 1000}, [game])
    assert settings_at(space, start, start) == {} and None not in start
    own = settings_at(space, start, (None,) * len(space))
    assert {name: own[name] for name in searched} == pytest.approx(
        {name: getattr(game.rollout.DEFAULTS, name) for name in searched}
    )
    found = [settings_at(space, point, start) for point in spread(space, 100, Random(1), start)]
    assert 2 < sum(map(len, found)) / len(found) < 6
    assert all(10 < sum(name in settings for settings in found) < 60 for name in searched)
    assert all(settings.get("evaluate") != game.rollout.DEFAULTS.evaluate for settings in found)


def test_the_start_is_known_as_far_as_parameters_and_rooms_say_it() -> None:
    naga, hisatsu = load("naga"), load("hisatsu")
    assert naga.rollout.DEFAULTS.exploration == hisatsu.rollout.DEFAULTS.exploration
    assert naga.rollout.DEFAULTS.prior != hisatsu.rollout.DEFAULTS.prior
    asked = {"exploration": [0.2, 2.0], "prior": [1.0, 300.0, "log"], "evaluate": [0, 1]}
    space = read_space({**asked, "constants.hands": [2.0, 16.0]}, [naga], "space")
    exploration, prior, evaluate, hands = start_of(space, {"prior": 1.0}, [naga])
    assert exploration is not None and hands is not None and prior == 0.0 and evaluate == 0.75
    assert start_of(space, {}, [naga, hisatsu]) == (exploration, None, None, None)
    assert start_of(space, {"rollout": "uniform"}, [naga]) == (exploration, None, evaluate, hands)
    mine = read_space(asked, [naga], "space")  # of a bot that may mean something else by these names
    assert start_of(mine, {"prior": 1.0}, [naga]) == (None, 0.0, None)


def test_a_chain_is_compared_step_by_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "steps.yaml"
    config.write_text(yaml.safe_dump(CHAIN))
    words = ["compare", str(config), "--backend", LOCAL, "--out", str(tmp_path / "out")]
    assert main([*words, "--format", "json"]) == 3
    greedy, again = json.loads(capsys.readouterr().out)
    assert greedy["verdict"] == "better" and greedy["low"] > 0.6 == greedy["asked"] and greedy["deals"] < 40
    assert greedy["ms_per_decision"] > 0.0 and greedy["low"] < greedy["estimate"] < greedy["share"]
    assert (
        again["verdict"] == "open"
        and again["deals"] == 10
        and again["asked"] == 0.55
        and again["share"] == again["estimate"] == 0.5
    )
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"steps-naga_greedy", "steps-again", "archive"}
    assert main([*words, "--format", "md"]) == 3
    assert "| again | naga_greedy | 50.0% (" in (text := capsys.readouterr().out) and "not separated (55%)" in text
    assert "stopped as soon as they were sure: estimates are drawn towards the share asked for" in text
    assert main(["plan", str(config), "--format", "json", "--workers", "1"]) == 0
    assert [found["matches"] for found in json.loads(capsys.readouterr().out)] == [80, 20]
    for verb in ("tournament", "ladder"):
        assert main([verb, str(config)]) == 2
        assert "chain: several tournaments one after the other; `arena compare CONFIG`" in capsys.readouterr().err


def test_a_chain_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    settings = Settings(out=tmp_path / "out", backend=LOCAL, workers=1)
    steps = check_steps(CHAIN, tmp_path, settings)
    with pytest.raises(Interrupted):
        list(run_steps(steps, settings, Stops(5)))
    resumed = list(run_steps(steps, settings, Observer()))
    calm = list(run_steps(steps, Settings(out=tmp_path / "calm", backend=LOCAL, workers=2), Observer()))
    assert [found.evidence for found in resumed] == [found.evidence for found in calm]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"chain": [{"bot": "again"}]}, "chain: at least two bots are needed"),
        ({"chain": [{"bot": "again"}, {"bot": "agian"}]}, 'no bot is called "agian"'),
        ({"chain": [{"bot": "again"}, {"bot": "random_bot"}, {"bot": "again"}]}, 'chain[2].bot: "again" is there twice'),
        ({"chain": [{"bot": "again", "deals": 3}, {"bot": "random_bot"}]}, "chain[0]: the first bot is compared with nobody"),
        ({"chain": [{"bot": "again"}, {"bot": "random_bot", "deals": 0}]}, "chain[1].deals: at least 1, not 0"),
        ({"chain": [{"bot": "again"}, {"bot": "random_bot", "share": 0.3}]}, "chain[1].share: from 0.5 to below 1, not 0.3"),
        ({"chain": [{"bot": "again"}, {"bott": "random_bot"}]}, 'chain[1].bott: no such key; did you mean "bot"?'),
        ({"candidates": ["again", "random_bot"]}, "chain: in place of candidates"),
        ({"format": "gauntlet"}, "chain: in place of candidates, with format: compare"),
        ({"name": "a" * 35}, "name and chain[1].bot, which together name the step's folder: a name is 1 to 40"),
        ({"compare": {"share": 1.0}}, "compare.share: from 0.5 to below 1, not 1.0"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_chain_is_named(changes: dict[str, Any], expected: str) -> None:
    assert expected in message({**CHAIN, **changes}, check_steps)


@pytest.mark.parametrize("path", [CONFIGS / "house" / f"{game}.yaml" for game in names()], ids=lambda path: path.stem)
def test_the_house_ladders_are_good(path: Path) -> None:
    steps = read_steps(path, Settings())
    rungs = [steps[0].than, *(step.better for step in steps)]
    assert len(rungs) == 7 and rungs[:2] == ["random", "greedy"]
    searches = [rung for rung in rungs[3:] if rung != "learner"]  # which stands where its game's policy belongs
    assert searches == ["ismcts_100", "ismcts_1000", "scholar"] and "learner" in rungs[3:]
    assert steps[0].tournament.name == f"house-{path.stem}-{steps[0].better}"


@pytest.mark.parametrize("path", [CONFIGS / "tune" / f"{game}.yaml" for game in names()], ids=lambda path: path.stem)
def test_the_tunes_of_the_house_are_good(path: Path) -> None:
    found = read_tuning(path, Settings())
    assert found.base.name == f"tune-{path.stem}" and found.bot.name == "champion" and found.seed == 1


def test_all_bots_of_the_house_are_in_its_field() -> None:
    """But the one that needs a library which need not be installed."""
    field = read_config(CONFIGS / "house" / "field.yaml")
    assert {bot.path.stem for bot in field.bots} == {path.stem for path in (HOUSE_BOTS).glob("*.py")} - {"openspiel"}
    assert {entry.game for entry in field.entries} == set(names())
    of_one_game = tuple(f"{game}_" for game in names())
    for entry in field.entries:  # raises where a sample cannot be balanced
        mine = [bot.name.startswith(f"{entry.game}_") or not bot.name.startswith(of_one_game) for bot in field.bots]
        players = [place for place, is_mine in enumerate(mine) if is_mine]
        units = tuple(range(entry.seats))
        tables = field.format.tables(Seating(players, entry.seats, entry.deals, units, has_all=False, stream=lambda _: 0))
        assert tables.per_deal == len(players) == 11
