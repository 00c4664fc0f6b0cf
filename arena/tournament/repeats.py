"""Plays some finished matches again with the same seeds: a bot that acts otherwise uses a clock, entropy or a memory.

A locked bot is to know nothing of its earlier matches. What the kernel keeps of them cannot all be taken away, so it is looked
for: at the end, when a memory holds most, a few matches of every bot that is not trusted are played again. Of each deal the
first rotation is taken, in which nobody could know the cards from another one. Up to the first action that differs all bots
saw the same, so the bot that chose it is the one that acted otherwise.

Which matches these are follows from the key of the tournament and from its rows alone.
"""

import heapq
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import msgspec

from arena import games
from arena.engine import rng
from arena.match import MatchSetup
from arena.ratings.rows import Bot
from arena.records import MatchRecord
from arena.results.journal import Journal
from arena.tournament.formats.plan import Plan
from arena.tournament.workers.backend import Chunk, Failure
from arena.tournament.workers.driver import Driver

MOST = 4  # matches of one bot in one pool that are played again
SHARE = 100  # beyond the first one, one of so many
_META = "repeats"


class Repeats(msgspec.Struct, frozen=True):
    """What came of the matches that were played again."""

    matches: int
    """How many matches the tournament had then: more of them call for a new choice."""
    repeated: dict[str, int] = {}
    """How many matches of each bot were played again and can be compared, by `label`."""
    deviated: dict[str, int] = {}
    """How many of these each bot played otherwise the second time, by `label`."""

    def of(self, bot: Bot) -> tuple[int, int]:
        """Return how many matches of a bot were played again, and in how many of them it acted otherwise."""
        return self.repeated.get(label(bot), 0), self.deviated.get(label(bot), 0)


def label(bot: Bot) -> str:
    """Name and version in one text."""
    return f"{bot[0]}@{bot[1]}"


def stored_repeats(journal: Journal) -> Repeats:
    """Return what the journal has of earlier runs; nothing is known if it has none."""
    return journal.read_meta(_META, Repeats) or Repeats(0)


def repeat(
    plan: Plan, journal: Journal, hashes: Iterable[str], driver: Callable[[], Driver], say: Callable[[str], None]
) -> None:  # fmt: skip
    """Play some of the journal's matches again and store there what came of it, unless that was done before.

    `hashes`: of the bots whose files are at hand; `driver`: makes the driver of the run, called only if it is needed.
    """
    suspects = {(bot.name, bot.version) for bot in plan.contestants if not bot.trusted}
    matches = journal.count()
    if not suspects or stored_repeats(journal).matches == matches:
        return
    chosen = choose(plan, journal.records(), suspects, set(hashes))
    found = _Found(plan, chosen, suspects)
    if chosen:
        say(f"playing {len(chosen):,} matches again: who acts otherwise uses a clock, entropy or a memory")
        _play(plan, sorted(chosen), driver(), found)
    journal.set_meta({_META: msgspec.json.encode(Repeats(matches, dict(found.repeated), dict(found.deviated)))})


def choose(
    plan: Plan, records: Iterable[MatchRecord], suspects: set[Bot], hashes: set[str]
) -> dict[int, MatchRecord]:  # fmt: skip
    """The matches to play again, by index: of each suspect and pool one, and one more for every SHARE, at most MOST."""
    played: Counter[tuple[str, Bot]] = Counter()
    kept: dict[tuple[str, Bot], list[tuple[int, int, MatchRecord]]] = {}
    for record in records:
        bots = {(seat.bot, seat.bot_version) for seat in record.seats} & suspects
        played.update((record.pool, bot) for bot in bots)
        if not bots or record.rotation or not _can_be_compared(record) or not _is_at_hand(record, hashes):
            continue
        lot = -rng.derive(plan.key_of(record.index), "repeat", record.match_id)  # the smallest first
        for bot in bots:
            heap = kept.setdefault((record.pool, bot), [])
            heapq.heappush(heap, (lot, record.index, record))
            if len(heap) > MOST:
                heapq.heappop(heap)
    wanted = {key: min(MOST, 1 + played[key] // SHARE) for key in kept}
    chosen: dict[int, MatchRecord] = {}
    for _, index, record in sorted({entry[:2]: entry for heap in kept.values() for entry in heap}.values(), reverse=True):
        keys = [(record.pool, (seat.bot, seat.bot_version)) for seat in record.seats]
        if any(wanted.get(key, 0) > 0 for key in keys):
            chosen[index] = record
            for key in keys:
                wanted[key] = wanted.get(key, 0) - 1
    return chosen


def first_difference(setup: MatchSetup, before: Sequence[int], after: Sequence[int]) -> int | None:
    """The seat that chose the first action in which two action logs of a match differ; None if they are the same."""
    if tuple(before) == tuple(after):
        return None
    place = next((n for n, (one, other) in enumerate(zip(before, after)) if one != other), min(len(before), len(after)))
    game = games.load(setup.game)
    states = game.deal(len(setup.players), setup.options, setup.deal_seed)
    for action in before[:place]:
        game.engine.advance(states, action)
    return int(game.engine.current_seat(states))


@dataclass
class _Found:
    """Compares the matches that come back with those of the journal."""

    plan: Plan
    chosen: Mapping[int, MatchRecord]
    suspects: set[Bot]
    repeated: Counter[str] = field(default_factory=Counter)
    deviated: Counter[str] = field(default_factory=Counter)
    _done: set[int] = field(default_factory=set)

    def take(self, chunk: Chunk, earlier: Mapping[int, Sequence[Failure]]) -> None:
        """Compare the matches of a chunk. One that ended in a fault this time tells nothing: a clock may have decided it."""
        for record in chunk.records:
            if record.index not in self._done and _can_be_compared(record):
                self._done.add(record.index)
                self._compare(self.chosen[record.index], record)

    def _compare(self, before: MatchRecord, after: MatchRecord) -> None:
        seat = first_difference(self.plan.setup(before.index), before.actions, after.actions)
        bots = [(row.bot, row.bot_version) for row in before.seats]
        self.repeated.update({label(bot) for bot in bots if bot in self.suspects})
        if seat is not None and bots[seat] in self.suspects:
            self.deviated[label(bots[seat])] += 1


def _play(plan: Plan, indices: Sequence[int], driver: Driver, found: _Found) -> None:
    driver.on_chunk, driver.on_void = found.take, lambda index, attempts, reason: None
    for first, group in groupby(indices, key=lambda index: _stage_start(plan, index)):
        segment = list(group)
        driver.backend.stage = plan.stage_from(first)
        driver.run(iter(segment), len(segment))


def _stage_start(plan: Plan, index: int) -> int:
    """The index at which the stage of a match begins; 0 where there are no stages."""
    starts = [stage.first_index for stage in plan.format.stages] if plan.format.IS_STAGED else [0]
    return starts[bisect_right(starts, index) - 1]


def _can_be_compared(record: MatchRecord) -> bool:
    if record.is_void or record.is_measured or any(seat.ending.blame == "bot" for seat in record.seats):
        return False
    return not any(seat.asks_outside for seat in record.seats)  # what is outside answers otherwise the second time


def _is_at_hand(record: MatchRecord, hashes: set[str]) -> bool:
    return all(seat.bot_sha256 in hashes for seat in record.seats)
