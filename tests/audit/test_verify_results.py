"""`arena verify-results`: a board is audited from its folder alone, and whatever was changed in it is found and named."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from arena.audit.match_audit import match_problems
from arena.audit.results_audit import Audit, audit_results
from arena.cli.main import main
from arena.errors import StoreError
from arena.games import load
from arena.match import void
from arena.match.faults import SUBSTITUTE
from arena.ratings.models import STORED
from arena.records import Ending, MatchRecord
from arena.results import parquet
from arena.results.hashing import ResultsHash
from arena.results.manifest import Manifest, read_manifest, write_manifest
from arena.tournament.formats.plan import Plan, read_plan
from arena.tournament.session import Results, read_results
from helpers.paths import BAD_BOTS
from helpers.tournaments import GOOD_BOTS, run

GAMES = [{"game": "naga", "seats": 2}, {"game": "yaniv", "seats": 3, "options": {"max_rounds": 2, "turn_limit": 10}}]
VICTIM = 7  # plan index


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """With a bot that raises and is retired: fallback choices, and matches that are rightly not there."""
    bots = [*GOOD_BOTS, BAD_BOTS / "raises.py"]
    return run(tmp_path_factory.mktemp("board"), bots=bots, games=GAMES, deals=3, faults={"retire_after": 4}, seed=None)


@pytest.fixture
def copy(board: Results, tmp_path: Path) -> Path:
    """Its public files, to be tampered with."""
    return shutil.copytree(board.folder, tmp_path / "small", ignore=shutil.ignore_patterns("journal*", "lock"))


def audit(folder: Path, workers: int = 1) -> Audit:
    return audit_results(folder, workers, lambda _: None)


def plan_of(manifest: Manifest) -> Plan:
    return read_plan(manifest.config, bytes.fromhex(manifest.key or ""))


def forge(folder: Path, change: Callable[[list[MatchRecord]], None], *, with_hashes: bool = True) -> None:
    """Change the matches; by default like somebody who also writes hashes and counts that go with them."""
    records = list(parquet.read_matches(folder))
    change(records)
    parquet.write_matches(folder, records)
    if with_hashes:
        hashes = ResultsHash()
        for record in records:
            hashes.add(record)
        endings = [seat.ending.value for record in records for seat in record.seats]
        change_manifest(
            folder, results_sha256=hashes.results_sha256, reproducible_sha256=hashes.reproducible_sha256, played=len(records),
            matches=len(records), endings={ending: endings.count(ending) for ending in dict.fromkeys(endings)},
        )  # fmt: skip


def change_manifest(folder: Path, **changes: Any) -> None:
    write_manifest(folder, msgspec.structs.replace(read_manifest(folder), **changes))


def with_seat(record: MatchRecord, number: int, **changes: Any) -> MatchRecord:
    seats = list(record.seats)
    seats[number] = msgspec.structs.replace(seats[number], **changes)
    return msgspec.structs.replace(record, seats=tuple(seats))


@pytest.mark.parametrize("workers", [1, 2])
def test_an_honest_board_is_verified_from_its_public_files(board: Results, copy: Path, workers: int) -> None:
    assert any(bot.retired for bot in board.manifest.bots) and board.manifest.endings["crash"] >= 4
    assert board.manifest.played < len(plan_of(board.manifest))
    found = audit(copy, workers)
    assert found.problems == [] and found.matches == board.manifest.played and found.rate > 0


def test_the_command_prints_its_speed_and_tells_right_from_wrong(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["verify-results", "small", "--out", str(copy.parent), "--workers", "1"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert "small: verified: " in text and " a second)" in text
    forge(copy, lambda records: records.__setitem__(VICTIM, with_seat(records[VICTIM], 0, score=1234.0)))
    assert main(command) == 1
    text = capsys.readouterr().out
    assert f"match {VICTIM} (" in text and "small: NOT verified: " in text
    assert main([*command[:-1], "0"]) == 2


def swapped_bots(record: MatchRecord) -> MatchRecord:
    first, second, *others = record.seats
    return msgspec.structs.replace(record, seats=(second, first, *others))


def other_action(record: MatchRecord) -> MatchRecord:
    return msgspec.structs.replace(record, actions=(*record.actions[:3], record.actions[3] ^ 1, *record.actions[4:]))


CHANGES: list[tuple[str, Callable[[MatchRecord], MatchRecord], str]] = [
    ("place", lambda record: with_seat(record, 0, place=3 - record.seats[0].place), "seat 0: place is "),
    ("score", lambda record: with_seat(record, 1, score=record.seats[1].score + 0.5), "seat 1: score is "),
    ("decisions", lambda record: with_seat(record, 1, decisions=3), "seat 1: decisions is 3; by the log "),
    ("bot", lambda record: with_seat(record, 0, bot="nobody"), "seat 0: bot is 'nobody'; by the plan "),
    ("bot_sha256", lambda record: with_seat(record, 0, bot_sha256="0" * 64), "seat 0: bot_sha256 is "),
    ("unit", lambda record: with_seat(record, 0, unit=1), "seat 0: unit is 1; by the plan 0"),
    ("swapped bots", swapped_bots, "seat 0: bot is "),
    ("options", lambda record: msgspec.structs.replace(record, options="{}"), "options is "),
    ("deal", lambda record: msgspec.structs.replace(record, deal=99), "deal is 99; by the plan "),
    ("rotation", lambda record: msgspec.structs.replace(record, rotation=5), "rotation is 5; by the plan "),
    ("pool", lambda record: msgspec.structs.replace(record, pool="elsewhere"), "pool is 'elsewhere'; by the plan "),
    ("rules", lambda record: msgspec.structs.replace(record, rules_version=99), "rules_version is 99; by the plan "),
    ("match_id", lambda record: msgspec.structs.replace(record, match_id="ab" * 12), "match_id is 'ababab"),
    ("action", other_action, "decision "),
    ("shorter log", lambda record: msgspec.structs.replace(record, actions=record.actions[:-1]), "the log ends after "),
    ("longer log", lambda record: msgspec.structs.replace(record, actions=(*record.actions, 0)), "the log goes on after "),
    ("delays", lambda record: msgspec.structs.replace(record, delays=(1,) * len(record.actions)), "delays of "),
    ("a fault made up", lambda record: with_seat(record, 1, ending=Ending.TIMEOUT), "seat 1: ending timeout does not go "),
    ("fault at a strange decision", lambda record: with_seat(record, 0, fault_decision=1000), "fault_decision is 1000"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "expected"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES])
def test_a_changed_match_is_found_and_named_even_with_hashes_that_go_with_it(
    change: Callable[[MatchRecord], MatchRecord], expected: str, copy: Path
) -> None:
    forge(copy, lambda records: records.__setitem__(VICTIM, change(records[VICTIM])))
    problems = audit(copy).problems
    assert any(problem.startswith(f"match {VICTIM} (") and expected in problem for problem in problems), problems
    assert all(problem.startswith((f"match {VICTIM} (", "manifest.json")) for problem in problems)


def test_the_fallback_after_a_fault_cannot_be_chosen(board: Results) -> None:
    """A host that lets a friend's bot "fail" and chooses its actions is found out: they follow from the key."""
    plan = plan_of(board.manifest)
    faulty = next(record for record in board.records() if any(seat.ending.blame == "bot" for seat in record.seats))
    (seat,) = [number for number, row in enumerate(faulty.seats) if row.ending.blame == "bot"]
    game, at = load(faulty.game), faulty.seats[seat].fault_decision or 0
    setup = plan.setup(faulty.index)
    assert match_problems(game, setup, faulty) == []
    states = game.deal(len(faulty.seats), setup.options, setup.deal_seed)
    for action in faulty.actions[:at]:
        game.engine.advance(states, action)
    other = next(code for code in game.legal_list(states) if code != faulty.actions[at])
    chosen = msgspec.structs.replace(faulty, actions=(*faulty.actions[:at], other))
    (problem,) = match_problems(game, setup, chosen)
    assert f"decision {at}: seat {seat}: after its fault the fallback plays" in problem


