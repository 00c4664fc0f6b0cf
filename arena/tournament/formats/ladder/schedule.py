"""`format: ladder`: a rating list that goes on; the next tables are chosen where they tell most.

A ladder is played in stages. Before each, from the rows of all earlier ones:

- A bot is *settled* in a pool when its sigma is not above the bound, or when it is separable from both its neighbours (after
  12 deals at least); which of the two counts is in the config. Every bot that is not settled gets a table at least, those
  with the fewest matches first, so nobody starves, and a newcomer among settled bots gets all of them.
- It meets a neighbour from whom it is not separable, if there is one and that counts. The other seats, and all against a
  newcomer, go to those against whom a match tells most: the quality of the match (R. Herbrich, T. Minka and T. Graepel,
  "TrueSkill", 2006, equation 4.1, its second factor: how even it is) times the share of its spread that is our ignorance of
  bots that are not settled, and not luck. Bots that are chosen twice in a stage count as better known the second time.
- A run ends when no sigma is above the bound, when all neighbours are separable, or when its matches are spent.

All neighbours are looked at at once (Holm), since one pair of 31 nearly always looks clear. They still are looked at again and
again, so that now and then two equal bots count as separable; the rating list shows their true intervals and goes on with the
next run. To claim "better", use `compare`.

With `ratings: {luck: true}` skills and intervals are those without the luck of the matches, and fewer of them are needed.

A run that others follow is a *leg* of the ladder: with more bots, other bounds, or simply more matches.

The ladder of a contest heeds more: see contest.py.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET

from arena.match.seeds import key_of_link
from arena.ratings.rows import Bot, Collector
from arena.ratings.settings import RatingSettings
from arena.records import MatchLuck, MatchRecord, Outcome
from arena.tournament.formats.ladder.contest import ContestStage, Served, stream_of
from arena.tournament.formats.ladder.look import Look, look_at
from arena.tournament.formats.ladder.state import LadderPlan, Leg
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.schedule import StagedSchedule
from arena.tournament.formats.tables import Table, shuffled


class LadderSchedule(StagedSchedule):
    """The schedule of a ladder, leg by leg."""

    def __init__(self, plan: Plan, settings: RatingSettings) -> None:
        """`plan`: with its legs, and those of its stages that are decided already; the others are decided here."""
        super().__init__(plan)
        self._settings = settings
        self._rows = {pool: Collector(bots) for pool, bots in plan.pools().items()}
        self._skipped = frozenset(index for leg in self._ladder.legs for index in leg.unplayed())
        self._lucks: dict[int, MatchLuck] = {}
        """The luck of matches that are not added yet, by plan index."""
        self._served = Served()
        self._leg: Leg
        self._played = 0
        self._left_in_leg = 0

    def segments(self) -> Iterator[tuple[int, int]]:
        """Stage by stage, leg by leg."""
        legs = self._ladder.legs
        left_before = 0
        for self._leg, following in zip(legs, [*legs[1:], None]):
            left_before, self._left_in_leg = self._left_in_leg, self._leg.matches
            self.number = self._leg.first_stage
            closed = self._leg.closed
            end = following.first_stage if following is not None else None if closed is UNSET else closed.before_stage
            for first, last in self.stages_until(end):
                self._left_in_leg -= last - first
                yield first, last
        if legs[-1].closed is not UNSET:
            self.outcome = legs[-1].closed.why
        elif len(legs) > 1 and legs[-1].first_stage == len(self._ladder.stages):
            self._drop_leg(left_before)

    def _drop_leg(self, left_before: int) -> None:
        """A leg without matches is none, if the one before had come to its end."""
        legs = self._ladder.legs
        if legs[-2].closed is not UNSET:
            return
        self._left_in_leg = left_before
        tables, outcome = self._decided(legs[-2])
        if not tables:
            self.outcome = outcome
            key = key_of_link(self.plan.key, len(legs), len(legs) - 2)
            ladder = msgspec.structs.replace(self._ladder, legs=legs[:-1])
            self.plan = msgspec.structs.replace(self.plan, key=key, format=ladder)

    def is_wanted(self, index: int) -> bool:
        """Return whether a match is played: all but those that a later leg did not want any more."""
        return index not in self._skipped

    def add(self, record: MatchRecord | Outcome) -> None:
        """Take in the next match."""
        super().add(record)
        self._played += 1
        luck = self._lucks.pop(record.index, None)
        if record.pool in self._rows and (self._settings.measured or not record.is_measured):
            self._rows[record.pool].add(record, luck)

    def add_luck(self, record: MatchRecord | Outcome, luck: MatchLuck) -> None:
        """Take in the luck of a match, before the match itself, where a leg goes without luck."""
        self._lucks[record.index] = luck

    def total(self) -> int | None:
        """The most matches that will have been played when this run ends."""
        return self._played + (0 if self.outcome else self._left_in_leg)

    def decide(self) -> tuple[list[tuple[int, Table]], str | None]:
        """The tables of the next stage; without any, why the leg is over."""
        return self._decided(self._leg)

    @property
    def _ladder(self) -> LadderPlan:
        assert isinstance(self.plan.format, LadderPlan)
        return self.plan.format

    def _decided(self, leg: Leg) -> tuple[list[tuple[int, Table]], str | None]:
        if leg.rules is UNSET:
            looks = {pool: self._look(pool, leg) for pool in self._rows}
            outcome = self._ending(leg, looks)
            chosen = [] if outcome is not None else self._chosen(leg, looks)
        else:
            stage = ContestStage(self.plan, leg, self.retired, self._rows, self._settings)
            looks = stage.looks
            outcome = None if stage.has_questions else self._ending(leg, looks)
            chosen = [] if outcome is not None else stage.tables(self._served.until(self.plan))
        if outcome is not None:
            return [], outcome
        if not chosen:
            return [], f"too few bots are left to play; not settled: {_open_text(looks)}"
        tables = self._within_budget(chosen)
        return tables, None if tables else f"its {leg.matches:,} matches are spent; not settled: {_open_text(looks)}"

    def _look(self, pool: str, leg: Leg) -> Look:
        field = [self._bot(place) for place in leg.field if place not in self.retired]
        return look_at(self._rows[pool].rows(), field, leg, self._settings)

    def _ending(self, leg: Leg, looks: dict[str, Look]) -> str | None:
        if leg.rules is not UNSET:
            return "every bot is settled" if all(look.is_settled().all() for look in looks.values()) else None
        if leg.sigma is not None and all(look.is_known().all() for look in looks.values()):
            return f"no sigma is above {leg.sigma:g}"
        if leg.separable and all(look.is_apart().all() for look in looks.values()):
            return "all neighbours are separable"
        if leg.sigma is not None and all(look.is_settled().all() for look in looks.values()):
            return f"every bot is separable from its neighbours, or its sigma is not above {leg.sigma:g}"
        return None

    def _chosen(self, leg: Leg, looks: dict[str, Look]) -> list[tuple[int, Table]]:
        """The tables of a stage, those of the neediest bots of each entry first."""
        chosen: list[list[tuple[int, Table]]] = []
        for place, entry in enumerate(self.plan.entries):
            look, field = looks[entry.pool], [bot for bot in leg.field if bot not in self.retired]
            able = [bot for bot in field if entry.game in self.plan.contestants[bot].games]
            seats = {look.bots.index(self._bot(bot)): bot for bot in able}
            tables = list(look.tables(list(seats), entry.seats)) if len(able) >= entry.seats else []
            stage = len(self._ladder.stages)
            stream = [stream_of(stage, place, number) for number in range(len(tables))]
            chosen.append([(place, shuffled([seats[number] for number in t], d)) for t, d in zip(tables, stream)])
        return [table for number in range(max(map(len, chosen))) for of in chosen for table in of[number : number + 1]]

    def _within_budget(self, tables: Sequence[tuple[int, Table]]) -> list[tuple[int, Table]]:
        left, kept = self._left_in_leg, []
        for place, table in tables:
            left -= self.plan.matches_at(place)
            if left < 0:
                break
            kept.append((place, table))
        return kept

    def _bot(self, place: int) -> Bot:
        contestant = self.plan.contestants[place]
        return contestant.name, contestant.version


def _open_text(looks: dict[str, Look]) -> str:
    """The bots that are not settled, pool by pool, as text."""
    found = {
        pool: [bot[0] for bot, settled in zip(look.bots, look.is_settled()) if not settled] for pool, look in looks.items()
    }
    return "; ".join(f"{', '.join(names)} in {pool}" for pool, names in found.items() if names)
