"""The help texts: the table of commands is true, all texts are as in help.txt, and `arena --help` imports next to nothing.

To write help.txt anew: PYTHONPATH=tests python -m cli.test_help
"""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import arena.__main__
from arena.cli import bench, verbs
from arena.cli.commands import BENCH, PANELS, TOPICS, VERBS
from arena.cli.main import USER_ERROR, WIDEST, command, help_listing, main
from helpers.commands import COMMANDS, described, one_line, options, parameters

GOLDEN = Path(__file__).with_name("help.txt")
DIFFERING = {
    "--against": "at a person's table; what a bot is compared with",
    "--address": "of a run; of the ladder of a contest, which needs no cluster",
    "--backend": "of a run, of several measured runs, of the run that is disturbed",
    "--bot": "to run; whose decisions are wanted",
    "--deals": "of gates, at most; new ones to measure on",
    "--episode": "what a responder plays; what a policy learns from",
    "--format": "of every command; of a check, which autograders read too",
    "--game": "to choose games; one game or pool; the game of a new bot",
    "--hours": "after which nothing begins; more than which is refused",
    "--browser": "pages to read; a table to play at",
    "--language": "of a page; that a new bot is written in",
    "--luck": "to tell the luck of a match; to fit the network for it",
    "--matches": "to play; sizes",
    "--name": "of results; of a bot",
    "--reward": "of a responder; of a policy that learns",
    "--seat": "a person's; the viewer's",
    "--seats": "of a table; of all tables at which a policy learns",
    "--out": "of all results; of a training",
    "--seed": "of a run; of a match; of traces; of a storm",
    "--to": "each file has its own default; a server; a receiver of news",
}
"""Options whose help is not the same everywhere, and why."""


def all_described() -> str:
    return "\n".join(map(described, COMMANDS))


def test_help_texts_are_those_of_the_file() -> None:
    assert all_described() == GOLDEN.read_text("utf-8"), "if that is meant, write the file anew"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_and_the_command_say_the_same(name: str) -> None:
    lines = inspect.cleandoc(command(name).__doc__ or "").splitlines()
    assert lines[0] == f"{one_line(name)}."
    assert len(lines) == 1 or lines[1] == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_help_page_is_no_wider_than_the_terminal(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for columns in (60, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert main([*name.split(), "--help"]) == 0
        text = capsys.readouterr().out
        assert text.startswith(f"Usage: arena {name}")
        assert max(map(len, text.splitlines())) <= min(columns, WIDEST)


def test_every_file_is_a_command_and_every_command_a_file() -> None:
    for package, names in ((verbs, set(VERBS) - {BENCH}), (bench, set(TOPICS))):
        files = {path.stem for path in Path(package.__path__[0]).glob("*.py")} - {"__init__"}
        assert files == {name.replace("-", "_") for name in names}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_in_sentences(name: str) -> None:
    for parameter in parameters(name):
        assert parameter.help and parameter.help[0].isupper(), parameter.name
        assert parameter.help.endswith("."), parameter.name


def test_an_option_means_the_same_everywhere() -> None:
    texts: dict[str, set[tuple[str, str]]] = {}
    for name in COMMANDS:
        for option, parameter in options(name).items():
            texts.setdefault(option, set()).add((parameter.help, str(parameter.default)))
    assert {option for option, found in texts.items() if len(found) > 1} == set(DIFFERING)


def test_results_and_files_have_one_name_each() -> None:
    for name in COMMANDS:
        known = options(name)
        assert not {"--results", "--folder", "--file", "--output", "--json", "--pool"} & set(known)
        if "--out" in known:
            assert known["--out"].metavar == "FOLDER" and "older of" in known["--out"].help
        if "--to" in known:
            other = {"submit": "URL", "notify": "URL", "export": "FOLDER"}  # to a server; several files
            assert known["--to"].metavar == other.get(name, "FILE")


def test_the_list_of_commands_fits_and_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        for words, names in (((), VERBS), (("--help",), VERBS), ((BENCH,), TOPICS), ((BENCH, "--help"), TOPICS)):
            text = help_listing(words)
            assert text is not None and max(map(len, text.splitlines())) <= min(columns, WIDEST)
            assert " ".join(text.split()).count("`arena ") == 1
            for name, help in names.items():
                assert f"  {name} " in text and help in " ".join(text.split())
            if names is VERBS:
                assert all(f"\n{panel}:\n" in text for panel in PANELS)
    assert help_listing(("check", "--help")) is None and help_listing((BENCH, "rows", "--help")) is None


def test_a_reader_who_leaves_early_is_no_error() -> None:
    """`arena --help | head -3`: the pipe is closed before anything is written."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "arena", "--help"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


HEAVY = {"numba", "numpy", "msgspec", "typer", "rich", "yaml", "pyarrow", "ray"}


@pytest.mark.parametrize("words", [("--help",), (), (BENCH,), (BENCH, "--help")])
def test_the_list_of_commands_imports_no_command(words: tuple[str, ...]) -> None:
    code = "import sys; from arena.cli.main import main; main(sys.argv[1:]); print('|'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    modules = done.stdout.splitlines()[-1].split("|")
    assert not HEAVY & set(modules)
    ours = {module for module in modules if module.startswith("arena.")}
    assert ours == {
        "arena.cli", "arena.cli.main", "arena.cli.commands", "arena.cli.shared", "arena.cli.shared.exit_codes",
    }  # fmt: skip


def test_the_list_of_commands_needs_no_second_interpreter(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, getattr(sys, name))  # the command opens its own

    def restarted(*_: object) -> None:
        raise AssertionError("a second interpreter")

    monkeypatch.setattr(os, "execv", restarted)
    monkeypatch.setenv("PYTHONHASHSEED", "random")
    monkeypatch.setattr(sys, "argv", ["arena", "--help"])
    with pytest.raises(SystemExit) as ended:
        arena.__main__.run()
    assert ended.value.code == 0 and "Usage: arena COMMAND" in capfd.readouterr().out
    monkeypatch.setattr(sys, "argv", ["arena", "doctor"])
    with pytest.raises(AssertionError, match="a second interpreter"):
        arena.__main__.run()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chekc", "bot.py"], "arena: no command 'chekc'; did you mean \"check\"?"),
        (["--verbose"], "arena: no option before a command '--verbose'; known: "),
        (["bench", "seets"], "arena: bench: no topic 'seets'; did you mean \"seats\"?"),
        (["bench", "engine", "--matches", "7"], "No such option: --matches"),
        (["bench", "engine", "--format", "csv"], "arena: --format csv: this result is not one table; use --format json"),
        (["leaderboard", "--fromat", "json"], "--format"),
        (["leaderboard", "--format", "xml"], "xml"),
        (["check"], "BOT"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_right_one(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == USER_ERROR
    captured = capsys.readouterr()
    assert message in captured.err and captured.out == "" and "Traceback" not in captured.err


if __name__ == "__main__":
    GOLDEN.write_text(all_described(), "utf-8")
