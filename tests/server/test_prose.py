"""Markdown on the server's pages: no style, no code of others, headings to jump to."""

from arena import games
from arena.reports.manual import rules_texts
from arena.server.rendering import Heading, prose

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
