"""The nouns that all layers share: endings, match records, ratings. Normative forms: docs in store/schema.py."""

from enum import StrEnum

import msgspec


class Ending(StrEnum):
    """How a seat's match ended, and so whose fault it was."""

    PLAYED = "played"
    ILLEGAL = "illegal"  # not in the legal list
    MALFORMED = "malformed"  # not decodable, or too long
    PROTOCOL = "protocol"  # wrong id, extra bytes, unasked message
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    CRASH = "crash"
    STARTUP = "startup"  # did not become ready
    HOST = "host"  # ours: the match is void, played again, never scored

    @property
    def blame(self) -> str:
        """`bot`, `hall` or `-`."""
        return _BLAME[self]


_BLAME = {ending: {"played": "-", "host": "hall"}.get(ending.value, "bot") for ending in Ending}


class SeatRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One seat of a match: one row of matches.parquet."""

    bot: str
    bot_version: int
    """Version of a stored submission; 1 for a bot given by its path."""
    bot_sha256: str
    params: str
    """Canonical JSON."""
    unit: int
    """Team; the seat itself without teams."""
    place: int
    """1 = best; 0 in a void match."""
    score: float
    ending: Ending
    fault_decision: int | None
    """Index in the action log of the first fault; -1 = at the start; None = none."""
    decisions: int
    """Decisions of this seat in the log, forced and fallback ones included."""
    isolation: str
    reproducible: bool
    cpu_ms_total: float
    cpu_ms_p50: float
    cpu_ms_max: float
    wall_ms_total: float


class FaultRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a bot's fault for its author: one row of faults.parquet. Outside the hash."""

    seat: int
    decision: int
    """Index in the action log; -1 = at the start."""
    ending: Ending
    reason: str
    """What was wrong, in words. Strangers' texts in here are printable: see errors.printable."""
    output: str = ""
    """The end of what the bot printed (stderr; stdout too where that is not its channel); at most 4 KiB, printable."""
    exit: str = ""
    """How its process ended, such as `exit code 3`, `SIGSEGV` or `killed by the hall`; empty: it went on, or has none."""


class MatchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One match from deal to places; with the deal seed its action log replays it exactly."""

    index: int
    """Position in the plan."""
    match_id: str
    """24 hex digits."""
    game: str
    pool: str
    options: str
    """Canonical JSON of all options."""
    rules_version: int
    deal: int
    rotation: int
    seats: tuple[SeatRecord, ...]
    actions: tuple[int, ...]
    """Action codes in order, forced and fallback ones included."""
    delays: tuple[int, ...] = ()
    """Nertz with measured latency: ticks per action."""
    attempts: int = 1
    notes: tuple[str, ...] = ()
    """Per fault a line for the bot's author: seat, ending, reason. Outside the hash."""
    faults: tuple[FaultRecord, ...] = ()
    """The same with all that is known of it, in order; the first few of each seat."""

    @property
    def is_void(self) -> bool:
        """Whether the hall failed: stored, reported, not rated."""
        return any(seat.ending is Ending.HOST for seat in self.seats)

    @property
    def is_measured(self) -> bool:
        """Whether thinking time became ticks of the game: exact to replay, not to repeat, and not rated by default."""
        return bool(self.delays)


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """What the rows say about one bot in one pool, in TrueSkill points: one row of ratings.parquet."""

    model: str
    pool: str
    """An entry's label, or `overall`."""
    bot: str
    bot_version: int
    mu: float
    """Mean of the belief."""
    sigma: float
    """Standard deviation of the belief (not the variance)."""
    rating: float
    """mu - 3 sigma."""
    low: float
    high: float
    """95 % interval of mu."""
    rank: int | None
    """None: no overall rank, because a pool is missing."""
    rank_low: int | None
    rank_high: int | None
    """Best and worst rank that the intervals allow."""
    matches: int
    wins: int
    """Matches at place 1 (shared ones too)."""
    mean_place: float
    faults: int
    """Matches with an ending that blames the bot."""


class HistoryPoint(msgspec.Struct, frozen=True, kw_only=True):
    """What was believed of one bot at one point of the plan: one row of history.parquet."""

    model: str
    pool: str
    bot: str
    bot_version: int
    pool_matches: int
    """Rated matches of the pool up to here, in plan order; 0 = before the first."""
    matches: int
    """Of them those of this bot."""
    mu: float
    sigma: float
    """Standard deviation of the belief; TrueSkill points like mu."""


class Clock(msgspec.Struct, frozen=True):
    """CPU seconds of a seat: per decision, and the bank that a match's slow decisions draw on."""

    move: float
    bank: float
    start: float = 10.0


class Limits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a locked bot may use. Travels whole from the config to the locks.

    A limit that is added here needs a default: plans that do not mention it are those of before, and keep their hash.
    """

    memory: int
    """Bytes."""


DEFAULT_LIMITS = Limits(memory=512_000_000)
"""The limits of a config that names none."""


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no spaces: the same text for the same value."""
    return msgspec.json.encode(value, order="sorted").decode()
