"""A real browser without a window: Playwright drives the Chromium of this machine, and keeps what a page asks for and says."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")


def program() -> str | None:
    """The browser of this machine."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


in_browser = [pytest.mark.slow, pytest.mark.skipif(program() is None, reason="no Chromium on this machine")]
"""The marks of a module whose tests need a browser."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, for a fixture of a whole module. While it runs, this thread has an event loop: asyncio.run refuses here."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watched:
    """A page, with everything that it asked for and complained of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    """Addresses of all requests, and of all sockets."""
    complaints: list[str] = field(default_factory=list)
    """Every line of the console, violations of the content policy among them, and every error that no script caught."""

    def outside(self, *ours: str) -> list[str]:
        """The requests whose address begins with none of `ours`; what stands in the page itself is no request."""
        return [address for address in self.requests if not address.startswith(("data:", "blob:", *ours))]


@contextmanager
def watched(browser: Browser, *, width: int = 1280, height: int = 900, dark: bool = False, **options: Any) -> Iterator[Watched]:
    """A page of a fresh profile, in a window of that size. `options`: others of Playwright's `new_context`."""
    scheme = "dark" if dark else "light"
    options = {"locale": "en-GB", **options}
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **options)
    found = Watched(context.new_page())

    def ask(request: Request) -> None:
        found.requests.append(request.url)

    def complain(message: ConsoleMessage) -> None:
        found.complaints.append(f"{message.type}: {message.text}")

    context.on("request", ask)
    context.on("console", complain)
    context.on("weberror", lambda error: found.complaints.append(str(error.error)))
    found.page.on("websocket", lambda socket: found.requests.append(socket.url))
    try:
        yield found
    finally:
        context.close()


def look(page: Page, *, width: int, height: int = 900, dark: bool = False) -> None:
    """Change the window."""
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="dark" if dark else "light")


def settled(page: Page) -> None:
    """Wait until what was asked of the page is drawn, and all that it has to say is here."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def assert_fits_and_is_accessible(page: Page, widths: Iterable[int], *, dark: bool = False) -> None:
    """Nothing has to be scrolled sideways at these widths of the window, and axe finds nothing at the last one."""
    for width in widths:
        look(page, width=width, dark=dark)
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") == width, (page.url, width)
    assert_accessible(page)


def assert_accessible(page: Page) -> None:
    """Axe finds nothing on a page as it is."""
    violations = Axe().run(page).response["violations"]
    assert [(page.url, one["id"], [node["target"] for node in one["nodes"]]) for one in violations] == []
