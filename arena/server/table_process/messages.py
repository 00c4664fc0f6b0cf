"""What a table's process, the server and the browsers say to each other. Lines of JSON, each with its `kind`.

    server -> process      Setup first, then ToTable lines
    process -> server      FromTable lines; an `Envelope` is for the browsers of one seat, its message is passed on as it is
    browser -> server      FromPerson messages; the server adds the seat and passes them on
    server -> browser      ToPerson messages

A browser gets what its seat may know, and nothing else: the messages for a seat are equal byte for byte in two matches
that differ only in what the seat cannot know (tests/server/test_leaks.py). Who comes back gets the newest `Welcome`, `Frame`
and `Ask` again, which say everything there is to know.
"""

from typing import Any

import msgspec

from arena.engine.game import Document
from arena.engine.outcomes import Fact, RoundResult
from arena.records import Ending
from arena.reports.pages.frames import Event
from arena.results.people import PEOPLE


class Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower, omit_defaults=True):
    """A line of JSON; its `kind` is the name of its class in small letters."""


# The table ------------------------------------------------------------------------------------------------------------------


class SeatPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A seat, and who sits there."""

    name: str
    """The name that all see, printable: a person's, or of a level or a bot."""
    person: bool = False
    bot: str = ""
    """The bot that plays, or that takes over from a person who has left: `house:NAME` or `submitted:NAME`."""
    params: dict[str, Any] = {}
    """The parameters of the bot."""
    level: str | None = None
    """The level of strength that the bot is; None: none."""
    remote: "Remote | None" = None
    """How a program on its author's machine plays; None: nobody of the kind sits there."""


