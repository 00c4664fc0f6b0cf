"""Motion between two positions: a card that nothing but its place tells from its likes travels from where it lay."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from arena.reports.pages.assets import FILES
from helpers.browser import chromium, in_browser, watched
from helpers.table_page import TablePage

pytestmark = in_browser

SOURCES = """(values) => {
  const [before, after, mover] = JSON.parse(values), host = document.body.appendChild(document.createElement("div"));
  host.className = "table";
  const draw = (position) => arena.tables.nanatoridori.draw(host, position, {seat: 0, names: null, lang: "en"});
  const centre = (element) => {
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const cards = () => [...host.querySelectorAll("[data-key]")];
  draw(before);
  const old = cards().map((card) => [card.dataset.key, ...centre(card)]);
  arena.motion(host, () => draw(after), {duration: 1e6, movers: [mover]});
  const found = {};
  for (const card of cards()) {
    const [animation] = card.getAnimations();
    if (!animation) continue;
    const {transform} = animation.effect.getKeyframes()[0], turned = transform.includes("scaleX");
    animation.cancel();
    const shift = new DOMMatrix(transform), [x, y] = centre(card), half = turned ? 2 : 1;
    const near = old.find(([, left, top]) => Math.hypot(left - x - half * shift.e, top - y - half * shift.f) < 1.5);
    found[card.dataset.key] = near?.[0] ?? null;
  }
  host.remove();
  return JSON.stringify(found);
}"""
"""Key of each card that moves, the key of the card that lay where it comes from."""

START = {
    "game": "nanatoridori", "seats": 3, "turn": 0, "phase": "turn", "hands": ["5526", "???", "????"], "stock": "?????",
    "discard": "71",
    "table": {"value": 5, "count": 1, "owner": 2}, "penguins": [2, 2, 2],
}  # fmt: skip
PLAYED = {
    **START,
    "phase": "take",
    "hands": ["26", "???", "????"],
    "table": {"value": 5, "count": 2, "owner": 0},
    "beaten": {"value": 5, "count": 1},
}
TAKEN = {**PLAYED, "phase": "turn", "turn": 1, "hands": ["265", "???", "????"], "beaten": None}
DROPPED = {**PLAYED, "phase": "turn", "turn": 1, "discard": "715", "beaten": None}
HEARD = {
    **TAKEN,
    "phase": "take",
    "turn": 1,
    "hands": ["265", "?", "????"],
    "table": {"value": 6, "count": 2, "owner": 1},
    "beaten": {"value": 5, "count": 2},
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.mark.parametrize(
    ("before", "after", "mover", "expected"),
    [
        (PLAYED, TAKEN, 0, {"5#hand-0.1": "5#beaten.1"}),
        (PLAYED, DROPPED, 0, {"5#discard.1": "5#beaten.1"}),
        (TAKEN, HEARD, 1, {"5#beaten.1": "5#table.1", "5#beaten.2": "5#table.2", "6#table.1": "?hand-1#1"}),
    ],
    ids=["taken", "dropped", "played by another seat"],
)  # fmt: skip
def test_a_card_travels_from_where_one_of_its_likes_left(
    browser: Browser, before: dict[str, Any], after: dict[str, Any], mover: int, expected: dict[str, str]
) -> None:
    with watched(browser, width=900) as seen:
        TablePage(seen.page, "nanatoridori")
        seen.page.add_script_tag(content=(FILES / "motion.js").read_text("utf-8"))
        found = json.loads(seen.page.evaluate(SOURCES, json.dumps([before, after, mover])))
        assert {key: found.get(key) for key in expected} == expected
        assert seen.complaints == []
