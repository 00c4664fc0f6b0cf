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

from arena import games
from arena.audit.stored_log import checked_options
from arena.engine.options import OptionValue
from arena.engine.room import Document, Game
from arena.errors import StoreError, one_line, printable
from arena.match.seeds import deal_seed
from arena.records import Ending, MatchRecord
from arena.reports.pages.assets import table_files
from arena.reports.pages.changes import Change, change
from arena.reports.pages.scenes import Scene, description, events, position, scenes

PAGE = 256
"""Frames of a page: the first has its whole position, so that no page needs another."""
NAME_LETTERS = 80  # of a bot's name, which anybody may have chosen
NOTE_LETTERS = 1_000


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """A bot on a seat, and how the match ended for it."""

    bot: str
    """The bot's name, printable."""
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
    """What happened, as these eyes learnt it."""

    number: int
    """The index of the decision in the log, as in `arena replay`."""
    seat: int
    text: str
    """The action in the room's notation."""


class Frame(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A position of the match, and what led to it from the frame before."""

    events: list[Event] = []
    position: Document | None = None
    """The position, in the first frame of a page."""
    change: Change | None = None
    """What is different in the position since the frame before (arena/reports/pages/changes.py); None: nothing."""
    text: str = ""
    """The position in words, where the room draws no table, or has no position at the end of a round."""


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
    """What the room's evaluation thinks of each frame, by all cards: an opinion, not a result."""

    values: list[list[float]]
    """[frames][seats]: what the position is worth to each seat, higher is better, on the room's own scale."""
    lost: list[int | None]
    """The frame before the largest drop of each seat; None for a seat whose worth never dropped."""


@dataclass(frozen=True, eq=False)
class StoredMatch:
    """A stored match with all that is needed to play it again; whoever asks it often keeps it."""

    game: Game
    record: MatchRecord
    options: dict[str, OptionValue]
    deal_seed: int

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
    """What is said of the match to these eyes beside its frames."""
    record = match.record
    return Header(
        match_id=record.match_id, game=record.game, rules_version=record.rules_version, eyes=eyes,
        players=[_player(match, seat) for seat in range(len(record.seats))], options=match.options, faults=_faults(record),
        notes=_notes(record, eyes), outline=_outline(match.scenes, eyes),
        seed=f"{match.deal_seed:032x}" if eyes is None else None,
    )  # fmt: skip


def opinion(match: StoredMatch) -> Opinion:
    """The room's evaluation of each frame. Raises StoreError for a damaged log."""
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
        events=[Event(one.number, who, text) for one in scene.played for who, text in events(game, one, eyes)],
        position=whole if before is None else None,
        change=None if before is None else change(before, whole),
        text=description(game, scene, eyes) if in_words else "",
    )
    return found, whole


def seen_choosing(seats: list[int], eyes: int | None) -> list[int]:
    """The choosing seats of which these eyes know: of a simultaneous choice, a seat knows only its own part."""
    return seats if eyes is None or len(seats) < 2 else [seat for seat in seats if seat == eyes]


def draws_table(game: str) -> bool:
    """Whether the room of a game draws its table; if not, frames describe it."""
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
    notes = [note.partition("\nit printed: ")[0] for note in record.notes]  # what a bot printed is its author's
    return [printable(note, NOTE_LETTERS) for note in notes if eyes is None or note.startswith(f"seat {eyes} ")]


def _largest_drop(values: Sequence[float], decisions: Sequence[int]) -> int | None:
    """The frame before the decision after which the value falls most; None if it never falls."""
    worst = min(decisions, key=lambda index: values[index + 1] - values[index], default=None)
    return worst if worst is not None and values[worst + 1] < values[worst] else None
