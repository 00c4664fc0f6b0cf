"""`arena capsule`: the decision where a bot failed, exactly as it saw it, and the bot brought there again."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

from arena.agent import read_bot
from arena.agent.submissions import Submissions
from arena.audit.capsule import Capsule, bring_back, first_fault, pack, setup_of
from arena.audit.match_audit import own_decisions
from arena.cli.main import main
from arena.errors import ConfigError, StoreError
from arena.games import load
from arena.match.holder import Holder
from arena.records import DEFAULT_LIMITS, Clock, Ending, Limits, MatchRecord
from arena.reports.pages.words import Words
from arena.reports.report import html, report
from arena.results import parquet
from arena.tournament.archive.finding import locate_match
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Settings, read_results
from helpers.one_zygote import one_zygote
from helpers.paths import BAD_BOTS, HOUSE_BOTS

LATE = BAD_BOTS / "fails_late.py"
CLOCK = Clock(0.05, 0.05, 10.0)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of three bots that fail, each in its way, and one that plays."""
    folder = tmp_path_factory.mktemp("capsules")
    config = {
        "name": "cup",
        "seed": 3,
        "games": [
            {"game": "naga", "seats": 2},
            {"game": "hisatsu", "seats": 3},
            {"game": "nertz", "seats": 2, "options": {"latency": "measured", "max_rounds": 1}},
        ],
        "bots": [
            {"path": str(LATE), "name": "illegal", "params": {"how": "illegal"}},
            {"path": str(LATE), "name": "crash", "params": {"how": "crash"}, "games": ["naga", "hisatsu"]},
            {"path": str(LATE), "name": "timeout", "params": {"how": "timeout"}, "games": ["naga"]},
            {"path": str(BAD_BOTS / "fails_at_start.py"), "name": "startup", "games": ["naga"]},
            {"path": str(HOUSE_BOTS / "random_bot.py"), "trusted": True},
        ],
        "deals": 1,
        "clock": {"move": "50ms", "bank": "50ms", "start": "10s"},
        "faults": {"retire_after": 100},
    }
    (folder / "cup.yaml").write_text(yaml.safe_dump(config))
    run_tournament(folder / "cup.yaml", Settings(out=folder, backend=LOCAL, workers=1))
    return folder


@pytest.fixture(autouse=True, scope="module")
def _zygote() -> Iterator[None]:
    with one_zygote(["naga", "hisatsu", "nertz"]):
        yield


def faults(out: Path) -> list[tuple[MatchRecord, int]]:
    """One match for each game and kind of fault, with the seat."""
    found = {}
    for fault in parquet.read_faults(out / "cup"):
        _, record, _ = locate_match(out, fault.match_id)
        found.setdefault((record.game, fault.ending), (record, fault.seat))
    return list(found.values())


def test_every_bot_comes_to_its_fault_again(out: Path) -> None:
    cases = faults(out)
    assert {record.seats[seat].ending for record, seat in cases} >= {
        Ending.ILLEGAL, Ending.CRASH, Ending.TIMEOUT, Ending.STARTUP,
    }  # fmt: skip
    assert {record.game for record, _ in cases} == {"naga", "hisatsu", "nertz"}
    files = {read_bot(path).sha256: read_bot(path) for path in (LATE, BAD_BOTS / "fails_at_start.py")}
    with Holder(["naga", "hisatsu", "nertz"], limits=DEFAULT_LIMITS) as holder:
        for record, seat in cases:
            row = record.seats[seat]
            game, setup = load(record.game), setup_of(record, locate_match(out, record.match_id)[2], CLOCK)
            fault = first_fault(record, seat)
            held = holder.seat(files[row.bot_sha256], setup.bot_seeds[seat], json.loads(row.params))
            rerun = bring_back(game, pack(game, record, setup, "cup", seat, fault, limits=DEFAULT_LIMITS), held)
            held.close()
            assert rerun.reached and not rerun.differing
            if row.ending is Ending.ILLEGAL:
                assert (rerun.action, rerun.is_legal, rerun.asked) == ("fly away", False, 3)
                assert rerun.output == fault.output == "decision 1\ndecision 2\ndecision 3\ndecision 4"
            else:
                assert rerun.fault is not None and rerun.fault.ending is row.ending