def test_a_void_match_is_right_only_as_a_void_match(board: Results) -> None:
    setup = plan_of(board.manifest).setup(VICTIM)
    game = load(setup.game)
    nothing = void(game, setup, 3, "the worker died")
    assert match_problems(game, setup, nothing) == []
    assert match_problems(game, setup, with_seat(nothing, 0, place=1))
    assert match_problems(game, setup, msgspec.structs.replace(nothing, actions=(1,)))


def test_a_missing_match_is_found_and_named(board: Results, copy: Path) -> None:
    victim = next(record for record in board.records() if record.index == VICTIM)
    forge(copy, lambda records: records.__delitem__(VICTIM))
    problems = audit(copy).problems
    assert problems[0] == f"match {VICTIM} ({victim.match_id}): missing"


def test_matches_missing_at_the_end_are_found(copy: Path) -> None:
    forge(copy, lambda records: records.__delitem__(slice(-3, None)))
    assert sum(problem.endswith(": missing") for problem in audit(copy).problems) == 3


def test_a_match_of_a_retired_bot_is_one_too_many(board: Results, copy: Path) -> None:
    plan = plan_of(board.manifest)
    stored = {record.index for record in board.records()}
    index = next(index for index in range(len(plan)) if index not in stored)
    extra = void(load(plan.setup(index).game), plan.setup(index), 3, "")
    forge(copy, lambda records: (records.append(extra), records.sort(key=lambda record: record.index))[0])
    assert f"match {index} ({extra.match_id}): too many: one of its bots was retired before" in audit(copy).problems


