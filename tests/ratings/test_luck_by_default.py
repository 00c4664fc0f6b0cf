"""Where a config does not say whether its board goes without luck: where every pool has a network for it, and nowhere else."""

from pathlib import Path

import pytest

from arena.ratings.settings import settings_of
from arena.tournament.config import read_config

BOTS = "bots: [{path: 'house:random_bot', trusted: true}, {path: 'house:yaniv_greedy', trusted: true}]\n"
YANIV, NAGA = "{game: yaniv, seats: 2}", "{game: naga, seats: 2, options: {series: 'first_to:3'}}"
DUEL, MANY, DROPPING = (
    "{game: nanatoridori, seats: 2}",
    "{game: yaniv, seats: 9}",
    "{game: yaniv, seats: 3, options: {mode: elim201}}",
)


@pytest.mark.parametrize(
    ("games", "ratings", "goes_without"),
    [
        (YANIV, "", True),
        (YANIV, "ratings: {luck: off}\n", False),
        (YANIV, "ratings: {luck: false}\n", False),
        (YANIV, "ratings: {headline: online}\n", False),
        (f"{YANIV}, {NAGA}", "", True),
        (f"{YANIV}, {DUEL}", "", False),
        (MANY, "", False),
        (DROPPING, "", False),
        (f"{YANIV}, {DUEL}", "ratings: {luck: on}\n", True),
        (DUEL, "ratings: {luck: true}\n", True),
    ],
)
def test_luck_is_taken_out_where_that_surely_helps_or_is_wanted(
    tmp_path: Path, games: str, ratings: str, goes_without: bool
) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(f"name: small\ngames: [{games}]\n{BOTS}{ratings}")
    settings = read_config(file).ratings
    assert settings.luck is goes_without and settings.takes_luck_out == goes_without


def test_a_ladder_goes_by_luck_only_where_its_config_says_so(tmp_path: Path) -> None:
    """Its plan is fixed by its config: what is on by default must not change ladders that were begun before."""
    file = tmp_path / "small.yaml"
    file.write_text(f"name: small\nformat: ladder\ngames: [{YANIV}]\n{BOTS}")
    assert read_config(file).ratings.luck and not read_config(file).format.uses_luck
    file.write_text(f"name: small\nformat: ladder\ngames: [{YANIV}]\n{BOTS}ratings: {{luck: on}}\n")
    assert read_config(file).format.uses_luck


def test_a_board_of_before_keeps_its_luck() -> None:
    assert not settings_of({"headline": "batch"}).takes_luck_out
