"""Every text that a page of the hall asks for is in the catalogue."""

import re

from arena.pages.words import LANGUAGES, PAGE, catalogue
from helpers.paths import PACKAGE

ASKED = re.compile(r"""\bword\(["'](\w+)["']|["'](refusal_\w+)["']""")


def test_no_page_asks_for_a_text_that_is_not_there() -> None:
    found = {
        f"{path.name}: {key}"
        for path in (PACKAGE / "site").rglob("*")
        if path.suffix in (".jinja", ".js", ".py")
        for pair in ASKED.findall(path.read_text("utf-8"))
        for key in filter(None, pair)
        if not key.endswith("_") and key not in catalogue(PAGE)[LANGUAGES[0]]  # one that ends so is the beginning of several
    }
    assert not found


def test_every_state_has_a_word() -> None:
    for state in ("starting", "running", "stopped", "finished", "unreadable"):
        assert f"state_{state}" in catalogue(PAGE)[LANGUAGES[0]]


def test_every_reason_of_a_problem_is_given_somewhere() -> None:
    code = "".join(path.read_text() for path in (PACKAGE / "site").rglob("*.py"))
    reasons = [key for key in catalogue(PAGE)[LANGUAGES[0]] if key.startswith("refusal_")]
    assert reasons and [key for key in reasons if f'"{key}"' not in code] == []
