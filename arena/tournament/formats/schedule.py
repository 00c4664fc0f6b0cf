"""What is decided while a tournament goes on: a pure function of the rows up to fixed checkpoints of its plan.

So neither the number of workers, nor when they end, nor a resume can change it, and `arena verify-results` decides it again
from the stored rows. All formats retire bots that forfeit again and again, or whose matches are void; some decide when enough
has been seen, or which tables come next (`StagedSchedule`). What a format decides is in its own file, the playing in
tournament/run.py.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Protocol, runtime_checkable

from arena.records import MatchLuck, MatchRecord, Outcome
from arena.results.journal import Journal
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.tables import Table

CHECKPOINTS = 20  # retirements are decided every 5 % of the plan
MOST_VOID = Fraction(1, 4)
"""The share of a bot's matches that may be void, once it has `retire_after` of them. A host that fails now and then, each time
three times in a row at the same match, makes far fewer."""
Bot = tuple[str, int]  # name and version


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
        """Return whether a match is played, as far as it is decided."""
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


def segments(matches: int) -> Iterator[tuple[int, int]]:
    """First plan index and the one behind the last, from checkpoint to checkpoint."""
    for number in range(CHECKPOINTS):
        first, last = matches * number // CHECKPOINTS, matches * (number + 1) // CHECKPOINTS
        if first < last:
            yield first, last


class Retirement:
    """Which bots are retired, and so which matches are not played: a function of the rows up to each checkpoint.

    A bot goes when it forfeits again and again, or when its matches are void again and again. A void match is nobody's fault as
    far as is known. But a bot that is at the table of many must not stay because its lost matches do not count, and one that
    merely met it must not go with it: so only the bot goes whose share of void matches is the largest, and what it was at the
    table of is nobody else's any more.
    """

    def __init__(self, plan: Plan) -> None:
        self.retired: set[int] = set()
        """The retired bots, as places in the field."""
        self._plan = plan
        self._places = {(bot.name, bot.version): place for place, bot in enumerate(plan.contestants)}
        self._streaks: Counter[Bot] = Counter()
        self._retiring: set[int] = set()
        self._matches: Counter[Bot] = Counter()
        self._voids: list[set[Bot]] = []  # the bots of each void match

    def add(self, record: MatchRecord | Outcome) -> None:
        """Take in the next match."""
        bots = {(seat.bot, seat.bot_version) for seat in record.seats}
        for bot in bots:
            self._matches[bot] += 1
        is_void = record.is_void
        if is_void:
            self._voids.append(bots)
        for seat in record.seats:
            bot = (seat.bot, seat.bot_version)
            if seat.ending.blame == "bot":
                self._streaks[bot] += 1
                if self._streaks[bot] >= self._plan.faults.retire_after and bot in self._places:
                    self._retiring.add(self._places[bot])
            elif not is_void and bot in self._streaks:
                del self._streaks[bot]

    def pass_checkpoint(self) -> list[str]:
        """Retire who has to go; returns a line for each of those bots."""
        forfeited = sorted(self._retiring - self.retired)
        self.retired |= self._retiring
        news = [self._news(place, f"{self._plan.faults.retire_after} forfeits in a row") for place in forfeited]
        while spoilers := self._spoilers():
            for place, reason in spoilers.items():
                self.retired.add(place)
                news.append(self._news(place, reason))
        return news

    def is_wanted(self, index: int) -> bool:
        """Return whether a match is played, as far as it is decided."""
        return not self.retired or self.retired.isdisjoint(self._plan.bots(index))

    def _spoilers(self) -> dict[int, str]:
        """The bot that has the largest share of void matches, if that is too large, and why in words.

        Of several with the same share it is the one with the most. Those with as many, too, go together, but only if they are
        all that is left of the field: else who is the cause will show.
        """
        gone = {bot for bot, place in self._places.items() if place in self.retired}
        counts = Counter(bot for table in self._voids if table.isdisjoint(gone) for bot in table if bot in self._places)
        often = {bot: count for bot, count in counts.items() if count >= self._plan.faults.retire_after}
        shares = {bot: (Fraction(count, self._matches[bot]), count) for bot, count in often.items()}
        worst = max(shares.values(), default=(Fraction(0), 0))
        found = sorted(bot for bot, share in shares.items() if share == worst)
        if worst[0] < MOST_VOID or 1 < len(found) < len(self._places) - len(gone):
            return {}
        return {self._places[bot]: f"{counts[bot]} of its {self._matches[bot]} matches are void" for bot in found}

    def _news(self, place: int, reason: str) -> str:
        return f"{self._plan.contestants[place].name} is retired: {reason}; the field goes on without it"
