"""The documentation is true: every block of every page is run, in order, in a folder with nothing but the house bots.

(The page on the wire protocol has tests of its own: test_protocol.py.)
"""

import contextlib
import doctest
import io
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from arena.agent.starter import attributes
from arena.cli.main import VERBS, main
from arena.engine.random_tables import variants
from arena.games import load, names
from arena.tournament import bot_check
from helpers.one_zygote import one_zygote
from helpers.paths import DOCS, HOUSE_BOTS, ROOT

PAGES = ("writing-a-bot", "agents", "views", "python-api", "contest", "tuning", "llm-training", "export")
"""Pages whose blocks are run, in order."""
LONG = ("contest", "tuning", "agents")
"""Those with tournaments that take long; what they do is also tested elsewhere, verb by verb."""
PROSE = (
    "README", "commands", "glossary", "architecture", "notation", "formats", "isolation", "house-bots", "wire-protocol",
    "cluster", "container", "performance", "adding-a-game", "results", "tables", "server", "playing", "learning",
    "encodings", "llm", "luck", "ratings", "training", "mcp", "cards", "sign-in", "pull-requests",
)  # fmt: skip
"""Pages without blocks to run here; test_protocol.py, test_normative_pages.py, test_commands_page.py, test_data_page.py and
test_server_page.py hold some of them to what they say; test_learning_page.py runs the blocks of `learning`,
test_cards_page.py those of `cards`."""
ELSEWHERE = ("nginx", "ini", "sh", "json")
"""Kinds of blocks that other tests run: test_nginx.py, test_sign_in_nginx.py, test_contest_page.py, test_dev.py and
test_dev_process.py."""
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass
class Reader:
    """Somebody who does what a page says."""

    said: str = ""
    """What the last block printed."""
    names: dict[str, Any] = field(default_factory=dict)

    def do(self, kind: str, text: str) -> None:
        name = re.match(r"# (\w+\.(?:py|yaml|txt))\n", text)
        if name:
            Path(name[1]).write_text(text)
        elif kind in ELSEWHERE:
            pass
        elif kind == "text":
            assert doctest.OutputChecker().check_output(text, self.said, FLAGS), (text, self.said)
        elif kind == "pycon":
            self._console(text)
        elif kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(text, self.names)
            self.said = out.getvalue()
        else:
            assert kind == "bash", f"what is {kind}?"
            for line in text.splitlines():
                self._command(line)

    def _console(self, text: str) -> None:
        test = doctest.DocTestParser().get_doctest(text, self.names, "page", None, None)
        runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            runner.run(test, clear_globs=False)
        self.names.update(test.globs)
        assert not runner.failures, out.getvalue()

    def _command(self, line: str) -> None:
        words, _, note = line.partition("  # exit code ")
        if "MATCH_ID SEAT" in words:
            match_id, seat = re.findall(r"arena capsule (\w{24}) (\d+)", " ".join(self.said.split()))[0]
            words = words.replace("MATCH_ID SEAT", f"{match_id} {seat}")
        program, *arguments = shlex.split(words)
        assert program == "arena", line
        if "--backend" in arguments:
            arguments += ["--workers", "1"]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            code = main(arguments)
        self.said = out.getvalue()
        assert code == int(note or 0), (line, self.said)


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """Language and content of each block."""
    text = (DOCS / f"{page}.md").read_text()
    assert text.count("```") % 2 == 0
    yield from re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [pytest.param(page, marks=[pytest.mark.slow] if page in LONG else []) for page in PAGES])
def test_every_block_of_a_page_does_what_it_says(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(HOUSE_BOTS, tmp_path / "bots", ignore=shutil.ignore_patterns("examples", "__pycache__"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(bot_check, "variants", lambda game, seats: variants(game, seats)[:1])  # test_bot_check plays them all
    monkeypatch.setattr("arena.server.server.run", lambda app, place, **_: None)  # a server is opened, and closed at once
    reader = Reader()
    with one_zygote(names()):
        for kind, text in blocks(page):
            reader.do(kind, text)


@pytest.mark.parametrize("name", names())
def test_every_attribute_of_every_view_is_listed(name: str) -> None:
    bar = {ord("|"): r"\|"}
    rows = [f"| `{found.text}: {found.type.translate(bar)}` | {found.meaning} |" for found in attributes(load(name))]
    table = "\n".join([f"<!-- {name} -->", "| `view.` | |", "|---|---|", *rows, ""])
    assert table in (DOCS / "views.md").read_text(), f"the table of {name} should be\n{table}"


def test_pages_name_commands_files_and_pages_that_exist() -> None:
    for path in DOCS.glob("*.md"):
        text = path.read_text()
        assert set(re.findall(r"`arena ([a-z][a-z-]*)\b", text)) <= set(VERBS), path
        for name in re.findall(r"\]\(([\w.-]+)\)", text):
            assert (DOCS / name).is_file(), f"{path.name}: {name}"
        for name in re.findall(r"`((?:arena|bots|configs)/[\w/.-]+)`", text):
            assert (ROOT / name).exists(), f"{path.name}: {name}"
    assert {path.stem for path in DOCS.glob("*.md")} == {*PAGES, *PROSE}