def test_files_of_different_runs_are_found(copy: Path) -> None:
    before = (copy / "actions.parquet").read_bytes()
    forge(copy, lambda records: records.__delitem__(VICTIM))
    (copy / "actions.parquet").write_bytes(before)
    (problem,) = audit(copy).problems
    assert "stands beside the log of match" in problem


def test_a_damaged_file_is_found(copy: Path) -> None:
    path = copy / "matches.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    (problem,) = audit(copy).problems
    assert "matches.parquet: damaged" in problem


def test_what_no_replay_can_show_is_in_the_hash_and_named_where_the_journal_is(board: Results, tmp_path: Path) -> None:
    folder = shutil.copytree(board.folder, tmp_path / "small")
    index = next(r.index for r in board.records() if any(seat.ending is Ending.CRASH for seat in r.seats))

    def excuse(records: list[MatchRecord]) -> None:
        at = next(place for place, record in enumerate(records) if record.index == index)
        seat = next(n for n, row in enumerate(records[at].seats) if row.ending is Ending.CRASH)
        records[at] = with_seat(records[at], seat, ending=Ending.TIMEOUT)

    forge(folder, excuse, with_hashes=False)
    problems = audit(folder).problems
    assert any(problem.startswith(f"match {index} (") and problem.endswith("not what the journal has") for problem in problems)
    assert any("results_sha256" in problem for problem in problems)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"key": "ab" * 32}, "key: its SHA-256 is not the commitment"),
        ({"key": "ab"}, "key: its SHA-256 is not the commitment"),
        ({"commitment": "00" * 32}, "key: its SHA-256 is not the commitment"),
        ({"plan_sha256": "00" * 32}, "plan_sha256 does not agree with config"),
        ({"results_sha256": "00" * 32}, "results_sha256: 0000"),
        ({"reproducible_sha256": "00" * 32}, "reproducible_sha256: 0000"),
        ({"played": 1}, "played: 1; by the rows"),
        ({"matches": 1}, "matches: 1; by the rows"),
        ({"void": 1}, "void: 1; by the rows 0"),
        ({"endings": {}}, "endings: {}; by the rows"),
        ({"bots": ()}, "bots does not agree with config"),
        ({"config": {}}, "config: not the plan of a tournament"),
    ],
)  # fmt: skip
def test_a_changed_manifest_is_found(changes: dict[str, Any], expected: str, copy: Path) -> None:
    change_manifest(copy, **changes)
    assert any(problem.startswith("manifest.json: ") and expected in problem for problem in audit(copy).problems)


def leg(**changes: Any) -> dict[str, Any]:
    """A leg of a ladder that two bots play."""
    return {"first_stage": 0, "field": [0, 1], "sigma": None, "separable": False, "matches": 9, **changes}


STAGE = [0, 0, [[0, [0, 1]]]]


