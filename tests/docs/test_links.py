"""Every link of every Markdown page leads somewhere, and every path and command that a page names exists."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.cli.main import VERBS
from helpers.paths import DOCS, PACKAGE, ROOT, TESTS

PAGES = sorted(
    [
        *ROOT.glob("*.md"), *DOCS.glob("*.md"), *PACKAGE.glob("games/*/RULES*.md"), ROOT / "bots" / "README.md",
        ROOT / "leaderboards" / "README.md", ROOT / "llms.txt",
    ]
)  # fmt: skip
FOLDERS = "arena|bots|configs|tests|leaderboards"
WRITTEN_LATER = {"bots/strongest.py"}
"""What readers write themselves."""


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def headings(page: Path) -> set[str]:
    """The anchors of a page, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def found(pattern: str, *, blocks: bool = False) -> Iterator[tuple[Path, Any]]:
    """What the pattern finds, with the page that says it; `blocks`: also in blocks of code."""
    for page in PAGES:
        for text in re.findall(pattern, page.read_text() if blocks else prose(page), re.MULTILINE):
            yield page, text


def test_every_link_leads_somewhere() -> None:
    for page, target in found(r"\]\(([^)\s]+)\)"):
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        aim = page.parent / path if path else page
        assert aim.exists(), f"{name_of(page)}: {target} leads nowhere"
        assert not anchor or anchor in headings(aim), f"{name_of(page)}: {target}: there is no such heading"


def test_every_path_that_is_named_exists() -> None:
    for page, path in found(rf"`((?:{FOLDERS})/[\w./-]+)`"):
        is_result = path.startswith("leaderboards/") and path != "leaderboards/README.md"
        assert is_result or path in WRITTEN_LATER or (ROOT / path).exists(), f"{name_of(page)}: {path} does not exist"


def test_every_command_that_is_named_exists() -> None:
    command = r"(?:\.venv/bin/)?arena ([a-z][a-z-]*)"
    named = {*found(rf"`{command}"), *found(rf"^ *(?:\$ )?{command}", blocks=True)}
    assert {f"{name_of(page)}: {verb}" for page, verb in named if verb not in VERBS} == set()


def test_every_page_is_in_the_index() -> None:
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", (DOCS / "README.md").read_text()))
    assert linked == {page.name for page in DOCS.glob("*.md")} - {"README.md"}


def test_the_layers_and_doors_of_the_architecture_are_those_that_are_enforced() -> None:
    text = (DOCS / "architecture.md").read_text()
    code = (ROOT / "tests" / "test_architecture.py").read_text()
    (layers,) = re.findall(r"^LAYERS = \((.*?)^\)", code, re.DOTALL | re.MULTILINE)
    (doors,) = re.findall(r"^ONE_DOOR = \{(.*?)^\}", code, re.DOTALL | re.MULTILINE)
    table = text[text.index("| package |") : text.index("Why this order")]
    assert [name.rstrip("/").removesuffix(".py") for name in re.findall(r"^\| `arena/(\S+)`", table, re.MULTILINE)] == (
        re.findall(r'"(\w+)"', layers)
    )
    assert re.findall(r"^\| (\w+) \| `arena/(\S+)` \|", text, re.MULTILINE) == re.findall(r'"(\w+)": "(\S+)"', doors)


def test_every_name_is_in_the_module_that_a_page_says() -> None:
    for page, (name, path) in found(r"`([A-Za-z_][\w.]*)` in `(arena/[\w/.-]+)`"):
        aim = ROOT / path
        sources = [aim] if aim.is_file() else sorted(aim.rglob("*.py"))
        last = name.rpartition(".")[2]
        defined = re.compile(rf"^\s*(?:(?:class|def) {last}\b|{last}(?::| =|, \w+ =))", re.MULTILINE)
        assert any(defined.search(source.read_text()) for source in sources), f"{name_of(page)}: {path} does not define {name}"


def test_every_page_that_code_cites_exists() -> None:
    for source in (*PACKAGE.rglob("*.py"), *TESTS.rglob("*.py")):
        for page, section in re.findall(r'docs/([\w-]+\.md)(?:,\s+"([^"]+)")?', source.read_text()):
            if f"arena/docs/{page}" not in WRITTEN_LATER:
                titles = re.findall(r"^#+ (.*)$", prose(DOCS / page), re.MULTILINE)
                assert not section or any(section in title for title in titles), f"{name_of(source)}: {page}, {section!r}"
