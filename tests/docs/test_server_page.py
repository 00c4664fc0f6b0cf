"""The page on the server names every address that there is, and no other."""

import re

from arena.server.routes import EMBEDDED, SUBJECTS
from helpers.paths import DOCS

WORDS = {"{name:path}": "NAME", "{name}": "NAME", "{id}": "ID", "{game}": "GAME", "{code}": "CODE"}


def as_written(path: str) -> str:
    for part, word in WORDS.items():
        path = path.replace(part, word)
    return path


def test_the_table_lists_the_pages_of_the_server() -> None:
    table = re.findall(r"^\| (`/.*?`) \|", (DOCS / "server.md").read_text(), re.MULTILINE)
    listed = {address for cell in table for address in re.findall(r"`([^`]+)`", cell)} - {"/t/archive", "/api/..."}
    assert listed == {as_written(subject.path) for subject in (*SUBJECTS, *EMBEDDED) if subject.template}
