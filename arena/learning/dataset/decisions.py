"""The decisions of a match as rows: what the seat knew, what it might do, what it did, and what came of it.

Features are made of what `observe` shows to the seat, and of nothing else; the legal list is the seat's own, too. What follows
from the whole match, such as its places, stands in columns that say so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena import games
from arena.engine.encoding import Encoding, Layout
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.learning.dataset.choice import Choice
from arena.learning.dataset.moments import Moment, moments
from arena.match.log import checked_options
from arena.match.seeds import deal_seed
from arena.ratings.skill import shares_of
from arena.records import MatchRecord, SeatRecord
from arena.results.schema import Column, Kind, Row, Table
from arena.tournament.formats.plan import Plan


@dataclass(frozen=True)
class Exported:
    """What a dataset holds of one match."""

    game: str
    rows: list[Row]
    """A row for each decision that is wanted."""
    trajectory: bytes | None
    """OpenSpiel's trajectory of the match as a line of JSON; None: it was not wanted, or there is none."""


def decisions_table(game: Game, choice: Choice, name: str) -> Table:
    """The columns of a game's decisions. `name`: of the file."""
    layout, count = game.layout, action_count(game)
    own = (
        Column("features", Kind.FLOAT32_ROW, "what the seat knew: `arena rules GAME --encoding`", width=layout.size),
        Column("legal", Kind.INT64_LIST, "codes of its legal actions, in canonical order"),
        Column("mask", Kind.BOOL_ROW, "which of the numbers that `action` may be are legal", width=count),
        Column("action", Kind.INT32, "the choice: its place in `mask`"),
        Column("chosen", Kind.INT32, "the choice: its place in `legal`"),
    )
    rows = Column(
        "action_features", Kind.FLOAT32_ROWS, "a row of features for each of `legal`", width=layout.action_size
    )  # fmt: skip
    return Table(name, (*_MATCH, *_SEAT, *_DECISION, *own, *((rows,) if choice.with_action_features else ()), *_OUTCOME))


def action_count(game: Game) -> int:
    """How many different numbers `action` may be: the game's codes if it has few, else places in the legal list."""
    codes = game.layout.codes
    return int(game.rules.MAX_ACTIONS) if codes is None else len(codes)


def numbering(game: Game) -> str:
    """What `action` is, in words."""
    return "a place in `legal`" if game.layout.codes is None else "the place of a code among those of the encoding"


def exported(choice: Choice, plan: Plan, record: MatchRecord, tournament: str = "") -> Exported:
    """What a dataset holds of a match of a plan. Raises StoreError for a log that the rules do not allow."""
    return exported_of(choice, plan.key_of(record.index), record, tournament)


def exported_of(choice: Choice, key: bytes, record: MatchRecord, source: str) -> Exported:
    """What a dataset holds of a match, by the key of its deal. `source`: what stands as `tournament`. Raises StoreError."""
    game = games.load(record.game)
    options = checked_options(game, record)
    seed = deal_seed(key, record.game, len(record.seats), record.options, record.deal)
    rows = _rows(game, record, options, seed, choice, source)
    return Exported(record.game, rows, _trajectory(game, record, options, seed) if choice.with_trajectories else None)


