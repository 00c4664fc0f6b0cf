"""What notebooks show, in a browser: it is drawn without a complaint, as high as it is, light and dark as the notebook is."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import arena
from arena import games
from arena.agent import Agent
from arena.agent.view import View
from arena.match.single_match import agree
from arena.reports.pages.frames import StoredMatch
from helpers.browser import chromium, in_browser, watched

pytestmark = in_browser

NOTEBOOK = "<!doctype html><html lang=en><meta charset=utf-8><title>notebook</title><body{theme}><h1>Out</h1>{drawings}"


class Noting(Agent):
    """Plays its first action, and keeps the views."""

    def __init__(self) -> None:
        self.views: list[View] = []

    def act(self, view: View) -> str:
        self.views.append(view)
        return view.legal[0]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


def notebook(folder: Path, game: str, theme: str = "") -> Path:
    """A page with a result, a position and a replay, as a notebook shows them."""
    seats, bot = games.load(game).seats[0], Noting()
    record = arena.play_match(game, [bot, *["house:random_bot"] * (seats - 1)], seed=1)
    setup = agree(game, ["Noting", *["random_bot"] * (seats - 1)], seed=1)
    things = (record, bot.views[0], StoredMatch(games.load(game), record, setup.options, setup.deal_seed))
    path = folder / "notebook.html"
    path.write_text(NOTEBOOK.format(theme=theme, drawings="".join(thing._repr_html_() for thing in things)))  # type: ignore[attr-defined]
    return path


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("game", games.names())
def test_it_is_drawn_whole_without_a_request_or_a_complaint(browser: Browser, tmp_path: Path, game: str, *, dark: bool) -> None:
    with watched(browser, width=560 if dark else 1000, height=6000, dark=dark) as found:
        found.page.goto(notebook(tmp_path, game).as_uri())
        result, position, replay = (found.page.frame_locator(f"iframe >> nth={number}") for number in range(3))
        assert result.locator("tbody tr").count() == games.load(game).seats[0]
        position.locator(".table > *").first.wait_for()
        replay.locator(".player .table > *").first.wait_for()
        for number in range(3):
            frame = found.page.locator("iframe").nth(number)
            found.page.wait_for_function(
                "(frame) => frame.offsetHeight >= frame.contentDocument.body.scrollHeight - 1", arg=frame.element_handle()
            )
        assert found.outside("file:") == [] and found.complaints == []


@pytest.mark.parametrize(
    ("theme", "background"),
    [
        (" data-jp-theme-light=true", "rgb(246, 247, 249)"),
        (" data-jp-theme-light=false", "rgb(18, 21, 27)"),
        (" data-vscode-theme-kind=vscode-dark", "rgb(18, 21, 27)"),
    ],
)
@pytest.mark.parametrize("dark", [False, True], ids=["system light", "system dark"])
def test_its_colours_are_the_notebooks(browser: Browser, tmp_path: Path, theme: str, background: str, *, dark: bool) -> None:
    with watched(browser, height=6000, dark=dark) as found:
        found.page.goto(notebook(tmp_path, "naga", theme).as_uri())
        for number, drawn in enumerate((".scroll", ".table > *", ".player .table > *")):
            frame = found.page.frame_locator(f"iframe >> nth={number}")
            frame.locator(drawn).first.wait_for()
            assert frame.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor") == background


def test_a_replay_can_be_played_and_a_table_sorted(browser: Browser, tmp_path: Path) -> None:
    with watched(browser, height=6000) as found:
        found.page.goto(notebook(tmp_path, "naga").as_uri())
        replay = found.page.frame_locator("iframe >> nth=2")
        slider = replay.locator("input[type=range]").first
        slider.wait_for()
        slider.press("ArrowRight")
        assert slider.input_value() == "1"
        table = found.page.frame_locator("iframe >> nth=0")
        before = table.locator("tbody th").all_inner_texts()
        table.locator("thead button", has_text="bot").click()
        table.locator("thead button", has_text="bot").click()
        assert table.locator("tbody th").all_inner_texts() in (before, before[::-1])
        assert table.locator("thead th[aria-sort=descending]").count() == 1
        assert found.complaints == []
