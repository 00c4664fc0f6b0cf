"""What a bot's searches looked at before a decision: the bot is put before it again, and what `view.search` returned is noted.

Matches repeat exactly, so nothing of this is stored. The bot runs in this process, so only house bots are asked: their code is
this installation's own.
"""

import math
import time
from collections.abc import Callable
from typing import Any

import msgspec

from arena.agent import BotFiles, EndInfo, StartInfo, read_bot
from arena.agent.loading import house_bots
from arena.agent.view import View
from arena.audit.capsule import Capsule, bring_back
from arena.engine import readiness
from arena.engine.game import Game
from arena.errors import printable
from arena.match import Answer, Fault, Seat
from arena.match.choose import open_seat
from arena.records import json_object
from arena.search import Findings

OUTPUT_LETTERS = 4096
LEFT_AT_MOST = 3
"""How many times the time that is left a search may use. It is cut there, and not earlier: a time budget that is nearly spent
changes what a search looks at."""


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """A legal action, and what a search found out about it."""

    action: str
    visits: int
    value: float | None
    """Mean reward on the game's own scale; None: it was never tried."""
    share: float
    """How often to play it, 0 to 1."""


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """One call of `view.search`."""

    simulations: int
    best: str
    options: list[Option]
    """All legal actions, the most visited first."""


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that a bot was asked for again."""

    seat: int
    decision: int
    played: str | None
    """The action in the log."""
    now: str
    """The action that the bot chose now."""
    cpu_ms: float
    """CPU time of the decision now."""
    searches: list[Search]
    differing: int
    """How many earlier decisions the bot took otherwise than in the match: then it was timed, or its machine differed."""
    fault: str
    """Why it did not come to the decision; empty: it did."""
    output: str
    """The end of what the bot printed now, if it failed."""


class TooLong(Exception):
    """The bot did not come to the decision in the time that there was."""


def house_files(sha256: str) -> BotFiles | None:
    """The files of the house bot with this content; None if no house bot has it."""
    found = (read_bot(path) for path in house_bots().values())
    return next((files for files in found if files.sha256 == sha256), None)


def choices(game: Game, capsule: Capsule, files: BotFiles, seconds: float) -> Choices:
    """Ask a house bot for the decision of a capsule again. Raises TooLong after about `seconds`, and like `bring_back`."""
    seat = open_seat(files, seed=int(capsule.seed, 16), params=json_object(bytes(capsule.params).decode()))
    with readiness.absent_parts(readiness.compile_here), seat as held:
        noting = _NotingSeat(held, time.monotonic() + seconds)
        rerun = bring_back(game, capsule, noting)
    if noting.is_late:
        raise TooLong
    return Choices(
        seat=capsule.seat, decision=capsule.decision, played=capsule.played, now=printable(str(rerun.action), 200),
        cpu_ms=round(1000 * rerun.cpu_seconds, 3), searches=[_search(found) for found in noting.found],
        differing=len(rerun.differing), fault="" if rerun.fault is None else printable(rerun.fault.reason, OUTPUT_LETTERS),
        output=printable(rerun.output, OUTPUT_LETTERS),
    )  # fmt: skip


class _NotingSeat:
    """A seat that notes what the searches of its last decision returned; implements match.Seat."""

    isolation = "none"

    def __init__(self, seat: Seat, deadline: float) -> None:
        self.found: list[Findings] = []
        self.is_late = False
        """Whether a search was ended by the deadline: it might have found something else."""
        self._seat = seat
        self._deadline = deadline
        self.wants_forced = False

    def start(self, info: StartInfo) -> Fault | None:
        """Start the bot."""
        fault = self._seat.start(info)
        self.wants_forced = self._seat.wants_forced
        return fault

    def ask(self, view: View) -> None:
        """Put the decision to the bot, and note from now on. Raises TooLong."""
        if time.monotonic() > self._deadline:
            raise TooLong
        self.found = []
        view.search = self._noted(view.search)  # type: ignore[method-assign]  # the bot searches by this view alone
        self._seat.ask(view)

    def answer(self) -> Answer | Fault:
        """Return what the bot answers."""
        return self._seat.answer()

    def end(self, result: EndInfo) -> None:
        """Tell the bot the end."""
        self._seat.end(result)

    def _noted(self, search: Callable[..., Findings]) -> Callable[..., Findings]:
        def noted(*args: Any, **settings: Any) -> Findings:
            most = LEFT_AT_MOST * max(1e-3, self._deadline - time.monotonic())
            own = settings.get("time")
            if (own is None and "iterations" in settings) or (isinstance(own, int | float) and own > most):
                settings["time"] = most  # the settings come from the results, which may be anybody's
            self.found.append(search(*args, **settings))
            self.is_late |= time.monotonic() > self._deadline
            return self.found[-1]

        return noted


def _search(found: Findings) -> Search:
    options = [
        Option(
            action=one.action, visits=one.visits, value=round(one.value, 4) if math.isfinite(one.value) else None,
            share=round(one.share, 4),
        )
        for one in found.choices
    ]  # fmt: skip
    return Search(simulations=found.simulations, best=found.best, options=sorted(options, key=lambda one: -one.visits))
