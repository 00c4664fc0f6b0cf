"""One door for output: what strangers wrote reaches no terminal, spreadsheet or page as anything but visible text."""

import ast
import csv
import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from arena.cli.main import main
from arena.cli.shared.printing import complain, error_console, news_on, note, plain_text, say, say_all
from arena.cli.shared.running import Screen
from arena.errors import quoted
from arena.games import load
from arena.records import Ending
from arena.reports.data import csv_text, json_text
from arena.reports.replay import result_lines
from arena.reports.table import Column, Table, shown
from arena.reports.terminal import ConsolePage, MarkdownPage
from helpers.paths import PACKAGE
from helpers.records import make_record, make_seat

EVIL = (
    "\x1b[2J\x1b]0;title\x07\x9b31m\r\b\x7f\u202e\u2028\ud83d\U000e0041[bold red]x[/bold red] [/nothing] :smile: "
    '<script>alert(1)</script> <img src=x onerror=y> ![i](http://t/p) [l](javascript:x) \\[m](http://u) "q" | `c`'
)
FORGED = "seat 1 naga_greedy illegal at 4"
DANGEROUS = set("\x1b\x07\x9b\r\b\x7f\u202e\u2028\ud83d\U000e0041")


def is_harmless(text: str) -> bool:
    return text.replace("\n", "").isprintable()


def console(width: int = 80, *, is_terminal: bool = False) -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, width=width, force_terminal=is_terminal, color_system=None, highlight=False), file


@pytest.mark.parametrize(
    "tell", [say, note, complain, lambda text: say_all([text]), lambda text: Screen(error_console()).say(text)]
)
def test_what_is_told_is_visible(tell: Callable[[str], None], capsys: pytest.CaptureFixture[str]) -> None:
    tell(EVIL)
    captured = capsys.readouterr()
    assert is_harmless(captured.out + captured.err) and r"\x1b[2J" in captured.out + captured.err
    assert "[bold red]x[/bold red] [/nothing] :smile:" in captured.out + captured.err  # no markup


@pytest.mark.parametrize("is_terminal", [False, True])
def test_what_stands_on_a_page_is_visible(is_terminal: bool) -> None:
    target, file = console(400, is_terminal=is_terminal)
    page = ConsolePage(target)
    page.heading(EVIL)
    page.say(EVIL)
    page.line(EVIL)
    page.table(Table([Column("bot"), Column(EVIL)], [[EVIL, "1"], [f"x\n{FORGED}", "2"]]))
    news_on(target)(EVIL)
    target.print(plain_text(EVIL))
    text = file.getvalue()
    assert is_harmless(text) and "[/nothing]" in text
    assert not any(line.strip().startswith(FORGED) for line in text.splitlines())


def test_a_quoted_line_stays_apart_also_where_it_is_wrapped() -> None:
    target, file = console(60)
    ConsolePage(target).say("  " + "x " * 29 + FORGED)
    assert not any(line.startswith("seat") for line in file.getvalue().splitlines())


def test_a_note_of_a_bot_is_no_note_of_ours() -> None:
    seats = (make_seat(f"rude\n{FORGED}", ending=Ending.CRASH, fault_decision=3), make_seat("naga_greedy"))
    record = make_record(seats=seats, notes=(f"seat 0 rude crash at 3: no\nnote: {FORGED}\n{FORGED}",))
    lines = "\n".join(result_lines(record)).splitlines()
    assert sum(line.startswith("note: ") for line in lines) == 1
    assert not any(line.startswith(FORGED) for line in lines) and len(lines) == 5


@pytest.mark.parametrize(("isolation", "told"), [("locked+namespace", 1), ("none", 0)])
def test_a_note_of_what_a_lock_refuses_comes_with_a_hint(isolation: str, told: int) -> None:
    seats = (make_seat("torch_bot", ending=Ending.STARTUP, fault_decision=-1, isolation=isolation), make_seat("naga_greedy"))
    record = make_record(seats=seats, notes=("seat 0 torch_bot startup:\nModuleNotFoundError: No module named 'torch'",))
    assert sum(line.startswith("hint: a locked bot has ") for line in result_lines(record)) == told


def test_a_message_has_one_beginning(capsys: pytest.CaptureFixture[str]) -> None:
    complain(f"bot.py: wrong\narena: all is well\n{FORGED}")
    assert capsys.readouterr().err.splitlines() == ["arena: bot.py: wrong", "  | arena: all is well", f"  | {FORGED}"]
    assert quoted("a\n\nb") == "a\n  | \n  | b" and "\n" not in shown("a\nb")


