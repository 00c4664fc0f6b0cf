"""The levels that people choose opponents by."""

import re
from pathlib import Path

import pytest
import yaml

from arena import games
from arena.agent import read_bot
from arena.agent.loading import HOUSE, find_bot, house_bots
from arena.agent.submissions import Submissions
from arena.errors import ConfigError
from arena.match.single_match import play_match
from arena.server.people.levels import FIRST, NAMES, level, levels, measurement, opponents
from helpers.paths import CONFIGS, DOCS


@pytest.mark.parametrize("game", games.names())
def test_each_game_has_six_levels_that_rise(game: str) -> None:
    found = levels(game)
    assert tuple(one.name for one in found) == NAMES
    assert [one.mu for one in found] == sorted({one.mu for one in found})
    for one in found:
        assert one.bot.startswith(HOUSE)
        assert find_bot(one.bot, Path()).files.files


def test_all_of_our_games_are_measured() -> None:
    assert set(measurement().games) == set(games.names())
    for measured in measurement().games.values():
        assert measured.matches > 0
        assert len(measured.steps) == len(NAMES) - 1
        assert min(measured.steps) > 0.5, "a level must be better than the one before it"


def test_an_unknown_level_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"no level 'exprt'; did you mean \"expert\"\?"):
        level("naga", "exprt")
    with pytest.raises(ConfigError, match='no game "nagga"'):
        levels("nagga")
    assert level("naga", FIRST).bot == "house:naga_greedy"


def test_opponents_are_levels_house_bots_of_the_game_and_what_was_submitted_for_it(tmp_path: Path) -> None:
    store = Submissions(tmp_path)
    store.submit("mine", read_bot(house_bots()["random_bot"]), ())
    store.submit("other", read_bot(house_bots()["yaniv_greedy"]), ("yaniv",))
    store.submit("gone", read_bot(house_bots()["naga_greedy"]), ("naga",))
    store.withdraw("gone")
    found = opponents("naga", tmp_path)
    assert [one.name for one in found if one.kind == "level"] == list(NAMES)
    house = [one.name for one in found if one.kind == "house"]
    assert house == ["champion", "ismcts", "learner", "naga_greedy", "naga_planner", "pimc", "random_bot", "scholar"]
    assert [one.bot for one in found if one.kind == "submitted"] == ["submitted:mine"]


def test_a_game_of_another_distribution_has_levels_that_play_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A guess where nothing was measured: chance, and searches of rising length."""
    monkeypatch.delitem(measurement().games, "naga")
    found = levels("naga")
    assert tuple(one.name for one in found) == NAMES
    assert {one.bot for one in found} == {"house:random_bot", "house:ismcts"}
    assert [one.params.get("iterations", 0) for one in found] == sorted({one.params.get("iterations", 0) for one in found})
    assert {one.name for one in opponents("naga", Path("nowhere")) if one.kind == "house"} == {"random_bot", "ismcts"}
    record = play_match("naga", [found[0].bot, found[1].bot], seed=1, params=[found[0].params, found[1].params])
    assert {seat.ending.value for seat in record.seats} == {"played"}


def test_the_page_about_playing_has_the_measured_figures() -> None:
    text = (DOCS / "playing.md").read_text()
    found = measurement()
    assert found.command in text and found.date in text
    rows = {
        row[0]: row[1:] for row in re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    }
    assert sorted(rows["level"]) == sorted(found.games)
    for game, measured in found.games.items():
        for one, step in zip(measured.levels, ["", *(f" ({100 * share:.0f}%)" for share in measured.steps)]):
            iterations = f" {one.params['iterations']:,}" if one.params else ""
            cell = rows[one.name][rows["level"].index(game)]
            assert cell == f"`{one.bot.removeprefix(HOUSE)}{iterations}` {one.mu:.1f}{step}", (game, one.name)


def test_levels_are_those_that_the_config_measures() -> None:
    config = yaml.safe_load((CONFIGS / "house" / "levels.yaml").read_text())
    by_name = {bot["name"]: bot for bot in config["bots"]}
    for game, measured in measurement().games.items():
        for one in measured.levels:
            bot = by_name[f"{game}_{one.name}"]
            assert Path(bot["path"]).stem == one.bot.removeprefix(HOUSE) and bot.get("params", {}) == one.params
