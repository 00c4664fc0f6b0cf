"""The stored tables, written once: columns, types, units, and what the results hash covers. No file format is known.

`matches.parquet` has a row per match and seat, sorted by (index, seat); `actions.parquet` a row per match in the same
order; `ratings.parquet` a row per model, pool and bot; `history.parquet` a row per pool, point of the plan and bot;
`totals.parquet` a row per pool, bot and ending; `faults.parquet` a row per fault of a bot, in plan order; `luck.parquet`, where
luck was worked out, a row per match and seat; `llm_calls.parquet`, where language models played, a row per call. A match
that the host could not finish (void) has its rows too: ending `host`, place 0, no actions. The notes for bots' authors
(`MatchRecord.notes`) are in the journal only.

To add a column: a row in its table here, with a `Default` for older files; a field of the same name, with the same default,
in the record (`MatchRecord`, `SeatRecord`, ..), for older journals; and whoever fills the field. A column that is not in
these tables is ignored when a file is read: a newer version wrote it.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec

from arena.records import CallRecord, Ending, FaultRecord, MatchLuck, MatchRecord, Rating, SeatLuck, SeatRecord

FORMAT_VERSION = 1
MATCH_ID_BYTES = 12
TIME_BITS = 9
"""The significant bits of a stored time, which make it right to 0.2 %.

The same match of Naga played again took 2 % more or less in one trial and 11 % in another (medians, on a busy machine):
further bits would be noise, which no compression makes smaller."""


CostOf = Callable[[MatchRecord, SeatRecord, CallRecord], float | None]
Row = dict[str, Any]
"""Column name -> value. A match id is 24 hex digits, an ending its text."""


class Kind(StrEnum):
    """The type of a column."""

    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    BOOL = "bool"
    TEXT = "text"  # UTF-8, dictionary-encoded
    MATCH_ID = "match_id"  # 12 bytes
    INT64_LIST = "int64_list"
    INT32_LIST = "int32_list"
    FLOAT32_ROW = "float32_row"  # `width` numbers
    BOOL_ROW = "bool_row"  # `width` flags
    FLOAT32_ROWS = "float32_rows"  # a list of rows of `width` numbers


class Default(msgspec.Struct, frozen=True):
    """What a column reads in files that were written before the column was added."""

    value: Any
    meaning: str
    """What the value says about a row of such a file, in words."""


class Column(msgspec.Struct, frozen=True):
    """One column of a stored table."""

    name: str
    kind: Kind
    meaning: str
    hashed: bool = True
    """Whether the results hash covers the column. It covers neither what depends on the machine nor the tournament's name."""
    nullable: bool = False
    low: int = 0
    """The least value of a whole number."""
    significant_bits: int | None = None
    """How many significant bits of a number are stored; None: all of them."""
    width: int = 0
    """How many numbers or flags a row of them has; 0 for what is no row."""
    default: Default | None = None
    """What older files are read as having, if the column was added later; None if every file has the column."""

    @property
    def has_dictionary(self) -> bool:
        """Whether the file stores every distinct value once, and an index for each: of texts and features few are different."""
        return self.kind in (Kind.TEXT, Kind.FLOAT32_ROW, Kind.FLOAT32_ROWS)


class Table(msgspec.Struct, frozen=True):
    """One stored table: a Parquet file and its columns."""

    name: str
    columns: tuple[Column, ...]

    @property
    def file(self) -> str:
        """The file's name in the tournament's folder."""
        return f"{self.name}.parquet"