@pytest.mark.parametrize(
    "changes",
    [
        {}, {"legs": [leg(field=[0, 9])]}, {"legs": [leg(field=[-1, 0])]}, {"legs": [leg(first_stage=3)]},
        {"legs": [leg(closed={"why": "x", "before_stage": 4})]}, {"legs": [leg()], "owners": ["", "", ""]},
        {"legs": [leg(closed={"why": "x", "before_stage": 1, "unplayed": [[0, 10**15]]})], "stages": [STAGE]},
        {"legs": [leg(first_stage=1), leg()], "stages": [STAGE]}, {"legs": [leg()], "stages": [[0, 0, [[7, [0, 1]]]]]},
        {"legs": [leg()], "stages": [[0, 0, [[0, [0, 99]]]]]}, {"legs": [leg()], "stages": [[0, 0, [[0, [0]]]]]},
        {"legs": [leg()], "chain": 10**18}, {"legs": [leg()], "chain": 0}, {"legs": [leg()] * 1001},
        {"legs": [leg(rules={"weights": [], "version_deals": 1})]},
        {"legs": [leg(rules={"weights": [0.0], "version_deals": 1})]}, {"legs": [leg()], "stages": [[0, 0, []]]},
        {"legs": [leg()], "stages": [STAGE, STAGE]}, {"legs": [leg()], "stages": [[0, -5, [[0, [0, 1]]]]]},
        {"legs": [leg()], "stages": [[0, 10**17, [[0, [0, 1]]]]]}, {"legs": [leg()], "stages": [STAGE, [1, 1, STAGE[2]]]},
        {"legs": [leg(first_stage=1)], "stages": [STAGE]}, {"legs": [leg(skipped=[-1])], "stages": [STAGE]},
        {"legs": [leg(skipped=[1, 0])], "stages": [STAGE]}, {"legs": [leg(skipped=[10**9])], "stages": [STAGE]},
        {"legs": [leg(closed={"why": "x", "before_stage": 1, "unplayed": [[0, 1]] * 9})], "stages": [STAGE]},
    ],
    ids=lambda changes: str(changes)[:60],
)  # fmt: skip
def test_a_ladder_that_names_what_its_plan_does_not_have_is_no_plan(changes: dict[str, Any], copy: Path) -> None:
    config = read_manifest(copy).config
    change_manifest(copy, config={**config, "format": {"name": "ladder", **changes}})
    assert any("config: not the plan of a tournament" in problem for problem in audit(copy).problems)


COMPARED = {"name": "compare", "candidates": [0, 1], "error": 0.05, "difference": 0.1}


@pytest.mark.parametrize(
    "format",
    [
        {**COMPARED, "candidates": [0, 9]}, {**COMPARED, "candidates": [0, 0]}, {**COMPARED, "candidates": [-1, 0]},
        {**COMPARED, "error": 0.0}, {**COMPARED, "difference": -1.0}, {**COMPARED, "bound": 1e308},
        {"name": "gauntlet", "candidates": [9]}, {"name": "gauntlet", "candidates": [-1]},
        {"name": "gauntlet", "candidates": [0, 0]}, {"name": "round_robin", "sample": -5},
        {**COMPARED, "difference": 5e-324}, {"name": "swiss", "rounds": 0, "stages": [STAGE]},
        {"name": "swiss", "rounds": 9, "stages": [[0, 0, STAGE[2] * 2]]},
    ],
    ids=str,
)  # fmt: skip
def test_settings_that_no_config_gives_are_no_plan(format: dict[str, Any], copy: Path) -> None:
    change_manifest(copy, config={**read_manifest(copy).config, "format": format})
    assert any("config: not the plan of a tournament" in problem for problem in audit(copy).problems)


def test_a_ladder_that_nobody_plays_is_over(copy: Path) -> None:
    config = read_manifest(copy).config
    change_manifest(copy, config={**config, "format": {"name": "ladder", "legs": [leg(field=[])]}})
    assert any(problem.endswith("not in the plan") for problem in audit(copy).problems)


def test_another_key_with_its_commitment_gives_other_deals(copy: Path) -> None:
    key = bytes(32)
    change_manifest(copy, key=key.hex(), commitment=hashlib.sha256(key).hexdigest())
    problems = audit(copy).problems
    assert f"match {VICTIM} (" in " ".join(problems) and any("match_id is" in problem for problem in problems)


def test_a_key_that_is_not_the_seeds_is_found(tmp_path: Path) -> None:
    board = run(tmp_path, deals=1)
    assert audit(board.folder).problems == []
    change_manifest(board.folder, config={**board.manifest.config, "seed": 8})
    assert "manifest.json: key: not the one that seed 8 gives" in audit(board.folder).problems


