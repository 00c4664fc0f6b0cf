"""Traces and checked cases as JSON Lines (docs/notation.md, "Traces"): random matches written down, and files checked.

A case or a trace is checked against the rules of its game; every difference becomes one line of text. A trace by
another program verifies too: its `rng` and `memory` mean nothing here, so what chance decided (deals, shuffles, draws)
is read from the trace and checked for conservation, and all else must follow from the position before.
"""

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from arena import userfiles
from arena.engine.game import Document, Game, States
from arena.engine.options import OptionValue
from arena.engine.rng import SEED_BITS
from arena.errors import ArenaError, ConfigError, PositionError, printable
from arena.games import load

FORMAT = 1  # of traces
CHANCE_SAMPLES = 1000  # deal seeds tried before a difference is not put down to chance: finds outcomes of 1 in 100
SURE = 30  # deal seeds with the same outcome after which an action is known to involve no chance
LONGEST_DELAY = 1_000_000_000  # ticks of an action
LONGEST_VALUE = 400  # characters of a value in a message

_OPAQUE = ("rng", "memory")  # whoever wrote the position alone knows what they mean
_CASE_KEYS = ("game", "name", "position", "legal", "apply", "expect", "scores", "places", "error")
_CHECKS = ("legal", "expect", "scores", "places", "error")
_EMPTY: tuple[object, ...] = (None, [], {}, "")


@dataclass(frozen=True)
class Checked:
    """What checking one case or one whole trace found."""

    name: str
    problems: tuple[str, ...]
    """A line of text each, `file:line: name: what differs`; empty: passed."""


def trace_lines(game: Game, seats: int, options: Mapping[str, OptionValue], seed: int) -> Iterator[str]:
    """The trace of one match of uniformly random legal actions. `options`: resolved; `seed`: of the deal and of the choices."""
    if not 0 <= seed < 1 << SEED_BITS:
        raise ConfigError(f"seed: a whole number from 0 to 2**{SEED_BITS} - 1 is needed, not {seed}")
    return _match_lines(game, seats, options, seed, random.Random(seed).choice)


def logged_lines(
    game: Game, seats: int, options: Mapping[str, OptionValue], seed: int, actions: Sequence[int], delays: Sequence[int] = ()
) -> Iterator[str]:
    """The trace of a match from its action log; where time was measured, a line has the `delay` of its action."""
    log, ticks = iter(actions), iter(delays)
    return _match_lines(game, seats, options, seed, lambda _codes: next(log), lambda: next(ticks, 0))


def _match_lines(
    game: Game,
    seats: int,
    options: Mapping[str, OptionValue],
    seed: int,
    choose: Callable[[Sequence[int]], int],
    time: Callable[[], int] = lambda: 0,
) -> Iterator[str]:
    yield _line({"trace": FORMAT, "game": game.name, "seats": seats, "options": dict(options), "seed": seed})
    states = game.deal(seats, options, seed)
    while not game.engine.is_terminal(states):
        s, codes = states[0], game.legal_list(states)
        action = choose(codes)
        legal = game.text.action_texts(s, codes)
        text = game.action_text(states, action)
        seat, ticks = int(game.engine.current_seat(states)), time()
        delay = {"delay": ticks} if ticks else {}
        yield _line({"position": game.text.to_position(s), "seat": seat, "legal": legal, "action": text, **delay})
        game.engine.advance(states, game.timed(action, ticks))
    scores, places = game.final(states, seats)
    yield _line({"position": game.text.to_position(states[0]), "scores": _plain_numbers(scores), "places": places})


def verify_file(path: Path) -> Iterator[Checked]:
    """Check the cases and traces of a file; raises ArenaError, with file and line, for what is neither."""
    try:
        yield from verify(userfiles.lines(path), str(path))
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror}") from None


