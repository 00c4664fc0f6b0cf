"""How the referee talks to a bot: the interface of a seat, its answers and its faults, and the wall time that it may take."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import msgspec

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.records import CallRecord, Clock, Ending

SLEEP_SECONDS = 5.0  # that a seat may sleep in a match; what is beyond is charged as CPU time (docs/formats.md, "Clock")
BACKSTOP_FACTOR, BACKSTOP_SECONDS = 10.0, 10.0  # wall time of a decision, from its CPU time, whatever the seat lacked
MATCH_SECONDS, MATCH_FACTOR, MATCH_MOVES = 10.0, 2.0, 100  # a seat's time in a match: so many decisions, each twice its clock
NOBODY = -1  # the seat that a match waits for while none has to act


@dataclass(frozen=True)
class Starved:
    """What is known of a seat that stood ready, and got next to no CPU."""

    seconds: float
    """Wall seconds of the decision."""
    is_proven: bool = True
    """Whether others had its cores meanwhile, by the machine's own count."""


class HostTrouble(Exception):
    """A host fault: a seat failed through no bot. The match is played again; this attempt is not scored."""

    def __init__(self, seat: int, reason: str, *, starved: Starved | None = None) -> None:
        """`starved`: see Fault."""
        super().__init__(f"seat {seat}: {reason}")
        self.seat = seat
        self.starved = starved


class TakeBack(Exception):
    """Raised by `answer` of a person's seat in place of an answer: its last action was not meant, and it is asked again.

    Only after that action alone, about which no other seat was asked, and by the seats that `play` was told of; whether the
    seat has seen anything new by it is the table's affair. No bot can raise it: what a bot raises is its fault.
    """


@dataclass(frozen=True)
class Fault:
    """The failure of a seat, and what is known about it."""

    ending: Ending
    reason: str
    output: str = ""
    """The end of what the bot printed, printable."""
    exit: str = ""
    """How the bot's process ended; empty: it still runs, or the bot has none of its own."""
    starved: Starved | None = None
    """Set if the seat was ready and got next to no CPU; None: its failure has another cause."""


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
    asleep: float = 0.0
    """Seconds for which the seat neither ran nor lacked a CPU."""
    overslept: float = 0.0
    """How much of that is beyond what it may sleep in a match: charged as CPU time is."""


@dataclass
class Spent:
    """What the decisions of a seat have taken in a match, in all attempts of one worker at it; in seconds."""

    wall: float = 0.0
    """All time, without gaps in which the host did not run."""
    busy: float = 0.0
    """CPU time and time asleep; what is not: it stood ready without a CPU."""
    asleep: float = 0.0
    asleep_around: float = 0.0
    """Time asleep at its start and end, which no decision is charged for."""


class Seat(Protocol):
    """How the referee talks to a bot.

    When choices are simultaneous, all seats are asked before the first one answers; but see TakeBack. A seat may have
    `asks_outside` and `take_calls`: see the functions below.
    """

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


def asks_outside(seat: Seat) -> bool:
    """Whether the bot of a seat says that it asks something outside itself, such as a network. No word means no.

    Known once the seat was started. What such a bot does in a match cannot be repeated.
    """
    return bool(getattr(seat, "asks_outside", False))


def asks_model(seat: Seat) -> bool:
    """Whether a language model plays at a seat: then the seat has `take_calls`."""
    return hasattr(seat, "take_calls")


def taken_calls(seat: Seat) -> list[CallRecord]:
    """The calls of the language model at a seat since the last time, without the number of their decision."""
    found: list[CallRecord] = seat.take_calls()  # type: ignore[attr-defined]  # see asks_model
    return found


def seconds_of_match(clock: Clock) -> float:
    """The seconds of CPU time and sleep that one seat's decisions may take in a match, all together; then it is late.

    Of wall time they may take MATCH_FACTOR times as much: a machine is short of CPU now and then.

    >>> seconds_of_match(Clock(move=1.0, bank=10.0))
    230.0
    """
    return MATCH_SECONDS + MATCH_FACTOR * (clock.bank + MATCH_MOVES * clock.move)
