"""The model `openskill` is the package of that name, called plainly; without it one line says what to install."""

from importlib import import_module, util

import numpy as np
import pytest

from arena.cli.main import main
from arena.errors import ConfigError
from arena.ratings.beliefs import believe
from arena.ratings.models import OPENSKILL
from arena.ratings.rows import PoolRows
from arena.ratings.running import RunningRatings
from arena.ratings.settings import RatingSettings, checked_settings, settings_of
from arena.ratings.standings import Standings
from helpers.records import BOTS, RECORDS, rated
from helpers.tournaments import GOOD_BOTS, run

SETTINGS = RatingSettings(headline=OPENSKILL, tau=0.05)
FIELD = {"naga": BOTS, "yaniv": BOTS}


@pytest.fixture
def package() -> None:
    pytest.importorskip("openskill")


@pytest.mark.usefixtures("package")
def test_its_numbers_are_those_of_the_package() -> None:
    model = import_module("openskill.models").PlackettLuce(tau=0.05)
    bots = {name: model.rating() for name in "abcd"}
    tables = [(("a",), ("b",), ("c",)), (("a", "c"), ("b", "d")), (("d",), ("a",)), (("c",), ("b",), ("d",))]
    places = [(1, 2, 2), (2, 1), (1, 1), (3, 1, 2)]
    for table, place in zip(tables, places):
        found = model.rate([[bots[name] for name in team] for team in table], ranks=list(place))
        bots |= {name: one for team, ratings in zip(table, found) for name, one in zip(team, ratings)}
    seats = [[("a", 0, 1), ("b", 1, 2), ("c", 2, 2)], [("a", 0, 2), ("b", 1, 1), ("c", 0, 2), ("d", 1, 1)]]
    seats += [[("d", 0, 1), ("a", 1, 1)], [("c", 0, 3), ("b", 1, 1), ("d", 2, 2)]]
    every = [seat for match in seats for seat in match]
    rows = PoolRows(
        tuple((name, 1) for name in "abcd"), np.cumsum([0, *map(len, seats)]), np.arange(4, dtype=np.int32),
        np.array(["abcd".index(name) for name, _, _ in every], np.int32), np.array([unit for _, unit, _ in every], np.int8),
        np.array([place for _, _, place in every], np.int8), np.zeros(12, np.float32), np.zeros(12, np.bool_),
    )  # fmt: skip
    ours = believe(OPENSKILL, rows, SETTINGS)
    assert ours.mu.tolist() == [bots[name].mu for name in "abcd"] and ours.sigma.tolist() == [
        bots[name].sigma for name in "abcd"
    ]


@pytest.mark.usefixtures("package")
def test_a_running_board_has_the_numbers_of_the_board() -> None:
    standings, running = Standings(SETTINGS, FIELD), RunningRatings(SETTINGS, FIELD, models=(OPENSKILL,))
    for record in RECORDS:
        standings.add(record)
        running.add(record)
    shown = [{(one.pool, one.bot, one.mu, one.sigma, one.rank) for one in board.ratings()} for board in (standings, running)]
    assert shown[0] == shown[1] and len(shown[0]) > 6


def test_without_the_package_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path, capsys) -> None:
    played = run(tmp_path, bots=GOOD_BOTS, deals=1)
    capsys.readouterr()
    monkeypatch.setattr("arena.ratings.models.find_spec", lambda name: None if name == "openskill" else util.find_spec(name))
    message = "the rating model openskill needs the package openskill: pip install 'arena-hall[openskill]'"
    with pytest.raises(ConfigError) as raised:
        checked_settings(SETTINGS)
    assert message in str(raised.value)
    with pytest.raises(ConfigError):
        believe(OPENSKILL, rated().pools()["naga"], SETTINGS)
    assert settings_of({"headline": OPENSKILL}).headline_model == OPENSKILL, "a stored board stays readable"
    assert main(["rerate", "small", "--model", OPENSKILL, "--out", str(played.folder.parent)]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