class Remote(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A program that plays from its author's machine: the server passes its lines on (docs/wire-protocol.md)."""

    wants_forced: bool = False
    """Whether decisions with a single legal action are sent too."""
    wants_state: bool = False
    """Whether it is sent what a locked bot in Python gets: the bytes of the state as the seat sees it, and the action codes."""


class Setup(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The match to play, the first line that a process gets."""

    game: str
    seats: list[SeatPlan]
    options: dict[str, Any] = {}
    results: str
    """The folder of results: submitted bots are found there, and the match is stored there."""
    seed: int | None = None
    """What fixes the cards; None: cards that nobody can foretell."""
    tick_ms: int | None = None
    """Wall milliseconds of a tick, for a game in real time (Nertz); None: the table waits for its people."""
    pool: str = PEOPLE
    """How the name of the pool begins; with another one than PEOPLE, nobody but bots may sit there."""
    like: str = ""
    """The id of a stored match whose cards are dealt again; empty: new ones."""


# Server -> process ------------------------------------------------------------------------------------------------------------


class Act(Message, frozen=True, kw_only=True, omit_defaults=True):
    """A person plays an action."""

    seat: int = -1
    """Filled in by the server; whatever a browser says here is overwritten."""
    decision: int
    """The number of the `Ask` that is answered. In real time a tick that is over by now: the action counts in the present one,
    if it is legal there."""
    action: str
    """One of the legal texts."""


class Advise(Message, frozen=True, kw_only=True, omit_defaults=True):
    """A person wants a hint."""

    seat: int = -1
    decision: int


class Back(Message, frozen=True, kw_only=True, omit_defaults=True):
    """A person wants to choose again: in place of the last own action, where the Ask that is open says that this is possible
    (`back`); or in place of what was chosen at it, as long as it is revocable.
    """

    seat: int = -1
    decision: int


class Replace(Message, frozen=True, kw_only=True, omit_defaults=True):
    """A bot takes over a person's seat, from the present decision on."""

    seat: int


class Restore(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The person is back, and gets the seat again."""

    seat: int


class Stop(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The match ends here and is not stored."""


class Replied(Message, frozen=True, kw_only=True, omit_defaults=True):
    """A remote program has sent a line."""

    seat: int
    line: str


class Cut(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The connection to a remote program is gone; it may come back."""

    seat: int


class Resumed(Message, frozen=True, kw_only=True, omit_defaults=True):
    """A remote program is connected again, and has to be asked again what is still open."""

    seat: int


class GaveUp(Message, frozen=True, kw_only=True, omit_defaults=True):
    """A remote program plays no more: it forfeits."""

    seat: int
    ending: Ending
    reason: str


ToTable = Act | Advise | Back | Replace | Restore | Stop | Replied | Cut | Resumed | GaveUp


# Process -> browser of one seat ---------------------------------------------------------------------------------------------


class Frame(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The position as the seat sees it, and what led there. Equals a frame of the stored match's replay."""

    number: int
    """How many decisions were made before, as in a replay. Less than in the frame before: the last action was taken back."""
    events: list[Event] = []
    """What happened since the frame before, and what that led to, as this seat learnt it."""
    position: Document | None
    """What the seat sees, at the end of a round all hands; None where the game has no position: then `text` says it."""
    text: str = ""
    choosing: list[int] = []
    """The seats that choose next. Of a simultaneous choice a seat is only told whether itself is among them."""
    is_end_of_round: bool = False
    result: RoundResult | None = None
    """How the round ended; None: none ends here, or the game does not say."""
    tick_ms: int | None = None
    """Milliseconds until the next tick, when the frame was sent; None if the game is not played in real time."""


class Refusal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a card cannot be played now."""

    zone: str
    """The `data-zone` in which the card lies."""
    card: str
    """The card's text, the part of its `data-key` before `#` (in Nertz with its deck: `0:S3`)."""
    why: str
    """The key of the sentence in the game's page/words.json, `why_...`."""
    rule: str
    """The section of RULES.md that says so, such as `2.2`."""
    values: dict[str, Any] = {}
    """What the sentence is filled with. A list holds card texts."""
    to: str = ""
    """The zone on which the card cannot be put, where it could be played otherwise; empty: it cannot be played at all."""


class Known(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A group of cards that somebody with a perfect memory knows about, such as those that are still unseen."""

    title: str
    """The key of the heading in the game's page/words.json, `known_...`."""
    cards: list[tuple[str, int]]
    """Card texts, in a fixed order, and how many there are of each."""
    seat: int | None = None
    """The seat whose cards they are; its name is the `{name}` of the heading. None: nobody's, or anybody's."""


class Ask(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The seat has to choose."""

    decision: int
    legal: list[str]
    since: list[Event]
    """What happened since the seat's own last decision, that one included, in order."""
    refusals: list[Refusal] = []
    known: list[Known] = []
    task: Fact | None = None
    """What to do now; None: the game does not say."""
    prospects: dict[str, Fact] = {}
    """What legal actions would surely lead to, by what the seat knows; not all need be there."""
    back: str = ""
    """The key of the words of the game for taking the last own action back; empty: it cannot be. See LastAction."""
    is_revocable: bool = False
    """Whether the choice may be changed until all people have made theirs who choose at the same time; then it is revealed."""


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """A legal action, and what the search found out about it."""

    action: str
    visits: int
    value: float | None
    """Mean reward on the game's own scale; None: it was never tried."""


class Hint(Message, frozen=True, kw_only=True, omit_defaults=True):
    """What the compiled search would play with what the seat knows."""

    decision: int
    best: str
    simulations: int
    choices: list[Advice]
    """The best action first, then by visits; a handful."""
    loss: float | None
    """How much worse the second choice is, on the same scale; None if there is no second one."""


class Refused(Message, frozen=True, kw_only=True, omit_defaults=True):
    """An action was not played, or not taken back: it came too late, or is not legal any more. The page shows it as it was."""

    decision: int
    action: str
    """The action; empty where the last one was to be taken back."""
    why: str
    """`late` (the decision is over), `illegal`, `busy` (a move of the seat still runs), or `back` (nothing to take back)."""


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """The game's evaluation by all cards over the match: it shows where the match was won."""

    numbers: list[int]
    """[frames]: the address of each frame in the replay."""
    values: list[list[float]]
    """[frames][seats]"""


class Over(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The match has ended."""

    match_id: str
    places: list[int]
    scores: list[float]
    curve: Curve | None = None


class SameDeal(msgspec.Struct, frozen=True, kw_only=True):
    """What others make of the same cards: the deal played again with bots, from one seat."""

    seat: int
    own: float
    """The score that was made on the seat."""
    champion: float
    """The mean score of the champion on this seat, the other seats played by the bots of the table (for people: champions)."""
    low: float
    high: float
    """The lowest and the highest of these matches."""
    matches: int


class Luck(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The luck of the deal, some seconds after `Over`."""

    seats: list[SameDeal]


ToSeat = Frame | Ask | Hint | Refused | Over | Luck


# Process -> server ------------------------------------------------------------------------------------------------------------


class Envelope(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="envelope"):
    """A message for the browsers of one seat."""

    seat: int
    message: ToSeat


class Compiling(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The process compiles what the game needs: once for each machine, and it takes a while."""


class Ready(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The process has begun: the bots are there, the cards are dealt."""

    options: dict[str, Any]
    """All rule options, resolved."""


class Stored(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The match is over and stored; or was stopped, and is not."""

    match_id: str | None


class Broken(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The match cannot be played: a bot that does not load, options that do not fit. The process ends."""

    error: str


class Forward(Message, frozen=True, kw_only=True, omit_defaults=True):
    """A line for a remote program, as docs/wire-protocol.md has it."""

    seat: int
    line: str
    is_end: bool = False
    """Whether it is the last one of the match."""


FromTable = Envelope | Compiling | Ready | Stored | Broken | Forward


# Server <-> browser -----------------------------------------------------------------------------------------------------------


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A seat as all at the table see it."""

    name: str
    level: str | None = None
    """The level of strength that plays here, with which `name` begins; None: a person, or another bot."""
    person: bool
    present: bool = True
    """Whether a browser of the person is connected; true for bots."""
    replaced: bool = False
    """Whether a bot plays for the person at present."""
    free: bool = False
    """Whether somebody with the link may still sit down here; who does not come is replaced by the bot of this name."""


class Welcome(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The table, as the server describes it to who sits there: sent first, and again whenever something of it changes."""

    table: str
    """The id of the table."""
    game: str
    options: dict[str, Any]
    seat: int | None
    """The own seat; None: still choosing, in the lobby."""
    places: list[Place]
    state: str
    """`lobby`, `starting`, `compiling`, `playing`, `over`, or `broken`."""
    is_host: bool = False
    """Whether this person opened the table, and may start it."""
    join: str = ""
    """The path of the link that lets others in, while there are free seats."""
    tick_ms: int | None = None


class Notice(Message, frozen=True, kw_only=True, omit_defaults=True):
    """Something that all at the table should know."""

    key: str
    """The key of the sentence in the words of the pages, `notice_...`."""
    values: dict[str, Any] = {}


class Ping(Message, frozen=True, kw_only=True, omit_defaults=True):
    """A browser measures the way to the server and back."""

    at: float
    """The time by the browser's own clock; it comes back as `Pong`."""


class Pong(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to a Ping."""

    at: float


class Leave(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The person leaves the table for good."""


class Start(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The host starts the match; free seats go to bots."""


FromPerson = Act | Advise | Back | Ping | Leave | Start
ToPerson = Welcome | Notice | Pong | ToSeat
