"""Which bots are retired, and so which matches are not played: a pure function of the rows up to each checkpoint.

A bot goes when it forfeits again and again, or when its matches are void again and again. A void match is nobody's fault as far
as is known. But a bot that is at the table of many must not stay because its lost matches do not count, and one that merely met
it must not go with it: so only the bot goes whose share of void matches is the largest, and what it was at the table of is
nobody else's any more.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from arena.records import MatchRecord, Outcome
from arena.tournament.formats.plan import Plan

CHECKPOINTS = 20  # retirements are decided every 5 % of the plan
MOST_VOID = Fraction(1, 4)
"""The share of a bot's matches that may be void, once it has `retire_after` of them. A host that fails now and then, each time
three times in a row at the same match, makes far fewer."""
Bot = tuple[str, int]  # name and version


def segments(matches: int) -> Iterator[tuple[int, int]]:
    """First plan index and the one behind the last, from checkpoint to checkpoint."""
    for number in range(CHECKPOINTS):
        first, last = matches * number // CHECKPOINTS, matches * (number + 1) // CHECKPOINTS
        if first < last:
            yield first, last


class Retirement:
    """The book on forfeits in a row and on void matches, fed with the rows in plan order."""

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
        """Whether a match is played, as far as it is decided."""
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