def verify(lines: Iterable[str], source: str) -> Iterator[Checked]:
    """Check the cases and traces in `lines`; `source` is the file's name in messages."""
    replay: _Replay | None = None
    for place, document in _documents(lines, source):
        belongs = replay is not None and "game" not in document and "trace" not in document
        if replay is not None and not belongs:
            yield replay.broken_off()
            replay = None
        with _Located(place):
            if replay is not None:
                replay.read(place, document)
                if replay.is_over:
                    yield replay.checked()
                    replay = None
            elif "trace" in document:
                replay = _Replay(place, document)
            else:
                yield check_case(document, place)
    if replay is not None:
        yield replay.broken_off()


def check_case(document: Document, place: str) -> Checked:
    """Check one case; `place` (`file:line`) goes into its messages. Raises ArenaError for what is no case."""
    name = str(document.get("name", "case"))
    if "game" not in document:
        raise ArenaError('neither a case (no "game") nor a line of a trace (no header before it)')
    game = load(str(document["game"]))
    differences = _comparison(game, document) if "winner" in document else _case(game, document)
    return Checked(name, tuple(f"{place}: {name}: {difference}" for difference in differences))


def play_text(game: Game, states: States, text: object) -> None:
    """Play an action given as text, the next deal included; raises PositionError unless it is legal."""
    codes = game.legal_list(states)
    if not codes:
        raise PositionError(f"action: {text!r} is played although the match is over")
    if not isinstance(text, str):
        raise PositionError(f"action: a text is needed, not {text!r}")
    code = game.text.parse_action(states[0], text)
    if code not in codes:
        legal = ", ".join(game.text.action_texts(states[0], codes))
        raise PositionError(f"action: {text!r} is not legal; legal: {legal}")
    game.engine.advance(states, code)


