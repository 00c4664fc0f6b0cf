"""A stored match, decision by decision: what a dataset and a trajectory are made of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from arena.engine.contract import Numbers, States
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.errors import StoreError
from arena.match.log import check_log
from arena.records import MatchRecord


@dataclass(frozen=True)
class Moment:
    """A decision of the log, the position in which it was made, and the round that it may have ended."""

    number: int
    """The decision's index in the log."""
    seat: int
    states: States
    """The true position: valid until the next moment."""
    codes: list[int]
    """The legal list."""
    code: int
    """The action that was played."""
    scores: Numbers | None
    """[seats]: the scores when the decision ended a round; None: it ended none."""


def moments(game: Game, record: MatchRecord, options: Mapping[str, OptionValue], deal_seed: int) -> Iterator[Moment]:
    """The decisions of a match in order. `options`: all, resolved. Raises StoreError for a log that the rules do not allow."""
    if not check_log(game, record, dict(options), deal_seed):
        raise StoreError(f"match {record.match_id}: damaged: its log ends before the match does")
    engine, seats = game.engine, len(record.seats)
    states = game.deal(seats, options, deal_seed)
    for number, action in enumerate(game.timed_log(record.actions, record.delays)):
        ended = game.from_bytes(states.tobytes())  # an assignment copies field by field
        engine.step(ended, action)
        scores = None
        if engine.is_round_over(ended):
            scores = np.zeros(seats)
            engine.scores(ended, scores)
        seat, codes = int(engine.current_seat(states)), game.legal_list(states)
        yield Moment(number, seat, states, codes, record.actions[number], scores)
        engine.advance(states, action)
