"""The pages that ship: each is whole on a narrow and a wide terminal, and all links between the pages of the browser work."""

import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

from arena.errors import ConfigError
from arena.games import names
from arena.reports import manual as pages
from arena.reports.manual import (
    ManualPage,
    TerminalPage,
    docs_names,
    docs_page,
    games_with_rules,
    html,
    index,
    page_of_link,
    rules_page,
    tokens,
    written,
)
from helpers import poker_rooms
from helpers.paths import DOCS

PAGES = [*map(docs_page, docs_names()), *map(rules_page, games_with_rules())]


def shown(text: str, columns: int) -> str:
    """A page of this text as a terminal of so many columns shows it."""
    console = Console(file=io.StringIO(), width=columns)
    console.print(TerminalPage(ManualPage("arena docs x", "x", text)))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_every_page_that_ships_is_found() -> None:
    assert set(docs_names()) == {path.stem for path in DOCS.glob("*.md")}
    assert list(games_with_rules()) == names() and games_with_rules()["nertz"].startswith("Nertz")
    assert all(about for group in index().values() for about in group.values())
    assert len({page.file for page in PAGES}) == len({page.command for page in PAGES}) == len(PAGES)


def test_an_unknown_page_is_answered_with_all_pages() -> None:
    with pytest.raises(ConfigError, match='no page "vews"; there are: commands, playing, mcp, learning, cards, server, '):
        docs_page("vews")
    with pytest.raises(ConfigError, match='no game "nega"; did you mean "naga"'):
        rules_page("nega")


def test_rooms_of_other_distributions_have_their_rules_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with poker_rooms.installed(poker_rooms.GAMES, tmp_path):
        assert set(games_with_rules()) == {*names(), *poker_rooms.NAMES} and rules_page("kuhn").text.startswith("# Kuhn")
        monkeypatch.setattr(pages, "RULES", "NONE.md")
        with pytest.raises(ConfigError, match=r"leduc: there is no NONE.md in .*poker_rooms/leduc"):
            rules_page("leduc")
        assert games_with_rules() == {}


@pytest.mark.parametrize("columns", [60, 100])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.file)
def test_a_page_is_whole_on_a_terminal_of_any_width(page: ManualPage, columns: int) -> None:
    text = shown(page.text, columns)
    assert "…" not in text or "…" in page.text  # the library's sign for something cut
    assert Console(width=columns).measure(text).maximum <= columns
    assert not re.search(r"\]\(|<!--", text)
    words = re.findall(r"[a-z]{3,}", " ".join(token.content for token in tokens(page.text) if token.type == "inline").lower())
    seen = text.lower() + re.sub(r"\n\s*", "", text.lower())  # a name that is longer than a line is folded
    assert set(words) - {"md", "games"} - set(re.findall(r"[a-z]{3,}", seen)) <= link_targets(page.text)


def link_targets(text: str) -> set[str]:
    """The words in the targets of links, which the terminal does not show."""
    return set(re.findall(r"[a-z]{3,}", " ".join(re.findall(r"\]\(([^)]+)\)", text)).lower()))


def test_links_become_commands() -> None:
    text = shown("See [views.md](views.md), [the rules](../games/naga/RULES.md#x), [below](#y), [Ray](https://ray.io).", 100)
    assert text.split() == (
        ["See", "arena", "docs", "views,", "the", "rules", "(arena", "rules", "naga),", "below,", "Ray", "(https://ray.io)."]
    )  # fmt: skip
    assert page_of_link("nowhere.md") is None and page_of_link("protocol.schema.json") is None


def test_a_table_keeps_its_words_or_becomes_lists() -> None:
    table = "| bot | what it does |\n|---|---|\n| naga_planner | thinks ahead for a long while |\n"
    assert "naga_planner  thinks" in shown(table, 30)
    lines = [line.rstrip() for line in shown(table, 20).splitlines()]
    assert lines[1:] == ["bot: naga_planner", "  what it does:", "  thinks ahead for a", "  long while", ""]


class Links(HTMLParser):
    """The ids, the links and whatever a page loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.add(str(value))
            elif name == "href" and tag == "a":
                self.links.append(str(value))
            elif name in ("src", "href"):
                self.loaded.append(str(value))


def test_all_links_of_the_browser_work_and_nothing_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(docs_page("views"))
    found = {path.name: Links(path.read_text("utf-8")) for path in file.parent.glob("*.html")}
    assert file.name == "views.html" and set(found) == {f"{page.file}.html" for page in PAGES}
    for name, page in found.items():
        assert all(address.startswith("data:image/png;base64,") for address in page.loaded)  # pictures stand in the page itself
        assert {f"{other.file}.html" for other in PAGES} <= set(page.links)  # from every page to every other
        for link in page.links:
            path, _, anchor = link.partition("#")
            if not link.startswith("https://"):
                assert path in ("", *found), f"{name}: {link} leads nowhere"
                assert not anchor or anchor in found[path or name].ids, f"{name}: there is no {link}"
    assert found["tables.html"].loaded
    assert written(docs_page("views")) == file  # the second time they are there


def test_markup_of_a_page_is_not_run() -> None:
    text = html(tokens("# A `b`\n\n<script>alert(1)</script> [x](y.md)\n"), str.upper)
    assert '<h1 id="a-b">' in text and '<a href="Y.MD">' in text and "<script" not in text and "&lt;script" in text
