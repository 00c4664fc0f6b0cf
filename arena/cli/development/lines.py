"""What `arena dev` prints: lines with the time, and below them one that is redrawn while a comparison goes on."""

import math
import time
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.live import Live

from arena.cli.development.comparing import DIFFERENCE
from arena.cli.shared.printing import news_on, plain_text
from arena.cli.shared.running import LINE_SECONDS, REFRESHES
from arena.errors import visible
from arena.reports.terminal import ConsolePage, Page
from arena.tournament.formats.compare import Evidence, share_of
from arena.tournament.session import Progress


class Lines:
    """Prints on a console. Without a terminal, what would be redrawn is a line now and then."""

    def __init__(
        self, console: Console, clock: Callable[[], float] = time.monotonic, now: Callable[[], str] | None = None
    ) -> None:
        """`clock`: gives seconds; `now`: gives the time of the day in words."""
        self._console, self._clock = console, clock
        self._now = now or (lambda: time.strftime("%H:%M:%S"))
        self._live: Live | None = None
        self._last = -math.inf

    def say(self, text: str) -> None:
        """Print a text behind the time."""
        news_on(self._console)(f"{self._now()} {text}")

    def page(self) -> Page:
        """Return what longer texts are written on."""
        return ConsolePage(self._console)

    def show(self, parts: Sequence[str]) -> None:
        """Redraw the last line: its parts, as many from the first on as there is room for."""
        if not self._console.is_terminal:
            if self._clock() - self._last >= LINE_SECONDS:
                self._last = self._clock()
                self.say(", ".join(parts))
            return
        if self._clock() - self._last >= 1 / REFRESHES:
            self._last = self._clock()
            self._redraw(fitted(parts, self._console.width))

    def begin(self, text: str) -> None:
        """Say in the last line what is done now; without a terminal nothing."""
        if self._console.is_terminal:
            self._redraw(text)

    def _redraw(self, text: str) -> None:
        if self._live is None:
            self._live = Live(console=self._console, refresh_per_second=REFRESHES, transient=True)
            self._live.start()
        self._live.update(plain_text(text))

    def clear(self) -> None:
        """Take the last line away, at once and for others to print."""
        live, self._live = self._live, None
        self._last = self._clock() if not self._console.is_terminal else -math.inf
        if live is not None:
            live.stop()


def fitted(parts: Sequence[str], width: int) -> str:
    """The parts with commas between them, as many from the first on as fit.

    >>> fitted(["51.2% (40.3 to 62.0)", "64 deals", "about 300 more"], 34)
    '51.2% (40.3 to 62.0), 64 deals'
    """
    text = ""
    for part in parts:
        longer = f"{text}, {part}" if text else part
        if text and len(visible(longer)) >= width:
            break
        text = longer
    return text[: width - 1]


def share_text(evidence: Evidence) -> str:
    """The share of the matches in which the saved version finishes first, with its interval."""
    middle = share_of(evidence.estimate or 0.0)
    return f"{middle:.1%} ({100 * share_of(evidence.low):.1f} to {100 * share_of(evidence.high):.1f})"


def live_parts(evidence: Evidence | None, other: str, progress: Progress | None) -> list[str]:
    """What is known of a comparison that goes on, the most important first. `other`: what the saved version is held against."""
    if evidence is None:
        done = "" if progress is None else progress.compiling or f"{progress.done} matches"
        return [f"against {other}", *([done] if done else [])]
    left = "no end in sight" if evidence.deals_left is None else f"about {evidence.deals_left:,} more"
    return [f"{share_text(evidence)} against {other}", f"{evidence.deals:,} deals", left]


def verdict_text(evidence: Evidence, other: str) -> str:
    """What came out of a comparison."""
    half = 50 * DIFFERENCE
    found = {
        "better": f"better than {other}",
        "worse": f"worse than {other}",
        "equal": f"as good as {other} (within {half:g} points)",
        "open": f"not separated from {other}",
    }[evidence.verdict]
    return f"{found}: ahead in {share_text(evidence)} of the matches, {evidence.deals:,} deals"