_MATCH = (
    Column("tournament", Kind.TEXT, "name of the tournament"),
    Column("match_id", Kind.TEXT, "id of the match; hex"),
    Column("game", Kind.TEXT, "name of the game"),
    Column("pool", Kind.TEXT, "rating pool"),
    Column("rules_version", Kind.INT16, "version of the game's rules"),
    Column("options", Kind.TEXT, "rule options, resolved; canonical JSON"),
    Column("deal", Kind.INT32, "number of the deal: the cards are those of the other rotations of the same `deal`"),
    Column("rotation", Kind.INT8, "number of the seating of the table"),
    Column("seats", Kind.INT8, "number of seats"),
)
_SEAT = (
    Column("seat", Kind.INT8, "the seat that chose, from 0"),
    Column("unit", Kind.INT8, "its team; the seat itself without teams"),
    Column("bot", Kind.TEXT, "name of the bot there"),
    Column("bot_version", Kind.INT32, "version of a submission, else 1"),
    Column("bot_sha256", Kind.TEXT, "hash of the bot's content; hex"),
    Column("params", Kind.TEXT, "parameters of the bot; canonical JSON"),
)
_DECISION = (
    Column("decision", Kind.INT32, "index of the decision in the log of the match, from 0"),
    Column("round", Kind.INT32, "number of its round in the match, from 0"),
    Column("ticks", Kind.INT32, "ticks that it took, where latency is measured; else null", nullable=True),
    Column("fallback", Kind.BOOL, "the bot had a fault then or before: the choice is, or may be, the fallback's"),
)
_OUTCOME = (
    Column("round_score", Kind.FLOAT32, "what the round added to the seat's score; the game's own points"),
    Column("score", Kind.FLOAT32, "the seat's score at the end of the match; the game's own points"),
    Column("place", Kind.INT8, "its place: 1 = best, ties share the better number"),
    Column("beaten", Kind.FLOAT32, "share of its rivals that finished behind it; a tie counts half"),
)


def _rows(
    game: Game, record: MatchRecord, options: Mapping[str, OptionValue], seed: int, choice: Choice, tournament: str
) -> list[Row]:
    outcomes, encoding = _outcomes(tournament, record), game.encoding
    rows: list[Row] = []
    unscored: list[Row] = []  # those of the round that goes on
    before, number = np.zeros(len(record.seats)), 0
    for moment in moments(game, record, options, seed):
        seat = record.seats[moment.seat]
        if choice.wants(seat.bot):
            unscored.append({**outcomes[moment.seat], **_decision(game, encoding, record, moment, choice), "round": number})
        if moment.scores is not None:
            for row in unscored:
                row["round_score"] = float(moment.scores[row["seat"]] - before[row["seat"]])
            rows += unscored
            unscored, before, number = [], moment.scores, number + 1
    return rows


def _decision(game: Game, encoding: Encoding, record: MatchRecord, moment: Moment, choice: Choice) -> Row:
    seat = moment.seat
    seen = game.observed(moment.states, seat)
    places, chosen = _places(game.layout, moment.codes), moment.codes.index(moment.code)
    mask = np.zeros(action_count(game), np.bool_)
    mask[places] = True
    row: Row = {
        "decision": moment.number, "ticks": record.delays[moment.number] if record.delays else None,
        "fallback": _is_behind_fault(record.seats[seat], moment.number),
        "features": encoding.features(seen, seat), "legal": moment.codes, "mask": mask, "action": places[chosen],
        "chosen": chosen,
    }  # fmt: skip
    if choice.with_action_features:
        row["action_features"] = encoding.action_features(seen, seat, moment.codes)
    return row


def _places(layout: Layout, codes: list[int]) -> list[int]:
    return list(range(len(codes))) if layout.codes is None else [layout.codes.index(code) for code in codes]


def _is_behind_fault(seat: SeatRecord, number: int) -> bool:
    """Return whether a decision was made at or after a bot's first fault: later ones are not all stored with the match."""
    return seat.fault_decision is not None and number >= seat.fault_decision


def _outcomes(tournament: str, record: MatchRecord) -> list[dict[str, Any]]:
    """What is the same in all rows of a seat, by seat."""
    of_match: dict[str, Any] = {"tournament": tournament, "seats": len(record.seats)}
    of_match |= {column.name: getattr(record, column.name) for column in _MATCH if column.name not in of_match}
    shares = shares_of([seat.place for seat in record.seats], [seat.unit for seat in record.seats])
    return [
        {
            **of_match, "seat": number, "unit": seat.unit, "bot": seat.bot, "bot_version": seat.bot_version,
            "bot_sha256": seat.bot_sha256, "params": seat.params, "score": seat.score, "place": seat.place,
            "beaten": shares[number],
        }
        for number, seat in enumerate(record.seats)
    ]  # fmt: skip


def _trajectory(game: Game, record: MatchRecord, options: Mapping[str, OptionValue], seed: int) -> bytes | None:
    from arena.learning.openspiel.trajectories import trajectory  # only where one is wanted: OpenSpiel is an extra

    return trajectory(game, record, options, seed)