MATCHES = Table(
    "matches",
    (
        Column("index", Kind.INT64, "position in the plan"),
        Column("match_id", Kind.MATCH_ID, "first 96 bits of the hash of all that fixes the match"),
        Column("tournament", Kind.TEXT, "name of the tournament", hashed=False),
        Column("game", Kind.TEXT, "name of the game"),
        Column("pool", Kind.TEXT, "rating pool: the entry's label, or the game"),
        Column("options", Kind.TEXT, "rule options, resolved; canonical JSON"),
        Column("rules_version", Kind.INT16, "version of the game's rules"),
        Column("deal", Kind.INT32, "number of the deal, from 0"),
        Column("rotation", Kind.INT8, "number of the seating of the table, from 0"),
        Column("seat", Kind.INT8, "seat of this row, from 0"),
        Column("unit", Kind.INT8, "team; the seat itself without teams"),
        Column("bot", Kind.TEXT, "name of the bot"),
        Column("bot_version", Kind.INT32, "version of a submission, else 1"),
        Column("bot_sha256", Kind.TEXT, "hash of the bot's content; hex"),
        Column("params", Kind.TEXT, "parameters of the bot; canonical JSON"),
        Column("place", Kind.INT8, "1 = best, ties share the better number; 0 in a void match"),
        Column("score", Kind.FLOAT32, "in the game's own points"),
        Column("ending", Kind.TEXT, "how the seat's match ended"),
        Column("fault_decision", Kind.INT32, "index of the first fault in the log; -1 = at the start", nullable=True, low=-1),
        Column("decisions", Kind.INT32, "decisions of the seat, forced and fallback ones included"),
        Column("attempts", Kind.INT8, "times the match was begun", hashed=False),
        Column(
            "ended",
            Kind.INT64,
            "when the match ended; seconds since 1970, UTC",
            hashed=False,
            default=Default(0, "when it ended was not noted"),
        ),
        Column("isolation", Kind.TEXT, "how the bot was locked in", hashed=False),
        Column(
            "reproducible",
            Kind.BOOL,
            "no clock hit, no time budget given, no time measured, nothing asked outside, no host fault",
            hashed=False,
        ),
        Column("cpu_ms_total", Kind.FLOAT32, "CPU time of the seat's decisions; ms", hashed=False, significant_bits=TIME_BITS),
        Column("cpu_ms_p50", Kind.FLOAT32, "its median decision; ms", hashed=False, significant_bits=TIME_BITS),
        Column("cpu_ms_max", Kind.FLOAT32, "its slowest decision; ms", hashed=False, significant_bits=TIME_BITS),
        Column("wall_ms_total", Kind.FLOAT32, "wall time of its decisions; ms", hashed=False, significant_bits=TIME_BITS),
        Column(
            "asks_outside",
            Kind.BOOL,
            "the bot asks something outside itself, such as a network: the match cannot be repeated",
            default=Default(False, "no bot said that it does"),
        ),
    ),
)

ACTIONS = Table(
    "actions",
    (
        Column("match_id", Kind.MATCH_ID, "the match"),
        Column("actions", Kind.INT64_LIST, "action codes of all decisions in order, forced and fallback ones too"),
        Column("delays", Kind.INT32_LIST, "ticks per action where latency is measured, else empty"),
    ),
)

RATINGS = Table(
    "ratings",
    (
        Column("model", Kind.TEXT, "rating model"),
        Column("pool", Kind.TEXT, "rating pool, or overall"),
        Column("bot", Kind.TEXT, "name of the bot"),
        Column("bot_version", Kind.INT32, "version of a submission, else 1"),
        Column("mu", Kind.FLOAT64, "mean of the belief; TrueSkill points"),
        Column("sigma", Kind.FLOAT64, "standard deviation of the belief; TrueSkill points"),
        Column(
            "rating", Kind.FLOAT64, "what ranks the bot: `low`, unless `rank_by` says otherwise; by `trueskill` mu - 3 sigma"
        ),
        Column("low", Kind.FLOAT64, "lower end of the 95 % interval of mu"),
        Column("high", Kind.FLOAT64, "upper end of the 95 % interval of mu"),
        Column("rank", Kind.INT32, "1 = best, ties share; null without an overall rank", nullable=True),
        Column("rank_low", Kind.INT32, "best rank that the intervals allow", nullable=True),
        Column("rank_high", Kind.INT32, "worst rank that the intervals allow", nullable=True),
        Column("matches", Kind.INT64, "matches played, void ones left out"),
        Column("wins", Kind.INT64, "of them at place 1, shared ones too"),
        Column("mean_place", Kind.FLOAT64, "mean of the places; 0 without a match"),
        Column("faults", Kind.INT64, "matches whose ending blames the bot"),
        Column(
            "bound",
            Kind.TEXT,
            "`least`: it won all comparisons, so is at least that good; `most`: it lost all; else empty",
            default=Default("", "was not noted"),
        ),
        Column(
            "draw_probability",
            Kind.FLOAT64,
            "how often two equal bots of the pool tie, by the model; null where it does not go by ties",
            nullable=True,
            default=Default(None, "was not noted"),
        ),
    ),
)

