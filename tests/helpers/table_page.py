"""A page of a real browser that draws the tables of the games, and tells what it drew."""

import json
from typing import Any

import msgspec
from playwright.sync_api import Page

from arena.reports.pages.assets import FILES, table_files
from arena.reports.pages.words import PAGE, catalogue

WIDTH = 320
"""The narrowest screen, in pixels: every table must fit."""

_SCRIPT = """
const host = document.body.appendChild(document.createElement("div"));
document.body.style.margin = 0;  // as wide as the window
const shape = (card) => ({
  key: card.dataset.key, zone: card.closest("[data-zone]")?.dataset.zone ?? null,
  is_back: card.classList.contains("card-back"), has_face: card.querySelector("svg") !== null,
  label: card.getAttribute("aria-label"),
});
const tooWide = (root) => {
  const {left, right} = root.getBoundingClientRect();
  return [...root.querySelectorAll(":not(svg *)")].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.right > right + 0.5 || box.left < left - 0.5);
  });
};
window.drawn = (game, moments) => moments.map(({position, seat, names, lang}, index) => {
  const draw = () => {
    const root = document.createElement("div");
    root.className = "table";
    host.replaceChildren(root);
    arena.tables[game].draw(root, structuredClone(position), {seat, names, lang, legal: null, onAction: null});
    return root;
  };
  const first = index % 3 ? null : draw().outerHTML, root = draw();
  const wide = index % 4 % 3 ? [] : tooWide(root);
  return {
    is_pure: first === null || first === root.outerHTML, text: root.textContent,
    cards: [...root.querySelectorAll("[data-key]")].map(shape),
    zones: [...root.querySelectorAll("[data-zone]")].map((zone) => zone.dataset.zone),
    labels: [...root.querySelectorAll("[aria-label]")].map((element) => element.getAttribute("aria-label")),
    unnamed_zones: [...root.querySelectorAll("[data-zone]:not([aria-label])")].map((zone) => zone.dataset.zone),
    too_wide: wide.map((element) => element.cloneNode(false).outerHTML),
  };
});
window.said = (game, events) => events.map(({event, position, names}) =>
  ["en", "ja"].map((lang) => arena.tables[game].say(event, {lang, position, names})));
window.moved = (game, moments) => moments.map(({position, seat, legal}) =>
  legal.map((action) => arena.tables[game].moves(action, {position, seat})));
window.named = (game, texts) => texts.map((text) => ["en", "ja"].map((lang) => arena.tables[game].name(text, lang)));
"""


class Card(msgspec.Struct):
    """A card of the drawing. `zone`: the place where it lies."""

    key: str
    zone: str | None
    is_back: bool
    has_face: bool
    label: str | None


class Drawing(msgspec.Struct):
    """What a table made of one position."""

    is_pure: bool
    """Whether a second drawing of the same position is the same; only every third is drawn twice."""
    text: str
    cards: list[Card]
    zones: list[str]
    labels: list[str]
    unnamed_zones: list[str]
    too_wide: list[str]
    """Elements that reach beyond the table on the narrowest screen; only two of four drawings are laid out."""


class Chosen(msgspec.Struct, array_like=True, frozen=True):
    """A card to choose: any of its text in the zone, or one of certain keys only."""

    zone: str
    text: str
    keys: tuple[str, ...] = ()


class Move(msgspec.Struct):
    """How a person plays an action: the cards to choose, and the zone to put them on."""

    cards: list[Chosen]
    to: str | None
    along: list[Chosen] = []
    """The cards that go with them, of the same zone."""
    lands: str | None = None
    """The zone where they lie then, if it is not `to`."""


class TablePage:
    """A page that holds the kit and the table of one game."""

    def __init__(self, page: Page, game: str) -> None:
        self._page, self.game = page, game
        page.set_content("<!doctype html><html lang=en><body></body></html>")
        files = [FILES / "kit.css", FILES / "kit.js", *table_files(game)]
        for file in sorted(files, key=lambda path: path.suffix):  # styles first
            (page.add_style_tag if file.suffix == ".css" else page.add_script_tag)(content=file.read_text("utf-8"))
        words = {name: catalogue(name) for name in (PAGE, game)}
        page.add_script_tag(content=f"Object.assign(arena.words, {json.dumps(words)});")
        page.add_script_tag(content=_SCRIPT)

    def drawn(self, moments: list[dict[str, Any]]) -> list[Drawing]:
        """The drawings of these moments: `position`, `seat`, `names`, `lang` each."""
        return msgspec.json.decode(self._asked("drawn", moments), type=list[Drawing])

    def said(self, events: list[dict[str, Any]]) -> list[tuple[str, str]]:
        """The sentences for these events (`event`, `position`, `names` each): in English and in Japanese."""
        return msgspec.json.decode(self._asked("said", events), type=list[tuple[str, str]])

    def moved(self, moments: list[dict[str, Any]]) -> list[list[Move]]:
        """How each legal action of these moments is played: `position`, `seat`, `legal` each."""
        return msgspec.json.decode(self._asked("moved", moments), type=list[list[Move]])

    def named(self, texts: list[str]) -> list[tuple[str, str]]:
        """The names of these cards in English and in Japanese."""
        return msgspec.json.decode(self._asked("named", texts), type=list[tuple[str, str]])

    def _asked(self, name: str, values: list[dict[str, Any]]) -> str:
        """The answer of one of the page's functions: as JSON, because Playwright takes long over large values."""
        script = "([name, game, values]) => JSON.stringify(window[name](game, JSON.parse(values)))"
        return str(self._page.evaluate(script, [name, self.game, json.dumps(values)]))
