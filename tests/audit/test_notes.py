"""`view.note`: kept nowhere, heard again by playing the match again, and the same whatever runs the bot."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena import games
from arena.agent import BotFiles, read_bot
from arena.agent.submissions import Submissions
from arena.agent.view import NOTE_BYTES, Note, Notes, View, checked_notes, read_notes
from arena.audit import notes as notes_module
from arena.audit.notes import DecisionNotes, Ended, MatchNotes, Report, _Listening, collect
from arena.cli.main import main
from arena.match import MatchSetup, play
from arena.match.choose import BotSeat, locked_seat, open_seat
from arena.match.sandbox import Supervisor
from arena.match.single_match import agree
from arena.records import DEFAULT_LIMITS, Clock, Ending, MatchRecord
from arena.results.manifest import read_manifest
from helpers.one_zygote import one_zygote
from helpers.paths import TEST_BOTS
from helpers.tournaments import run

CLOCK = Clock(5.0, 5.0, 10.0)
COMMAND = """
import json, os, random, sys
rng, asked = random.Random(), 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        rng.seed(int(message["seed"], 16))
        print("ready", file=sys.stderr)
        reply = {"id": message["id"], "ok": True}
    elif message["type"] == "act":
        asked += 1
        legal = message["legal"]
        chosen = rng.choice(legal)
        if asked == 2:
            print("the second decision", file=sys.stderr)
        reply = {"id": message["id"], "action": chosen, "notes": [["legal", len(legal)], [f"plays {chosen}"]]}
    else:
        print("over", file=sys.stderr)
        sys.stderr.flush()
        continue
    sys.stderr.flush()
    print(json.dumps(reply), flush=True)
