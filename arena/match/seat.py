"""How the referee talks to a bot: the interface of a seat, its answers and its faults, and the wall time that it may take."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import msgspec

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.records import Clock, Ending

BACKSTOP_FACTOR, BACKSTOP_SECONDS = 4.0, 1.0  # wall time that a decision may take, from its CPU time (docs/formats.md, "Clock")
MATCH_SECONDS, MATCH_MOVES = 30.0, 100  # wall time of a seat in a match: so many decisions may be as slow as one may be
NOBODY = -1  # the seat that a match waits for while none has to act


class HostTrouble(Exception):
    """A host fault: a seat failed through no bot. The match is played again; this attempt is not scored."""

    def __init__(self, seat: int, reason: str, *, starved: float = 0.0) -> None:
        """`starved`: see Fault."""
        super().__init__(f"seat {seat}: {reason}")
        self.seat = seat
        self.starved = starved


@dataclass(frozen=True)
class Fault:
    """The failure of a seat, and what is known about it."""

    ending: Ending
    reason: str
    output: str = ""
    """The end of what the bot printed, printable."""
    exit: str = ""
    """How the bot's process ended; empty: it still runs, or the bot has none of its own."""
    starved: float = 0.0
    """Wall seconds in which the seat was ready and got next to no CPU; 0: its failure has another cause."""


class Answer(msgspec.Struct, frozen=True):
    """What a seat replied, unchecked, and what the decision cost."""

    action: object
    """A legal action's text, or its index among the legal actions; anything else is a fault."""
    cpu_seconds: float
    wall_seconds: float
    output: Callable[[], str] = str
    """Returns the end of what the bot printed, made printable. Called only if the reply is a fault."""
    is_timed: bool = False
    """Whether a search with a time budget took part in the decision."""


class Seat(Protocol):
    """How the referee talks to a bot. When choices are simultaneous, all seats are asked before the first one answers."""

    wants_forced: bool

    @property
    def isolation(self) -> str:
        """The isolation level of the bot, as the column `isolation` stores it."""
        ...

    def start(self, info: StartInfo) -> Fault | None:
        """Get the bot ready to play."""
        ...

    def ask(self, view: View) -> None:
        """Put a decision to the bot."""
        ...

    def answer(self) -> Answer | Fault:
        """Wait for the bot's answer to the decision that was put last."""
        ...

    def end(self, result: EndInfo) -> None:
        """Tell the bot how the match ended."""
        ...


def seconds_of_match(clock: Clock) -> float:
    """The wall seconds that one seat's decisions may take in a match, all together; then it is late.

    >>> seconds_of_match(Clock(move=1.0, bank=10.0))
    470.0
    """
    return MATCH_SECONDS + BACKSTOP_FACTOR * (clock.bank + MATCH_MOVES * clock.move)
