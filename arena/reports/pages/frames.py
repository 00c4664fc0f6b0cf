"""A finished match as frames: what one pair of eyes sees of it, step by step, as the replay player of a page takes it.

Eyes are a seat, which sees what it saw while it played, or None: all cards open. What a frame holds for a seat depends on
nothing that the seat cannot know. The opinion on a match (`opinion`) looks at all cards, so it is apart.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from arena import games, notebooks
from arena.engine.game import Document, Game
from arena.engine.options import OptionValue
from arena.engine.outcomes import Fact, RoundResult
from arena.errors import StoreError, one_line, printable, without_output
from arena.match.log import checked_options
from arena.match.seeds import deal_seed
from arena.ratings.match_luck import course_of
from arena.records import Ending, MatchRecord
from arena.reports.pages.assets import table_files
from arena.reports.pages.scenes import Scene, consequences, description, events, position, result, scenes

Change = dict[str, Any]


def change(old: Any, new: Any) -> Change | None:
    """Return what turns `old` into `new`.

    >>> change({"a": [1, 2], "b": 0}, {"a": [1, 2, 3], "b": 0})
    {'keys': {'a': {'cut': [2, 0, [3]]}}}
    """
    if old == new and type(old) is type(new):
        return None
    if isinstance(old, dict) and isinstance(new, dict):
        return _of_objects(old, new)
    if isinstance(old, list) and isinstance(new, list):
        return _of_lists(old, new)
    return {"set": new}


def changed(old: Any, found: Change | None) -> Any:
    """`old` with a change applied: the inverse of `change`, and what the browser does.

    >>> changed({"a": [1, 2]}, {"keys": {"a": {"cut": [2, 0, [3]]}}})
    {'a': [1, 2, 3]}
    """
    if found is None:
        return old
    if "set" in found:
        return found["set"]
    if "items" in found:
        items = dict(found["items"])
        return [changed(value, items.get(index)) for index, value in enumerate(old)]
    if "cut" in found:
        start, removed, added = found["cut"]
        return [*old[:start], *added, *old[start + removed :]]
    kept = {key: value for key, value in old.items() if key not in found.get("gone", ())}
    return kept | {key: changed(kept.get(key), inner) for key, inner in found["keys"].items()}


def _of_objects(old: dict[str, Any], new: dict[str, Any]) -> Change:
    keys = {key: change(old[key], value) if key in old else {"set": value} for key, value in new.items()}
    gone = [key for key in old if key not in new]
    return {"keys": {key: inner for key, inner in keys.items() if inner}} | ({"gone": gone} if gone else {})


def _of_lists(old: list[Any], new: list[Any]) -> Change:
    if len(old) == len(new):
        return {"items": [[index, inner] for index, pair in enumerate(zip(old, new)) if (inner := change(*pair))]}
    shorter = min(len(old), len(new))
    start = next((index for index in range(shorter) if old[index] != new[index]), shorter)
    rest = shorter - start
    end = next((index for index in range(rest) if old[-1 - index] != new[-1 - index]), rest)
    return {"cut": [start, len(old) - start - end, new[start : len(new) - end]]}


PAGE = 256
"""Frames of a page: the first has its whole position, so that no page needs another."""
NAME_LETTERS = 80  # of a bot's name, which anybody may have chosen
NOTE_LETTERS = 1_000


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """A bot on a seat, and how the match ended for it."""

    bot: str
    """The bot's name, printable."""
    level: str | None = None
    """The level of strength that it is, with which the name begins; None: a person, or another bot."""
    version: int
    unit: int
    place: int
    score: float
    ending: Ending
    fault_decision: int | None
    decisions: int
    cpu_ms_total: float
    cpu_ms_p50: float
    cpu_ms_max: float
    """CPU time of the slowest decision; a match does not store that of each."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A fault of a bot."""

    seat: int
    decision: int
    """The index of the decision in the log; -1: the start of the match."""
    ending: Ending


class Event(msgspec.Struct, frozen=True, array_like=True):
    """What happened, as these eyes learnt it: an action, or what the actions before it led to."""

    number: int
    """The index of the decision in the log, as in `arena replay`."""
    seat: int | None
    """The seat that did it or that it is about; None where it is about nobody in particular."""
    text: str
    """The action in the game's notation; empty for what it led to."""
    fact: Fact | None = None
    """What the actions led to (arena/engine/outcomes.py)."""


