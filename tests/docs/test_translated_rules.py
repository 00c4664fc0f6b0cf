"""The rules in Japanese have the sections, the decisions and the notation of the rules in English."""

import re
from pathlib import Path

import pytest

from helpers.paths import PACKAGE

TRANSLATED = sorted(PACKAGE.glob("games/*/RULES.ja.md"))


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.parent.name)
def test_a_translation_follows_the_rules_section_by_section(page: Path) -> None:
    english, japanese = (path.read_text("utf-8") for path in (page.with_name("RULES.md"), page))
    assert sections(japanese) == sections(english)
    for ours, theirs in zip(re.split(r"^## ", japanese, flags=re.MULTILINE), re.split(r"^## ", english, flags=re.MULTILINE)):
        where = theirs.splitlines()[0]
        assert rows(ours) == rows(theirs), where
        assert decisions(ours) == decisions(theirs), where
        assert quoted(ours) == quoted(theirs), where


def test_the_games_from_japan_have_rules_in_japanese() -> None:
    assert {"hisatsu", "naga", "nanatoridori"} <= {page.parent.name for page in TRANSLATED}


def sections(text: str) -> list[str]:
    """The level and the number of each heading."""
    return re.findall(r"^(#+ [\d.]*)", text, re.MULTILINE)


def rows(text: str) -> int:
    return len(re.findall(r"^ *\|.*\|$", text, re.MULTILINE))


def decisions(text: str) -> list[str]:
    """The decisions and options that a section names."""
    return sorted(set(re.findall(r"O-[A-Z]\d+", text)))


def quoted(text: str) -> set[str]:
    """What a section says in the words of the program."""
    return set(re.findall(r"`([^`]+)`", text))
