"""docs/learning.md is true: its blocks run, except those of libraries that are missing; its example is the one that ships.

What the page says about OpenSpiel is tested by test_openspiel_bots.py.
"""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from arena.learning.tables import Tables
from helpers.paths import DOCS, EXAMPLES, HOUSE_BOTS

PAGE = (DOCS / "learning.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
OPTIONAL = ("torch", "sb3_contrib", "rlcard")
"""Libraries that the tests do not install: where one is missing, the blocks that name it are left out."""
BLOCKS = {name: re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE) for name, text in SECTIONS.items()}


@pytest.mark.filterwarnings("ignore:.*distutils.*:DeprecationWarning")  # RLCard imports it
@pytest.mark.parametrize("section", [name for name, found in BLOCKS.items() if found and name != "OpenSpiel"])
def test_the_blocks_of_a_section_run_in_order(section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = [name for name in OPTIONAL if find_spec(name) is None]
    found = [block for block in BLOCKS[section] if not any(name in block for name in missing)]
    if not found:
        pytest.skip(f"not installed: {', '.join(missing)}")
    (tmp_path / "bots").symlink_to(HOUSE_BOTS)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    for block in found:
        exec(block, names)


def test_the_rivals_of_the_page_may_sit_at_a_table() -> None:
    for rival in re.findall(r"^\| `([a-z:_0-9]+)`.* \| ", SECTIONS["Gymnasium"].partition("| rival |")[2], re.MULTILINE):
        assert Tables("naga", rivals=[rival])


@pytest.mark.parametrize(("example", "lines"), [("deep_monte_carlo", 199), ("policy_gradients", 150)])
def test_the_examples_are_as_short_as_the_page_says(example: str, lines: int) -> None:
    path = EXAMPLES / example / "learn.py"
    assert f"bots/examples/{path.parent.name}/{path.name}" in PAGE
    assert len(path.read_text("utf-8").splitlines()) <= lines
