"""A ladder that goes without luck: chosen and ended by what is left, said in its plan, checked from its folder."""

from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET

from arena.audit.results_audit import audit_results
from arena.errors import StoreError
from arena.ratings.match_luck import combined
from arena.tournament.formats import ladder as ladder_format
from arena.tournament.formats.ladder import Ladder
from arena.tournament.session import Results
from helpers.tournaments import run

LADDER = {
    "format": "ladder", "deals": 2, "ladder": {"sigma": None, "separable": True, "matches": 60},
    "games": [{"game": "naga", "seats": 2}],
}  # fmt: skip
ON = {"ratings": {"luck": True}}


def ladder_of(results: Results) -> Ladder:
    assert results.schedule is not None and isinstance(results.schedule.plan.format, Ladder)
    return results.schedule.plan.format


@pytest.mark.slow
def test_a_ladder_goes_without_luck_from_the_leg_on_in_which_that_is_wanted(tmp_path: Path) -> None:
    plain = run(tmp_path, **LADDER)
    assert not ladder_of(plain).uses_luck and plain.manifest.luck == {}
    assert b"luck" not in msgspec.json.encode(ladder_of(plain))  # a ladder of before has the plan that it had
    more = run(tmp_path, **LADDER, **ON)
    assert [leg.luck for leg in ladder_of(more).legs] == [UNSET, combined(["naga"])]
    assert more.manifest.luck_worth is not None
    assert audit_results(more.folder, 1, lambda _: None).problems == []


@pytest.mark.slow
def test_the_tables_of_a_ladder_follow_from_luck_too(tmp_path: Path) -> None:
    plain, without = run(tmp_path / "plain", **LADDER), run(tmp_path / "without", **LADDER, **ON)
    assert [stage.tables for stage in ladder_of(plain).stages] != [stage.tables for stage in ladder_of(without).stages]


def test_a_ladder_does_not_go_on_by_other_estimates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = {**LADDER, **ON, "ladder": {"sigma": 0.1, "separable": False, "matches": 6}}
    run(tmp_path, **short)
    monkeypatch.setattr(ladder_format, "combined", lambda games: "0" * 64)
    with pytest.raises(StoreError, match="by other estimates than those of this version"):
        run(tmp_path, **short)