def test_a_changed_rating_is_found_and_named(copy: Path) -> None:
    ratings = parquet.read_ratings(copy)
    ratings[0] = msgspec.structs.replace(ratings[0], mu=ratings[0].mu + 1)
    parquet.write_ratings(copy, ratings)
    (problem,) = audit(copy).problems
    assert problem.startswith(f"ratings: {ratings[0].model} {ratings[0].pool} {ratings[0].bot}: mu is ")
    parquet.write_ratings(copy, ratings[1:])
    (problem,) = audit(copy).problems
    assert problem.endswith(": missing")


def test_columns_that_were_added_later_are_checked_where_they_are(copy: Path) -> None:
    ratings = parquet.read_ratings(copy)
    before = [msgspec.structs.replace(rating, bound="", draw_probability=None) for rating in ratings]
    parquet.write_ratings(copy, before)
    assert audit(copy).problems == []
    parquet.write_ratings(copy, [msgspec.structs.replace(ratings[0], draw_probability=None), *ratings[1:]])
    (problem,) = audit(copy).problems
    assert "draw_probability is None; by the rows 0." in problem


@pytest.mark.parametrize("model", STORED)
def test_no_model_may_lack_its_ratings(copy: Path, model: str) -> None:
    ratings = parquet.read_ratings(copy)
    parquet.write_ratings(copy, [rating for rating in ratings if rating.model != model])
    problems = audit(copy).problems
    assert problems and all(one.startswith(f"ratings: {model} ") and one.endswith(": missing") for one in problems)


def test_columns_of_a_newer_version_are_named(copy: Path) -> None:
    """The hash may cover them, so that an older version cannot tell whether it is right."""
    table = pq.read_table(copy / "matches.parquet")
    pq.write_table(table.append_column("mood", pa.array(["merry"] * len(table))), copy / "matches.parquet")
    assert audit(copy).problems == []
    write_manifest(copy, msgspec.structs.replace(read_manifest(copy), results_sha256="0" * 64))
    newer = "matches.parquet: a newer version of arena wrote it, with columns that this one does not know (mood)"
    assert any(newer in problem for problem in audit(copy).problems)


def test_substituted_decisions_are_verified_too(tmp_path: Path) -> None:
    board = run(tmp_path, bots=[GOOD_BOTS[0], BAD_BOTS / "raises.py"], deals=2, faults={"policy": SUBSTITUTE, "max_faults": 2})
    assert board.manifest.endings["crash"] > 0
    assert audit(board.folder).problems == []


def test_every_game_is_verified_also_where_thinking_took_time(tmp_path: Path) -> None:
    measured = {"latency": "measured", "ms_per_tick": 1, "max_rounds": 1, "tick_limit": 60}
    entries = [
        {"game": "hisatsu", "seats": 3}, {"game": "nanatoridori", "seats": 2}, {"game": "nertz", "seats": 2},
        {"game": "nertz", "seats": 2, "label": "measured", "options": measured},
    ]  # fmt: skip
    entries[2]["options"] = {"max_rounds": 1, "tick_limit": 60}
    board = run(tmp_path, games=entries, deals=1)
    assert board.manifest.unrated == 6 and audit(board.folder).problems == []
    change_manifest(board.folder, unrated=0)
    assert audit(board.folder).problems == ["manifest.json: unrated: 0; by the rows 6"]
    change_manifest(board.folder, unrated=6)

    def hurry(records: list[MatchRecord]) -> None:
        records[-1] = msgspec.structs.replace(records[-1], delays=records[-1].delays[:-1])

    forge(board.folder, hurry)
    assert any(problem.startswith(f"match {board.manifest.matches - 1} (") for problem in audit(board.folder).problems)


def test_an_unfinished_tournament_and_other_rules_are_refused(copy: Path) -> None:
    manifest = read_manifest(copy)
    change_manifest(copy, key=None)
    with pytest.raises(StoreError, match="not finished, so the key of its deals is not public"):
        audit(copy)
    change_manifest(copy, key=manifest.key, rules_versions={**manifest.rules_versions, "naga": 999})
    with pytest.raises(StoreError, match="naga was played by version 999 of its rules"):
        audit(copy)


def test_the_folder_that_read_results_gives_is_untouched(board: Results) -> None:
    before = {path.name: path.read_bytes() for path in board.folder.glob("*.parquet")}
    audit(board.folder)
    assert {path.name: path.read_bytes() for path in board.folder.glob("*.parquet")} == before
    assert read_results(board.folder).manifest == board.manifest