class _Located:
    """Puts `file:line` before the message of a user's mistake."""

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        """Do nothing: the work is done on leaving."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, ArenaError):
            raise type(error)(f"{self._place}: {error}") from None


class _Replay:
    """A trace that is being read: each line against the rules and against the line before."""

    def __init__(self, place: str, header: Document) -> None:
        if header["trace"] != FORMAT or "game" not in header:
            raise ArenaError(f'trace: {{"trace": {FORMAT}, "game": ...}} is needed, not {_short(header)}')
        self.is_over = False
        self._game = load(str(header["game"]))
        self._name = f"trace of {self._game.name}"
        self._seats = _seats(self._game, header)
        given = header.get("options") or {}
        if not isinstance(given, dict):
            raise ArenaError(f"options: an object is needed, not {given!r}")
        self._options = self._game.resolve_options(given, self._seats)
        self._problems: list[str] = []
        self._last_place = place
        self._before: tuple[States, int] | None = None
        self._own_deal = _own_deal(self._game, self._seats, self._options, header.get("seed"))
        self._is_own: bool | None = None  # dealt by this program, so `rng` and `memory` hold; None: no position yet

    def checked(self) -> Checked:
        return Checked(self._name, tuple(self._problems))

    def broken_off(self) -> Checked:
        self._say(self._last_place, "the trace ends before its last line, the one with scores and places")
        return self.checked()

    def read(self, place: str, line: Document) -> None:
        """Replay one line of a trace: a decision, or the result in the last line."""
        self._last_place = place
        self.is_over = "scores" in line or "places" in line
        before, self._before = self._before, None
        states = self._read_position(place, line.get("position"), before)
        if states is None:
            return
        if self.is_over:
            if not self._game.engine.is_terminal(states):
                self._say(place, "scores: expected the end of the match, but its position goes on")
            self._say_all(place, _final_differences(self._game, states, line))
        else:
            self._read_decision(place, line, states)

    def _say(self, place: str, what: str) -> None:
        self._problems.append(f"{place}: {self._name}: {what}")

    def _say_all(self, place: str, differences: Iterable[str]) -> None:
        for difference in differences:
            self._say(place, difference)

    def _read_position(self, place: str, position: object, before: tuple[States, int] | None) -> States | None:
        if self._is_own is None:
            self._is_own = self._own_deal is not None and position == self._own_deal
        try:
            states = self._game.text.from_position(cast(Document, position if self._is_own else _without_opaque(position)))
        except PositionError as error:
            self._say(place, f"the position is refused: {error}")
            return None
        document = self._game.text.to_position(states[0])
        found = {"options": self._game.options_of(document), "seats": document["seats"]}
        header = {"options": self._options, "seats": self._seats}
        self._say_all(place, (_differs(key, found[key], value) for key, value in header.items() if found[key] != value))
        if before is not None:
            self._say_all(place, self._surprises(document, *before))
        return states

    def _read_decision(self, place: str, line: Document, states: States) -> None:
        game = self._game
        if game.engine.is_terminal(states):
            self._say(place, "action: expected a decision, but the match is over")
            return
        codes = game.legal_list(states)
        legal = game.text.action_texts(states[0], codes)
        seat = int(game.engine.current_seat(states))
        found = {"seat": seat, "legal": legal}
        self._say_all(place, (_differs(key, line.get(key), got) for key, got in found.items() if line.get(key) != got))
        if line.get("action") in legal:
            self._before = (states, game.timed(codes[legal.index(line["action"])], self._delay(line)))
        else:
            self._say(place, f"action: {line.get('action')!r} is not legal; legal: {', '.join(legal)}")

    def _delay(self, line: Document) -> int:
        """The ticks that an action took to think of, where the game measures them."""
        delay = line.get("delay", 0)
        if not isinstance(delay, int) or isinstance(delay, bool) or not 0 <= delay <= LONGEST_DELAY:
            raise ArenaError(f"delay: a whole number from 0 to {LONGEST_DELAY} is needed, not {delay!r}")
        if delay and self._game.ms_per_tick(self._options) is None:
            raise ArenaError("delay: only where the game measures time")
        return delay

    def _surprises(self, document: Document, states: States, action: int) -> list[str]:
        """Return what of the traced position neither follows from the one before nor can be chance."""
        traced, ours = self._parts(document), self._parts(_after(self._game, states, action))
        open_paths = [path for path in {**traced, **ours} if traced.get(path) != ours.get(path)]
        if not self._is_own:
            chance = random.Random(0)
            varies = False
            for sample in range(CHANCE_SAMPLES):
                if not open_paths or (sample == SURE and not varies):
                    break
                other = self._parts(_after(self._game, _reseeded(self._game, states, chance), action))
                varies |= other != ours
                open_paths = [path for path in open_paths if other.get(path) == ours.get(path)]
        return [_differs(path, traced.get(path), ours.get(path)) for path in open_paths]

    def _parts(self, document: Document) -> dict[str, Any]:
        """A position as comparable parts: its keys, and the items where a key holds a list of lists or objects."""
        parts: dict[str, Any] = {}
        for key, value in document.items():
            if key in _OPAQUE and not self._is_own:
                continue
            if isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
                parts.update({f"{key}[{at}]": item for at, item in enumerate(value)})
            else:
                parts[key] = value
        return parts


def _case(game: Game, document: Document) -> list[str]:
    """The differences of a case with a position."""
    for key in document:
        if key not in _CASE_KEYS:
            raise ArenaError(f"{key}: no such key in a case; known: {', '.join(_CASE_KEYS)}")
    if not any(key in document for key in _CHECKS):
        raise ArenaError(f"the case checks nothing; one of {', '.join(_CHECKS)} is needed")
    actions = document.get("apply") or []
    if not isinstance(actions, list):
        raise ArenaError(f"apply: a list of actions is needed, not {printable(repr(actions), 60)}")
    expected = document.get("expect") or {}
    if not isinstance(expected, dict):
        raise ArenaError(f"expect: keys of a position with their values are needed, not {printable(repr(expected), 60)}")
    differences: list[str] = []
    try:
        states = game.text.from_position(document.get("position"))  # type: ignore[arg-type]  # it judges any value
        if "legal" in document:
            legal = game.text.action_texts(states[0], game.legal_list(states))
            differences += [_differs("legal", document["legal"], legal)] * (document["legal"] != legal)
        for action in actions:
            play_text(game, states, action)
    except PositionError as error:
        return [] if document.get("error") else [f"refused: {error}"]
    if document.get("error"):
        return ["error: expected a refusal, got none"]
    got = game.text.to_position(states[0])
    for key, value in expected.items():
        if not _same(value, got.get(key)):
            differences.append(_differs(key, value, got.get(key)))
    return differences + _final_differences(game, states, document)


def _comparison(game: Game, document: Document) -> list[str]:
    """The difference of a case of a game's own comparator: its text.py offers `compare(case)` (see TextModule)."""
    compare = getattr(game.text, "compare", None)
    if compare is None:
        raise ArenaError(f"winner: {game.name} compares no hands; known: {', '.join(_CASE_KEYS)}")
    winner = compare(document)
    return [] if _same(document["winner"], winner) else [_differs("winner", document["winner"], winner)]