def test_a_capsule_holds_what_the_seat_knew_and_no_more(out: Path) -> None:
    (record, seat) = next(case for case in faults(out) if case[0].game == "naga" and case[0].seats[case[1]].bot == "illegal")
    game, setup = load("naga"), setup_of(record, locate_match(out, record.match_id)[2], CLOCK)
    fault = first_fault(record, seat)
    capsule = pack(game, record, setup, "cup", seat, fault, limits=DEFAULT_LIMITS)
    states = game.deal(2, setup.options, setup.deal_seed)
    for action in record.actions[: fault.decision]:
        game.engine.advance(states, action)
    observed = game.observed(states, seat)
    assert capsule.position == game.text.masked_position(observed[0], seat)
    assert capsule.legal == game.text.action_texts(states[0], game.legal_list(states))
    assert capsule.played == game.action_text(states, record.actions[fault.decision])
    assert [decision.index for decision in capsule.decisions][-1] == fault.decision
    assert capsule.decisions[-1].observed == observed.tobytes() != states.tobytes()
    assert capsule.events and capsule.reason.startswith("'fly away'; legal: ") and "printed" not in capsule.reason
    assert capsule.seed == f"{setup.bot_seeds[seat]:032x}" and capsule.bot_sha256 == read_bot(LATE).sha256


