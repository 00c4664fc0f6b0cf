"""The lesson of a game: a guided first round with fixed cards, as frames for the page that teaches it.

A game writes it down in `page/lesson.json` (docs/tables.md): all actions of the round in order, and what is to be said at
some of them. Here it is played on the engine, so the page that shows it knows no rules. Nothing of it is stored.
"""

from functools import cache
from typing import Any

import msgspec

from arena import games
from arena.engine.game import Document, Game, States
from arena.engine.outcomes import RoundResult
from arena.errors import ConfigError
from arena.reports.pages.frames import Event, told
from arena.reports.pages.scenes import Played, Scene, description, position, result

Sentences = dict[str, str]
"""Language, text."""


class Claims(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the text of a step states, for the test that holds it against the engine (tests/reports/test_lessons.py)."""

    position: dict[str, Any] = {}
    """Values of the learner's position before the step, by dotted path: `units.0.nertz.-1`; `hands.0.length` counts."""
    legal: list[str] = []
    """Actions that the seat to choose may play now, besides the one that it plays."""
    illegal: list[str] = []
    """Actions that it may not play."""
    legal_count: int | None = None
    """How many actions it has."""
    after: dict[str, Any] = {}
    """Values of the position of the next frame: after what others choose at the same time, too."""


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A step as the game writes it down."""

    seat: int | None
    """The seat that acts; None: there is only something to read."""
    action: str | None = None
    say: Sentences | None = None
    rule: str = ""
    claims: Claims = Claims()


class Script(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A lesson as the game writes it down in `page/lesson.json`."""

    seats: int
    seat: int
    """The learner's seat."""
    seed: int
    """The seed of the deal."""
    intro: Sentences
    outro: Sentences
    steps: list[Line]
    options: dict[str, Any] = {}


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A frame of the lesson, and what is played next."""

    position: Document | None
    """What the learner's seat sees; None where the game has no position: then `text` says it."""
    text: str = ""
    events: list[Event] = []
    """What happened since the step before, as the learner's seat learnt it."""
    choosing: list[int] = []
    """The seat that chooses next."""
    legal: list[str] = []
    """The learner's legal actions, if the learner is to choose."""
    seat: int | None = None
    """The seat that acts; None: there is only something to read."""
    action: str | None = None
    say: Sentences | None = None
    """What to do and why; None for a step of a rival that needs no words: the page goes on by itself."""
    rule: str = ""
    """The section of the rules that says so."""
    result: RoundResult | None = None
    """How the round ended that ends here."""


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """A guided first round."""

    game: str
    seats: int
    seat: int
    """The learner's seat."""
    options: dict[str, Any]
    """All rule options, resolved."""
    intro: Sentences
    """Said before the first step."""
    outro: Sentences
    """Said at the end."""
    steps: list[Step]
    end: Step
    """What lies on the table when the lesson is over."""


@cache
def lesson(game: str) -> Lesson | None:
    """The lesson of a game; None for a game without one. Raises ConfigError that names the file and the step that cannot be."""
    written = script(game)
    return None if written is None else _Round(games.load(game), written).played()


@cache
def script(game: str) -> Script | None:
    """The lesson of a game as its game writes it down; None for a game without one. Raises ConfigError."""
    file = games.load(game).folder / "page" / "lesson.json"
    if not file.exists():
        return None
    try:
        return msgspec.json.decode(file.read_bytes(), type=Script)
    except msgspec.DecodeError as error:
        raise ConfigError(f"{file}: {error}") from None


class _Round:
    """The round of a lesson while it is played."""

    def __init__(self, game: Game, written: Script) -> None:
        self._game, self._written, self._eyes = game, written, written.seat
        self._options = game.resolve_options(written.options, written.seats)
        self._states = game.deal(written.seats, self._options, written.seed)
        self._number = 0
        self._played: list[Played] = []
        """What was played since the last frame."""

    def played(self) -> Lesson:
        """All frames of the lesson. Raises ConfigError."""
        written, steps = self._written, []
        for at, line in enumerate(written.steps, start=1):
            if line.say or line.seat == written.seat or not self._game.engine.is_simultaneous(self._states):
                steps.append(self._frame(line))
            if line.action is not None:
                self._play(line, at)
        return Lesson(
            game=self._game.name, seats=written.seats, seat=written.seat, options=self._options, intro=written.intro,
            outro=written.outro, steps=steps, end=self._frame(Line(seat=None)),
        )  # fmt: skip

    def _frame(self, line: Line) -> Step:
        """The frame before a step."""
        game, is_over = self._game, bool(self._game.engine.is_round_over(self._states))
        scene = Scene(self._number, self._states.tobytes(), self._played, is_end_of_round=is_over)
        seen = position(game, scene, self._eyes)
        heard, found = told(game, scene, self._eyes), result(game, scene)
        self._played = []
        chooser = None if is_over else int(game.engine.current_seat(self._states))
        return Step(
            position=seen, text=description(game, scene, self._eyes) if seen is None else "", events=heard,
            choosing=[] if chooser is None else [chooser], legal=legal(game, self._states) if chooser == self._eyes else [],
            seat=line.seat, action=line.action, say=line.say, rule=line.rule, result=found,
        )  # fmt: skip

    def _play(self, line: Line, at: int) -> None:
        """Play an action in place; at the end of the round the state stays there, and no new cards are dealt."""
        game, where = self._game, f"{self._game.folder / 'page' / 'lesson.json'}: step {at}"
        if game.engine.is_round_over(self._states):
            raise ConfigError(f"{where}: the round is over")
        seat = int(game.engine.current_seat(self._states))
        if seat != line.seat:
            raise ConfigError(f"{where}: seat {seat} is to choose, not {line.seat}")
        codes = dict(zip(legal(game, self._states), game.legal_list(self._states)))
        if line.action not in codes:
            raise ConfigError(f"{where}: {line.action!r} is not legal; legal: {', '.join(codes)}")
        action = codes[line.action]
        self._played.append(Played(self._number, seat, action, self._states.tobytes()))
        game.engine.step(self._states, action)
        self._number += 1


def legal(game: Game, states: States) -> list[str]:
    """The legal actions of the seat to choose, in canonical order."""
    return game.text.action_texts(states[0], game.legal_list(states))


Texts = dict[str, str]
"""A text by language."""


class Variant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A way to play a game that has a name."""

    key: str
    name: Texts
    about: Texts
    options: dict[str, Any]


class Hands(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How fast the hands of bots are in real time."""

    key: str
    name: Texts
    ms: list[int]
    """Milliseconds for each kind of move, in the order of the option."""


class RealTime(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a game is played in real time."""

    options: dict[str, Any]
    """The options that it takes."""
    delays: str
    """The option with the ticks that a seat's moves take: for each seat a list with a number for each kind of move."""
    hands: list[Hands]
    """The usual ones first."""

    def options_for(self, hands: str, tick_ms: int, people: list[bool]) -> dict[str, Any]:
        """The options of a table. `people`: by seat, whether a person plays, whose hands take their own time."""
        chosen = next((one for one in self.hands if one.key == hands), self.hands[0])
        ticks = [round(ms / tick_ms) for ms in chosen.ms]
        return self.options | {self.delays: [[0] * len(ticks) if is_person else ticks for is_person in people]}


class Offer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game for people."""

    about: Texts
    """What kind of game it is, in one or two sentences."""
    minutes: list[int]
    """How long a match takes, from and to."""
    variants: list[Variant]
    """The usual one first."""
    cards: list[str] = []
    """Some cards to know the game by, as its `picture` takes them."""
    real_time: RealTime | None = None


@cache
def offer(game: str) -> Offer:
    """Return what a game says; little, for a game without the file. Raises ConfigError for an unknown game."""
    file = games.load(game).folder / "page" / "play.json"
    if not file.exists():
        plain = Variant(key="standard", name={"en": "standard", "ja": "標準"}, about={"en": "", "ja": ""}, options={})
        return Offer(about={"en": "", "ja": ""}, minutes=[], variants=[plain])
    return msgspec.json.decode(file.read_bytes(), type=Offer)
