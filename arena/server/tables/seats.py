"""A live table as the server keeps it: its process, a child that plays one match, and its seats: who sits there, who looks, and
what was last said to it.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from arena.results.site_file import StoredPerson
from arena.server.child_process import ChildProcess
from arena.server.table_process.messages import Broken, Compiling, Forward, Place, Ready, SeatPlan, Stored

COMMAND = (sys.executable, "-P", "-m", "arena.server.table_process.process")
"""What plays a match that the server describes."""


class Passed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="envelope"):
    """An Envelope whose message is handed on as it is."""

    seat: int
    message: msgspec.Raw


Heard = Passed | Compiling | Ready | Stored | Broken | Forward


class TableProcess(ChildProcess[Heard]):
    """One match, played in a process of its own."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        super().__init__(command, msgspec.json.Decoder(Heard))


LASTING = ("frame", "ask", "over", "luck")
"""The kinds of messages that who comes back gets again, in this order."""


class Tab(Protocol):
    """A browser tab that is connected to a table."""

    def offer(self, kind: str, text: str) -> None:
        """Take a message, without waiting."""

    def close(self, *, has_left: bool) -> None:
        """Say goodbye."""


class Handle(Protocol):
    """What is going to happen later."""

    def cancel(self) -> None:
        """Do not let it happen."""


@dataclass
class Seat:
    """One seat."""

    plan: SeatPlan
    """The bot that plays where no person does, or that takes over from one."""
    is_for_people: bool = False
    """Whether a person may sit here."""
    person: StoredPerson | None = None
    is_away: bool = False
    """Whether everybody has been told that the person is away."""
    is_overdue: bool = False
    """Whether the person has been away for so long that a bot may take over."""
    is_replaced: bool = False
    has_left: bool = False
    tabs: set[Tab] = field(default_factory=set)
    newest: dict[str, str] = field(default_factory=dict)
    """The newest message of each of the LASTING kinds."""
    timers: list[Handle] = field(default_factory=list)
    """What is going to happen if the person stays away."""

    @property
    def is_free(self) -> bool:
        """Whether somebody may still sit down here."""
        return self.is_for_people and self.person is None

    @property
    def is_taken(self) -> bool:
        """Whether a person sits here who has not left."""
        return self.person is not None and not self.has_left

    @property
    def person_id(self) -> str | None:
        """The id of the person who sits here."""
        return None if self.person is None else self.person.id

    @property
    def name(self) -> str:
        """The name that all see."""
        return self.plan.name if self.person is None else self.person.name

    @property
    def place(self) -> Place:
        """The seat as all at the table see it."""
        is_present = self.person is None or not (self.is_away or self.has_left)
        return Place(
            name=self.name,
            level=None if self.person is not None else self.plan.level,
            person=self.person is not None,
            present=is_present,
            replaced=self.is_replaced,
            free=self.is_free,
        )

    def offer(self, kind: str, text: str) -> None:
        """Send a message to every tab of the person."""
        for tab in tuple(self.tabs):
            tab.offer(kind, text)

    def keep(self, kind: str, text: str) -> None:
        """Remember a message for who comes back. A new position makes what was asked before out of date."""
        if kind == "frame":
            self.newest.pop("ask", None)
        if kind in LASTING:
            self.newest[kind] = text

    def stop_timers(self) -> None:
        """The person is here: nothing happens."""
        for timer in self.timers:
            timer.cancel()
        self.timers.clear()
