"""Docstrings make sense alone, what they show is true, and rejected words stand in no code and on no page but the glossary."""

import ast
import doctest
import importlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from helpers.paths import DOCS, ROOT

PACKAGE = ROOT / "arena"
FRAGMENT = re.compile(
    r"""
    (?: Of | That | Those | Its | By | From | With | Without | As | In | Where | Who | Whose | Per | After | Until
      | None | Empty | See | At\ most )\b
    | (?: All | Both | One | The\ same | Resolved | Nothing | Yes | No )[:.]
    """,
    re.VERBOSE,
)
"""Beginnings of docstrings that need the name above them to make sense."""
IN_GLOSSARY = (
    "quick play", "quick game", "rule of thumb", "told from", "jail", "knobs", "imagined deal", "stranger's bot",
    "host trouble", "the host's fault", "substitute player",
)  # fmt: skip
"""Words of the glossary's last column that mean nothing else."""
UNWANTED = (*IN_GLOSSARY, "rules of thumb", "at a glance", "jailed", "this server")


def docstrings(code: str) -> Iterator[tuple[int, str]]:
    """The docstrings of the classes, functions and fields of a file, with their lines."""
    for node in ast.walk(ast.parse(code)):
        body = getattr(node, "body", None)
        for place, statement in enumerate(body if isinstance(body, list) else []):
            if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
                continue
            is_first = place == 0 and not isinstance(node, ast.Module)
            is_field = place > 0 and isinstance(body[place - 1], ast.AnnAssign | ast.Assign)
            if isinstance(statement.value.value, str) and (is_first or is_field):
                yield statement.lineno, statement.value.value


def fragments(code: str) -> list[str]:
    return [f"{line}: {text}" for line, text in docstrings(code) if FRAGMENT.match(text.strip())]


def unwanted(text: str) -> list[str]:
    pattern = re.compile("|".join(rf"\b{word}\b" for word in UNWANTED), re.IGNORECASE)
    return [f"{number}: {line}" for number, line in enumerate(text.splitlines(), 1) if pattern.search(line)]


def paths_of_words() -> Iterable[Path]:
    """All files that keep to the glossary's words: code with its comments and help, and all pages but the glossary."""
    pages = [page for page in DOCS.glob("*.md") if page.name != "glossary.md"]
    return [*PACKAGE.rglob("*.py"), *pages, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


@pytest.mark.parametrize(
    "module",
    [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(PACKAGE.rglob("*.py"))
        if ">>> " in path.read_text("utf-8")
    ],
)
def test_what_docstrings_show_is_what_python_answers(module: str) -> None:
    tried = doctest.testmod(importlib.import_module(module))  # which prints what differs
    assert tried.attempted and not tried.failed


def test_every_docstring_makes_sense_alone() -> None:
    found = {str(path): fragments(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}
    assert not {path: those for path, those in found.items() if those}


def test_rejected_words_stand_in_the_glossary_alone() -> None:
    found = {str(path): unwanted(path.read_text("utf-8")) for path in paths_of_words()}
    assert not {path: those for path, those in found.items() if those}


@pytest.mark.parametrize("word", IN_GLOSSARY)
def test_the_glossary_rejects_the_word(word: str) -> None:
    rows = [line for line in (DOCS / "glossary.md").read_text("utf-8").splitlines() if line.startswith("| ")]
    assert any(word in row.rsplit("|", 2)[1] for row in rows)


@pytest.mark.parametrize(
    "code", ['def f():\n    """By seat: how many."""', 'class A:\n    x: int\n    """Of rewards."""', 'x = 1\n"""None: all."""']
)
def test_a_fragment_is_found(code: str) -> None:
    assert len(fragments(code)) == 1


def test_a_sentence_is_no_fragment() -> None:
    assert not fragments('"""Where games are found."""\ndef f():\n    """All tables of the field."""')


def test_a_rejected_word_is_found_whatever_its_case() -> None:
    assert unwanted("one line\nA Quick play of a hand\njailer") == ["2: A Quick play of a hand"]
