"""The tables of a contest's ladder: what it heeds beside what every ladder does (schedule.py). Pure: rows and stages decide.

- *Version against version.* A new version first plays against the one before it, until they have played so many deals in
  common, or half as many and are separable (who looks after every deal finds differences between equal bots): at one table in
  a game of two seats; else each at a table of its own, with the same rivals in the same seats on the same deals. Meanwhile
  stages are short. The older one plays nothing else any more.
- *Owners.* Two bots of one owner never sit at a table of three or more, where they could help each other.
- *Weights.* While several games have tables to play, each gets matches in proportion to its weight. A game that had nothing to
  play does not save up for later (start-time fair queueing: P. Goyal, H. Vin and H. Cheng, SIGCOMM 1996).
- *Stages are bounded*, so that what is new is soon heeded.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from msgspec import UNSET

from arena.engine import rng
from arena.ratings.rows import Bot, Collector, PoolRows
from arena.ratings.settings import RatingSettings
from arena.tournament.formats.ladder.look import LEAST_DEALS, Look, look_at
from arena.tournament.formats.ladder.state import LadderPlan, Leg
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.tables import Table, shuffled

BESIDE = 2
"""While a version is compared with the one before it, a stage has at most so many times the matches of those tables."""
LEAST_MATCHES, LEAST_SHARE = 32, 200
"""A stage has so many matches, or one for so many that were played, before a game whose tables are all in it makes others wait:
deciding takes the longer the more was played."""
_KEY = b"arena ladder"  # public: who sits where at a table is no secret


def stream_of(stage: int, place: int, number: int) -> int:
    """The random bits that seat the table `number` of an entry in a stage."""
    return rng.derive(_KEY, stage, place, number)


@dataclass
class Served:
    """How much each entry has had, in matches by weight: a function of the stages."""

    amounts: list[float] = field(default_factory=list)
    stages: int = 0
    """How many stages are counted."""

    def until(self, plan: Plan) -> list[float]:
        """Return what each entry has had after all stages of a plan, which has grown since the last time, or not."""
        ladder = plan.format
        assert isinstance(ladder, LadderPlan)
        amounts = self.amounts or [0.0] * len(plan.entries)
        ends = [leg.first_stage for leg in ladder.legs[1:]] + [len(ladder.stages)]
        for leg, end in zip(ladder.legs, ends):
            weights = _weights(leg, plan)
            for stage in ladder.stages[max(leg.first_stage, self.stages) : end]:
                floor = min(amounts[place] for place, _ in stage.tables)
                amounts = [max(amount, floor) for amount in amounts]
                for place, _ in stage.tables:
                    amounts[place] += plan.matches_at(place) / weights[place]
        self.amounts, self.stages = amounts, len(ladder.stages)
        return list(amounts)


def _weights(leg: Leg, plan: Plan) -> Sequence[float]:
    return [1.0] * len(plan.entries) if leg.rules is UNSET else leg.rules.weights


@dataclass(frozen=True)
class Question:
    """Whether a version is better than the one before it; both as places among the contestants."""

    newer: int
    older: int
    deals: int
    """How many deals both have played."""


class ContestStage:
    """One stage of a contest's ladder, before it is decided."""

    def __init__(
        self, plan: Plan, leg: Leg, retired: Collection[int], rows: Mapping[str, Collector], settings: RatingSettings
    ) -> None:  # fmt: skip
        assert isinstance(plan.format, LadderPlan) and leg.rules is not UNSET
        self._plan, self._leg, self._rules = plan, leg, leg.rules
        self._owners = plan.format.owners or () if plan.format.owners is not UNSET else ()
        self._stage = len(plan.format.stages)
        self._places = {self._bot(place): place for place in leg.field}
        pairs = version_pairs(plan, leg)
        older = {self._bot(old) for _, old in pairs}
        present = [place for place in leg.field if place not in retired]
        self.looks: dict[str, Look] = {}
        """What is known of the bots of each pool, without older versions."""
        self._matches = 0
        owners = {self._bot(place): owner for place, owner in enumerate(self._owners) if owner}
        self._questions: dict[str, list[Question]] = {}
        for pool, collector in rows.items():
            pool_rows = collector.rows()
            look = look_at(pool_rows, [self._bot(place) for place in present], leg, settings, owners)
            self._matches += pool_rows.matches
            self.looks[pool] = look.only([number for number, bot in enumerate(look.bots) if bot not in older])
            self._questions[pool] = [
                question for new, old in pairs if (question := self._asked(look, pool_rows, new, old)) is not None
            ]
        self._asked_tables = [list(self._comparing(place)) for place in range(len(plan.entries))]

    @property
    def has_questions(self) -> bool:
        """Whether a version is still to be compared with the one before it, and can be."""
        return any(self._asked_tables)

    def tables(self, served: Sequence[float]) -> list[tuple[int, Table]]:
        """The tables, those that compare versions first. `served`: what each entry has had so far (Served)."""
        plan, rules = self._plan, self._rules
        chosen: list[tuple[int, Table]] = []
        numbers = [0] * len(plan.entries)
        for place, groups in enumerate(self._asked_tables):
            for group in groups:
                stream = stream_of(self._stage, place, numbers[place])
                numbers[place] += 1
                chosen += [(place, shuffled(table, stream)) for table in group]
        asked = sum(plan.matches_at(place) for place, _ in chosen)
        most = min(rules.stage_matches, BESIDE * asked) if asked else rules.stage_matches
        chosen = _within(chosen, rules.stage_matches, plan)
        left = most - sum(plan.matches_at(place) for place, _ in chosen)
        amounts = [
            amount + plan.matches_at(place) / rules.weights[place] * sum(other == place for other, _ in chosen)
            for place, amount in enumerate(served)
        ]
        has_had = [any(other == place for other, _ in chosen) for place in range(len(plan.entries))]
        waiting = {place: self._others(place) for place in range(len(plan.entries))}
        least = most - max(LEAST_MATCHES, self._matches // LEAST_SHARE)
        while waiting and (left > 0 or not chosen):
            place = min(waiting, key=lambda entry: (amounts[entry] + plan.matches_at(entry) / rules.weights[entry], entry))
            table = next(waiting[place], None)
            if table is None:
                if has_had[place] and left <= least:  # it has more to play, after this stage: the others wait for it
                    break
                del waiting[place]
                continue
            has_had[place] = True
            stream = stream_of(self._stage, place, numbers[place])
            numbers[place] += 1
            chosen.append((place, shuffled(table, stream)))
            amounts[place] += plan.matches_at(place) / rules.weights[place]
            left -= plan.matches_at(place)
        return chosen

    def _asked(self, look: Look, rows: PoolRows, new: int, old: int) -> Question | None:
        """The question about a version in a pool; None if it is answered, or one of the two does not play there."""
        bots = self._bot(new), self._bot(old)
        if any(bot not in look.bots for bot in bots):
            return None
        deals = common_deals(rows, *bots)
        newer, older = (look.bots.index(bot) for bot in bots)
        most = self._rules.version_deals
        if deals >= most or (deals >= max(LEAST_DEALS, most // 2) and look.are_separable(newer, older)):
            return None
        return Question(new, old, deals)

    def _comparing(self, place: int) -> Iterator[list[Sequence[int]]]:
        """The tables of an entry that compare versions, those of one question together; the least known first."""
        entry = self._plan.entries[place]
        for question in sorted(self._questions[entry.pool], key=lambda asked: (asked.deals, asked.newer)):
            if any(entry.game not in self._plan.contestants[bot].games for bot in (question.newer, question.older)):
                continue
            if entry.seats == 2:
                yield [[question.newer, question.older]]
            elif len(table := self._rivals(place, question)) == entry.seats:
                yield [table, [question.older, *table[1:]]]

    def _rivals(self, place: int, question: Question) -> list[int]:
        """The newer version's table."""
        look = self.looks[self._plan.entries[place].pool]
        able = self._able(place, look)
        first = look.bots.index(self._bot(question.newer))
        table = look.filled([first], able, self._plan.entries[place].seats, self._owners_of(look))
        return [self._places[look.bots[bot]] for bot in table]

    def _others(self, place: int) -> Iterator[Sequence[int]]:
        """The other tables of an entry, those of the neediest bots first."""
        entry = self._plan.entries[place]
        look = self.looks[entry.pool]
        able = self._able(place, look)
        if len(able) < entry.seats:
            return
        busy = {bot for group in self._asked_tables[place] for table in group for bot in table}
        seated = [bot for bot in able if self._places[look.bots[bot]] in busy]
        for table in look.tables(able, entry.seats, self._owners_of(look), seated):
            yield [self._places[look.bots[bot]] for bot in table]

    def _able(self, place: int, look: Look) -> list[int]:
        game = self._plan.entries[place].game
        return [bot for bot, known in enumerate(look.bots) if game in self._plan.contestants[self._places[known]].games]

    def _owners_of(self, look: Look) -> list[str]:
        return [self._owners[self._places[bot]] if self._owners else "" for bot in look.bots]

    def _bot(self, place: int) -> Bot:
        contestant = self._plan.contestants[place]
        return contestant.name, contestant.version


def version_pairs(plan: Plan, leg: Leg) -> list[tuple[int, int]]:
    """Versions of one bot that are both in a leg's field, newer and older, as places among the contestants."""
    by_name: dict[str, list[int]] = {}
    for place in leg.field:
        by_name.setdefault(plan.contestants[place].name, []).append(place)
    found = []
    for places in by_name.values():
        places.sort(key=lambda place: plan.contestants[place].version)
        found += [(new, old) for old, new in pairwise(places)]
    return found


def common_deals(rows: PoolRows, one: Bot, other: Bot) -> int:
    """Return how many deals two bots have both played, at one table or not."""
    seats = np.repeat(rows.deals, np.diff(rows.starts))
    first, second = (seats[rows.bots == rows.bots_by_number.index(bot)] for bot in (one, other))
    return len(np.intersect1d(first, second))


def _within(tables: Sequence[tuple[int, Table]], most: int, plan: Plan) -> list[tuple[int, Table]]:
    """The first tables, with no more matches than `most`, but one at least."""
    kept: list[tuple[int, Table]] = []
    for place, table in tables:
        most -= plan.matches_at(place)
        if kept and most < 0:
            break
        kept.append((place, table))
    return kept
