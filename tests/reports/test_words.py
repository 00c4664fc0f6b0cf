"""Every text of the pages is there in every language, with the same values to fill in."""

import re

import pytest

from arena import games
from arena.reports.pages.words import LIVE, NOTES, PLAYER, SERVER, catalogue
from arena.reports.table import LANGUAGES


@pytest.mark.parametrize("name", [*SERVER, PLAYER, LIVE, NOTES, *games.names()])
def test_no_text_is_missing_in_any_language(name: str) -> None:
    texts = catalogue(name)
    assert sorted(texts) == sorted(LANGUAGES)
    english = texts["en"]
    for language in LANGUAGES:
        assert sorted(texts[language]) == sorted(english)
        for key, text in texts[language].items():
            assert text.strip() and _values(text) == _values(english[key]), key


def _values(text: str) -> list[str]:
    return sorted(re.findall(r"\{\w+\}", text))
