"""`arena check`: who may enter, what it is told otherwise, and where no bot can be locked in."""

import json
from pathlib import Path

import pytest

from arena.agent import read_bot
from arena.cli.main import main
from arena.engine.random_tables import variants
from arena.games import load, names
from arena.match import Fault, HostTrouble, Starved, holder
from arena.match.sandbox import LOCKED, PROCESS, LockedSeat, LockError, Supervisor
from arena.records import Ending
from arena.tournament import bot_check
from arena.tournament.bot_check import check_bot, rivals
from helpers.one_zygote import Borrowed
from helpers.paths import BAD_BOTS, HOUSE_BOTS, ROOT, TESTS

pytestmark = pytest.mark.usefixtures("one_zygote")


def write(folder: Path, body: str, head: str = "") -> Path:
    path = folder / "some_bot.py"
    path.write_text(f"{head}\nfrom arena.agent import Agent\n\nclass Some(Agent):\n    games = ('naga',)\n{body}")
    return path


def test_a_house_bot_may_enter_and_is_played_through_every_variant() -> None:
    found = check_bot("greedy", read_bot(HOUSE_BOTS / "naga_greedy.py"))
    (game,) = found.games
    assert found.may_enter and not found.faults
    assert (game.game, game.seats, game.variants) == ("naga", (2,), 6)
    assert game.matches == game.variants + 1 and game.endings == {Ending.PLAYED: game.matches}
    assert game.is_deterministic is True
    assert 0 < game.cpu_ms_p50 <= game.cpu_ms_p99 <= game.cpu_ms_max
    assert found.slowest[0].cpu_ms == game.cpu_ms_max and "contest" in found.slowest[0].view


def test_the_report_is_read_by_people_and_programs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")  # a narrow screen leaves columns out
    path = str(HOUSE_BOTS / "hisatsu_greedy.py")
    assert main(["check", path]) == 0
    text = capsys.readouterr().out
    assert "hisatsu  3 and 5" in text and text.splitlines()[-1] == "it may enter"
    assert main(["check", path, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["may_enter"] is True and found["games"][0]["endings"] == {"played": 7}


def test_every_check_has_seeds_of_its_own_and_they_can_be_given_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    path = write(tmp_path, "    def act(self, view):\n        raise RuntimeError(str(view.hand))\n")

    def report(*seed: str) -> tuple[int, list[str]]:
        assert main(["check", str(path), *seed, "--format", "json"]) == 1
        found = json.loads(capsys.readouterr().out)
        return found["seed"], [fault["view"] for fault in found["faults"]]

    first, cards = report()
    assert report()[1] != cards
    assert report("--seed", str(first)) == (first, cards)


def test_an_illegal_action_is_shown_with_what_the_bot_saw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "    def act(self, view):\n        print('I am lost')\n        return 'fly'\n")
    assert main(["check", str(path)]) == 1
    text = capsys.readouterr().out
    assert "illegal in naga" in text and "'fly'; legal: " in text and "I am lost" in text and "contest 1" in text
    assert "the rest was left out" in text and text.splitlines()[-1] == "it may not enter"


def test_a_bot_that_plays_by_its_own_entropy_may_enter_and_is_warned(tmp_path: Path) -> None:
    path = write(
        tmp_path, "    def act(self, view):\n        return view.legal[os.urandom(4)[0] % len(view.legal)]\n", "import os"
    )
    found = check_bot("some", read_bot(path))
    assert found.may_enter and found.games[0].is_deterministic is False
    assert any("was not the same" in warning for warning in found.warnings)


def test_a_bot_that_sleeps_through_its_check_may_not_enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_check, "WAITING", 0.5)
    body = "    def act(self, view):\n        import time\n        time.sleep(0.6)\n        return 0\n"
    said: list[str] = []
    found = check_bot("some", read_bot(write(tmp_path, body, "import time")), say=said.append)
    (game,) = found.games
    assert not game.is_complete and 590 <= game.wall_ms_max < 5000 and game.cpu_ms_max < 100
    assert not found.may_enter and any("naga: too slow to take part" in refusal for refusal in found.refusals)
    assert any("the bot waits for something" in warning for warning in found.warnings)
    assert said[0] == "naga: match 1 of 6, decision 0"


@pytest.mark.parametrize("place", ["start", "end"])
def test_sleep_around_a_match_counts_in_its_check_too(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_check, "WAITING", 0.25)
    body = f"    def act(self, view):\n        return 0\n\n    def {place}(self, told):\n        time.sleep(0.15)\n"
    found = check_bot("some", read_bot(write(tmp_path, body, "import time")))
    (game,) = found.games
    assert not game.is_complete and 1 <= game.matches < 6 and not found.may_enter
    assert any("naga: too slow to take part: it slept for" in refusal for refusal in found.refusals)


def test_what_fails_in_the_end_is_told_although_it_changes_no_result(tmp_path: Path) -> None:
    body = "    def act(self, view):\n        return 0\n\n    def end(self, result):\n        raise KeyError('places')\n"
    found = check_bot("some", read_bot(write(tmp_path, body)))
    assert found.may_enter and any("its end() failed in 7 matches" in warning for warning in found.warnings)


def test_a_bot_that_prints_much_does_not_fill_the_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "    def act(self, view):\n        print('line\\n' * 100)\n        return 'fly'\n"
    assert main(["check", str(write(tmp_path, body))]) == 1
    text = capsys.readouterr().out
    assert text.count("line") < 50 and "lines before (--format json has all)" in text


