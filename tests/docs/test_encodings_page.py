"""docs/encodings.md is what the rooms' planes say."""

from arena.audit.laws.encodings import encodings_page
from helpers.paths import DOCS


def test_the_page_is_written_by_its_command() -> None:
    written = (DOCS / "encodings.md").read_text("utf-8")
    assert encodings_page() == written, "if meant: python -m arena.audit.laws.encodings > arena/docs/encodings.md"
