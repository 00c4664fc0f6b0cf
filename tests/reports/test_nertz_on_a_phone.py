"""Nertz by touch on a small phone: the middle and the own cards on one screen, and runs that any of their cards picks up."""

from collections.abc import Iterator

import pytest

from arena.reports.pages.lessons import lesson
from helpers.browser import chromium, in_browser, watched
from helpers.choosing_page import ChoosingPage
from helpers.nertz_tables import deal, legal, masked

pytestmark = in_browser

PHONE = {"width": 360, "height": 780}
LEAST = 44
"""The width and height of what is touched, in pixels."""
HEADER = 120
"""Pixels of a phone's screen that the page's own head may take."""


@pytest.fixture(scope="module")
def table() -> Iterator[ChoosingPage]:
    with chromium() as browser, watched(browser, **PHONE, has_touch=True) as seen:
        yield ChoosingPage(seen.page, "nertz")
        assert seen.complaints == []


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_the_middle_and_the_own_cards_are_on_one_screen(table: ChoosingPage, seats: int) -> None:
    states = deal(4, seats=seats)
    table.ask(masked(states, 0), legal(states))
    phone = table.page
    low, high = phone.locator(".nertz .own .piles").bounding_box(), phone.locator('[data-zone="foundations"]').bounding_box()
    assert low and high
    assert low["y"] + low["height"] - high["y"] <= PHONE["height"] - HEADER
    for touched in phone.locator(".own .can-choose, .choosing-target").all():
        box = touched.bounding_box()
        assert box and box["width"] >= LEAST and box["height"] >= LEAST


@pytest.mark.parametrize("card", ["0:S5", "0:H4", "0:C3"])
def test_a_run_is_picked_up_by_any_of_its_cards(table: ChoosingPage, card: str) -> None:
    taught = lesson("nertz")
    assert taught is not None
    step = next(step for step in taught.steps if step.action == "work 1 work 3")
    table.ask(step.position, step.legal)
    phone = table.page
    box = phone.locator(f'[data-key="{card}"]').bounding_box()
    assert box
    phone.touchscreen.tap(box["x"] + 20, box["y"] + 10)
    assert table.played == ["work 1 work 3"]
