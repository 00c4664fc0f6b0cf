"""The luck of one finished match, from its log: its sums, and the course of a match as chance and choices took it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena import games
from arena.engine import rng
from arena.engine.chance import DEALT, DRAWN, STATES
from arena.engine.options import OptionValue
from arena.engine.room import Game
from arena.errors import StoreError
from arena.match import MatchSetup
from arena.records import LUCK_LIMIT, MatchLuck, MatchRecord, SeatLuck

DIGITS = 6
"""Decimals of a stored sum: another machine's arithmetic may differ in the last ones of a float."""
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class LuckCourse:
    """A match as chance and choices took it. Moment 0 is after the first deal, moment i + 1 after action i of the log."""

    values: Numbers
    """[moments, seats]: what the match was then worth to each seat, as a share of its rivals beaten."""
    dealt: Numbers
    """[moments, seats]: what the deal of a round gave, where one came with the action."""
    drawn: Numbers
    """[moments, seats]: what other chance events gave that came with the action."""
    events: int
    """How many chance events were looked at."""

    @property
    def chosen(self) -> Numbers:
        """[moments, seats]: how far the action moved the value beside the luck that came with it; 0 at moment 0."""
        moved = np.diff(self.values, axis=0, prepend=self.values[:1])
        moved[1:] -= self.dealt[1:] + self.drawn[1:]
        moved[0] = 0.0
        return moved


def luck_of(game: Game, setup: MatchSetup, record: MatchRecord) -> MatchLuck:
    """The luck of a stored match, whose log was checked. `setup`: the match that the plan has at its index."""
    seats = len(record.seats)
    sums, events = _corrections(game, record, setup.options, setup.deal_seed, np.zeros((0, seats)))
    whole, dealt, stopped = sums.sum(axis=(0, 1)), sums[:, DEALT].sum(axis=0), bounded(sums)
    rows = tuple(
        SeatLuck(luck=_rounded(whole[seat]), dealt=_rounded(dealt[seat]), bounded=_rounded(stopped[seat]))
        for seat in range(seats)
    )
    return MatchLuck(index=record.index, match_id=record.match_id, events=events, seats=rows)


def course_of(game: Game, record: MatchRecord, options: dict[str, OptionValue], deal_seed: int) -> LuckCourse:
    """How a stored match went, up to the first fault of a bot. `options`: all, resolved. Its log was checked."""
    moments = 1 + _looked_at(record)
    values = np.zeros((max(moments, 1), len(record.seats)))
    found, events = _corrections(game, record, options, deal_seed, values)
    return LuckCourse(values[:moments], found[:moments, DEALT], found[:moments, DRAWN], events)


def no_luck(record: MatchRecord) -> MatchLuck:
    """The luck of a match of a game whose room does not say what chance decides."""
    nothing = SeatLuck(luck=0.0, dealt=0.0, bounded=0.0)
    return MatchLuck(index=record.index, match_id=record.match_id, events=0, seats=(nothing,) * len(record.seats))


def _corrections(
    game: Game, record: MatchRecord, options: dict[str, OptionValue], deal_seed: int, values: Numbers
) -> tuple[Numbers, int]:
    """[moments, kinds, seats] of a match, and the number of its chance events.

    Chance is looked at up to the first fault: a bot that forfeits has its place from that, and not from the cards. It must not
    matter how the match went on, or a bot could choose to fault whenever its luck was bad.
    """
    seats, actions = len(record.seats), game.timed_log(record.actions, record.delays)
    out = np.zeros((len(actions) + 1, 2, seats))
    luck = games.ready_luck(game)
    try:
        events = luck.corrections(
            np.zeros(STATES, game.rules.STATE), seats, game.options_vector(options), rng.seed_words(deal_seed),
            rng.seed_words(stream_seed(deal_seed)), np.array(actions, np.int64), _looked_at(record), games.luck_numbers(game),
            out, values,
        )  # fmt: skip
    except IndexError:
        raise StoreError(f"match {record.match_id}: damaged: its log is not one of {game.name}") from None
    return out, int(events)


def stream_seed(deal_seed: int) -> int:
    """128 bits from which is drawn what could have come in a deal: the same at all its tables and in all rotations.

    They derive from the deal's secret, but tell as little about its cards as a hash does, so the sample is independent.
    """
    return rng.derive(deal_seed.to_bytes(rng.SEED_BITS // 8), "luck")


def _looked_at(record: MatchRecord) -> int:
    """How many actions of the log come before the first fault of a bot; -1: one failed to start, or the match is void."""
    if record.is_void:
        return -1
    faults = [seat.fault_decision for seat in record.seats if seat.fault_decision is not None]
    return min([len(record.actions), *faults])


def bounded(sums: Numbers) -> Numbers:
    """[seats]: the sums of a match that never pass LUCK_LIMIT. `sums`: [moments, kinds, seats].

    What is left of the way to LUCK_LIMIT, if less than 1, is the part of the next correction that counts. It is known before
    the event, so the mean still is 0; that of a sum that is cut would not be.
    """
    in_order = sums[:, [DRAWN, DEALT]].reshape(-1, sums.shape[2])
    running = np.cumsum(in_order, axis=0)
    found: Numbers = running[-1].copy()
    for seat in np.flatnonzero(np.abs(running).max(axis=0) > LUCK_LIMIT - 1.0):
        total = 0.0
        for correction in in_order[:, seat].tolist():
            total += correction * min(1.0, LUCK_LIMIT - abs(total))
        found[seat] = total
    return found


def _rounded(number: float) -> float:
    return round(float(number), DIGITS) + 0.0
