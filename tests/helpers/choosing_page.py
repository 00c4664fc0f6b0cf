"""A page on which the table of one game is drawn for a seat that has to choose, and plays what is clicked or tapped."""

import json
from typing import Any

import msgspec
from playwright.sync_api import Page

from arena.reports.pages.assets import choosing_files, table_files
from arena.reports.pages.words import LIVE, PAGE, catalogue
from arena.server.table_process.messages import Refusal

_SCRIPT = """
window.choose = (game, {position, seat, legal, refusals}) => {
  const root = document.createElement("div"), onAction = (action) => played.push(action);
  window.played = [];
  root.className = "table";
  const choosing = arena.choosing(root, {game, lang: "en", rules: `/rules/${game}`, onAction});
  document.body.replaceChildren(root, choosing.bar, choosing.element);
  choosing.redraw(() => arena.tables[game].draw(root, position, {seat, names: null, lang: "en"}));
  choosing.ask({legal, refusals, position, seat, names: null});
};
"""


class ChoosingPage:
    """The table of a game on a page of its own."""

    def __init__(self, page: Page, game: str) -> None:
        self.page, self._game = page, game
        page.set_content('<!doctype html><html lang=en><meta name="viewport" content="width=device-width"><body></body>')
        files = [*choosing_files(), *table_files(game)]
        for file in sorted(files, key=lambda path: path.suffix):  # styles first
            (page.add_style_tag if file.suffix == ".css" else page.add_script_tag)(content=file.read_text("utf-8"))
        words = {name: catalogue(name) for name in (PAGE, LIVE, game)}
        page.add_script_tag(content=f"Object.assign(arena.words, {json.dumps(words)});{_SCRIPT}")

    def ask(self, position: Any, legal: list[str], *, seat: int = 0, refusals: list[Refusal] | None = None) -> None:
        """Draw a position for a seat, which has to choose."""
        asked = {"position": position, "seat": seat, "legal": legal, "refusals": refusals or []}
        self.page.evaluate("([game, asked]) => choose(game, asked)", [self._game, msgspec.to_builtins(asked)])

    @property
    def played(self) -> list[str]:
        """The actions that were played since the last question."""
        found: list[str] = self.page.evaluate("played")
        return found