HISTORY = Table(
    "history",
    (
        Column("model", Kind.TEXT, "rating model"),
        Column("pool", Kind.TEXT, "rating pool"),
        Column("bot", Kind.TEXT, "name of the bot"),
        Column("bot_version", Kind.INT32, "version of a submission, else 1"),
        Column("pool_matches", Kind.INT64, "rated matches of the pool up to here, in plan order; 0 = before the first"),
        Column("matches", Kind.INT64, "of them those of this bot"),
        Column("mu", Kind.FLOAT64, "mean of the belief; TrueSkill points"),
        Column("sigma", Kind.FLOAT64, "standard deviation of the belief; TrueSkill points"),
    ),
)

FAULTS = Table(
    "faults",
    (
        Column("index", Kind.INT64, "position in the plan"),
        Column("match_id", Kind.MATCH_ID, "the match"),
        Column("bot", Kind.TEXT, "name of the bot"),
        Column("bot_version", Kind.INT32, "version of a submission, else 1"),
        Column("seat", Kind.INT8, "its seat, from 0"),
        Column("decision", Kind.INT32, "index of the fault in the log; -1 = at the start", low=-1),
        Column("ending", Kind.TEXT, "kind of the fault"),
        Column("reason", Kind.TEXT, "what was wrong, in words"),
        Column("output", Kind.TEXT, "the end of what the bot printed, at most 4 KiB"),
        Column("exit", Kind.TEXT, "how its process ended; empty: it went on, or has none"),
    ),
)

LLM_CALLS = Table(
    "llm_calls",
    (
        Column("index", Kind.INT64, "position in the plan"),
        Column("match_id", Kind.MATCH_ID, "the match"),
        Column("pool", Kind.TEXT, "rating pool"),
        Column("bot", Kind.TEXT, "name of the bot"),
        Column("bot_version", Kind.INT32, "version of a submission, else 1"),
        Column("seat", Kind.INT8, "its seat, from 0"),
        Column("decision", Kind.INT32, "index in the log of the decision that was asked for", low=-1),
        Column("attempt", Kind.INT16, "0 = the first call of the decision; 1, 2, ... = the new tries"),
        Column("model", Kind.TEXT, "the model as it named itself"),
        Column("prompt_sha256", Kind.TEXT, "hash of all messages that it was sent; hex"),
        Column("prompt_tokens", Kind.INT32, "tokens of these messages"),
        Column("cached_tokens", Kind.INT32, "of them those that its server had kept"),
        Column("completion_tokens", Kind.INT32, "tokens of the answer, those of thoughts included"),
        Column("reasoning_tokens", Kind.INT32, "of them those of thoughts"),
        Column("finish_reason", Kind.TEXT, "why the answer ended, in the server's word"),
        Column("first_token_s", Kind.FLOAT32, "wall time until the answer began; s"),
        Column("total_s", Kind.FLOAT32, "wall time until it was whole; s"),
        Column("kind", Kind.TEXT, "`action`, or what was wrong: illegal, ambiguous, unparsable, truncated, empty"),
        Column("raw", Kind.TEXT, "what the model wrote as its action, or the end of its answer; cut"),
        Column("played", Kind.TEXT, "the legal action that was read; empty: none"),
        Column("cost", Kind.FLOAT64, "by the user's list of prices, in its currency; null: no price", nullable=True),
        Column("answer", Kind.TEXT, "the file of the kept answer, in `llm_answers/`; hex"),
    ),
)
"""A row per call of a language model, in plan order. The file is there only where there were any."""

