"""`arena serve` in a process of its own, and a browser that has been let in."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

from helpers.tournaments import arena

SECONDS_TO_END = 30


@dataclass(frozen=True)
class Served:
    """A server that runs."""

    base: str
    """Its address, without a slash at the end."""
    door: str
    """The address with the token."""
    process: int
    """The id of its process."""

    def enter(self, page: Page) -> None:
        """Open the door, as who clicks on the printed address; the home page is then there."""
        page.goto(self.door)
        page.locator("#login-enter, #leave a").click()
        page.wait_for_url(f"{self.base}/")


@contextmanager
def served(folder: Path, *options: object) -> Iterator[Served]:
    """The server of a results folder, at any free port."""
    process = arena("serve", folder, "--port", 0, "--no-browser", *options)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "http" in line, (line, process.stderr.read() if process.stderr and process.poll() is not None else "")
        door = line[line.index("http") :].strip()
        yield Served(door.partition("/login")[0], door, process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=SECONDS_TO_END)
