"""A table as text or as a picture, and what learning programs show on their terminal.

Pictures are the game's own drawing, by a Chromium without a window, one for all environments of this process. A terminal gets
tables as text, and a line before something is compiled.
"""

import io
import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.contract import States
from arena.engine.game import Game
from arena.errors import ConfigError, visible
from arena.reports.pages.assets import FILES, table_files
from arena.reports.pages.frames import draws_table
from arena.reports.pages.scenes import Scene, description, position
from arena.reports.pages.words import PAGE, words_script

Picture = NDArray[np.uint8]
"""[HEIGHT, WIDTH, 3]: red, green, blue."""
WIDTH, HEIGHT = 960, 720
"""Pixels of all pictures: videos need frames of one size. A table that is larger is drawn smaller."""
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_STYLE = f"""
body {{ margin: 0; font-family: system-ui, sans-serif; }}
#picture {{ width: {WIDTH}px; height: {HEIGHT}px; overflow: hidden; background: var(--felt); }}
#picture > .table {{ border: none; border-radius: 0; width: {WIDTH}px; transform-origin: top left; }}
#picture > pre {{ margin: 0; padding: 1rem; }}
"""
_SCRIPT = f"""
const picture = document.body.appendChild(document.createElement("div"));
picture.id = "picture";
const fitted = (root) => {{
  for (let width = {WIDTH}; ; width *= 1.1) {{  // wider and smaller, until it fits
    root.style.width = `${{width}}px`;
    const scale = {WIDTH} / width;
    if (root.scrollHeight * scale <= {HEIGHT} || width > {4 * WIDTH}) {{
      root.style.transform = `scale(${{scale}})`;
      return;
    }}
  }}
}};
window.draw = ({{game, position, seat, names, text}}) => {{
  const root = document.createElement(position ? "div" : "pre");
  picture.replaceChildren(root);
  if (position) {{
    root.className = "table";
    arena.tables[game].draw(root, position, {{seat, names, lang: "en", legal: null, onAction: null}});
  }} else root.textContent = text;
  fitted(root);
}};
"""


@dataclass
class _Studio:
    """The browser and its pages, in a thread of their own: Playwright takes the event loop of the thread that it runs in."""

    thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "pictures"))
    users: set[int] = field(default_factory=set)
    """The environments that may draw again, by id."""
    playwright: Any = None
    browser: Any = None
    pages: dict[str, Any] = field(default_factory=dict)
    """The page of each game, by its name."""


_studios: list[_Studio] = []
"""The studio of this process, if one is open."""


def picture(user: object, game: Game, states: States, seat: int | None) -> Picture:
    """The position as `seat` knows it, or all of it for None. Call `release_pictures` when no more are wanted.

    Raises ConfigError where there is no Playwright or no Chromium.
    """
    if not _studios:
        _studios.append(_Studio())
    studio = _studios[0]
    studio.users.add(id(user))
    try:
        return studio.thread.submit(_draw, studio, game, _moment(game, states, seat)).result()
    except ConfigError:
        release_pictures(user)
        raise


def release_pictures(user: object) -> None:
    """Say that an environment draws no more; the browser is closed after the last one."""
    for studio in list(_studios):
        studio.users.discard(id(user))
        if not studio.users:
            _studios.remove(studio)
            studio.thread.submit(_close, studio).result()
            studio.thread.shutdown()


def _moment(game: Game, states: States, seat: int | None) -> dict[str, Any]:
    is_over = bool(game.engine.is_round_over(states))
    scene = Scene(0, states[:1].tobytes(), is_end_of_round=is_over)
    shown = position(game, scene, seat) if draws_table(game.name) else None
    return {
        "game": game.name,
        "position": shown,
        "seat": seat,
        "names": [f"player_{number}" for number in range(max(game.seats))],
        "text": description(game, scene, seat),
    }


def _draw(studio: _Studio, game: Game, moment: dict[str, Any]) -> Picture:
    from PIL import Image

    if studio.browser is None:
        _open(studio)
    if game.name not in studio.pages:
        studio.pages[game.name] = _page(studio, game.name)
    page = studio.pages[game.name]
    page.evaluate("(moment) => draw(JSON.parse(moment))", json.dumps(moment))
    with Image.open(io.BytesIO(page.locator("#picture").screenshot(type="png"))) as image:
        return np.array(image.convert("RGB"), np.uint8)


def _open(studio: _Studio) -> None:
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise ConfigError("render: \"rgb_array\" needs Playwright and a Chromium: pip install 'arena-hall[draw]'") from None
    studio.playwright = sync_playwright().start()
    program = next((path for path in map(shutil.which, _PROGRAMS) if path), None)
    flags = ["--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")  # Chromium refuses to run as root with it
    try:
        studio.browser = studio.playwright.chromium.launch(executable_path=program, args=flags)
    except Error as error:
        raise ConfigError(
            f'render: "rgb_array" needs a Chromium that starts: install one, or run `playwright install chromium` ({error})'
        ) from None


def _page(studio: _Studio, game: str) -> Any:
    page = studio.browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", reduced_motion="reduce")
    page.set_content("<!doctype html><html lang=en><body></body></html>")
    files = [FILES / "kit.css", FILES / "kit.js", *table_files(game)]
    for file in sorted(files, key=lambda path: path.suffix):  # styles first
        (page.add_style_tag if file.suffix == ".css" else page.add_script_tag)(content=file.read_text("utf-8"))
    page.add_style_tag(content=_STYLE)
    page.add_script_tag(content=words_script((PAGE, game)))
    page.add_script_tag(content=_SCRIPT)
    return page


def _close(studio: _Studio) -> None:
    if studio.browser is not None:
        studio.browser.close()
    if studio.playwright is not None:
        studio.playwright.stop()


def print_visibly(text: str) -> None:
    """Print a text on standard output, whatever is in it made visible."""
    print(visible(text), flush=True)


def note_visibly(text: str) -> None:
    """Print a text on standard error, whatever is in it made visible."""
    print(visible(text), file=sys.stderr, flush=True)


RENDER_MODES = ("human", "ansi", "rgb_array")
"""How a table may be shown: printed, as text, or as a picture."""


class Renderer:
    """Shows the table of one environment."""

    def __init__(self, game: Game, mode: str | None) -> None:
        """`mode`: the environment's `render_mode`."""
        self._game = game
        self._mode = mode
        self.is_live = mode == "human"
        """Whether each new position is shown by itself."""

    def render(self, states: States, seat: int | None) -> str | Picture | None:
        """The position as `seat` knows it, or all of it for None; in mode `human` it is printed. Raises ConfigError."""
        if self._mode is None:
            raise ConfigError('render: the environment has no render_mode; give it "ansi", "rgb_array" or "human"')
        if self._mode == "rgb_array":
            return picture(self, self._game, states, seat)
        text = self._game.text.describe(states[0] if seat is None else self._game.observed(states[:1], seat)[0], seat)
        if self._mode == "ansi":
            return text
        print_visibly(text)
        return None

    def close(self) -> None:
        """Let the browser go, if there is one."""
        release_pictures(self)