@pytest.mark.parametrize("words", [["check", EVIL], ["replay", EVIL], [EVIL], ["match", EVIL, "x"], ["plan", "--x" + EVIL]])
def test_words_of_the_command_line_are_repeated_harmlessly(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """They may be the names of files that `*` stands for."""
    assert main(words) == 2
    assert is_harmless(capsys.readouterr().err)


def test_a_file_with_a_hostile_name_is_named_harmlessly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = tmp_path / "\x1b[2J\udcff.py"
    bot.write_text("x =")
    for form in ("table", "json", "csv", "md"):
        assert main(["check", str(bot), "--format", form]) in (1, 2)
        captured = capsys.readouterr()
        assert is_harmless(captured.out + captured.err)
        (captured.out + captured.err).encode()


def test_json_is_visible_and_says_the_same() -> None:
    whole = EVIL.replace("\ud83d", "")
    text = json_text({whole: [whole, 1, None]})
    assert is_harmless(text) and json.loads(text) == {whole: [whole, 1, None]}
    half = json_text([EVIL])  # half a character has no form in UTF-8
    assert is_harmless(half) and r"\ud83d" in json.loads(half)[0]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t=", "\r=", "\uff1d", "\uff20"])
def test_no_text_is_a_formula(sign: str) -> None:
    text = csv_text([{"bot": f'{sign}HYPERLINK("http://t")', "mu": -1.5, "games": [f"{sign}x"], "x": EVIL}])
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["bot"][0] in "'\\" and row["mu"] == "-1.5" and row["games"].startswith("[")
    assert is_harmless(text)


BLOCKS = [
    "# x",
    "- x",
    "> x",
    "1. x",
    "12) x",
    "```",
    "~~~",
    "    x",
    "===",
    "***",
    "<b>x</b>",
    "| a | b |\n|---|---|\n| c | d |",
    "&lt;b>",
]


def test_markdown_holds_text_alone() -> None:
    page = MarkdownPage()
    page.say("title")
    for text in (EVIL, *BLOCKS):
        page.say(text)
        page.line(text)
    page.table(Table([Column("bot"), Column(EVIL)], [[EVIL, "1"], [f"a\n{FORGED}", "2"], ["\\|x", "3"]]))
    assert is_harmless(page.text)
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(page.text)
    kinds = {token.type for token in tokens} | {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {
        "heading_open", "heading_close", "inline", "text", "text_special", "paragraph_open", "paragraph_close", "code_inline",
        "softbreak", *(f"{part}_{end}" for part in ("table", "thead", "tbody", "tr", "th", "td") for end in ("open", "close")),
    }  # fmt: skip
    assert sum(token.type == "heading_open" for token in tokens) == 1
    assert sum(token.type == "tr_open" for token in tokens) == 4


DOORS = {
    "cli/shared/printing.py": "the door",
    "reports/terminal.py": "the door for pages",
    "cli/shared/streams.py": "the streams below the door",
    "cli/main.py": "lists of our own commands",
    "agent/starter.py": "source that it writes for authors",
    "cli/measuring/channel_bots/attack.py": "the program of a bot: the pipe is its channel",
    "cli/measuring/channel_bots/lines.py": "the program of a bot: the pipe is its channel",
    "cli/measuring/channel_bots/watcher.py": "the program of a bot: the pipe is its channel",
    "disk.py": "a warning, made printable",
    "engine/stored_code.py": "a warning, made printable",
    "cli/measuring/commands.py": "the program of a bot: the pipe is its channel",
    "bench/server_process.py": "the pipe to the process that is measured",
    "server/contest/parent_pipe.py": "the pipe to the server",
    "server/table_process/input_queue.py": "a line for who runs the server, made printable",
    "tournament/workers/compiling.py": "the pipe to the process that compiles",
    "match/sandbox/doctor.py": "the pipe to the process that is tried",
    "reports/checks.py": "a report in memory, by the door for pages",
    "match/protocol.py": "writes the schema that ships",
    "audit/laws/__main__.py": "writes the playthrough that ships",
    "llm/asking.py": "the pipe to the seat that asks",
    "learning/openenv/__main__.py": "the door of learning programs, made printable",
    "learning/rendering.py": "the door of learning programs, which are no commands of ours",
}
"""Modules that write text out themselves, and what."""


NAMES = ("print", "Console", "typer.echo", "typer.secho")
METHODS = ("console.print", "console.log", "console.out", "stdout.write", "stderr.write", "buffer.write", "error.show")


WORDS = re.compile(
    r"\b(?:print|Console|secho|echo)\b|(?:console\.(?:log|out)|(?:stdout|stderr|buffer)\.write|error\.show"
    r"|(?:status|_live).*\.update)\("
)
"""What a module that writes out has in its text."""


def writes_out(path: Path) -> set[str]:
    """The ways out that a module uses; also where it only gives one away, as in `say=console.print`."""
    found, source = set(), path.read_text()
    for node in ast.walk(ast.parse(source)) if WORDS.search(source) else ():  # most files need not be parsed
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in NAMES or called.endswith(METHODS):
                found.add(called)
            elif called.endswith((".update",)) and called.startswith(("status", "self._live")):
                found |= set() if ast.unparse(node.args[0]).startswith("plain_text(") else {called}
        elif isinstance(node, ast.Attribute) and node.attr == "print":
            found.add(ast.unparse(node))
    return found


def test_text_leaves_through_one_door() -> None:
    found = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if writes_out(path)}
    assert found <= set(DOORS), "print through arena/cli/shared/printing.py: it makes foreign text harmless"


def test_the_door_is_watched(tmp_path: Path) -> None:
    """The test above finds every way out that it knows."""
    for source in ("print(1)", "f(status.console.print)", "sys.stdout.write(x)", "Console()", "status.update(news)"):
        (tmp_path / "x.py").write_text(source)
        assert writes_out(tmp_path / "x.py"), source
    (tmp_path / "x.py").write_text("status.update(plain_text(news)); say(x)")
    assert not writes_out(tmp_path / "x.py")


def test_what_the_server_says_by_itself_is_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    """The door changes no text that is visible anyway, such as the views of the games."""
    for name in ("naga", "nertz", "hisatsu", "yaniv", "nanatoridori"):
        game = load(name)
        seats = game.seats[0]
        states = game.deal(seats, game.resolve_options({}, seats), 1)
        text = game.text.describe(states[0], None)
        say(text)
        assert capsys.readouterr().out == text + "\n"
    assert sys.stdout is not None


def test_rows_with_different_keys_are_one_table() -> None:
    text = csv_text([{"generation": 1, "loss": 0.5}, {"generation": 2, "rate": 0.1}])
    assert text == "generation,loss,rate\n1,0.5,\n2,,0.1\n"
