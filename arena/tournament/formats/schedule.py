"""What is decided while a tournament goes on: a pure function of the rows up to fixed checkpoints of its plan.

So neither the number of workers, nor when they end, nor a resume can change it, and `arena verify-results` decides it again
from the stored rows. All formats retire bots that forfeit again and again, or whose matches are void; some decide when enough
has been seen, or which tables come next (`StagedSchedule`). What a format decides is in its own file, the playing in
tournament/run.py.
"""

from collections.abc import Iterator, Mapping
from typing import Protocol, runtime_checkable

from arena.records import MatchLuck, MatchRecord, Outcome
from arena.results.journal import Journal
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.retirement import Retirement, segments
from arena.tournament.formats.tables import Table


class Schedule(Protocol):
    """Fed with the rows of one segment of the plan after the other, each in plan order."""

    plan: Plan
    """The plan as far as it is known; that of a staged format grows."""
    retired: set[int]
    """Bots that play no more, by their place in the field."""
    outcome: str | None
    """Why it ended, in words; None: it goes on, or simply plays its plan."""

    def segments(self) -> Iterator[tuple[int, int]]:
        """First plan index and the one behind the last, to the next checkpoint; decided when it is asked for.

        Before the next one is asked for, the rows of the last one are added and its checkpoint is passed.
        """
        ...

    def is_wanted(self, index: int) -> bool:
        """Whether a match is played, as far as it is decided."""
        ...

    def add(self, record: MatchRecord | Outcome) -> None:
        """Take in the next match."""
        ...

    def pass_checkpoint(self) -> list[str]:
        """Decide what the rows so far settle; returns the news, a line each."""
        ...

    def total(self) -> int | None:
        """Matches that will have been played at the end, as far as that can be told; None: those of the plan."""
        ...


@runtime_checkable
class UsesLuck(Protocol):
    """A schedule that decides by the luck of the matches, too."""

    def add_luck(self, record: MatchRecord | Outcome, luck: MatchLuck) -> None:
        """Take in the luck of the next match. All of a segment come before its checkpoint is passed."""
        ...


class FormatState(Protocol):
    """What a format remembers between its runs besides the rows: a value in the journal, written before it is acted on."""

    def values(self) -> Mapping[str, bytes]:
        """The state as the journal stores it."""
        ...

    def after(self, plan: Plan, *, has_ended: bool = False) -> "FormatState":
        """The state with what the plan has now. `has_ended`: whether this run is over."""
        ...

    def closed(self, plan: Plan, why: str, journal: Journal) -> Plan:
        """The plan with this run ended from outside: what is open is never played."""
        ...


class FixedSchedule:
    """The whole plan, whatever happens; implements Schedule."""

    outcome: str | None = None

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._retirement = Retirement(plan)
        self.retired = self._retirement.retired
        self.is_wanted = self._retirement.is_wanted
        self.add = self._retirement.add

    def segments(self) -> Iterator[tuple[int, int]]:
        """The plan in steps of 5 %."""
        return segments(len(self.plan))

    def pass_checkpoint(self) -> list[str]:
        """Retire who has to go; returns a line for each."""
        return self._retirement.pass_checkpoint()

    def total(self) -> int | None:
        """Always None: all matches of the plan are played, but those of retired bots."""
        return None


class StagedSchedule:
    """Stage after stage, each decided from the rows of all stages before; implements Schedule but for `decide` and `total`."""

    def __init__(self, plan: Plan) -> None:
        """`plan`: with those of its stages that are decided already; the others are decided here."""
        self.plan = plan
        self.outcome: str | None = None
        self.number = 0
        """The stage that is played, or is to be decided."""
        self._retirement = Retirement(plan)
        self.retired = self._retirement.retired

    def decide(self) -> tuple[list[tuple[int, Table]], str | None]:
        """The tables of the next stage, with the entry of each; without any, why it is over, if that is to be told."""
        raise NotImplementedError

    def segments(self) -> Iterator[tuple[int, int]]:
        """The segments of all stages, one for each."""
        return self.stages_until(None)

    def stages_until(self, end: int | None) -> Iterator[tuple[int, int]]:
        """The segments of the stages from `number` on, to the one before `end`, or as long as another one is decided."""
        while end is None or self.number < end:
            if self.number == len(self.plan.format.stages) and not self._add_stage():
                return
            stages = self.plan.format.stages
            more = stages[self.number + 1 : self.number + 2]
            yield stages[self.number].first_index, more[0].first_index if more else len(self.plan)
            self.number += 1

    def is_wanted(self, index: int) -> bool:
        """Every match of a stage is wanted; a retired bot sits at none of the later tables."""
        return True

    def add(self, record: MatchRecord | Outcome) -> None:
        """Take in the next match."""
        self._retirement.add(record)

    def pass_checkpoint(self) -> list[str]:
        """Retire who has to go; the next stage is decided when it is asked for."""
        return self._retirement.pass_checkpoint()

    def _add_stage(self) -> bool:
        """Decide the next stage; returns whether there is one."""
        tables, self.outcome = self.decide()
        if tables:
            self.plan = self.plan.add_stage(tables)
        return bool(tables)
