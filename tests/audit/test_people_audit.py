"""Matches outside any tournament are played again by `arena verify-results people`, which finds what was forged."""

from pathlib import Path

import msgspec
import pytest

from arena.audit.people_audit import audit_people
from arena.cli.main import main
from arena.match.seeds import key_from_seed
from arena.records import MatchRecord
from arena.results.people import AGENTS, PEOPLE
from arena.server.people.store import keep, records
from helpers.scripted_tables import ScriptedServer, at_random, played, setup


def stored(results: Path, pool: str) -> MatchRecord:
    """A match of somebody against a bot."""
    asked = msgspec.structs.replace(setup("naga", [None, "house:naga_greedy"], pool=pool, seed=4), results=str(results))
    table, record = played(asked, ScriptedServer(at_random(1)))
    assert table.key == key_from_seed(4)
    return keep(results, record, table.key)


def test_matches_of_people_are_right_as_they_were_stored(tmp_path: Path) -> None:
    assert audit_people(tmp_path).problems == []
    stored(tmp_path, PEOPLE)
    audit = audit_people(tmp_path)
    assert (audit.matches, audit.problems) == (1, [])


def test_another_place_another_log_and_another_id_are_found(tmp_path: Path) -> None:
    record = stored(tmp_path / "right", PEOPLE)
    first = msgspec.structs.replace(record.seats[0], place=3 - record.seats[0].place)
    forged = {
        "seat 0: place is": msgspec.structs.replace(record, seats=(first, record.seats[1])),
        "the log ends after": msgspec.structs.replace(record, actions=record.actions[:-1]),
        "its id is that of another match": stored(tmp_path / "agent", AGENTS),  # the helper gives it no id of its log
    }
    for number, (problem, wrong) in enumerate(forged.items()):
        folder = tmp_path / str(number)
        keep(folder, wrong, key_from_seed(4))
        found = audit_people(folder).problems
        assert found and problem in " ".join(found), problem


@pytest.mark.parametrize("damage", [False, True])
def test_the_command_says_by_its_exit_code_whether_all_is_right(
    damage: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = stored(tmp_path / "right", PEOPLE)
    folder = tmp_path / "shown"
    keep(folder, msgspec.structs.replace(record, actions=record.actions[: -1 if damage else None]), key_from_seed(4))
    code = main(["verify-results", "people", "--out", str(folder)])
    assert (code, "NOT verified" in capsys.readouterr().out) == (int(damage), damage)
    assert len(list(records(folder))) == 1
