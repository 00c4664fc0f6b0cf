"""Markdown on the server's pages: no style, no code of others, headings to jump to."""

import re

import pytest

from arena import games
from arena.reports.manual import guide_texts, rules_texts
from arena.reports.table import LANGUAGES
from arena.server.rendering import Heading, prose
from helpers.members import Members

TEXT = """\
# Naga: the rules

A <script>alert(1)</script> and [a place](#two), [a file](../x.py), [outside](https://example.org).

## One `two`

| a | b |
|---|--:|
| 1 | 2 |
"""


def test_a_text_becomes_a_page_without_styles_and_without_its_own_tags() -> None:
    found = prose(TEXT)
    assert found.title == "Naga: the rules"
    assert found.headings == (Heading("one-two", "One `two`"),)
    assert "<script" not in found.body and "&lt;script&gt;" in found.body
    assert 'href="#two"' in found.body and 'href="https://example.org"' in found.body and "x.py" not in found.body
    assert '<th scope="col" class="right">b</th>' in found.body and "style=" not in found.body


def test_the_rules_of_every_game_have_a_page_in_each_of_their_languages() -> None:
    for game in games.names():
        for text in rules_texts(game).values():
            found = prose(text)
            assert found.headings and "style=" not in found.body
            assert all(f'id="{heading.anchor}"' in found.body for heading in found.headings)


def test_a_section_is_linked_by_its_number_in_every_language() -> None:
    assert '<h2 id="12-a-turn"><span id="section-1.2"></span>1.2 A turn</h2>' in prose("# Rules\n\n## 1.2 A turn\n").body
    for text in rules_texts("naga").values():
        assert prose(text).body.count('id="section-2.2"') == 1


OURS = ("hisatsu", "naga", "nanatoridori", "nertz", "yaniv")
CARD = {
    "hisatsu": r"request:(Fox|Crane)|[0-4]:[1-7?]", "naga": "[dlfawte][1-7]|[IK]", "nanatoridori": "[1-7]",
    "nertz": "[SHDC][A2-9TJQK]", "yaniv": r"[SHDC][A2-9TJQK]|\*",
}  # fmt: skip
TWO_SCREENS = {"en": 400, "ja": 1000}
"""Words of English, letters of Japanese."""


@pytest.mark.parametrize("game", OURS)
def test_the_rules_for_players_are_short_have_pictures_and_say_the_same_in_both_languages(game: str) -> None:
    found = guide_texts(game)
    assert sorted(found) == sorted(LANGUAGES)
    assert len(found["en"].split()) <= TWO_SCREENS["en"] and len(found["ja"]) <= TWO_SCREENS["ja"]
    pictures = {language: re.findall(r"\]\(cards:(.*?)\)", text) for language, text in found.items()}
    assert pictures["en"] == pictures["ja"] and len(pictures["en"]) >= 2
    assert all(re.fullmatch(CARD[game], card) for row in pictures["en"] for card in row.split(","))
    for text in found.values():
        assert prose(text).body.count("data-cards=") == len(pictures["en"]) == prose(text).body.count("<figcaption>")
        assert "O-" not in text, "no decisions"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_a_game_is_for_players_and_leads_to_the_whole_text(members: Members, language: str) -> None:
    short = members.aya.get("/rules/yaniv", params={"lang": language}).text
    assert "O-Y1" not in short and '<a class="button" href="/rules/yaniv/full">' in short and "/learn/yaniv" in short
    whole = members.aya.get("/rules/yaniv/full", params={"lang": language}).text
    assert "O-Y1" in whole and 'id="section-5.2"' in whole and '<a href="/rules/yaniv">' in whole
