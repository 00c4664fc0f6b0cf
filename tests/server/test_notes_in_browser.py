"""The notes of a bot in a real browser: made on demand, shown at their step and as lines, by keyboard, in both languages."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.agent import read_bot
from arena.agent.submissions import Submissions
from arena.records import MatchRecord
from helpers.browser import Watched, assert_fits_and_is_accessible, chromium, in_browser, watched
from helpers.paths import TEST_BOTS
from helpers.serving import Served, served
from helpers.tournaments import run

pytestmark = in_browser
WIDTHS = (320, 820, 1440)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, MatchRecord]]:
    """A server with a match of a bot that notes what a page must not take for its own, and one that does not repeat."""
    folder = tmp_path_factory.mktemp("noted")
    store = Submissions(folder / "out")
    for name in ("hostile", "wanders"):
        store.submit(name, read_bot(TEST_BOTS / "noting_bot.py"), ())
    bots = [{"path": f"submitted:{name}", "params": {"how": name}, "trusted": True} for name in ("hostile", "wanders")]
    record = next(iter(run(folder, name="cup", bots=bots, deals=1).records()))
    with served(folder / "out") as found:
        yield found, record


def choose(page: Page, record: MatchRecord, bot: str) -> None:
    """Choose a bot of the match, and have its notes made."""
    page.locator(".player-notes select").select_option(str([row.bot for row in record.seats].index(bot)))
    page.locator(".player-notes > button").press("Enter")
    expect(page.locator(".notes-here")).to_be_visible(timeout=60_000)


def assert_fine(window: Watched) -> None:
    assert_fits_and_is_accessible(window.page, WIDTHS)
    assert window.complaints == []


def test_notes_are_made_and_read_by_keyboard(browser: Browser, noted: tuple[Served, MatchRecord]) -> None:
    server, record = noted
    with watched(browser, reduced_motion="reduce") as window:
        page = window.page
        server.enter(page)
        page.goto(f"{server.base}/m/{record.match_id}")
        choose(page, record, "hostile")
        page.get_by_role("button", name="Next note").press("Enter")
        here = page.locator(".notes-here")
        expect(here.get_by_role("listitem").nth(4)).to_have_text(r"\ud800\x00\u202e<b>: 1")
        expect(here).to_contain_text("What was no text and number is left out.")
        slider = page.get_by_role("slider", name="legal")
        steps = [page.url]
        for key in ("End", "ArrowLeft", "Home", "ArrowRight"):
            slider.press(key)
            expect(slider).to_be_focused()
            page.wait_for_function("before => location.href !== before", arg=steps[-1])
            steps.append(page.url)
            said = slider.get_attribute("aria-valuetext") or ""
            number = said.partition(":")[0].removeprefix("decision ")
            expect(here.get_by_role("heading")).to_have_text(f"Decision {number}")
        box = slider.bounding_box()
        assert box is not None
        slider.click(position={"x": box["width"] - 8, "y": 10})
        page.wait_for_function("before => location.href !== before", arg=steps[-1])
        assert page.url == steps[1], "a click at the right end leads where the key End does"
        assert_fine(window)


def test_a_bot_that_does_not_repeat_is_marked(browser: Browser, noted: tuple[Served, MatchRecord]) -> None:
    server, record = noted
    with watched(browser, dark=True, locale="ja-JP", reduced_motion="reduce") as window:
        page = window.page
        server.enter(page)
        page.goto(f"{server.base}/m/{record.match_id}")
        choose(page, record, "wanders")
        expect(page.locator(".notes-warnings")).to_contain_text("同じ動きを繰り返しません")
        page.get_by_role("slider", name="legal").press("End")
        expect(page.locator(".notes-here .is-other")).to_contain_text("対局のときではなく")
        expect(page.locator(".notes-values.is-other").first).to_be_attached()
        assert_fine(window)
