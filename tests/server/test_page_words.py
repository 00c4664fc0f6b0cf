"""Every text that a page of the server asks for is in the catalogue."""

import re

from arena.records import Ending
from arena.reports.pages.words import LIVE, NOTES, PAGE, SERVER, Words, catalogue, ended, server_words
from arena.reports.table import LANGUAGES
from helpers.paths import PACKAGE

ASKED = re.compile(r"""\bword\(["'](\w+)["']|["'](refusal_\w+)["']""")


def test_no_page_asks_for_a_text_that_is_not_there() -> None:
    found = {
        f"{path.name}: {key}"
        for path in (PACKAGE / "server").rglob("*")
        if path.suffix in (".jinja", ".js", ".py")
        for pair in ASKED.findall(path.read_text("utf-8"))
        for key in filter(None, pair)
        if not key.endswith("_") and key not in _known_to(path.name)  # one that ends so is the beginning of several
    }
    assert not found


def test_every_state_has_a_word() -> None:
    for state in ("starting", "running", "stopped", "finished", "unreadable"):
        assert f"state_{state}" in catalogue(PAGE)[LANGUAGES[0]]


def test_pools_and_endings_have_names_in_the_language_of_the_reader() -> None:
    english, japanese = (Words(language) for language in LANGUAGES)
    assert [word.pool("hisatsu") for word in (english, japanese)] == ["Hisatsu Shigotonin", "非殺仕事人"]
    assert [word.pool("overall") for word in (english, japanese)] == ["all games", "全ゲーム"]
    assert japanese.pool("naga, short") == "naga, short"  # a label of the organiser's own
    for ending in Ending:
        assert ended(ending) == (english.ending(ending), japanese.ending(ending)) and f"ending_{ending}" in japanese


def test_what_organisers_do_has_a_word() -> None:
    code = (
        "".join(path.read_text() for path in (PACKAGE / "server").rglob("*.py"))
        + (PACKAGE / "results/accounts.py").read_text()
        + (PACKAGE / "results/identities.py").read_text()
    )
    done = set(re.findall(r"""log(?:_look)?\([^"]*?, "(\w+)",""", code))
    known = {key.removeprefix("audit_did_") for key in server_words(LANGUAGES[0]) if key.startswith("audit_did_")}
    assert {"invite", "rename", "source", "sign_in"} <= done <= known


def test_every_reason_of_a_problem_is_given_somewhere() -> None:
    below = ("server/people/invitations.py", "results/accounts.py", "results/identities.py", "results/people.py")
    sources = [*(PACKAGE / "server").rglob("*.py"), *(PACKAGE / path for path in below)]
    code = "".join(path.read_text() for path in sources)
    reasons = [key for key in server_words(LANGUAGES[0]) if key.startswith(("refusal_", "sign_in_"))]
    assert reasons and [key for key in reasons if f'"{key}"' not in code] == []


def test_no_two_catalogues_of_the_server_share_a_key() -> None:
    keys = [key for name in SERVER for key in catalogue(name)[LANGUAGES[0]]]
    assert len(keys) == len(set(keys))


def _known_to(file: str) -> dict[str, str]:
    """The words of a file: the scripts of the tables that people play at, and of notes, have catalogues of their own."""
    if re.fullmatch(r"notes\w*\.js", file):
        return catalogue(NOTES)[LANGUAGES[0]]
    return catalogue(LIVE)[LANGUAGES[0]] if re.fullmatch(r"(table_\w+|lesson)\.js", file) else server_words(LANGUAGES[0])