TOTALS = Table(
    "totals",
    (
        Column("pool", Kind.TEXT, "rating pool"),
        Column("bot", Kind.TEXT, "name of the bot"),
        Column("bot_version", Kind.INT32, "version of a submission, else 1"),
        Column("ending", Kind.TEXT, "how the seat's match ended"),
        Column("seats", Kind.INT64, "rows of matches.parquet with all of these"),
        Column("decisions", Kind.INT64, "decisions of these rows"),
        Column("cpu_ms", Kind.FLOAT64, "CPU time of these decisions; ms"),
        Column("cpu_ms_median", Kind.FLOAT64, "median of the rows' median decisions; ms"),
        Column("cpu_ms_worst", Kind.FLOAT64, "the slowest decision; ms"),
    ),
)

LUCK = Table(
    "luck",
    (
        Column("index", Kind.INT64, "position in the plan"),
        Column("match_id", Kind.MATCH_ID, "the match"),
        Column("seat", Kind.INT8, "seat of this row, from 0"),
        Column("events", Kind.INT32, "chance events of the match that were looked at"),
        Column("luck", Kind.FLOAT64, "what they gave the seat, in shares of its rivals beaten; 0 on average"),
        Column("dealt", Kind.FLOAT64, "the part of it that came with the deals of rounds"),
        Column("bounded", Kind.FLOAT64, "the sum up to the event with which some seat's sum passed 0.5"),
    ),
)
"""A row per match and seat in the order of matches.parquet. The file is there only where luck was worked out."""

_MATCH_FIELDS = tuple(c.name for c in MATCHES.columns if c.name in MatchRecord.__struct_fields__)
_of_match = itemgetter(*_MATCH_FIELDS)
_SEAT_FIELDS = tuple(c.name for c in MATCHES.columns if c.name in SeatRecord.__struct_fields__)


class SeatTotals(msgspec.Struct, frozen=True):
    """Sums over one bot's rows of one pool with one ending: one row of totals.parquet."""

    pool: str
    bot: str
    bot_version: int
    ending: Ending
    seats: int
    """The number of rows."""
    decisions: int
    cpu_ms: float
    cpu_ms_median: float = 0.0
    """The median, over the bot's matches, of the median CPU time of a decision; ms."""
    cpu_ms_worst: float = 0.0
    """The CPU time of the bot's slowest decision; ms."""


def match_rows(record: MatchRecord, tournament: str) -> list[Row]:
    """The rows of matches.parquet for one match, in seat order."""
    common = {name: getattr(record, name) for name in _MATCH_FIELDS}
    common["tournament"] = tournament
    rows = []
    for number, seat in enumerate(record.seats):
        row = common | {name: getattr(seat, name) for name in _SEAT_FIELDS}
        row["seat"] = number
        row["ending"] = seat.ending.value
        rows.append(row)
    return rows


def log_row(record: MatchRecord) -> Row:
    """The row of actions.parquet for one match."""
    return {"match_id": record.match_id, "actions": record.actions, "delays": record.delays}


class StoredFault(FaultRecord, frozen=True, kw_only=True):
    """A fault with its match and bot: one row of faults.parquet."""

    index: int
    match_id: str
    bot: str
    bot_version: int


class StoredCall(CallRecord, frozen=True, kw_only=True):
    """A call of a language model with its match and bot: one row of llm_calls.parquet."""

    index: int
    match_id: str
    pool: str
    bot: str
    bot_version: int
    cost: float | None


