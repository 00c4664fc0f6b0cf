"""Base of all views: what a bot sees at a decision, and the notes that it makes. Each game's own view extends this one."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

import msgspec
import numpy as np

from arena import notebooks
from arena.engine.contract import Features
from arena.engine.game import Document, Game, States
from arena.engine.net import KINDS, POLICY
from arena.engine.position import Fields, cached_property
from arena.errors import ConfigError
from arena.records import Clock
from arena.search import Findings, Memory, search, settings_of

NOTE_BYTES = 1024
"""How much a bot may note at one decision: the UTF-8 of its texts, and for each number eight bytes."""
_NUMBER_BYTES = 8


class Note(msgspec.Struct, frozen=True, array_like=True):
    """One note: a text, and a number that the text names."""

    text: str
    value: float | None = None


class Notes(msgspec.Struct, array_like=True):
    """The notes of one decision. Whatever a bot says, nothing is raised: a note must not cost it a match."""

    taken: list[Note] = []
    is_cut: bool = False
    """Whether there was more than fits: the rest is left out."""
    is_odd: bool = False
    """Whether something was no note, and is left out: no text, or a number that is none."""
    _bytes: int = 0

    def add(self, text: object, value: object = None) -> None:
        """Take a note, as far as it fits."""
        if self.is_cut:
            return
        if not isinstance(text, str):
            self.is_odd = True
            return
        number = _finite(value)
        self.is_odd |= number is None and value is not None
        written = str.encode(text, "utf-8", "backslashreplace")
        left = NOTE_BYTES - self._bytes - (0 if number is None else _NUMBER_BYTES)
        if len(written) > left:
            self.is_cut = True
            if number is not None:  # a name that is cut would be another one
                return
            written = written[:left]
        self._bytes = NOTE_BYTES - left + len(written)
        if written or number is not None:
            self.taken.append(Note(written.decode("utf-8", "ignore"), number))


def checked_notes(said: Notes) -> Notes:
    """Notes that came from a bot's own process, taken anew."""
    found = Notes(is_odd=said.is_odd)
    for note in said.taken:
        found.add(note.text, note.value)
    found.is_cut |= said.is_cut
    return found


def read_notes(body: bytes | msgspec.Raw) -> Notes:
    """The notes in the JSON of a command bot: a list of `[text, number or null]`; a text alone will do too. Empty: none."""
    found = Notes()
    if not bytes(body):
        return found
    try:
        said = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError, OverflowError):
        said = None
    for one in said if isinstance(said, list) else [None]:
        pair: list[Any] = one if isinstance(one, list) else [one]
        if 1 <= len(pair) <= 2:
            found.add(*pair)
        else:
            found.is_odd = True
    return found


def _finite(value: object) -> float | None:
    """A number as Python's own, such as a number of numpy's; None: it is none, or not finite."""
    if value is None or isinstance(value, str | bytes | bytearray):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except Exception:  # whatever a bot's object does
        return None
    return number if math.isfinite(number) else None


class DecisionContext(Protocol):
    """A decision of one seat: where a view gets what it shows. Whatever it returns is the view's own."""

    @property
    def game(self) -> Game:
        """The game that is played."""
        ...

    @property
    def seat(self) -> int:
        """The seat that has to choose."""
        ...

    def observed(self) -> States:
        """The state as `observe` shows it to the seat."""
        ...

    def codes(self) -> Sequence[int]:
        """The legal actions as codes."""
        ...

    def legal(self) -> list[str]:
        """Their texts."""
        ...

    def events(self) -> list[tuple[int, str]]:
        """Return what the seat may know of the actions since its last decision."""
        ...


