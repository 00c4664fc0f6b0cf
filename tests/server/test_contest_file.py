"""A contest's file: what it says, and what arena says about a wrong one."""

import datetime
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.server.contest.settings import _File as File
from arena.server.contest.settings import check_contest, read_contest
from arena.tournament.config import Config, check_config
from helpers.contests import SMALL, write_contest
from helpers.paths import CONFIGS
from helpers.stub_model import model_folder

MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"game": []}, "game: no such key; did you mean"),
    ({"games": []}, "games: at least one is needed"),
    ({"games": [{"game": "chess", "seats": 2}]}, "games[0]."),
    ({"games": [{"game": "naga", "seats": 2, "weight": 0}]}, "games[0].weight: a number above 0"),
    ({"games": [{"game": "naga", "seats": 2, "weight": float("nan")}]}, "games[0].weight: a number above 0"),
    ({"games": [{"game": "naga", "seats": 2}, {"game": "naga", "seats": 2}]}, "games[1]: the same game"),
    ({"games": [{"game": "naga", "seats": 2, "deals": 3}]}, "games[0].deals: no such key"),
    ({"reference_bots": ["house:nobody"]}, "reference_bots[0]"),
    (
        {"reference_bots": ["house:random_bot", "house:random_bot"]},
        'reference_bots[1]: reference_bots[0] is called "random_bot" too',
    ),
    ({"reference_bots": ["submitted:all"]}, "reference_bots[0]: submitted bots take part anyway"),
    ({"marks": {"naga_gredy": 4}}, 'marks: no reference bot is called "naga_gredy"; did you mean "naga_greedy"?'),
    ({"marks": {"naga_greedy": float("inf")}}, "marks.naga_greedy: a number is needed"),
    ({"freeze": "2027-02-01T18:00"}, "freeze: a date and a time with its zone is needed"),
    ({"freeze": datetime.date(2027, 2, 1)}, "freeze: a date and a time with its zone is needed"),
    ({"freeze": "soon"}, "freeze: a date and a time with its zone is needed"),
    ({"quotas": {"pending": 0}}, "quotas.pending: at least 1, not 0"),
    ({"quotas": {"versions": 3}}, "quotas.versions: no such key"),
    ({"clock": {"move": "fast"}}, "clock.move: a time such as"),
    ({"memory": "little"}, "memory: a size such as"),
    ({"isolation": "none"}, "isolation: locked or"),
    ({"faults": {"retire_after": 0}}, "faults.retire_after: at least 1"),
    ({"ladder": {"sigma": 0}}, "ladder.sigma: a positive number"),
    ({"name": "Class of 2027"}, "name: a name is"),
    ({"name": "archive"}, "name: 'archive' is the name of the archive"),
]


@pytest.mark.parametrize(("changes", "expected"), MISTAKES, ids=[expected for _, expected in MISTAKES])
def test_every_mistake_is_named(tmp_path: Path, changes: dict[str, Any], expected: str) -> None:
    with pytest.raises(ArenaError) as caught:
        check_contest({**SMALL, **changes}, tmp_path)
    said = str(caught.value)
    assert said.startswith(expected) and "\n" not in said


@pytest.mark.parametrize("trusted", [False, True])
def test_a_language_model_is_no_reference_bot(tmp_path: Path, trusted: bool) -> None:
    """A contest has no end, and neither would its cost."""
    bot = {"path": str(model_folder(tmp_path, "http://127.0.0.1:9/v1")), "trusted": trusted}
    with pytest.raises(ArenaError, match=r"reference_bots\[0\]: model: a language model cannot play in a contest"):
        check_contest({**SMALL, "reference_bots": [bot]}, tmp_path)


def test_a_default_that_configs_have_too_has_one_place(tmp_path: Path) -> None:
    own = set(File.__annotations__) & set(Config.__struct_fields__)
    assert own == {"name", "games", "deals"}  # deals: a ladder has fewer of a table than a league
    document = {"name": "class", "games": SMALL["games"], "bots": SMALL["reference_bots"], "format": "ladder"}
    base, config = check_contest(SMALL, tmp_path).base, check_config(document, tmp_path)
    for name in ("limits", "clock", "isolation", "faults"):
        assert getattr(base, name) == getattr(config, name)


def test_the_shipped_contest_is_good() -> None:
    for path in (CONFIGS / "contests").glob("*.yaml"):
        contest = read_contest(path)
        assert contest.name == path.stem and set(contest.marks) <= set(contest.reference_bots)


def test_the_moment_of_freezing_is_the_same_everywhere(tmp_path: Path) -> None:
    path = write_contest(tmp_path, freeze="2027-02-01T18:00+09:00")
    assert read_contest(path).freeze == datetime.datetime(2027, 2, 1, 9, tzinfo=datetime.UTC)


def test_ids_of_accounts_stay_out_of_the_ladder(tmp_path: Path) -> None:
    contest = read_contest(write_contest(tmp_path))
    bot = contest.base.bots[0]
    ladder = contest.tournament([bot], {bot.name: "the-secret-id"}).format
    owners: tuple[str, ...] = ladder.owners  # type: ignore[attr-defined]
    assert owners[:2] == ("", "") and owners[2] and "secret" not in owners[2]