class FaultPlace(msgspec.Struct, frozen=True):
    """A stored fault and where its match is stored."""

    fault: StoredFault
    row: int
    """The number of the seat's row among the rows that are shown: those of a tournament, or of the archive."""
    folder: Path
    """The folder of the tournament in which the fault happened."""


def fault_rows(record: MatchRecord) -> list[Row]:
    """The rows of faults.parquet for one match."""
    rows = []
    for fault in record.faults:
        seat = record.seats[fault.seat]
        row = msgspec.structs.asdict(fault) | {"index": record.index, "match_id": record.match_id, "ending": fault.ending.value}
        rows.append(row | {"bot": seat.bot, "bot_version": seat.bot_version})
    return rows


def call_rows(record: MatchRecord, cost_of: CostOf) -> list[Row]:
    """The rows of llm_calls.parquet for one match. `cost_of`: what a call cost; None: that is not known."""
    rows = []
    for call in record.calls:
        seat = record.seats[call.seat]
        row = msgspec.structs.asdict(call) | {"index": record.index, "match_id": record.match_id, "pool": record.pool}
        rows.append(row | {"bot": seat.bot, "bot_version": seat.bot_version, "cost": cost_of(record, seat, call)})
    return rows


def luck_rows(luck: MatchLuck) -> list[Row]:
    """The rows of luck.parquet for one match, in seat order."""
    common = {"index": luck.index, "match_id": luck.match_id, "events": luck.events}
    return [{**common, "seat": seat, **msgspec.structs.asdict(row)} for seat, row in enumerate(luck.seats)]


def luck_from_rows(rows: Sequence[Mapping[str, Any]]) -> MatchLuck:
    """The luck of a match from its rows in seat order. Raises ValueError or msgspec.ValidationError for what is not ours."""
    head = rows[0]
    if [(row["match_id"], row["seat"]) for row in rows] != [(head["match_id"], seat) for seat in range(len(rows))]:
        raise ValueError(f"match {head['match_id']} is not there with each seat once, in order")
    seats = [{name: row[name] for name in SeatLuck.__struct_fields__} for row in rows]
    common = {name: head[name] for name in ("index", "match_id", "events")}
    return msgspec.convert({**common, "seats": seats}, MatchLuck)


def record_from_rows(rows: Sequence[Mapping[str, Any]], log: Mapping[str, Any] | None = None) -> MatchRecord:
    """A match from its rows in seat order and its log (None: without actions).

    Raises ValueError when they do not belong together, and msgspec.ValidationError for what cannot be in a record.
    """
    head = rows[0]
    if log is not None and log["match_id"] != head["match_id"]:
        raise ValueError(f"match {head['match_id']} stands beside the log of match {log['match_id']}")
    if [(row["match_id"], row["seat"]) for row in rows] != [(head["match_id"], seat) for seat in range(len(rows))]:
        raise ValueError(f"match {head['match_id']} is not there with each seat once, in order")
    if any(_of_match(row) != _of_match(head) for row in rows):  # whoever reads columns alone would find another match
        raise ValueError(f"the rows of match {head['match_id']} differ in what a match has once")
    common = {name: head[name] for name in _MATCH_FIELDS}
    seats = [{name: row[name] for name in _SEAT_FIELDS} for row in rows]
    logged = {"actions": log["actions"], "delays": log["delays"]} if log else {"actions": ()}
    return msgspec.convert({**common, "seats": seats, **logged}, MatchRecord)


def rating_row(rating: Rating) -> Row:
    """The row of ratings.parquet for one rating."""
    return msgspec.structs.asdict(rating)


def rating_from_row(row: Mapping[str, Any]) -> Rating:
    """The rating that a row of ratings.parquet holds."""
    return msgspec.convert({column.name: row[column.name] for column in RATINGS.columns}, Rating)
