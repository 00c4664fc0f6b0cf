"""The process of a table: what it says, what it stores, and that nothing is left of it when the server or it is gone."""

import os
import signal
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.agent.files import read_bot
from arena.agent.submissions import Submissions
from arena.errors import ArenaError
from arena.records import Clock, Ending
from arena.server.people.store import records
from arena.server.table_process import arranging, process
from arena.server.table_process.arranging import arrange
from arena.server.table_process.messages import Broken, Envelope, FromTable, Luck, Over, SeatPlan, Setup, Stop, Stored
from arena.tournament.archive.finding import locate_match
from helpers.live_process import table_process
from helpers.paths import BAD_BOTS
from helpers.processes import seats, survivors, until, zygotes
from helpers.scripted_tables import ScriptedServer, at_random, played, setup

HOUSE = "house:random_bot"
ANN = SeatPlan(name="Ann", person=True)
CHAMPION = SeatPlan(name="Bob", bot="house:champion", params={"constants": "none"})
HANGS = '''"""Computes for ever at its first decision."""

from arena.agent import Agent, View


class Hangs(Agent):
    """Never answers."""

    def act(self, view: View) -> str:
        """Go round and round."""
        while True:
            pass
'''


def test_a_match_is_played_stored_and_told(tmp_path: Path) -> None:
    """Lines that are no messages are reported, and change nothing."""
    with table_process(replace(setup("naga", [None, HOUSE], seed=1), results=str(tmp_path))) as table:
        asked = table.until_asked()
        for line in (b"", b"{", b'{"kind":"act"}', b'{"kind":"dance"}', b"[" * 100_000, b"\xff\xfe"):
            table.write(line)
        table.answer(asked)
        messages = table.play_first()
        assert table.process.wait() == 0
        assert table.errors().count("not a message") == 6
    *_, stored, last_of_seat = messages  # nobody waits for the luck of the deal: a replay can be looked at before
    over = [one.message for one in messages if isinstance(one, Envelope) and isinstance(one.message, Over)]
    assert isinstance(last_of_seat, Envelope) and isinstance(last_of_seat.message, Luck)
    assert isinstance(stored, Stored) and stored.match_id is not None and len(over) == 1
    _, record, _ = locate_match(tmp_path, stored.match_id)
    assert over[0].match_id == stored.match_id
    assert (over[0].places, over[0].scores) == ([row.place for row in record.seats], [row.score for row in record.seats])
    assert over[0].curve is not None and over[0].curve.numbers[-1] == len(record.actions)
    [luck] = last_of_seat.message.seats
    assert luck.own == record.seats[0].score and luck.low <= luck.champion <= luck.high and luck.matches >= 1
    assert [row.isolation for row in record.seats] == ["person", "none"]


def test_when_the_server_hangs_up_or_stops_it_nothing_is_stored(tmp_path: Path) -> None:
    asked = replace(setup("naga", [None, HOUSE]), results=str(tmp_path))
    with table_process(asked) as table:
        table.until_asked()
        table.hang_up()
        assert list(table.messages()) == [] and table.process.wait() == 0
    with table_process(asked) as table:
        table.until_asked()
        table.say(Stop())
        assert list(table.messages()) == [Stored(match_id=None)] and table.process.wait() == 0
    assert list(records(tmp_path)) == []


def test_what_is_no_setup_is_said_in_a_sentence() -> None:
    with table_process(b"hello") as table:
        [broken] = table.messages()
        assert isinstance(broken, Broken) and broken.error.startswith("the first line to a table is its Setup")
        assert "\n" not in broken.error and table.process.wait() == 2 and "Traceback" not in table.errors()


class Line:
    """Takes the place of the pipe to the server, in this process."""

    def __init__(self, asked: Setup) -> None:
        self.asked, self.said = asked, list[FromTable]()

    def setup(self) -> Setup:
        return self.asked

    def hear(self, *_: object) -> None:
        """Nothing is said after the setup."""

    def send(self, message: FromTable) -> None:
        self.said.append(message)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (setup("naga", [None, "house:nobody"]), "no house bot of this name"),
        (replace(setup("naga", [None, HOUSE]), seats=[ANN, CHAMPION]), "Bob does not start"),
    ],
)
def test_what_cannot_be_played_is_said_in_a_sentence(
    asked: Setup, error: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = Line(asked)
    monkeypatch.setattr(process, "TablePipe", lambda: line)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    assert process.main() == 2 and "Traceback" not in capsys.readouterr().err
    *_, broken = line.said
    assert isinstance(broken, Broken) and error in broken.error and "\n" not in broken.error


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (setup("chess", [None, HOUSE]), 'no game "chess"'),
        (setup("naga", [None]), "naga is played by 2"),
        (setup("naga", [HOUSE, HOUSE]), "seats: no person sits there"),
        (setup("naga", [None, HOUSE], {"series": "for_ever"}), "options.series"),
        (setup("naga", [None, "bots/random_bot.py"]), r"seats\[1\]: bot: house:NAME or submitted:NAME"),
        (setup("naga", [None, "submitted:nobody"]), r"seats\[1\]: .*nobody"),
        (setup("nanatoridori", [None, HOUSE, HOUSE], {"deck": "/etc/passwd"}), "options.deck"),
    ],
)
def test_a_setup_that_does_not_fit_is_refused(asked: object, error: str) -> None:
    with pytest.raises(ArenaError, match=error):
        arrange(asked)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results with bots that crash and hang."""
    folder = tmp_path_factory.mktemp("results")
    hangs = folder / "hangs.py"
    hangs.write_text(HANGS)
    submissions = Submissions(folder)
    submissions.submit("hangs", read_bot(hangs), ())
    submissions.submit("raises", read_bot(BAD_BOTS / "raises.py"), ())
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("bot", "ending"), [("hangs", Ending.TIMEOUT), ("raises", Ending.CRASH)])
def test_a_bot_that_fails_loses_and_the_match_goes_on(
    bot: str, ending: Ending, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arranging, "TABLE_CLOCK", Clock(move=0.05, bank=0.0))
    asked = replace(setup("naga", [None, f"submitted:{bot}"]), results=str(results))
    _, record = played(asked, ScriptedServer(at_random(1)))
    assert [row.ending for row in record.seats] == [Ending.PLAYED, ending] and record.faults[0].seat == 1
    assert [row.place for row in record.seats] == [1, 2]


@pytest.mark.slow
@pytest.mark.parametrize("end", ["kill", "hang up"])
def test_nothing_is_left_of_a_table_that_is_killed_while_a_locked_bot_thinks(end: str, results: Path) -> None:
    with table_process(replace(setup("naga", [None, "submitted:hangs"], seed=2), results=str(results))) as table:
        pid = table.process.pid
        until(lambda: seats(pid))
        below = zygotes(pid) | seats(pid)
        assert below
        if end == "kill":
            os.kill(pid, signal.SIGKILL)
        else:
            table.hang_up()
        table.process.wait()
        until(lambda: not survivors(below))
    assert list(records(results)) == []
