"""Naga, Hisatsu and Nana Toridori by card: large enough for a finger, on one screen, and each touch does what is meant."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from arena.games import load
from arena.server.table_process.broadcaster import refusals
from helpers.browser import chromium, in_browser, look, watched
from helpers.choosing_page import ChoosingPage

pytestmark = in_browser

PHONE, DESK = {"width": 360, "height": 780}, {"width": 1440, "height": 900}
LEAST = 44
"""The width and height of what is touched, in pixels."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@contextmanager
def table(browser: Browser, game: str, **size: int) -> Iterator[ChoosingPage]:
    with watched(browser, reduced_motion="reduce", **size) as seen:
        yield ChoosingPage(seen.page, game)
        assert seen.complaints == []


def asked(page: ChoosingPage, game: str, seats: int, actions: list[str], options: dict[str, Any] | None = None) -> str:
    """Show the position that a deal comes to by some actions; `seed` 5 for all. Gives the own hand's zone."""
    loaded = load(game)
    states = loaded.deal(seats, loaded.resolve_options(options or {}, seats), 5)
    for action in actions:
        texts = loaded.text.action_texts(states[0], loaded.legal_list(states))
        loaded.engine.step(states, loaded.legal_list(states)[texts.index(action)])
    seat, codes = int(loaded.engine.current_seat(states)), loaded.legal_list(states)
    seen = loaded.observed(states, seat)
    view = loaded.view(loaded, seen, seat, codes=codes, events=list, clock=None)
    page.ask(view.position, view.legal, seat=seat, refusals=refusals(view))
    return f"hand-{seat}"


@pytest.mark.parametrize(("game", "seats"), [("naga", 2), ("hisatsu", 5), ("nanatoridori", 3), ("nanatoridori", 2)])
def test_what_is_touched_is_large_enough_and_the_table_is_on_one_screen(browser: Browser, game: str, seats: int) -> None:
    with table(browser, game, **PHONE) as page:
        hand = asked(page, game, seats, [])
        shown = page.page.locator(".can-choose, .choosing-target").all()
        boxes = [box for touched in shown if (box := touched.bounding_box())]
        assert boxes and all(box["width"] >= LEAST and box["height"] >= LEAST for box in boxes), boxes
        assert page.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        look(page.page, **DESK)
        low = page.page.locator(f'[data-zone="{hand}"]').bounding_box()
        assert low and low["y"] + low["height"] <= DESK["height"] - 120, "below the head of the page"


def test_equal_cards_that_are_no_neighbours_are_not_played_for_each_other(browser: Browser) -> None:
    with table(browser, "nanatoridori", **PHONE) as page:
        page.ask(_nana("55355"), ["play 0 1", "play 0 2", "play 2 1", "play 3 1", "play 3 2"])
        page.page.locator('[data-key="5#hand-0.4"]').click()
        expect(page.page.locator('[data-key="5#hand-0.3"]')).to_have_class("playing-card can-choose")
        page.page.locator('[data-key="5#hand-0.3"]').click()
        page.page.locator('[data-zone="table"]').click()
        assert page.played == ["play 3 2"]
        page.ask(_nana("55355"), ["play 0 1", "play 2 1", "play 3 1"])
        page.page.locator('[data-key="5#hand-0.2"]').click()
        assert page.played == ["play 0 1"], "one card that fits one action is played at once"


def test_cards_go_into_the_gap_that_is_touched(browser: Browser) -> None:
    with table(browser, "nanatoridori", **PHONE) as page:
        taken = {
            **_nana("5535"),
            "phase": "take",
            "beaten": {"value": 5, "count": 1},
            "table": {"value": 7, "count": 1, "owner": 0},
        }
        page.ask(taken, [*(f"take {gap}" for gap in range(5)), "drop"])
        card = page.page.locator('[data-key="3#hand-0.1"]').bounding_box()
        assert card
        page.page.mouse.click(
            card["x"] + card["width"] - 6, card["y"] + card["height"] / 2
        )  # the half of the card beside the gap
        assert page.played == ["take 3"]
        page.ask(taken, [*(f"take {gap}" for gap in range(5)), "drop"])
        page.page.locator('[data-zone="discard"]').click()
        assert page.played == ["drop"]
        page.ask(_nana("5535"), ["play 0 1"])
        expect(page.page.locator('[data-zone="gap-0"]')).to_have_count(0)


def test_a_card_that_cannot_go_somewhere_says_why(browser: Browser) -> None:
    with table(browser, "hisatsu", **PHONE) as page:
        hand = asked(page, "hisatsu", 3, [])
        page.page.locator(f'[data-zone="{hand}"] [data-key$=":7"]').click()
        hidden = page.page.locator(".slot:has(.one-point)").first
        hidden.locator(".tally").click()
        assert page.played == []
        expect(page.page.locator(".choosing-message")).to_contain_text("the 7 may not")
        expect(page.page.locator(".choosing-message a")).to_have_attribute("href", "/rules/hisatsu/full#section-3.2")
        page.page.keyboard.press("Escape")
        page.page.locator(f'[data-zone="{hand}"] [data-key$=":6"]').click()
        hidden.locator(".tally").click()
        assert len(page.played) == 1 and page.played[0].startswith("place 6 ")


def test_naga_is_played_by_islands_and_three_cards(browser: Browser) -> None:
    with table(browser, "naga", **PHONE) as page:
        hand = asked(page, "naga", 2, [])
        page.page.locator(f'[data-zone="{hand}"] [data-key]').first.click(force=True)
        expect(page.page.locator(".choosing-message")).to_contain_text("First pick")
        page.page.locator('[data-zone="island-6"] h4').click()
        assert page.played == ["field 6"]
        hand = asked(page, "naga", 2, ["field 6"])
        cards = page.page.locator(f'[data-zone="{hand}"] [data-key]')
        keys = [cards.nth(place).get_attribute("data-key") for place in (0, 2, 4)]
        for key in keys:
            page.page.locator(f'[data-key="{key}"]').click()
        assert page.played == [], "three cards want to be confirmed"
        page.page.locator('[data-zone="island-6"] h4').click()
        assert page.played == ["select " + " ".join(map(str, keys))]


def _nana(hand: str) -> dict[str, Any]:
    """A position of the basic rules in which seat 0 is to choose."""
    rest = {"stock": "?" * 20, "discard": "", "table": None, "drawn": None, "beaten": None, "out": [], "memory": None}
    return {
        "game": "nanatoridori", "options": {"variant": "basic"}, "seats": 3, "round": 1, "turn": 0, "phase": "turn",
        "starter": 0, "hands": [hand, "????????", "????????"], "passes": 0, "penguins": [2, 2, 2], **rest,
    }  # fmt: skip
