"""What is decided while a tournament goes on: a pure function of the rows up to fixed checkpoints of its plan.

So neither the number of workers, nor when they end, nor a resume can change it, and `arena verify-results` decides it again
from the stored rows. All formats retire bots that forfeit again and again; `compare` decides when enough has been seen,
`ladder` which tables come next. Not here: who sits where (formats/tables.py), and the playing (tournament.py).
"""

from collections.abc import Iterator
from typing import Protocol

from arena.formats.plan import Plan
from arena.formats.retirement import Retirement, stretches
from arena.records import MatchRecord


class Course(Protocol):
    """Fed with the rows of one stretch of the plan after the other, each in plan order."""

    plan: Plan
    """As far as it is known: that of a ladder grows."""
    retired: set[int]
    """Bots that play no more, by their place in the field."""
    outcome: str | None
    """Why it ended, in words; None: it goes on, or simply plays its plan."""

    def stretches(self) -> Iterator[tuple[int, int]]:
        """First plan index and the one behind the last, to the next checkpoint; decided when it is asked for.

        Before the next one is asked for, the rows of the last one are added and its checkpoint is passed.
        """
        ...

    def is_wanted(self, index: int) -> bool:
        """Whether a match is played, as far as it is decided."""
        ...

    def add(self, record: MatchRecord) -> None:
        """Take in the next match."""
        ...

    def pass_checkpoint(self) -> list[str]:
        """Decide; returns the news, a line each."""
        ...

    def total(self) -> int | None:
        """Matches that will have been played at the end, as far as that can be told; None: those of the plan."""
        ...


class Fixed:
    """The whole plan, whatever happens; implements Course."""

    outcome: str | None = None

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._retirement = Retirement(plan)
        self.retired = self._retirement.retired
        self.is_wanted = self._retirement.is_wanted
        self.add = self._retirement.add

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Every 5 % of the plan."""
        return stretches(len(self.plan))

    def pass_checkpoint(self) -> list[str]:
        """Retirements."""
        return retirement_news(self.plan, self._retirement.pass_checkpoint())

    def total(self) -> int | None:
        """That of the plan."""
        return None


def retirement_news(plan: Plan, places: list[int]) -> list[str]:
    """A line for each bot that was retired now."""
    return [
        f"{plan.contestants[place].name} is retired: {plan.faults.retire_after} forfeits in a row; the field goes on without it"
        for place in places
    ]
