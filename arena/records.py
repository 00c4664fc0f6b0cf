"""The records that all layers share: endings, matches, faults, ratings, clocks. How they are stored: results/schema.py."""

from enum import StrEnum
from typing import Annotated, Any, TypeVar

import msgspec

from arena import notebooks
from arena.errors import SHOWN, StoreError, printable
from arena.names import MatchId, Sha256

T = TypeVar("T")


class Ending(StrEnum):
    """How a match ended for a seat, which says whose fault it was."""

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
        """The side to blame for this ending: `bot`, `host`, or `-` for nobody."""
        return _BLAME[self]


_BLAME = {ending: {"played": "-", "host": "host"}.get(ending.value, "bot") for ending in Ending}


_Small = Annotated[int, msgspec.Meta(ge=0, le=(1 << 7) - 1)]
_Short = Annotated[int, msgspec.Meta(ge=0, le=(1 << 15) - 1)]
_Whole = Annotated[int, msgspec.Meta(ge=0, le=(1 << 31) - 1)]
_OrNone = Annotated[int, msgspec.Meta(ge=-1, le=(1 << 31) - 1)]
_Index = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]
_Real = Annotated[float, msgspec.Meta(ge=-3.4028234663852886e38, le=3.4028234663852886e38)]
"""Numbers that have a place in the columns of the tables (results/schema.py): what is read from a file has no others."""


class SeatRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One seat of a match: one row of matches.parquet."""

    bot: str
    bot_version: _Whole
    """Version of a stored submission; 1 for a bot given by its path."""
    bot_sha256: Sha256
    params: str
    """The bot's parameters as canonical JSON."""
    unit: _Small
    """The number of the seat's team; in a game without teams the seat's own number."""
    place: _Small
    """The final place, from 1 for the best; 0 in a void match."""
    score: _Real
    ending: Ending
    fault_decision: _OrNone | None
    """The index in the action log of the seat's first fault; -1: it failed to start; None: no fault."""
    decisions: _Whole
    """How many actions of the log are this seat's, forced ones and those of the fallback included."""
    isolation: str
    reproducible: bool
    cpu_ms_total: _Real
    cpu_ms_p50: _Real
    cpu_ms_max: _Real
    wall_ms_total: _Real
    asks_outside: bool = False
    """Whether the bot says that it asks something outside itself, such as a network; then the seat is not reproducible."""


TOLD_LETTERS = 1 << 18
"""The longest text of a fault: what a bot printed is kilobytes, of which each may be escaped by some letters."""
_Told = Annotated[str, msgspec.Meta(max_length=TOLD_LETTERS)]


class FaultRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A bot's fault with what its author needs to find it: one row of faults.parquet, not part of the results hash."""

    seat: _Small
    decision: _OrNone
    """The index of the faulty decision in the action log; -1: the bot failed to start."""
    ending: Ending
    reason: _Told
    """What went wrong, in words. A bot's own texts in it are made safe by errors.printable."""
    output: _Told = ""
    """The end of what the bot printed, at most 4 KiB, made printable: stderr, and stdout unless that is its channel."""
    exit: _Told = ""
    """How the bot's process ended, such as `exit code 3`, `SIGSEGV` or `killed by the host`; empty: it did not end."""


class CallRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a language model: one row of llm_calls.parquet, not part of the results hash."""

    seat: _Small
    decision: _OrNone
    """The index in the action log of the decision that was asked for."""
    attempt: _Short
    """0 for the first call of the decision, then 1, 2, ... for the new tries."""
    model: _Told
    """The model as it named itself."""
    prompt_sha256: Sha256
    """The hash of all messages that it was sent."""
    prompt_tokens: _Whole
    cached_tokens: _Whole
    """How many of the prompt's tokens its server had kept from before."""
    completion_tokens: _Whole
    """How many tokens the answer has, those of thoughts included."""
    reasoning_tokens: _Whole
    finish_reason: _Told
    first_token_s: _Real
    """Wall seconds until the answer began."""
    total_s: _Real
    kind: _Told
    """`action`, or what was wrong: `illegal`, `ambiguous`, `unparsable`, `truncated`, `empty`."""
    raw: _Told
    """What the model wrote as its action, or how its answer ended; made printable and cut."""
    played: _Told
    """The legal action that was read; empty if there was none."""
    answer: Sha256
    """The name of the kept answer."""


