"""Which bots are retired, and so which matches are not played: a pure function of the rows up to each checkpoint."""

from collections import Counter
from collections.abc import Iterator

from arena.formats.plan import Plan
from arena.records import MatchRecord

CHECKPOINTS = 20  # retirements are decided every 5 % of the plan


def stretches(matches: int) -> Iterator[tuple[int, int]]:
    """First plan index and the one behind the last, from checkpoint to checkpoint."""
    for number in range(CHECKPOINTS):
        first, last = matches * number // CHECKPOINTS, matches * (number + 1) // CHECKPOINTS
        if first < last:
            yield first, last


class Retirement:
    """The book on forfeits in a row, fed with the rows in plan order."""

    def __init__(self, plan: Plan) -> None:
        self.retired: set[int] = set()
        """The retired bots, as places in the field."""
        self._plan = plan
        self._places = {(bot.name, bot.version): place for place, bot in enumerate(plan.contestants)}
        self._streaks: Counter[tuple[str, int]] = Counter()
        self._retiring: set[int] = set()

    def add(self, record: MatchRecord) -> None:
        """Take in the next match."""
        for seat in record.seats:
            bot = (seat.bot, seat.bot_version)
            if seat.ending.blame == "bot":
                self._streaks[bot] += 1
                if self._streaks[bot] >= self._plan.faults.retire_after and bot in self._places:
                    self._retiring.add(self._places[bot])
            elif not record.is_void:
                self._streaks[bot] = 0

    def pass_checkpoint(self) -> list[int]:
        """Retire who has to go; returns those bots."""
        newly = sorted(self._retiring - self.retired)
        self.retired |= self._retiring
        return newly

    def is_wanted(self, index: int) -> bool:
        """Whether a match is played, as far as it is decided."""
        return not self.retired or self.retired.isdisjoint(self._plan.bots(index))