class Frame(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A position of the match, and what led to it from the frame before."""

    events: list[Event] = []
    position: Document | None = None
    """The position, in the first frame of a page."""
    change: Change | None = None
    """What is different in the position since the frame before (arena/reports/pages/frames.py); None: nothing."""
    text: str = ""
    """The position in words, where the game draws no table, or has no position at the end of a round."""
    result: RoundResult | None = None
    """How the round ended that ends here."""


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to jump to, for each frame of the match."""

    numbers: list[int]
    """[frames]: how many decisions were made before, which is the number of the next one and the address of the frame. The end
    of a round has the number of the next deal."""
    choosing: list[list[int]]
    """[frames]: the seats that choose next. Of a simultaneous choice a seat is only told whether itself is among them."""
    rounds: list[int]
    """The frames at which a round ends, in order."""


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of a match beside its frames."""

    match_id: str
    game: str
    rules_version: int
    eyes: int | None
    """The seat that looks; None: all cards are open."""
    players: list[Player]
    options: dict[str, Any]
    faults: list[Fault]
    notes: list[str]
    """A line for each fault; for a seat only its own."""
    outline: Outline
    seed: str | None = None
    """The seed of the deal, 32 hex digits; only where all cards are open."""


class Frames(msgspec.Struct, frozen=True, kw_only=True):
    """A match for one pair of eyes: all of it, or a page of PAGE frames."""

    header: Header | None
    """What is said of the match; only the first page has it."""
    page: int
    """The number of the first page in `frames`."""
    frames: list[Frame]


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """What the game's evaluation thinks of each frame, by all cards: an opinion, not a result."""

    values: list[list[float]]
    """[frames][seats]: what the position is worth to each seat, higher is better, on the game's own scale."""
    lost: list[int | None]
    """The frame before the largest drop of each seat; None for a seat whose worth never dropped."""


@dataclass(frozen=True, eq=False)
class StoredMatch:
    """A stored match with all that is needed to play it again; whoever asks it often keeps it."""

    game: Game
    record: MatchRecord
    options: dict[str, OptionValue]
    deal_seed: int

    def _repr_html_(self) -> str:
        """The match in the replay player, drawn for a notebook."""
        return notebooks.shown(self, "replay")

    @property
    def scenes(self) -> list[Scene]:
        """The scenes of the match. Raises StoreError for a log that the rules do not allow."""
        return _scenes(self)


@lru_cache(maxsize=4)  # those of a long match are some ten megabytes
def _scenes(match: StoredMatch) -> list[Scene]:
    return list(scenes(match.game, match.record, match.options, match.deal_seed))


def stored_match(record: MatchRecord, key: bytes) -> StoredMatch:
    """A match of this installation's rules. `key`: the key of its deals. Raises StoreError for a match of other rules."""
    game = games.load(record.game)
    if record.rules_version != game.version:
        raise StoreError(
            f"match {record.match_id}: played by version {record.rules_version} of the rules of {record.game}; these are "
            f"{game.version}"
        )
    seed = deal_seed(key, record.game, len(record.seats), record.options, record.deal)
    return StoredMatch(game, record, checked_options(game, record), seed)


def frames(match: StoredMatch, eyes: int | None, page: int | None = None) -> Frames:
    """The match as these eyes see it, or a page of that from 0, which may be empty. Raises StoreError for a damaged log.

    `eyes`: a seat of the match, or None.
    """
    chosen = slice(0, None) if page is None else slice(page * PAGE, (page + 1) * PAGE)
    shown = list(_frames(match, eyes, match.scenes[chosen]))
    return Frames(header=None if page else header(match, eyes), page=page or 0, frames=shown)


def header(match: StoredMatch, eyes: int | None) -> Header:
    """Return what is said of the match to these eyes beside its frames."""
    record = match.record
    return Header(
        match_id=record.match_id, game=record.game, rules_version=record.rules_version, eyes=eyes,
        players=[_player(match, seat) for seat in range(len(record.seats))], options=match.options, faults=_faults(record),
        notes=_notes(record, eyes), outline=_outline(match.scenes, eyes),
        seed=f"{match.deal_seed:032x}" if eyes is None else None,
    )  # fmt: skip


def opinion(match: StoredMatch) -> Opinion:
    """The game's evaluation of each frame. Raises StoreError for a damaged log."""
    seats, constants = len(match.record.seats), match.game.constants
    values: list[list[float]] = []
    decisions: list[int] = []  # the frames before a decision
    for index, scene in enumerate(match.scenes):
        worth = np.zeros(seats)
        match.game.rollout.evaluate(match.game.from_bytes(scene.state)[0], constants, worth)
        values.append([round(float(value), 3) for value in worth])
        if scene.played:
            decisions.append(index - 1)
    lost = [_largest_drop([row[seat] for row in values], decisions) for seat in range(seats)]
    return Opinion(values=values, lost=lost)


def frame(
    game: Game, scene: Scene, eyes: int | None, before: Document | None, *, in_words: bool
) -> tuple[Frame, Document | None]:
    """A scene as a frame, and the whole position that the next frame changes.

    `before`: that of the frame before, None in the first frame; `in_words`: whether to describe the position.
    """
    whole = position(game, scene, eyes)
    in_words |= whole is None
    whole = before if whole is None else whole
    found = Frame(
        events=told(game, scene, eyes),
        position=whole if before is None else None,
        change=None if before is None else change(before, whole),
        text=description(game, scene, eyes) if in_words else "",
        result=result(game, scene),
    )
    return found, whole


def told(game: Game, scene: Scene, eyes: int | None) -> list[Event]:
    """Return what happened since the scene before: what was done, then what it led to, as these eyes learn it."""
    done = [Event(one.number, who, text) for one in scene.played for who, text in events(game, one, eyes)]
    led_to = consequences(game, scene, eyes)
    return done + [Event(scene.number - 1, fact.seats[0] if fact.seats else None, "", fact) for fact in led_to]


def seen_choosing(seats: list[int], eyes: int | None) -> list[int]:
    """The choosing seats of which these eyes know: of a simultaneous choice, a seat knows only its own part."""
    return seats if eyes is None or len(seats) < 2 else [seat for seat in seats if seat == eyes]


def draws_table(game: str) -> bool:
    """Return whether the game of a game draws its table; if not, frames describe it."""
    return any(path.suffix == ".js" for path in table_files(game))


def _frames(match: StoredMatch, eyes: int | None, shown: Sequence[Scene]) -> Iterator[Frame]:
    """The frames of scenes that begin with a page."""
    in_words = not draws_table(match.game.name)
    before: Document | None = None
    for index, scene in enumerate(shown):
        found, whole = frame(match.game, scene, eyes, before if index % PAGE else None, in_words=in_words)
        before = whole
        yield found


def _outline(all_scenes: Sequence[Scene], eyes: int | None) -> Outline:
    choosing = [[one.seat for one in scene.played] for scene in all_scenes[1:]] + [[]]
    return Outline(
        numbers=[scene.number for scene in all_scenes],
        choosing=[seen_choosing(seats, eyes) for seats in choosing],
        rounds=[index for index, scene in enumerate(all_scenes) if scene.is_end_of_round],
    )


def _player(match: StoredMatch, seat: int) -> Player:
    row = match.record.seats[seat]
    return Player(
        bot=one_line(printable(row.bot, NAME_LETTERS)), version=row.bot_version, unit=row.unit, place=row.place,
        score=row.score, ending=row.ending, fault_decision=row.fault_decision, decisions=row.decisions,
        cpu_ms_total=round(row.cpu_ms_total, 3), cpu_ms_p50=round(row.cpu_ms_p50, 3), cpu_ms_max=round(row.cpu_ms_max, 3),
    )  # fmt: skip


def _faults(record: MatchRecord) -> list[Fault]:
    """The stored faults; of a record without its evidence the first one of each seat."""
    found = {(fault.decision, fault.seat): fault.ending for fault in record.faults}
    for seat, row in enumerate(record.seats):
        if row.fault_decision is not None:
            found.setdefault((row.fault_decision, seat), row.ending)
    return [Fault(seat=seat, decision=decision, ending=ending) for (decision, seat), ending in sorted(found.items())]


def _notes(record: MatchRecord, eyes: int | None) -> list[str]:
    notes = [without_output(note) for note in record.notes]  # what a bot printed is its author's
    return [printable(note, NOTE_LETTERS) for note in notes if eyes is None or note.startswith(f"seat {eyes} ")]


def _largest_drop(values: Sequence[float], decisions: Sequence[int]) -> int | None:
    """The frame before the decision after which the value falls most; None if it never falls."""
    worst = min(decisions, key=lambda index: values[index + 1] - values[index], default=None)
    return worst if worst is not None and values[worst + 1] < values[worst] else None


DIGITS = 4


class LuckCurve(msgspec.Struct, frozen=True, kw_only=True):
    """What a match was worth to each seat in each frame, as a share of its rivals, and what moved that; by all cards.

    Up to the first fault of a bot: there may be fewer frames than in the match. Where nothing is known of the game's chance,
    there are none.
    """

    rivals: list[int]
    """[seats]: how many rivals there are, which is how many places a value of 1 is worth."""
    values: list[list[float]]
    """[frames][seats]"""
    cards: list[list[float]]
    """[frames][seats]: what chance gave since the frame before; in the first one what the deal gave."""
    chosen: list[list[float]]
    """[frames][seats]: what the choices since the frame before gave."""


def luck_curve(match: StoredMatch) -> LuckCurve:
    """The course of a stored match, whose game says what chance decides. Raises StoreError for a damaged log.

    Where a round ends, its last frame comes before the next deal, the frame after it shows what that gave.
    """
    course = course_of(match.game, match.record, match.options, match.deal_seed)
    values, cards, chosen = [], [], []
    shown = 0  # the moments that the frames so far have shown
    for scene in match.scenes:
        now = scene.number
        if now >= len(course.values):
            break
        since, shown = slice(shown, now + 1), now + 1
        deal = course.dealt[now]
        is_deal = not scene.played  # which the frame before, the end of a round, left out
        values.append(course.values[now] - (deal if scene.is_end_of_round else 0.0))
        cards.append(deal if is_deal else course.drawn[since].sum(axis=0))
        chosen.append(course.chosen[since].sum(axis=0))
    units = [seat.unit for seat in match.record.seats]
    rivals = [sum(other != unit for other in units) for unit in units]
    return LuckCurve(rivals=rivals, values=_rounded(values), cards=_rounded(cards), chosen=_rounded(chosen))


def _rounded(rows: list[Any]) -> list[list[float]]:
    return [[round(float(number), DIGITS) + 0.0 for number in row] for row in rows]