MOST_ACTIONS = 10_000_000
"""The longest log of a match, far above that of any game: a longer one is neither played nor read."""


class MatchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One match from deal to places; with the deal seed its action log replays it exactly."""

    index: _Index
    """The match's number in the plan, from 0."""
    match_id: MatchId
    """The match's identifier: 24 hex digits."""
    game: str
    pool: str
    options: str
    """All rule options as canonical JSON."""
    rules_version: _Short
    deal: _Whole
    rotation: _Small
    seats: tuple[SeatRecord, ...]
    actions: Annotated[tuple[int, ...], msgspec.Meta(max_length=MOST_ACTIONS)]
    """The action log: the codes of all actions in order, forced ones and those of the fallback included."""
    delays: tuple[_Whole, ...] = ()
    """How many ticks each action was delayed; only Nertz with measured latency has delays."""
    attempts: _Small = 1
    ended: _Index = 0
    """When the match ended: seconds since 1970, UTC; 0: unknown, as of matches that an older version stored."""
    notes: tuple[str, ...] = ()
    """A line for each fault: seat, ending, reason. Not part of the results hash."""
    faults: tuple[FaultRecord, ...] = ()
    """The first few faults of each seat with all that is known of them, in order."""
    calls: tuple[CallRecord, ...] = ()
    """The calls of language models, in order."""

    def _repr_html_(self) -> str:
        """The result, seat by seat, drawn for a notebook."""
        return notebooks.shown(self, "result")

    @property
    def is_void(self) -> bool:
        """Whether the host could not finish the match: it is stored and reported, but not rated."""
        return Ending.HOST in [seat.ending for seat in self.seats]

    @property
    def is_measured(self) -> bool:
        """Whether thinking time became ticks of the game: the match can be replayed, but not repeated; it is not rated."""
        return bool(self.delays)