class View:
    """One seat's knowledge at one decision. A value copy: nothing that a bot does to it reaches the game.

    What it shows is made when somebody looks at it, and is what it was at the decision.
    """

    is_timed = False
    """Whether a search was given a time budget: then the decision cannot be repeated exactly."""
    thread_seconds = 0.0
    """CPU seconds of the search's extra threads."""

    def __init__(
        self,
        game: Game,
        observed: States,
        seat: int,
        *,
        codes: Sequence[int],
        events: Callable[[], list[tuple[int, str]]],
        clock: Clock,
    ) -> None:
        """`observed`: the state as `observe` shows it to the seat; `codes`: its legal actions; `events`: makes the events."""
        self.seat = seat
        """The bot's own seat, from 0."""
        self.clock = clock
        """The CPU seconds for this decision, and what is left in the bank."""
        self._moment: DecisionContext = _Given(game, observed, seat, codes, events)

    @classmethod
    def at(cls, moment: DecisionContext, clock: Clock) -> Self:
        """The view of a decision that a seat has to take."""
        view = cls.__new__(cls)
        view.seat = moment.seat
        view.clock = clock
        view._moment = moment
        return view

    def _repr_html_(self) -> str:
        """The table as the seat knows it, drawn for a notebook."""
        return notebooks.shown(self, "position")

    @property
    def game(self) -> str:
        """The name of the game that is played."""
        return self._moment.game.name

    @cached_property
    def state(self) -> Any:
        """The state as the seat sees it, a record of the game's STATE; everything that the seat cannot know is zero."""
        return self._observed[0]

    @cached_property
    def codes(self) -> Sequence[int]:
        """The legal actions as codes, in the order of `legal`."""
        return self._moment.codes()

    @cached_property
    def legal(self) -> list[str]:
        """The legal actions in canonical order; `act` returns one of them."""
        return self._moment.legal()

    @cached_property
    def events(self) -> list[tuple[int, str]]:
        """What the seat may know of the actions since its last decision, that one included, as (seat, text)."""
        return self._moment.events()

    @cached_property
    def position(self) -> Document:
        """The masked position: a JSON object with `?` for each hidden card."""
        return self._moment.game.text.masked_position(self.state, self.seat)

    def search(self, memory: Memory | None = None, **settings: Any) -> Findings:
        """The compiled search from this seat's knowledge, such as `view.search(iterations=1000).best`.

        `settings`: the fields of `arena.search.Settings`: iterations, time, method, rollout, evaluate, ...; `memory`: what
        earlier searches of this match learnt, so that this one need not start from nothing. Raises ConfigError.
        """
        asked = settings_of(settings)
        self.is_timed |= asked.time is not None
        found = search(self._moment.game, self._observed, self.seat, list(self.codes), asked, memory)
        self.thread_seconds += found.thread_seconds
        return found

    def solution(self) -> list[float] | None:
        """Return how often to play each legal action, in the order of `legal`, where the position can be solved; else None.

        Whoever draws an action with these chances can lose nothing on average to one who knows them (an equilibrium of two
        seats). Takes about as long as a search with some thousand iterations.
        """
        return None

    def features(self) -> Features:
        """[features]: what this seat knows, as numbers between fixed bounds, such as a network has learnt from.

        docs/encodings.md says for each game what they mean.
        """
        return self._moment.game.encoding.features(self._observed, self.seat)

    def action_features(self) -> Features:
        """[actions, features]: a row of numbers for each legal action, in the order of `legal`; see `features`."""
        return self._moment.game.encoding.action_features(self._observed, self.seat, self.codes)

    @property
    def encoding(self) -> str:
        """A hash over what the numbers of `features` and `action_features` mean.

        A network is good for the encoding that it has learnt from, and for no other.
        """
        return self._moment.game.layout.sha256

    @property
    def has_policy(self) -> bool:
        """Whether the game has learnt a policy for this number of seats (docs/training.md)."""
        game = self._moment.game
        return game.seats_at(self._observed) in game.nets.seats_of(POLICY)

    def policy(self) -> list[float]:
        """Return how likely the game's learnt policy plays each legal action, in the order of `legal`; no search.

        Raises ConfigError unless `has_policy`, and ArenaError for a policy that was trained on another encoding.
        """
        if not self.has_policy:
            raise ConfigError(f"policy: {self.game} has learnt none for this number of seats; see `arena docs training`")
        seats = self._moment.game.seats_at(self._observed)
        self._moment.game.check_policy(seats)
        net = self._moment.game.nets.at(seats).nets[KINDS[POLICY]]
        logits = net.preferences(self.features(), self.action_features())
        odds = np.exp(logits.astype(np.float64) - logits.max())
        return [float(share) for share in odds / odds.sum()]

    def note(self, text: str, value: float | None = None) -> None:
        """Note something about this decision for yourself, such as `view.note("cards to win", 3)`; nobody else ever sees it.

        The replay of a match shows the notes at their decision, and plots each text's numbers over the match. A decision has
        room for 1 KB; what is beyond that, or is no text and number, is left out and never a fault.
        """
        self._notes.add(text, value)

    @cached_property
    def _notes(self) -> Notes:
        return Notes()

    @cached_property
    def _fields(self) -> Any:
        """The fields of `state`, for the properties of a game's view."""
        return Fields(self.state)

    @cached_property
    def _observed(self) -> States:
        return self._moment.observed()

    def __str__(self) -> str:
        lines = [self._moment.game.text.describe(self.state, self.seat)]
        lines += [f"  {place:3}  {text}" for place, text in enumerate(self.legal)]
        return "\n".join(lines)


def moment_of(view: View) -> DecisionContext:
    """The decision that a view was made of: for seats that know more about it than bots see. It belongs to the seat."""
    return view._moment


def notes_on(view: View) -> Notes:
    """Return what a bot has noted about a decision. Code of the bot had the view: it may hold anything in their place."""
    found = vars(view).get("_notes")
    return found if type(found) is Notes else Notes(is_odd=found is not None)


class _Given:
    """A decision that is known already; implements DecisionContext."""

    def __init__(
        self, game: Game, observed: States, seat: int, codes: Sequence[int], events: Callable[[], list[tuple[int, str]]]
    ) -> None:
        self.game = game
        self.seat = seat
        self.events = events
        self._observed = observed
        self._codes = codes

    def observed(self) -> States:
        return self._observed

    def codes(self) -> Sequence[int]:
        return self._codes

    def legal(self) -> list[str]:
        return self.game.text.action_texts(self._observed[0], self._codes)
