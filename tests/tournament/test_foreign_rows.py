"""A run that goes on takes from its journal only matches that its plan has, whoever wrote them."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.errors import StoreError
from arena.records import MOST_ACTIONS
from arena.results.journal import JOURNAL_FILE, checksum, row_checksum
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Interrupted, Observer, Progress, Settings
from helpers.paths import HOUSE_BOTS, TEST_BOTS

CONFIG = f"""
name: cup
seed: 1
games: [{{game: naga, seats: 2}}]
bots: [{{path: {HOUSE_BOTS}/random_bot.py, trusted: true}}, {{path: {TEST_BOTS}/counting_bot.py, trusted: true}}]
deals: 10
ratings: {{luck: false}}
"""
NO_NUMBERS = {
    "deal": 1 << 63, "attempts": 1 << 62, "rotation": 300, "rules_version": -1, "index": -1, "delays": [1 << 40],
    "actions": [0] * (MOST_ACTIONS + 1),
    "faults": [{"seat": 0, "decision": 10**15, "ending": "crash", "reason": "x"}],
}  # fmt: skip
NOT_PLANNED: dict[str, Callable[[dict[str, Any]], object]] = {
    "time in a game without": lambda match: match.update(delays=[1] * len(match["actions"])),
    "no seats": lambda match: match["seats"].clear(),
    "many seats": lambda match: match["seats"].extend(match["seats"] * 50_000),
    "another bot": lambda match: match["seats"][0].update(bot="nobody"),
    "another version": lambda match: match["seats"][0].update(bot_version=7),
    "another pool": lambda match: match.update(pool="yaniv"),
    "other options": lambda match: match.update(options="{}"),
    "another deal": lambda match: match.update(deal=9),
    "a number that others have": lambda match: match.update(index=1),
}


class Stopping(Observer):
    """Stops the run after some matches."""

    def progress(self, progress: Progress) -> None:
        if progress.played_now >= 3:
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tournament of which some matches are played."""
    folder = tmp_path_factory.mktemp("begun")
    (folder / "cup.yaml").write_text(CONFIG)
    with pytest.raises(Interrupted):
        played(folder / "cup.yaml", Stopping())
    return folder


