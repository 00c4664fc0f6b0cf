"""Every text that a page of the hall asks for is in the catalogue."""

import re

from arena.pages.words import LANGUAGES, PAGE, catalogue
from helpers.paths import PACKAGE

ASKED = re.compile(r"""\bword\(["'](\w+)["']""")


def test_no_page_asks_for_a_text_that_is_not_there() -> None:
    found = {
        f"{path.name}: {key}"
        for path in (PACKAGE / "site").rglob("*")
        if path.suffix in (".jinja", ".js", ".py")
        for key in ASKED.findall(path.read_text("utf-8"))
        if not key.endswith("_") and key not in catalogue(PAGE)[LANGUAGES[0]]  # one that ends so is the beginning of several
    }
    assert not found


def test_every_state_has_a_word() -> None:
    for state in ("starting", "running", "stopped", "finished", "unreadable"):
        assert f"state_{state}" in catalogue(PAGE)[LANGUAGES[0]]
