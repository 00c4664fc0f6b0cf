"""`arena dev`: what is said of each save, what is kept, and that a fault is repeated by the command that is printed.

The author is a script: whenever the session has nothing to do, the next thing is done to the real file.
"""

import io
import itertools
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from arena.agent import BotFiles, read_bot
from arena.agent.kept_versions import KEPT, KeptVersions
from arena.agent.saves import ABSENCE, Saves
from arena.cli.development.comparing import Side
from arena.cli.development.debugging import HOST, PORT, wait_for_editor
from arena.cli.development.first_matches import Checker
from arena.cli.development.keys import Keys
from arena.cli.development.lines import Lines, fitted
from arena.cli.development.session import LOOK_SECONDS, OtherBot, Session
from arena.cli.main import main
from arena.errors import ConfigError
from arena.match.builds import Built, built
from arena.tournament.config import Tournament, check_tournament_name
from arena.tournament.run import run_tournament
from arena.tournament.session import Observer, Results, Settings
from helpers.command_bots import PLAY
from helpers.paths import DOCS, HOUSE_BOTS

pytestmark = pytest.mark.usefixtures("one_zygote")

IDLE = round(2 * ABSENCE / LOOK_SECONDS)  # looks without news, then the next thing is done
HEAD = "from arena.agent import Agent\n\nclass First(Agent):\n    games = ('naga',)\n\n    def act(self, view):\n"
LAST = f"{HEAD}        return view.legal[-1]\n"
FAILS = f"{HEAD}        if view.contest == 3:\n            return view.hand[99]\n        return view.legal[0]\n"
GREEDY = (HOUSE_BOTS / "naga_greedy.py").read_text()


class Script(Keys):
    """An author who does one thing after the other, then presses Ctrl-C."""

    def __init__(self, *things: Callable[[], object]) -> None:
        super().__init__()
        self.typed = ""
        self._things = iter(things)
        self._looks = 0

    def pressed(self) -> str:
        typed, self.typed = self.typed, ""
        return typed

    def press_enter(self) -> None:
        self.typed = "\n"

    def wait(self, seconds: float) -> None:
        """Do the next thing if the session had time enough to hear of the one before."""
        self._looks += 1
        if self._looks % IDLE == 0:
            thing = next(self._things, None)
            if thing is None:
                raise KeyboardInterrupt
            thing()


@dataclass
class Desk:
    """A bot's file, and all that is said about it."""

    folder: Path
    name: str = "first.py"
    printed: io.StringIO = field(default_factory=io.StringIO)
    clock: Iterator[float] = field(default_factory=lambda: itertools.count(step=LOOK_SECONDS))

    @property
    def bot(self) -> Path:
        return self.folder / self.name

    @property
    def results(self) -> Path:
        return self.folder / "leaderboards"

    def save(self, source: str) -> Callable[[], object]:
        return lambda: self.bot.write_text(source)

    def work(self, script: Script, against: OtherBot | None = None) -> list[str]:
        """Let the author work to the end; returns what was said, without the times."""
        lines = Lines(Console(file=self.printed, width=120), lambda: next(self.clock), lambda: "now")
        kept, saves = KeptVersions(self.results, "first"), Saves(self.bot, lambda: next(self.clock))
        with pytest.raises(KeyboardInterrupt), Checker("first", ["naga"]) as checker:
            Session(self.bot, "first", checker, kept, saves, lines, script, b"key", script.wait, against).run()
        return [line.removeprefix("now ") for line in self.printed.getvalue().splitlines()]

    def kept(self) -> set[str]:
        return {read_bot(path).files["first.py"].decode() for path in (self.results / "kept" / "first").glob("*/first.py")}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path)
    made.bot.write_text(LAST)
    return made