@pytest.fixture
def begun(first: Path, tmp_path: Path) -> Path:
    """The config of a copy of it."""
    return shutil.copytree(first, tmp_path, dirs_exist_ok=True) / "cup.yaml"


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a ladder that is over for now."""
    folder = tmp_path_factory.mktemp("ladder")
    (folder / "cup.yaml").write_text(CONFIG + "format: ladder\nladder: {sigma: 1.0, separable: false, matches: 60}\n")
    played(folder / "cup.yaml", Observer())
    return folder


def played(config: Path, observer: Observer) -> object:
    return run_tournament(config, Settings(out=config.parent, backend=LOCAL, workers=1), observer)


def rewrite(config: Path, change: Callable[[dict[str, Any]], object], place: int = 0) -> None:
    """Change the first match, with a checksum that fits, and put it at a place in the plan."""
    with sqlite3.connect(config.parent / "cup" / JOURNAL_FILE) as journal:
        match_id, body = journal.execute("select match_id, body from matches where place = 0").fetchone()
        match = msgspec.msgpack.decode(body)
        change(match)
        body = msgspec.msgpack.encode(match)
        row = (place, body, row_checksum(match_id, place, body))
        journal.execute("update matches set place = ?, body = ?, checksum = ? where place = 0", row)


@pytest.mark.parametrize("name", NO_NUMBERS)
def test_a_number_that_no_match_has_is_refused(name: str, begun: Path) -> None:
    rewrite(begun, lambda match: match.update({name: NO_NUMBERS[name]}))
    with pytest.raises(StoreError, match=r"is not (ours|the one of this plan)"):
        played(begun, Observer())


@pytest.mark.parametrize("log", [[-1], [1 << 62], [0] * 1_000_000], ids=["below", "beyond", "long"])
def test_no_log_that_the_rules_do_not_allow_is_looked_at_for_luck(log: list[int], tmp_path: Path) -> None:
    config = tmp_path / "cup.yaml"
    config.write_text(CONFIG.replace("ratings: {luck: false}\n", ""))
    with pytest.raises(Interrupted):
        played(config, Stopping())
    rewrite(config, lambda match: match.update(actions=log))
    with pytest.raises(StoreError, match=r"the action of decision \d+ is not legal"):
        played(config, Observer())


def test_a_fault_of_no_seat_is_refused(begun: Path) -> None:
    fault = {"seat": 9, "decision": 0, "ending": "crash", "reason": "x"}
    rewrite(begun, lambda match: match.update(faults=[fault]))
    with pytest.raises(StoreError, match="a fault of a seat that it does not have"):
        played(begun, Observer())


@pytest.mark.parametrize("change", NOT_PLANNED.values(), ids=NOT_PLANNED)
def test_a_match_that_the_plan_has_otherwise_is_refused(change: Callable[[dict[str, Any]], object], begun: Path) -> None:
    rewrite(begun, change)
    with pytest.raises(StoreError, match="is not the one of this plan"):
        played(begun, Observer())


@pytest.mark.parametrize(
    "values", [{"place": 128}, {"unit": -1}, {"bot_version": 1 << 31}, {"score": 1e308}, {"wall_ms_total": -1e308}], ids=str
)
def test_a_number_that_no_seat_has_is_refused(values: dict[str, Any], begun: Path) -> None:
    rewrite(begun, lambda match: match["seats"][0].update(values))
    with pytest.raises(StoreError, match="the row of match 0 is not ours"):
        played(begun, Observer())


@pytest.mark.parametrize("place", [1000, 1 << 33, (1 << 62) - 1])
def test_a_match_beyond_the_plan_is_refused_and_takes_no_memory(place: int, begun: Path) -> None:
    rewrite(begun, lambda match: match.update(index=place), place)
    with pytest.raises(StoreError, match=f"match {place} is not the one of this plan"):
        played(begun, Observer())


@pytest.mark.parametrize("value", [b"", b"9", b"\xff", b"[" * 100_000], ids=["empty", "a number", "no text", "deep"])
@pytest.mark.parametrize("name", ["plan", "repeats", "started"])
def test_a_note_that_no_run_writes_is_refused(name: str, value: bytes, begun: Path) -> None:
    note(begun, name, value)
    with pytest.raises(StoreError, match=f"the row of '{name}' is not ours"):
        played(begun, Observer())


@pytest.mark.parametrize("value", [b"{}", b'{"contestants": 9}', b'{"contestants": [1, {}, {"name": {}}]}'])
def test_a_plan_without_its_parts_is_another_plan(value: bytes, begun: Path) -> None:
    note(begun, "plan", value)
    with pytest.raises(StoreError, match="holds results of another plan"):
        played(begun, Observer())


def note(config: Path, name: str, value: bytes) -> None:
    """Write a named value with a checksum that fits."""
    with sqlite3.connect(config.parent / "cup" / JOURNAL_FILE) as journal:
        journal.execute("insert or replace into meta values (?, ?, ?)", (name, value, checksum(name.encode() + value)))


LEG = {"first_stage": 0, "field": [0, 1], "sigma": 1.0, "separable": False, "matches": 8}
STAGE = [0, 0, [[0, [0, 1]]]]


@pytest.mark.parametrize(
    "changes",
    [
        {"chain": 10**18}, {"chain": 0}, {"stages": [[0, 5, STAGE[2]]]}, {"stages": [[0, 0, [[7, [0, 1]]]]]},
        {"stages": [[0, 0, [[0, [0, 99]]]]]},
        {"legs": [{**LEG, "closed": {"why": "x", "before_stage": 1, "unplayed": [[0, 10**15]]}}], "stages": [STAGE]},
        {"legs": [{**LEG, "closed": {"why": "x", "before_stage": 1, "unplayed": [[0, 1], [0, 1]]}}], "stages": [STAGE]},
        {"legs": [{**LEG, "skipped": [-1]}]}, {"legs": [{**LEG, "skipped": [1, 0]}], "stages": [STAGE]},
        {"legs": [{**LEG, "first_stage": 1}], "stages": [STAGE]},
    ],
    ids=lambda changes: str(changes)[:60],
)  # fmt: skip
def test_a_ladder_that_names_what_its_plan_does_not_have_does_not_go_on(
    changes: dict[str, Any], ladder: Path, tmp_path: Path
) -> None:
    config = shutil.copytree(ladder, tmp_path, dirs_exist_ok=True) / "cup.yaml"
    with sqlite3.connect(config.parent / "cup" / JOURNAL_FILE) as journal:
        (stored,) = journal.execute("select value from meta where name = 'ladder'").fetchone()
    note(config, "ladder", msgspec.json.encode({**msgspec.json.decode(stored), **changes}))
    with pytest.raises(StoreError, match="not ours"):
        played(config, Observer())
