"""How long a person waits from a click to the table that shows it: the whole way, in the page of a real browser.

The page notes it itself, in a Performance measure (`DRAWN` in server/static/table_page.js). Bots move after the frame that is
waited for, so their time is not in it. What is clicked on has been painted before: nobody clicks on what is not to be seen.
Without Playwright or a Chromium there is nothing to measure with.
"""

import importlib.util
import shutil
from typing import Any

import numpy as np

from arena.games import load, names
from lab.answers import AnswerCost
from lab.server_process import Server

GAMES = [name for name in names() if not any(one.name == "latency" for one in load(name).options)]
"""Games that wait for people: in real time a click waits for its tick."""
CLICKS = 40
"""Clicks in each game."""
_MEASURE = "arena: from an action to the table that shows it"
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
_LOOK_MS, _MOST_LOOKS = 20, 6_000
_CLICK = """
async () => {
  if (document.querySelector(".live-result h2")) return "over";
  const isMine = document.querySelector(".live-status.is-mine");
  for (let frames = 0; isMine && frames < 2; frames++) await new Promise(requestAnimationFrame);
  for (const group of document.querySelectorAll(".choosing-list details:not([open])")) group.open = true;
  const all = isMine ? document.querySelectorAll(".choosing-list button[data-action]") : [];
  if (all.length) all[Math.floor(Math.random() * all.length)].click();
  return "";
}
"""


def browser_program() -> str | None:
    """The Chromium that pages are measured in; None where it or Playwright is missing."""
    if importlib.util.find_spec("playwright") is None:
        return None
    return next((path for path in map(shutil.which, _PROGRAMS) if path), None)


def drawn_costs(server: Server, program: str, clicks: int = CLICKS) -> tuple[AnswerCost, ...]:
    """Click on any legal actions at tables of the server until there are so many in each game."""
    from playwright.sync_api import sync_playwright  # only now: who measures something else does without

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_FLAGS)
        try:
            return tuple(_drawn_cost(server, browser, game, clicks) for game in GAMES)
        finally:
            browser.close()


def _drawn_cost(server: Server, browser: Any, game: str, clicks: int) -> AnswerCost:
    waits: list[float] = []
    cookie = server.logged_in()
    while len(waits) < clicks:
        seats = ["me", *["level:beginner"] * (min(load(game).seats) - 1)]
        table, cookie = server.opened_table({"game": game, "seats": seats, "name": f"drawn {game}"}, cookie)
        context = browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 900})
        try:
            address = f"http://127.0.0.1:{server.port}"
            pairs = [pair.strip().split("=", 1) for pair in cookie.split(";")]
            context.add_cookies([{"name": name, "value": value, "url": address} for name, value in pairs])
            page = context.new_page()
            page.goto(f"{address}/tables/{table}")
            waits += _waits(page, clicks - len(waits))
        finally:
            context.close()
            server.left_table(table, cookie)
    found = np.array(waits[:clicks])
    return AnswerCost(
        game=game, actions=len(found), p50_ms=float(np.percentile(found, 50)), p95_ms=float(np.percentile(found, 95))
    )


def _waits(page: Any, most: int) -> list[float]:
    """Play at a table until it is over, or for so many clicks; the milliseconds from each click to the table that shows it."""
    found: list[float] = []
    for _ in range(_MOST_LOOKS):
        is_over = page.evaluate(_CLICK) == "over"
        found = page.evaluate("(name) => performance.getEntriesByName(name).map(({duration}) => duration)", _MEASURE)
        if is_over or len(found) >= most:
            break
        page.wait_for_timeout(_LOOK_MS)
    if not found:
        raise ValueError("nothing was played at a table")
    return found