def _final_differences(game: Game, states: States, document: Document) -> list[str]:
    """Scores and places, as far as the document names them."""
    scores, places = game.final(states, int(game.rules.num_seats(states[0])))
    final: dict[str, list[Any]] = {"scores": _plain_numbers(scores), "places": places}
    return [_differs(key, document[key], got) for key, got in final.items() if key in document and document[key] != got]


def _after(game: Game, states: States, action: int) -> Document:
    following = game.from_bytes(states.tobytes())
    game.engine.advance(following, action)
    return game.text.to_position(following[0])


def _reseeded(game: Game, states: States, chance: random.Random) -> States:
    """The same position with another future."""
    document = game.text.to_position(states[0])
    return game.text.from_position({**document, "rng": f"{chance.getrandbits(SEED_BITS):032x}"})


def _own_deal(game: Game, seats: int, options: Mapping[str, OptionValue], seed: object) -> Document | None:
    """The first position that this program deals from a header's seed."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << SEED_BITS:
        return None
    return game.text.to_position(game.deal(seats, options, seed)[0])


def _seats(game: Game, header: Document) -> int:
    seats = header.get("seats", game.seats[0])
    if isinstance(seats, bool) or not isinstance(seats, int):
        raise ArenaError(f"seats: a whole number is needed, not {seats!r}")
    game.check_seats(seats)
    return seats


def _documents(lines: Iterable[str], source: str) -> Iterator[tuple[str, Document]]:
    for number, line in enumerate(lines, 1):
        place = f"{source}:{number}"
        if not line.strip():
            continue
        try:
            document = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ArenaError(f"{place}: not JSON: {error}") from None
        if not isinstance(document, dict):
            raise ArenaError(f"{place}: a JSON object is needed in every line, not {_short(document)}")
        yield place, document


def _without_opaque(position: object) -> object:
    if not isinstance(position, dict):
        return position
    return {key: value for key, value in position.items() if key not in _OPAQUE}


def _plain_numbers(numbers: Iterable[float]) -> list[float]:
    """Whole numbers without a decimal point."""
    return [int(number) if number == int(number) else number for number in numbers]


def _same(expected: object, got: object) -> bool:
    """Equal as JSON values (1 is not true); an absent key, null and an empty value are the same."""
    both_empty = any(expected == empty for empty in _EMPTY) and any(got == empty for empty in _EMPTY)
    return both_empty or json.dumps(expected, sort_keys=True) == json.dumps(got, sort_keys=True)


def _differs(key: str, expected: object, got: object) -> str:
    return f"{key}: expected {_short(expected)}, got {_short(got)}"


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]} ..."


def _line(document: Document) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
