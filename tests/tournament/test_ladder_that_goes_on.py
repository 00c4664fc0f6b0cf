"""Matches of a ladder's leg that goes on: they are found with the key of their own leg, so their replays show their cards."""

from pathlib import Path
from typing import Any

import msgspec

from arena import games
from arena.audit.capsule import seen_at, setup_of
from arena.records import Clock
from arena.reports.matches import seen
from arena.reports.pages.words import Words
from arena.results import parquet
from arena.results.journal import Journal
from arena.results.manifest import read_manifest, write_manifest
from arena.results.schema import FaultPlace
from arena.tournament.archive import boards
from arena.tournament.archive.finding import locate_match
from arena.tournament.formats.format import read_format
from arena.tournament.formats.plan import key_of_match
from helpers.paths import BAD_BOTS
from helpers.tournaments import run


def test_each_match_has_the_key_of_its_leg(tmp_path: Path) -> None:
    folder = tmp_path / "out" / "small"
    ladder = {"sigma": None, "separable": False}
    run(tmp_path, format="ladder", deals=2, ladder={**ladder, "matches": 12})
    first = read_manifest(folder)
    results = run(tmp_path, format="ladder", deals=2, ladder={**ladder, "matches": 36})  # other terms: another leg
    after = read_manifest(folder)
    with Journal(folder, is_read_only=True) as journal:
        newest = journal.meta("key")
    assert newest is not None
    full, old = (read_format(manifest.config["format"]) for manifest in (after, first))
    assert (full.links, old.links) == (2, 1)
    while_it_goes_on = {**after.config["format"], "stages": first.config["format"]["stages"]}
    write_manifest(folder, msgspec.structs.replace(after, config={**after.config, "format": while_it_goes_on}, finished=False))
    keys = set()
    for record in results.records():
        _, found, key = locate_match(tmp_path / "out", record.match_id)
        assert found.index == record.index and key == key_of_match(full, newest, record.index)
        keys.add(key)
    assert len(keys) == 2
    stale = read_format(while_it_goes_on)
    last = max(record.index for record in results.records())
    assert key_of_match(stale, newest, last) != newest, "the manifest alone would give it another key"


def test_a_report_shows_what_a_bot_saw_in_each_leg(tmp_path: Path) -> None:
    failing = {"path": str(BAD_BOTS / "fails_late.py"), "params": {"how": "illegal"}, "trusted": True}
    settings: dict[str, Any] = {"format": "ladder", "deals": 2, "faults": {"retire_after": 1000}}
    settings["bots"] = [failing, {"path": "house:random_bot", "trusted": True}]
    for matches in (4, 8):
        run(tmp_path, **settings, ladder={"sigma": None, "separable": False, "matches": matches})
    folder = tmp_path / "out" / "small"
    found = parquet.read_faults(folder)
    assert len(found) >= 8
    for fault in found:
        _, record, key = locate_match(tmp_path / "out", fault.match_id)
        setup = setup_of(record, key, Clock(1.0, 1.0))
        view = seen_at(games.load("naga"), record, setup, fault.seat, fault.decision)
        assert seen(FaultPlace(fault, 0, folder), Words("en")) == f"it saw:\n{view}"


def test_replays_of_a_report_have_the_key_of_their_leg(tmp_path: Path) -> None:
    for matches in (4, 8):
        results = run(tmp_path, format="ladder", deals=2, ladder={"sigma": None, "separable": False, "matches": matches})
    rows = range(2 * results.manifest.played)
    found = boards.find_matches(tmp_path / "out" / "small", rows)
    assert len({key for _, key in found.values()}) == 2
    for record, key in found.values():
        assert key == locate_match(tmp_path / "out", record.match_id)[2].hex()
