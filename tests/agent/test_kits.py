"""Kits for other languages: `arena new --language` writes each whole, and `check.py` finds what a bot does wrong."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from arena.agent import read_bot
from arena.agent.kits import languages
from arena.cli.main import main
from arena.games import names
from helpers.command_bots import PLAIN, TOOLS, written_kit
from helpers.commands import parameters
from helpers.paths import KITS

README_LINES = 40


def test_the_languages_are_those_of_the_folders() -> None:
    assert languages() == sorted(TOOLS)
    (help,) = (option.help for option in parameters("new") if option.name == "language")
    assert help.endswith(f": {', '.join(languages()[:-1])} or {languages()[-1]}.")


@pytest.mark.parametrize("language", sorted(TOOLS))
def test_a_kit_is_written_whole(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "alice", "--language", language]) == 0
    bot = tmp_path / "alice"
    assert {path.name for path in (KITS / language).iterdir() if path.is_file()} == {
        path.name for path in bot.iterdir() if path.is_file()
    }
    assert {path.name for path in (bot / "transcripts").iterdir()} == {"check.py", *(f"{name}.jsonl" for name in names())}
    files = read_bot(bot)
    assert files.command is not None and files.command.name == "alice" and files.command.games == []
    needed = {path.name for path in bot.iterdir() if path.is_file()} - {"README.md", ".gitignore"}
    assert set(files.files) == needed
    assert files.wants_build == (language not in ("node", PLAIN))


@pytest.mark.parametrize("language", sorted(TOOLS))
def test_a_readme_is_short_and_names_the_build_of_the_settings(language: str) -> None:
    text = (KITS / language / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= README_LINES
    settings = tomllib.loads((KITS / language / "bot.toml").read_text("utf-8"))
    if "build" in settings:
        assert "\n" + " ".join(word for word in settings["build"]["command"] if word != "-Xlint:all") + "\n" in text
    suffixes = {Path(file).suffix for file in settings["files"]}
    named = {path for path in re.findall(r"`(\w+\.\w+)`", text) if Path(path).suffix in suffixes}
    assert named and named <= set(settings["files"])


def test_a_bot_of_one_game_gets_its_transcript_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "alice", "--language", PLAIN, "--game", "naga"]) == 0
    assert {path.name for path in (tmp_path / "alice" / "transcripts").iterdir()} == {"check.py", "naga.jsonl"}
    files = read_bot(tmp_path / "alice")
    assert files.command is not None and files.command.games == ["naga"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["alice", "--language", "perl"], f"--language perl: no kit for it; there are {', '.join(sorted(TOOLS))}"),
        (["alice", "--language", "c", "--llm"], "leave --language out"),
        (["alice", "--language", "c", "--command"], "leave it out, or --language"),
        (["taken", "--language", "c"], "taken: is there already"),
    ],
)
def test_what_cannot_be_written_is_refused_in_a_line(
    words: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "main.c").write_text("mine")
    assert main(["new", *words]) == 2
    said = capsys.readouterr().err
    assert told in said and said.count("\n") == 1
    assert [path.name for path in tmp_path.rglob("*")] == ["taken", "main.c"]
    assert (tmp_path / "taken" / "main.c").read_text() == "mine"


def checked(bot: Path, *command: str) -> tuple[int, list[str]]:
    """The exit code and the lines of check.py."""
    words = [sys.executable, "-I", bot / "transcripts" / "check.py", *command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=bot)
    assert done.stdout, done.stderr
    return done.returncode, done.stdout.splitlines()


def test_a_kit_passes_its_transcripts(tmp_path: Path) -> None:
    code, lines = checked(written_kit(PLAIN, tmp_path))
    assert code == 0
    assert [line.partition(":")[0] for line in lines] == names()
    assert all(line.endswith("answers, all right") for line in lines)


ANSWER = 'sys.stdout.write(json.dumps(reply) + "\\n")\n    sys.stdout.flush()'
MISTAKES = {
    "another id": ("main.py", '"ok": True', '"ok": False', "start: the answer is"),
    "no such action": ("strategy.py", 'self.rng.choice(act["legal"])', '"surrender"', 'the action "surrender" is not legal'),
    "an index too high": ("strategy.py", 'self.rng.choice(act["legal"])', 'len(act["legal"])', "is not legal"),
    "the id before": ("strategy.py", '{"id": act["id"]', '{"id": self.start["id"]', "instead of"),
    "a note that is none": ("strategy.py", '("legal actions", ', '(7, ', "a note is a text"),
    "more keys": ("strategy.py", '"notes":', '"note":', "an answer has an id and an action"),
    "two lines": ("main.py", ANSWER, f"{ANSWER}\n    {ANSWER}", "line 2: "),
    "no line feed": ("main.py", 'json.dumps(reply) + "\\n"', 'json.dumps(reply) + "\\n{}"', "line 2: no JSON"),
    "no JSON": ("main.py", "json.dumps(reply)", "str(reply)", "no JSON"),
    "an answer to the end": ("main.py", "strategy.end(message)", 'answer({"id": message["id"], "ok": True})', "after the end"),
    "a crash": ("strategy.py", 'action = self', 'action = none', "it ended without an answer"),
    "an exit code": ("main.py", "\nmain()\n", "\nmain()\nsys.exit(3)\n", "exit code 3"),
    "another seed": ("strategy.py", 'random.Random(int(start["seed"], 16))', "random.SystemRandom()", "from the same seed"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_mistake_is_found(mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, right, wrong, told = MISTAKES[mistake]
    bot = written_kit(PLAIN, tmp_path)
    source = (bot / name).read_text()
    assert source.count(right) == 1
    (bot / name).write_text(source.replace(right, wrong))
    for transcript in (bot / "transcripts").glob("*.jsonl"):
        if transcript.stem != "yaniv":
            transcript.unlink()
    code, (line,) = checked(bot)
    assert code == 1 and told in line and line.startswith("yaniv: ")


def test_an_answer_that_stays_in_a_buffer_is_found(tmp_path: Path) -> None:
    bot = written_kit(PLAIN, tmp_path)
    for path, right, wrong in (
        ("main.py", "    sys.stdout.flush()\n", ""), ("transcripts/check.py", "ANSWER_SECONDS = 30", "ANSWER_SECONDS = 1")
    ):  # fmt: skip
        source = (bot / path).read_text()
        assert source.count(right) == 1
        (bot / path).write_text(source.replace(right, wrong))
    for transcript in (bot / "transcripts").glob("*.jsonl"):
        if transcript.stem != "yaniv":
            transcript.unlink()
    code, lines = checked(bot)
    assert (code, lines) == (1, ["yaniv: line 1: no answer within 1 s: is each line ended and flushed?"])


def test_a_program_that_was_not_built_is_named(tmp_path: Path) -> None:
    code, lines = checked(written_kit("c", tmp_path))
    assert code == 1 and lines[0].endswith("./bot cannot be run: No such file or directory; was it built?")