def test_the_first_version_is_kept_then_each_that_is_surely_better(desk: Desk) -> None:
    said = desk.work(Script(desk.save(GREEDY)))
    assert re.match(r"loads, plays \d match(es)?, 0 faults, ", said[0]) and said[0].endswith(" ms a decision")
    assert said[1] == "kept as the first version"
    assert re.match(r"loads, plays \d match(es)?, 0 faults, ", said[2])
    assert "better than the kept version: ahead in " in said[-1] and said[-1].endswith("; kept from now on")
    assert desk.kept() == {LAST, GREEDY}


def test_a_worse_version_is_kept_by_enter_alone(desk: Desk) -> None:
    desk.bot.write_text(GREEDY)
    script = Script(
        desk.save(LAST), lambda: kept.append(desk.kept()), lambda: script.press_enter(), lambda: script.press_enter()
    )
    kept: list[set[str]] = []
    *_, verdict, pressed, pressed_again = desk.work(script)
    assert verdict.startswith("worse than the kept version: ") and verdict.endswith("; Enter keeps it all the same")
    assert pressed.startswith("kept: ") and pressed_again == "this version is kept already"
    assert kept == [{GREEDY}] and desk.kept() == {GREEDY, LAST}


def test_a_fault_comes_with_its_position_and_the_command_that_repeats_it(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(desk.save(FAILS), lambda: script.press_enter())
    said = desk.work(script)
    text = "\n".join(said)
    assert "loads, plays 1 match, 1 fault, " in text
    assert "first crash at decision " in text and "IndexError: list index out of range" in text
    assert "contest 3" in text and "played: " in text
    assert "nothing to keep" in said[-1] and desk.kept() == {LAST}
    command = shlex.split(next(line for line in said if line.strip().startswith("arena capsule")))
    assert main(command[1:]) == 0
    again = capsys.readouterr().out
    assert "it fails: crash" in again and "IndexError" in again and "0 of them taken otherwise" not in again
    desk.bot.write_text(LAST)
    assert main(command[1:]) == 0
    assert ": legal" in capsys.readouterr().out


def test_what_does_not_load_is_one_line_and_what_comes_then_is_compared(desk: Desk) -> None:
    script = Script(desk.save("class First(:\n"), desk.bot.unlink, desk.save("import arena.nothing\n"), desk.save(GREEDY))
    said = desk.work(script)
    assert said[2] == f"{desk.bot}: line 1: syntax error: invalid syntax"
    assert said[3] == f"{desk.bot}: not there; it is looked for"
    assert said[4].startswith("does not load: ")
    assert said[-1].endswith("; kept from now on")


def test_a_save_ends_a_comparison_at_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = []

    def saved_meanwhile(tournament: Tournament, settings: Settings, observer: Observer) -> Results:
        seeds.append(tournament.seed)
        if len(seeds) == 1:
            desk.bot.write_text(GREEDY)
        return run_tournament(tournament, settings, observer)

    monkeypatch.setattr("arena.cli.development.comparing.run_tournament", saved_meanwhile)
    said = desk.work(Script(desk.save(f"{LAST}# the same play, so that nothing is certain soon\n")))
    assert [line.split(":")[0] for line in said if "than the kept" in line or "as the kept" in line] == [
        "better than the kept version"
    ]
    assert len(set(seeds)) == 2, "each comparison has deals of its own"


def test_a_fault_in_a_comparison_is_told_and_the_comparison_goes_on(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.development.first_matches.MATCHES", 0)
    said = "\n".join(desk.work(Script(desk.save(FAILS))))
    assert "a fault; the comparison goes on" in said and "IndexError" in said and "arena capsule " in said
    assert said.count("crash at decision") == 1
    assert "worse than the kept version" in said or "forfeits again and again" in said


def test_another_bot_can_be_what_is_compared_with(desk: Desk) -> None:
    said = desk.work(Script(), OtherBot(Side("greedy", read_bot(HOUSE_BOTS / "naga_greedy.py")), ["naga"]))
    assert said[-1].startswith("worse than greedy: ")


BUILD = """
import pathlib, sys, time
print("reading play.x")
text = pathlib.Path("play.x").read_text()
if "wrong" in text:
    sys.exit("play.x:2:5: error: a word that nobody knows: wrong")
while "slow" in text:
    time.sleep(1.0)
pathlib.Path("bot.py").write_text(text)
"""
SETTINGS = """
name = "made"
games = ["naga"]
command = ["python3", "bot.py"]
[build]
command = ["python3", "-S", "build.py"]
makes = ["bot.py"]
"""


@pytest.fixture
def source(tmp_path: Path) -> Desk:
    """A desk with a bot that comes as source."""
    made = Desk(tmp_path, "made")
    made.bot.mkdir()
    for name, text in (("bot.toml", SETTINGS), ("build.py", BUILD)):
        (made.bot / name).write_text(text)
    return made


def test_a_bot_that_comes_as_source_is_built_before_it_is_checked(source: Desk) -> None:
    play = source.bot / "play.x"
    play.write_text(f"{PLAY}# wrong {source.folder}")
    said = source.work(Script(lambda: play.write_text(f"{PLAY}# right {source.folder}")))
    failed = next(number for number, line in enumerate(said) if "its build failed" in line)
    message = "first: its build failed: python3 ended with exit code 1; play.x:2:5: error: a word that nobody knows: wrong"
    assert said[failed] == message
    assert said[failed + 1 : failed + 4] == ["it printed:", "  reading play.x", f"  {message.partition('; ')[2]}"]
    assert any(re.match(r"loads, plays \d match(es)?, 0 faults, ", line) for line in said[failed + 4 :])
    (kept,) = (source.results / "kept" / "first").iterdir()
    assert said[-1] == "kept as the first version" and read_bot(kept) == read_bot(source.bot)


def test_a_save_ends_a_build(source: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    play = source.bot / "play.x"
    play.write_text(f"# slow {source.folder}")

    def saved_meanwhile(files: BotFiles, called: str, say: Callable[[str], object], **others: Any) -> Built:
        def hear(text: str) -> None:
            if "slow" in play.read_text():
                play.write_text(f"{PLAY}# quick {source.folder}")
            say(text)

        return built(files, called, say=hear, **others)

    monkeypatch.setattr("arena.cli.development.session.built", saved_meanwhile)
    assert source.work(Script())[-1] == "kept as the first version"


def test_a_narrow_terminal_shows_the_first_parts() -> None:
    parts = ["53.1% (48.9 to 57.2) against the kept version", "64 deals", "about 300 more"]
    assert fitted(parts, 60) == "53.1% (48.9 to 57.2) against the kept version, 64 deals"
    assert fitted(parts, 120) == ", ".join(parts)
    assert fitted(parts, 20) == "53.1% (48.9 to 57.2"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing.py"], "no such bot"),
        (["first.py", "--game", "nage"], 'no game "nage"'),
        (["first.py", "--against", "house:naga_gredy"], "no house bot of this name"),
        (["first.py", "--debug", "--game", "naga", "--game", "yaniv"], "one game with --debug"),
    ],
)
def test_a_mistake_in_the_command_is_one_line(
    desk: Desk, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(desk.folder)
    assert main(["dev", *words]) == 2
    said = capsys.readouterr()
    assert message in said.err and said.err.count("\n") == 1 and "watching" not in said.out


def test_no_tournament_takes_the_folder_of_the_kept_versions() -> None:
    with pytest.raises(ConfigError, match="'kept' is the folder of the versions that authors keep"):
        check_tournament_name(KEPT, "name")


def test_the_page_tells_editors_where_the_debugger_listens() -> None:
    page = (DOCS / "writing-a-bot.md").read_text()
    (found,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (configuration,) = json.loads(found)["configurations"]
    assert configuration["connect"] == {"host": HOST, "port": PORT}


def test_a_debugger_that_has_started_the_program_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = io.StringIO()
    monkeypatch.setitem(sys.modules, "pydevd", sys)
    wait_for_editor(Lines(Console(file=printed)))
    assert printed.getvalue() == ""