def test_the_command_writes_the_file_and_runs_a_mended_bot(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    record, seat = next(case for case in faults(out) if case[0].seats[case[1]].bot == "illegal")
    words = ["capsule", record.match_id, str(seat), "--out", str(out)]
    assert main([*words, "--run"]) == 0
    text = capsys.readouterr().out
    assert "illegal at decision" in text and "3 decisions before it, all taken as then" in text
    assert "it answers 'fly away'" in text and "not legal" in text and text.count("decision 4") == 2
    written = json.loads((tmp_path / f"capsule-{record.match_id}-{seat}.json").read_text())
    assert written["ending"] == "illegal" and written["match_id"] == record.match_id
    assert set(written) == set(Capsule.__struct_fields__)

    mended = tmp_path / "mended.py"
    mended.write_text(LATE.read_text().replace('"fly away"', "view.legal[0]"))
    assert main([*words, "--run", "--bot", str(mended)]) == 0
    text = capsys.readouterr().out
    assert "with other files than those that played" in text and ": legal" in text


def test_an_author_runs_the_file_without_the_results(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for record, seat in faults(out):
        if record.seats[seat].ending in (Ending.ILLEGAL, Ending.STARTUP):
            assert main(["capsule", record.match_id[:10], str(seat), "--out", str(out)]) == 0
            file, bot = f"capsule-{record.match_id}-{seat}.json", LATE
            assert f"arena capsule {file} --run --bot BOT" in capsys.readouterr().out
            if record.seats[seat].ending is Ending.STARTUP:
                bot = BAD_BOTS / "fails_at_start.py"
            assert main(["capsule", file, "--run", "--bot", str(bot), "--out", "nowhere"]) == 0
            text = capsys.readouterr().out
            assert ("not legal" in text and "3 decisions before it, all taken as then" in text) or "it fails: startup" in text
            assert "locked in, unlike" not in text and "with other files" not in text


def test_a_file_that_is_no_capsule_is_refused(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    record, seat = next(case for case in faults(out) if case[0].game == "naga" and case[0].seats[case[1]].bot == "illegal")
    assert main(["capsule", record.match_id, str(seat), "--to", "whole.json", "--out", str(out)]) == 0
    whole = json.loads(Path("whole.json").read_text())
    state = whole["decisions"][0]["observed"]
    for changes, message in (
        ({"format": 1}, "a capsule of format 1; this version runs format 2"),
        ({"seed": "../x"}, "pairs of hex digits are needed"),
        ({"decisions": []}, "its decisions end at -1"),
        ({"seat": 2}, "a seat or an action that there is not"),
        ({"rules_version": 99}, "played by version 99 of the rules"),
        ({"game": "chess"}, 'no game "chess"'),
        ({"decisions": [{**one, "observed": state[:8]} for one in whole["decisions"]]}, "does not fit the rules of naga"),
        ({"decisions": [{**one, "codes": []} for one in whole["decisions"]]}, "a seat or an action that there is not"),
    ):
        Path("changed.json").write_text(json.dumps({**whole, **changes}))
        assert main(["capsule", "changed.json", "--run", "--bot", str(LATE)]) == 2, message
        assert message in capsys.readouterr().err
    for words, message in (
        (["missing.json"], "cannot be read"),
        (["whole.json", "0"], "SEAT: not with the file of a capsule"),
        (["whole.json", "--decision", "1"], "--decision: not with the file"),
        ([record.match_id], "SEAT: needed with the id of a match"),
    ):
        assert main(["capsule", *words, "--out", str(out)]) == 2
        assert message in capsys.readouterr().err


SPY = """
from arena.agent import Agent

try:
    open({path!r}, "w").close()
except OSError:
    pass


class Spy(Agent):
    def act(self, view):
        return view.legal[0]
"""


def test_a_row_that_says_it_was_not_locked_in_unlocks_no_stranger(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    written, spy = tmp_path / "written", tmp_path / "spy.py"
    spy.write_text(SPY.format(path=str(written)))
    for row in parquet.read_matches(out / "cup"):
        _, record, key = locate_match(out, row.match_id)
        logs = own_decisions(load(record.game), record, setup_of(record, key, CLOCK))
        unlocked = [number for number, seat in enumerate(record.seats) if seat.isolation == "none" and logs[number]]
        if unlocked:
            break
    (seat, *_), match_id = unlocked, record.match_id
    own = [choice.index for choice in logs[seat]]
    words = ["capsule", match_id, str(seat), "--decision", str(own[0]), "--run", "--out", str(out)]
    assert main([*words, "--bot", str(spy)]) == 0
    assert not written.exists() and "locked in, unlike in the match" in capsys.readouterr().out
    assert main([*words, "--bot", str(BAD_BOTS / "import_error.py")]) == 0  # the others cannot repeat what they did
    assert "it fails: startup" in capsys.readouterr().out
    assert main([*words, "--bot", str(HOUSE_BOTS / "random_bot.py")]) == 0  # ours, too: its parameters may be a stranger's
    assert "locked in, unlike" in capsys.readouterr().out

    def unlockable(self: Holder, games: list[str], *, limits: Limits) -> None:
        self._limits, self._supervisor, self.not_locked = limits, None, "no locks"

    monkeypatch.setattr(Holder, "__init__", unlockable)
    assert main([*words, "--bot", str(spy)]) == 2
    assert "cannot lock the bot in (no locks); --unsafe-trust-bots" in capsys.readouterr().err and not written.exists()
    assert main([*words, "--bot", str(spy), "--unsafe-trust-bots"]) == 0 and written.exists()


def test_a_house_bot_meets_the_states_of_a_stranger_s_capsule_in_the_lock(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    record, seat = next(case for case in faults(out) if case[0].game == "hisatsu" and case[0].seats[case[1]].bot == "illegal")
    assert main(["capsule", record.match_id, str(seat), "--to", "whole.json", "--out", str(out)]) == 0
    whole = json.loads(Path("whole.json").read_text())
    decisions = [
        {**one, "observed": base64.b64encode(b"\x7f" * len(base64.b64decode(one["observed"]))).decode()}
        for one in whole["decisions"]
    ]
    Path("stranger.json").write_text(json.dumps({**whole, "decisions": decisions, "params": {}}))
    seats: list[bool] = []
    make = Holder.seat

    def noted(self: Holder, *given: Any, is_trusted: bool = False) -> Any:
        seats.append(is_trusted)
        return make(self, *given, is_trusted=is_trusted)

    monkeypatch.setattr(Holder, "seat", noted)
    assert main(["capsule", "stranger.json", "--run", "--bot", str(HOUSE_BOTS / "hisatsu_reckoner.py")]) == 0
    assert seats and not any(seats) and "it fails: " in capsys.readouterr().out


def test_a_log_that_the_rules_do_not_allow_is_not_played(out: Path) -> None:
    """Compiled rules would write wherever the code of an action points to."""
    record, seat = next(case for case in faults(out) if case[0].game == "naga")
    game, key = load("naga"), locate_match(out, record.match_id)[2]
    for changed in (
        replace(record, actions=(1 << 40, *record.actions[1:])),
        replace(record, actions=(*record.actions, record.actions[-1])),
        replace(record, delays=(1,)),
        replace(record, delays=(-1,) * len(record.actions)),
        replace(record, seats=record.seats * 20),
        replace(record, options='{"series":[]}'),
        replace(record, options="[" * 100_000),
    ):
        with pytest.raises(StoreError, match="damaged"):
            pack(game, changed, setup_of(record, key, CLOCK), "cup", seat, first_fault(record, seat), limits=DEFAULT_LIMITS)


def test_a_failed_start_is_a_capsule_too(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    record, seat = next(case for case in faults(out) if case[0].seats[case[1]].ending is Ending.STARTUP)
    assert main(["capsule", record.match_id, str(seat), "--run", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert "startup at the start" in text and "it fails: startup" in text


def test_what_cannot_be_packed_is_refused_with_a_way_on(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, seat = next(case for case in faults(out) if case[0].game == "naga")
    for words, message in (
        ([record.match_id, "7"], "SEAT: a seat from 0 to 1, not 7"),
        ([record.match_id, str(seat), "--decision", "9999"], "decision 9999 of match"),
        ([record.match_id, str(seat), "--bot", str(LATE)], "--bot: only with --run"),
        (["0" * 24, "0"], "not found in"),
    ):
        assert main(["capsule", *words, "--out", str(out)]) == 2
        assert message in capsys.readouterr().err


def test_a_seat_without_a_fault_is_told_how_to_see_its_decisions(out: Path) -> None:
    rows = ((record, seat) for record in read_results(out / "cup").records() for seat in range(len(record.seats)))
    record, seat = next((record, seat) for record, seat in rows if record.seats[seat].fault_decision is None)
    with pytest.raises(ConfigError, match=r"made no fault .* --decision .*arena replay"):
        first_fault(record, seat)


def test_the_files_of_a_submission_are_found_by_their_content(tmp_path: Path) -> None:
    kept, _ = Submissions(tmp_path).submit("late", read_bot(LATE), ())
    found = Submissions(tmp_path).of_content(kept.sha256)
    assert found is not None and found.sha256 == kept.sha256
    assert Submissions(tmp_path).of_content("0" * 64) is None


def test_an_author_is_shown_the_evidence_on_the_board_and_in_the_report(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["leaderboard", "cup", "--explain", "illegal", "--game", "naga", "--out", str(out)]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "slowest" in text and "seeds of" in text and "'fly away'; legal: " in text
    assert "it printed at the end:" in text and "decision 4" in text and "arena capsule " in text
    assert main([*words, "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert {fault["ending"] for fault in found["faults"]} == {"illegal"}
    assert {(fault["bot"], fault["output"][-10:]) for fault in found["faults"]} == {("illegal", "decision 4")}
    assert found["slowest"] == sorted(found["slowest"], key=lambda slow: -slow["cpu_ms"])
    for match_id, seeds in found["seeds"].items():
        _, record, key = locate_match(out, match_id)
        setup = setup_of(record, key, CLOCK)
        seat = next(place for place, row in enumerate(record.seats) if row.bot == "illegal")
        assert (int(seeds["deal"], 16), int(seeds["bot"], 16)) == (setup.deal_seed, setup.bot_seeds[seat])
    page = html(report(out / "cup", Words("en")), Words("en"))
    assert ">Faults</h3>" in page and ">Slowest decisions</h3>" in page
    assert "fly away" in page and "decision 4" in page and "Naga, game 1 of" in page