"""


@pytest.fixture(scope="module")
def command_bot(tmp_path_factory: pytest.TempPathFactory) -> BotFiles:
    folder = tmp_path_factory.mktemp("command")
    (folder / "bot.toml").write_text('name = "noting"\ncommand = ["python3", "-I", "-S", "bot.py"]\nfiles = ["bot.py"]\n')
    (folder / "bot.py").write_text(COMMAND)
    return read_bot(folder)


def bot(how: str = "") -> tuple[BotFiles, dict[str, Any]]:
    return read_bot(TEST_BOTS / "noting_bot.py"), {"how": how}


def played(how: str = "", supervisor: Supervisor | None = None) -> tuple[MatchSetup, MatchRecord]:
    """A match in which the bot sits on seat 1, with nobody listening."""
    setup = msgspec.structs.replace(agree("naga", ["a", "b"], seed=4, clock=CLOCK), clock=CLOCK)
    files, params = bot()
    with (
        open_seat(files, seed=setup.bot_seeds[0], params=params) as one,
        seat_of(how, supervisor, setup.bot_seeds[1]) as other,
    ):
        record = play(games.load("naga"), setup, [one, other])
    return setup, record


def seat_of(how: str, supervisor: Supervisor | None, seed: int) -> BotSeat:
    files, params = bot(how)
    if supervisor is None:
        return open_seat(files, seed=seed, params=params)
    return locked_seat(supervisor, files, limits=DEFAULT_LIMITS, seed=seed, params=params)


def heard(match: tuple[MatchSetup, MatchRecord], seat: BotSeat) -> MatchNotes:
    """What the bot of seat 1 says when the match is played again."""
    setup, record = match
    reports: list[Report] = []
    listening = _Listening(reports.append)
    with seat:
        collect(games.load("naga"), record, setup, 1, seat, listening)
    assert isinstance(reports[-1], Ended)
    return listening.found(record, 1)


def test_the_notes_are_the_same_whatever_runs_the_bot(supervisor: Supervisor, command_bot: BotFiles) -> None:
    match = played()
    seed = match[0].bot_seeds[1]
    in_process = heard(match, seat_of("", None, seed))
    locked = heard(match, seat_of("", supervisor, seed))
    own = match[1].seats[1].decisions
    assert in_process.decisions == own and in_process.asked == len(in_process.said) <= own
    assert in_process.differs_from is None and in_process.ended == Ended(first_output="ready", last_output="over")
    first, second = in_process.said[:2]
    assert first.notes[0].text == "legal" and first.notes[0].value and first.notes[1].text.startswith("plays ")
    assert (first.output, second.output) == ("", "the second decision")
    assert locked == in_process
    with (
        locked_seat(supervisor, command_bot, limits=DEFAULT_LIMITS, seed=seed, params={}) as one,
        open_seat(bot()[0], seed=1, params={}) as other,
    ):
        record = play(games.load("naga"), match[0], [other, one])
    again = locked_seat(supervisor, command_bot, limits=DEFAULT_LIMITS, seed=seed, params={})
    by_command = heard((match[0], record), again)
    assert by_command.differs_from is None and by_command.ended == in_process.ended
    assert by_command.said[0].notes == first.notes
    assert by_command.said[1].output == "the second decision"
    unlocked = heard((match[0], record), open_seat(command_bot, seed=seed, params={}))
    assert unlocked == by_command


def test_nobody_listens_in_a_match(supervisor: Supervisor) -> None:
    """The results are those of a bot without notes, and a listener changes nothing either."""
    records = [played(how, supervisor)[1] for how in ("", "floods", "replaces")] + [played()[1]]
    assert len({(record.actions, record.seats[1].ending) for record in records}) == 1
    assert records[0].seats[1].ending is Ending.PLAYED


@pytest.mark.parametrize("how", ["floods", "hostile", "replaces"])
def test_what_is_no_note_costs_nothing(how: str, supervisor: Supervisor) -> None:
    match = played()
    seed = match[0].bot_seeds[1]
    found = heard(match, seat_of(how, supervisor, seed))
    assert found == heard(match, seat_of(how, None, seed))
    assert found.differs_from is None and not found.ended.fault and found.asked > 2
    for one in found.said:
        assert sum(len(note.text.encode()) + 8 * (note.value is not None) for note in one.notes) <= NOTE_BYTES + 30
        assert one.is_cut == (how == "floods")
    if how == "hostile":
        assert found.said[0].is_odd
        assert found.said[0].notes[2:] == [Note("a"), Note("inf"), Note(r"\ud800\x00\u202e<b>", 1.0)]
    if how == "replaces":
        assert found.said[1] == DecisionNotes(
            decision=found.said[1].decision, notes=[], is_odd=True, output="the second decision"
        )  # fmt: skip


def test_a_bot_that_does_not_repeat_is_found_out(supervisor: Supervisor) -> None:
    match = played("wanders")
    found = heard(match, seat_of("wanders", supervisor, match[0].bot_seeds[1]))
    differing = [one for one in found.said if one.now is not None]
    assert differing and found.differs_from == differing[0].decision
    assert found.asked > len(differing) or found.asked == len(found.said)


@pytest.mark.parametrize("how", ["raises", "dies"])
def test_a_fault_comes_again_with_the_notes_before_it(how: str, supervisor: Supervisor) -> None:
    match = played(how, supervisor)
    assert match[1].seats[1].ending is Ending.CRASH
    found = heard(match, seat_of(how, supervisor, match[0].bot_seeds[1]))
    assert (found.asked, found.differs_from, found.ended.fault) == (3, None, "")
    if how == "raises":
        assert found.said[2].notes[0].text == "legal"
        assert found == heard(match, seat_of(how, None, match[0].bot_seeds[1]))


def test_a_fault_that_the_match_did_not_have_ends_it(supervisor: Supervisor) -> None:
    match = played()
    found = heard(match, seat_of("raises", supervisor, match[0].bot_seeds[1]))
    assert (found.asked, found.said[-1].now) == (3, "(crash)")
    assert found.differs_from == found.said[-1].decision and "no idea" in found.ended.fault
    mended = heard(played("raises"), seat_of("", supervisor, match[0].bot_seeds[1]))
    assert mended.asked == 3 and mended.differs_from == mended.said[-1].decision


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (b"", Notes()),
        (b'[["a", 1], ["b", null], ["c"], "d"]', Notes([Note("a", 1.0), Note("b"), Note("c"), Note("d")])),
        (b'[["a", "1"], [1, 2], ["x", 1, 2], [], {}]', Notes([Note("a")], is_odd=True)),
        (b'{"a": 1}', Notes(is_odd=True)),
        (b"[" * 500 + b"]" * 500, Notes(is_odd=True)),
        (b'["\xff"]', Notes(is_odd=True)),
        (json.dumps([["é" * 600, None], ["more", 1]]).encode(), Notes([Note("é" * 512)], is_cut=True)),
        (json.dumps([["a", True], ["b", 10**400]]).encode(), Notes([Note("a", 1.0), Note("b")], is_odd=True)),
    ],
)  # fmt: skip
def test_notes_of_a_command_bot(said: bytes, expected: Notes) -> None:
    found = read_notes(said)
    assert (found.taken, found.is_cut, found.is_odd) == (expected.taken, expected.is_cut, expected.is_odd)


def test_notes_from_a_bots_process_are_taken_anew() -> None:
    forged = Notes([Note("x" * 5000), Note("y", float("nan"))], is_odd=False)
    found = checked_notes(forged)
    assert found.taken == [Note("x" * NOTE_BYTES)] and found.is_cut
    assert checked_notes(Notes([Note("y", float("nan"))])).is_odd


def test_the_results_hash_is_that_of_a_tournament_without_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [{"path": str(TEST_BOTS / "noting_bot.py"), "trusted": True}, {"path": "house:random_bot", "trusted": True}]
    hashes = set()
    for name, note in (("with", View.note), ("without", lambda *_: None)):
        monkeypatch.setattr(View, "note", note)
        run(tmp_path / name, name="small", bots=entries, deals=2)
        hashes.add(read_manifest(tmp_path / name / "out" / "small").results_sha256)
    assert len(hashes) == 1


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, MatchRecord]:
    """A submitted bot against one whose files are gone, and a house bot."""
    folder = tmp_path_factory.mktemp("cup")
    Submissions(folder / "out").submit("mine", read_bot(TEST_BOTS / "noting_bot.py"), ())
    gone = folder / "gone.py"
    gone.write_text((TEST_BOTS / "counting_bot.py").read_text() + "\n# of nobody\n")
    bots = [{"path": "submitted:mine", "params": {"how": "hostile"}}, {"path": str(gone)}]
    entries = [bot | {"trusted": True} for bot in bots]
    return folder / "out", next(iter(run(folder, name="cup", bots=entries, deals=1).records()))


def test_the_terminal_shows_them_at_each_step(
    cup: tuple[Path, MatchRecord], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, record = cup
    seat = [row.bot for row in record.seats].index("mine")
    with one_zygote(["naga"]):
        assert main(["replay", record.match_id, "--notes", str(seat), "--out", str(out)]) == 0
        said = capsys.readouterr().out
        lines = said.splitlines()
        first = next(number for number, line in enumerate(lines) if line.strip().startswith("note "))
        assert re.fullmatch(r"       note     legal: \d+", lines[first])
        assert lines[first + 4] == r"       note     \ud800\x00\u202e<b>: 1"
        assert re.fullmatch(rf" +\d+  seat {seat}  .*", lines[first + 6]), "its action follows"
        assert "\x00" not in said and "\u202e" not in said
        assert f"notes of seat {seat} mine: printed at its start: ready" in lines
        assert f"of its {record.seats[seat].decisions} decisions" in said
        monkeypatch.setattr(notes_module, "unpacked", lambda sha256: None)
        assert main(["replay", record.match_id, "--notes", str(1 - seat), "--out", str(out)]) == 2
        assert "were not played by code that is stored here" in capsys.readouterr().err
    for words in (["--notes", "9"], ["--notes", "0", "--trace"]):
        assert main(["replay", record.match_id, *words, "--out", str(out)]) == 2


def test_a_match_has_room_for_so_much_and_no_more(supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes_module, "MOST_LETTERS", 2000)
    match = played()
    found = heard(match, seat_of("floods", supervisor, match[0].bot_seeds[1]))
    assert found.ended.is_full and found.asked == 2 < found.decisions and found.differs_from is None
