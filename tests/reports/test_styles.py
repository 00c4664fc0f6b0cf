"""A table is the game's own: no style of the pages around it reaches into it, whatever its classes are called."""

import re
from pathlib import Path

import pytest

from arena.reports.pages.assets import FILES
from helpers.paths import PACKAGE

TABLE_STYLES = {"kit.css", "french.css", "choosing.css"}
IN_FRAMES = {"notebook.css"}
"""Styles of what stands in a frame of its own, where no pages are around a table."""
AROUND = [path for path in PACKAGE.rglob("*.css") if path.parent.name != "page" and path.name not in TABLE_STYLES | IN_FRAMES]
COLOURS = {":root", "@media (prefers-color-scheme: dark)"}
SCOPE = "@scope (html) to (.table > *) {"


@pytest.mark.parametrize("path", AROUND, ids=lambda path: path.name)
def test_no_style_of_a_page_reaches_into_a_table(path: Path) -> None:
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    before, scope, inside = text.partition(SCOPE)
    assert scope and {rule.strip() for rule in re.findall(r"([^{}]+)\{", before)} <= COLOURS
    depth = 1
    for at, character in enumerate(inside):
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth or not inside[at + 1 :].strip(), "rules after the scope"


def test_the_files_of_tables_are_there() -> None:
    assert {path.name for path in FILES.glob("*.css")} >= TABLE_STYLES


def test_a_column_that_narrow_windows_hide_has_no_frame_of_a_text_box() -> None:
    """Cells and text boxes share the class `wide`: what draws a box names the elements that are one."""
    for path in AROUND:
        rules = re.findall(r"([^{}]*\.wide[^{}]*)\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL))
        for selectors, declarations in rules:
            if "border:" in declarations:
                assert not re.search(r"(^|[\s,])\.wide|t[dh]\.wide", selectors), path