class SeatOutcome(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What came of one seat of a match; the fields are those of SeatRecord."""

    bot: str
    bot_version: _Whole
    unit: _Small
    place: _Small
    score: _Real
    ending: Ending


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What ratings and retirements look at in a match: some fields of its MatchRecord, read from it much faster than all."""

    index: _Index
    game: str
    pool: str
    options: str
    deal: _Whole
    seats: tuple[SeatOutcome, ...]
    delays: tuple[_Whole, ...] = ()

    @property
    def is_void(self) -> bool:
        """Whether the host could not finish the match."""
        return Ending.HOST in [seat.ending for seat in self.seats]

    @property
    def is_measured(self) -> bool:
        """Whether thinking time became ticks of the game."""
        return bool(self.delays)


class SeatLuck(msgspec.Struct, frozen=True, kw_only=True):
    """How lucky one seat of a match was, in shares of its rivals beaten: 0 on average, whoever plays."""

    luck: float
    """What all chance events of the match gave the seat, by a fixed estimate of what positions are worth."""
    dealt: float
    """The part of it that came with the deals of rounds; the rest came up while they were played."""
    bounded: float
    """The same sum, of which corrections are a smaller part the nearer it is to LUCK_LIMIT, which it never passes."""


LUCK_LIMIT = 1.5
"""The size that bounded sums of a match never pass: a bet on numbers without luck has to know how far they may lie from 0."""


class MatchLuck(msgspec.Struct, frozen=True, kw_only=True):
    """The luck of all seats of a match, worked out from its log: rows of luck.parquet, not part of the results hash."""

    index: int
    match_id: MatchId
    events: int
    """How many chance events were looked at: all before the first fault of a bot; 0 in a void match."""
    seats: tuple[SeatLuck, ...]


class LuckWorth(msgspec.Struct, frozen=True):
    """How certain the ratings of a pool are without the luck of its matches."""

    deals: int
    """How many deals were played."""
    worth: int
    """How many deals would be as certain had luck not been taken out."""


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """The rating of one bot in one pool, in TrueSkill points: one row of ratings.parquet."""

    model: str
    pool: str
    """The name of the rating pool, or `overall`."""
    bot: str
    bot_version: int
    mu: float
    """The mean of the belief about the bot's skill."""
    sigma: float
    """The standard deviation of the belief about the bot's skill (not the variance)."""
    rating: float
    """What the bot is ranked by: `low`, unless the settings say otherwise; by models of the order of play mu - 3 sigma."""
    low: float
    high: float
    """The upper end of the 95 % interval of mu; `low` is the lower end."""
    rank: int | None
    """The rank, from 1; None: no overall rank, because the bot lacks a pool."""
    rank_low: int | None
    rank_high: int | None
    """The worst rank that the intervals allow; `rank_low` is the best one."""
    matches: int
    wins: int
    """How many matches the bot finished at place 1, shared or not."""
    mean_place: float
    faults: int
    """How many matches ended by the bot's fault."""
    bound: str = ""
    """`least`: it beat all whom it was compared with, so it is at least that good; `most`: nobody, so at most."""
    draw_probability: float | None = None
    """How often two equal bots of the pool tie, by the model; None: it does not go by ties, or several pools are in it."""


class HistoryPoint(msgspec.Struct, frozen=True, kw_only=True):
    """The belief about one bot's skill after part of the plan: one row of history.parquet."""

    model: str
    pool: str
    bot: str
    bot_version: int
    pool_matches: int
    """How many rated matches of the pool came before this point, in plan order."""
    matches: int
    """How many of those matches the bot played."""
    mu: float
    sigma: float
    """The standard deviation of the belief, in TrueSkill points like mu."""


MOST_DEALS = (1 << 31) - 1
"""The most deals of a game: their numbers are stored as 32 bits."""
MOST_SECONDS = 1e6
"""The longest time that a clock may give: about eleven days."""
MOST_BYTES = 1 << 50
"""The most memory that a limit may name: far beyond every machine."""
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=MOST_SECONDS)]


class Clock(msgspec.Struct, frozen=True):
    """A seat's CPU seconds: `move` for each decision, `bank` for all slow ones of a match together, `start` to get ready."""

    move: _Seconds
    bank: _Seconds
    start: _Seconds = 10.0


class Limits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a locked bot may use. Travels whole from the config to the locks.

    A limit that is added here needs a default: plans that do not mention it are those of before, and keep their hash.
    """

    memory: Annotated[int, msgspec.Meta(ge=1, le=MOST_BYTES)]
    """How many bytes of memory the bot may use beyond an empty process."""
    clean_caches: bool = False
    """Whether the processor's caches are filled before each decision, and no other bot of the table runs meanwhile."""


DEFAULT_LIMITS = Limits(memory=512_000_000)
"""The limits of a config that names none."""


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no spaces: the same text for the same value."""
    return msgspec.json.encode(value, order="sorted").decode()


def copied(value: T) -> T:
    """A copy of a JSON value: rule options, or the parameters of a bot."""
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}  # type: ignore[return-value]
    if isinstance(value, list):
        return [copied(each) for each in value]  # type: ignore[return-value]
    return value


def json_object(text: str) -> dict[str, Any]:
    """The rule options of a stored match, or the parameters of its bot, from their stored JSON.

    Raises StoreError for anything but a JSON object: the text may come from somebody else's results.
    """
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise StoreError(f"damaged: {printable(text, SHOWN)!r} is no JSON object") from None
