"""People at live tables, in pages of a real browser: one plays by the mouse, one by keys."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from playwright.sync_api import Page, WebSocket

from helpers.browser import settled
from helpers.serving import Served

MOST_STEPS = 3_000
TURN, OVER = ".live-status.is-mine", ".live-result h2"
_PICKED = """
([pool, which]) => {
  const all = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const pools = [".choosing-do", ".choosing-target", ".can-choose:not(.is-chosen)"].map(all).filter(({length}) => length);
  if (!pools.length) pools.push(all(".choosing-list button, .choosing-list summary"));
  const some = pools[Math.floor(pool * pools.length)], element = some[Math.floor(which * some.length)];
  if (!element) return null;
  element.scrollIntoView({block: "center"});
  const {left, top, width, height} = element.getBoundingClientRect();
  return element.dataset.key ? [left + 5, top + 6] : [left + width / 2, top + height / 2];
}
"""
_IS_AT_TABLE = "Boolean(document.activeElement.closest('.table, .choosing'))"


class Way(Protocol):
    """How a person plays."""

    def __call__(self, page: Page, rng: random.Random) -> None:
        """One click, or one key, towards any legal action."""
        ...


def by_mouse(page: Page, rng: random.Random) -> None:
    """Click on a card, a place or a button."""
    place = page.evaluate(_PICKED, [rng.random(), rng.random()])
    if place is not None:
        page.mouse.click(*place)


def by_touch(page: Page, rng: random.Random) -> None:
    """Tap on a card, a place or a button."""
    place = page.evaluate(_PICKED, [rng.random(), rng.random()])
    if place is not None:
        page.touchscreen.tap(*place)


def by_keys(page: Page, rng: random.Random) -> None:
    """Type the number of an action, or go to a card, a place or a button and press it."""
    if rng.random() < 0.85:
        page.keyboard.press(str(rng.randint(1, 9)))
        return
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(_IS_AT_TABLE):
            break
    page.keyboard.press(rng.choice(["Enter", "Space", "ArrowRight"]))


@dataclass
class Player:
    """A person at a table."""

    page: Page
    way: Way
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    heard: list[dict[str, Any]] = field(default_factory=list)
    """Every message that came over the socket."""
    sockets: int = 0
    """How often the page connected: a browser that has no processor for long comes back by itself, and has missed something."""

    def __post_init__(self) -> None:
        def listen(socket: WebSocket) -> None:
            self.sockets += 1
            socket.on("framereceived", lambda text: self.heard.append(json.loads(text)))

        self.page.on("websocket", listen)

    @property
    def is_over(self) -> bool:
        """Whether the result is shown."""
        return self.page.locator(OVER).count() > 0

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        """The messages of a kind."""
        return [message for message in self.heard if message["kind"] == kind]

    def events(self) -> list[list[Any]]:
        """All that happened, as this seat learnt it."""
        return [event for frame in self.of_kind("frame") for event in frame.get("events", [])]

    def step(self) -> None:
        """Do something if it is this person's turn."""
        if self.page.locator(TURN).count():
            self.way(self.page, self.rng)
        settled(self.page)


def open_table(page: Page, server: Served, name: str, **opening: Any) -> dict[str, Any]:
    """Open a table as the person of a page, and go there; the answer of the server."""
    headers = {"content-type": "application/json", "origin": server.base}
    answer = page.request.post(f"{server.base}/api/tables", data=json.dumps({"name": name, **opening}), headers=headers)
    assert answer.ok, answer.text()
    opened: dict[str, Any] = answer.json()
    page.goto(server.base + opened["page"])
    return opened


def join_table(page: Page, server: Served, opened: dict[str, Any], name: str) -> None:
    """Sit down by the link of a table."""
    page.goto(server.base + opened["join"])
    page.locator("input[name=name]").fill(name)
    page.locator("main form button").first.click()
    page.wait_for_url("**/tables/**")
    page.wait_for_selector(".live-lobby")


def played_to_the_end(players: Sequence[Player]) -> None:
    """All play until each of them sees the result."""
    for _ in range(MOST_STEPS):
        for player in players:
            player.step()
        if all(player.is_over for player in players):
            return
    raise AssertionError([player.page.locator(".live-status").inner_text() for player in players])
