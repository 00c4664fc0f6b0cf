"""`arena verify-results` computes the online ratings by the `trueskill` package, too."""

import json
import math

import pytest
from msgspec.structs import replace

from arena.audit import package_ratings
from arena.audit.package_ratings import compare_with_package
from arena.cli.main import main
from arena.ratings.rows import Beliefs
from arena.ratings.settings import RatingSettings
from arena.tournament.session import Results
from helpers.records import RECORDS, rated
from helpers.tournaments import run

POOLS = rated().pools()
MATCHES = sum(not record.is_void for record in RECORDS)


@pytest.mark.parametrize("changes", [{}, {"tau": 0.5, "draw_probability": 0.3}, {"mu": 0.0, "sigma": 4.0, "beta": 1.0}])
def test_both_have_the_same_numbers(changes: dict[str, float]) -> None:
    found = compare_with_package(POOLS, RatingSettings(**changes))
    assert found.matches == MATCHES and 0 < found.largest < 1e-6 and not found.problems


def test_ours_being_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    believe = package_ratings.believe
    monkeypatch.setattr(package_ratings, "believe", lambda *given: Beliefs(believe(*given).mu + 0.1, believe(*given).sigma))
    found = compare_with_package(POOLS, RatingSettings())
    assert found.largest == pytest.approx(0.1) and len(found.problems) == 2 + 1
    assert found.problems[0] == "ratings: trueskill naga: 1.0e-01 points from those of the trueskill package"


def test_of_many_matches_the_first_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_ratings, "MOST_MATCHES", 30)
    assert compare_with_package(POOLS, RatingSettings()).matches == 2 * 10


def test_where_the_package_runs_out_of_digits_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise FloatingPointError

    monkeypatch.setattr(package_ratings, "_by_package", fails)
    found = compare_with_package(POOLS, RatingSettings())
    assert replace(found) == found and found.matches == 0 and found.largest == 0.0 and not math.isnan(found.largest)


@pytest.fixture
def played(tmp_path) -> Results:
    return run(tmp_path, deals=2)


def test_the_verb_says_so_in_a_line(played: Results, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["verify-results", "small", "--out", str(played.folder.parent)]
    assert main(words) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if "trueskill" in line]
    assert len(said) == 1 and f"({played.manifest.played} matches)" in said[0]
    assert main([*words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["trueskill"]["matches"] == played.manifest.played