def test_a_bot_without_a_decision_has_no_slowest_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "    def act(self, view):\n        raise KeyError('no')\n"
    assert main(["check", str(write(tmp_path, body))]) == 1
    text = capsys.readouterr().out
    assert "it made no decision" in text and "drew on the bank" not in text


def test_memory_beyond_that_of_an_empty_cell_is_measured(tmp_path: Path) -> None:
    path = write(tmp_path, "    def act(self, view):\n        return view.legal[0]\n", "KEPT = bytearray(300_000_000)")
    found = check_bot("some", read_bot(path))
    assert found.memory_peak is not None and 300_000_000 <= found.memory_peak < 330_000_000
    assert any(warning.startswith("memory: ") for warning in found.warnings)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (BAD_BOTS / "import_error.py", "No module named"),
        (BAD_BOTS / "none.py", "naga: malformed 2"),
        (BAD_BOTS / "no_agent.py", "one Agent class is needed, found none"),
        (BAD_BOTS / "two_agents.py", "one Agent class is needed"),
        (TESTS / "helpers" / "views.py", "one Agent class is needed"),
        (ROOT / "README.md", "a bot is a .py file"),
    ],
)
def test_what_cannot_play_may_not_enter(path: Path, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(path), "--game", "naga"]) == 1
    assert reason in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("        import torch\n", "opens none once it is ready"),  # it looks for the package's files
        ("        open('weights.txt')\n", "Path(__file__).parent"),
        ("        import asyncio\n        asyncio.run(asyncio.sleep(0))\n", "no event loop of asyncio"),
        ("        import threading\n        threading.Thread(target=print).start()\n", "no threads"),
        ("        import subprocess\n        subprocess.run(['ls'])\n", "no other processes"),
        ("        raise RuntimeError('I am lost')\n", None),
    ],
)
def test_what_the_lock_forbids_comes_with_a_hint(body: str, hint: str | None, tmp_path: Path) -> None:
    path = write(tmp_path, f"    def act(self, view):\n{body}", "import asyncio, subprocess, threading")
    found = check_bot("some", read_bot(path), chosen=["naga"])
    assert found.faults and [warning for warning in found.warnings if hint is not None and hint in warning] == [*found.warnings]


@pytest.mark.parametrize(
    ("head", "hint"),
    [("import torch", "no other package, such as torch"), ("open('weights.txt')", "Path(__file__).parent"), ("1 / 0", None)],
)
def test_so_does_what_fails_while_a_bot_is_imported(
    head: str, hint: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "    def act(self, view):\n        return 0\n", head)
    assert main(["check", str(path)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert (hint is None or hint in said) and ("a locked bot" in said) == (hint is not None)


def test_a_claim_to_an_unknown_game_is_refused_with_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "some.py"
    path.write_text("from arena.agent import Agent\n\nclass Some(Agent):\n    games = ('nagga',)\n")
    found = check_bot("some", read_bot(path))
    assert found.refusals == ('it says that it plays "nagga"; did you mean "naga"?',)


def test_a_path_or_game_that_is_none_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "no_such_bot.py"]) == 2
    assert main(["check", str(HOUSE_BOTS / "naga_greedy.py"), "--game", "nagga"]) == 2
    shown = capsys.readouterr().err
    assert "no_such_bot.py does not exist" in shown and 'did you mean "naga"?' in shown


@pytest.mark.parametrize("starved", [None, Starved(9.0, is_proven=False), Starved(9.0)])
def test_a_bot_at_which_the_host_fails_three_times_is_to_blame_unless_the_machine_is_short_of_cpu(
    starved: Starved | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LockedSeat, "answer", lambda seat: Fault(Ending.HOST, "its process was lost", starved=starved))
    bot = read_bot(HOUSE_BOTS / "naga_greedy.py")
    if starved and starved.is_proven:
        with pytest.raises(HostTrouble, match="its process was lost"):
            check_bot("greedy", bot)
        return
    found = check_bot("greedy", bot)
    assert not found.may_enter and {fault.ending for fault in found.faults} == {Ending.CRASH}
    assert "failed the host 3 times in this match: its process was lost" in found.faults[0].reason


def test_where_bots_cannot_be_locked_in_the_report_says_so(supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    class Open(Borrowed):
        def __init__(self, _games: object, *, least: str = LOCKED) -> None:
            super().__init__(supervisor)
            self._least = least

        @property
        def level(self) -> str:
            if self._least == LOCKED:
                raise LockError("this kernel has no Landlock")
            return PROCESS

    monkeypatch.setattr(holder, "Supervisor", Open)
    found = check_bot("greedy", read_bot(HOUSE_BOTS / "naga_greedy.py"))
    assert found.may_enter and found.isolation == PROCESS and found.not_locked == "this kernel has no Landlock"
    assert "this machine cannot lock bots in" in found.warnings[0]

    monkeypatch.setattr(holder, "can_have_processes", lambda: False)
    found = check_bot("greedy", read_bot(HOUSE_BOTS / "naga_greedy.py"))
    assert found.may_enter and found.isolation == "none" and found.warnings


@pytest.mark.parametrize("name", names())
def test_every_room_says_its_variants_and_has_rivals(name: str) -> None:
    game = load(name)
    for seats in (game.seats[0], game.seats[-1]):
        found = variants(game, seats)
        assert found[0] == game.resolve_options({}, seats)
        assert all(found.count(options) == 1 for options in found)
        assert all(game.resolve_options(options, seats) == options for options in found)
    assert len(found) > 1 and "random_bot" in rivals(name) and len(rivals(name)) > 1
