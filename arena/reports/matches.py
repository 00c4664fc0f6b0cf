"""The report's sections about single matches: a choice with replays, and the authors' own evidence: the first faults of each
bot with what it saw and printed, and everybody's slowest decisions.
"""

import base64
import itertools
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from arena import games
from arena.audit.capsule import AT_START, seen_at, setup_of
from arena.errors import ArenaError, printable, without_output
from arena.ratings import explain
from arena.ratings.rows import Bot
from arena.records import MatchRecord
from arena.reports import columns as titles
from arena.reports import tables
from arena.reports.document import Block, Log, Paragraph, Replay, Section
from arena.reports.evidence import PoolEvidence
from arena.reports.links import Links
from arena.reports.pages.frames import PAGE, Frame, Header, Opinion, StoredMatch, frames, header, opinion, stored_match
from arena.reports.pages.words import Words
from arena.reports.sections import Pool
from arena.reports.table import Cell, Table, Value, shown
from arena.reports.tables import FaultCard
from arena.results import parquet
from arena.results.manifest import read_manifest, stored_clock
from arena.results.schema import FaultPlace
from arena.tournament.archive import boards
from arena.tournament.archive.finding import key_of_stored

ALL_MATCHES = 60  # a pool with so many has all of them listed
MOST_FAULTS, MOST_CLOSE = 12, 6
LOSSES = 24  # of all bots together; each has one at least
MOST_LOSSES = 3  # of a bot
PAGE_LETTERS = 2_500_000  # of the replays of a whole page
REPLAY_LETTERS = 60_000  # of one replay; a longer one lacks the seats' eyes, and then steps of its middle
EACH, MOST = 3, 24  # faults of a bot, and of all bots together, that are shown
SLOWEST_EACH = 2  # matches of a bot
_REASON_LETTERS = 300


@dataclass(frozen=True)
class Choice:
    """A match that is listed."""

    match: int
    """The number of the match in the pool."""
    reasons: Sequence[str]
    """Why it is listed; empty where all matches are."""


def matches(evidence: PoolEvidence, pool: Pool) -> Section | None:
    """The section that lists matches, with the replays that fit."""
    if not evidence.rows.matches:
        return None
    chosen = chosen_matches(evidence, pool.word)
    found = _records(evidence, [choice.match for choice in chosen])
    records = [record for record, _ in found]
    replays, reason = _replays(evidence, pool.word, [(choice, *match) for choice, match in zip(chosen, found)])
    anchors = {replay.anchor for replay in replays}
    columns = [titles.MATCH.but(is_name=True), titles.RESULT, titles.WHY, titles.DEAL, titles.ROTATION, titles.DECISIONS]
    rows = [_row(evidence, choice, record, anchors, pool.word) for choice, record in zip(chosen, records)]
    blocks: list[Block] = [Table(columns, rows, pool.caption("matches_title"))]
    if reason:
        blocks.append(Paragraph(reason))
    return Section("report_matches", [*blocks, *replays], {"text": _lead(evidence, chosen, pool.word)})


def chosen_matches(evidence: PoolEvidence, word: Words) -> list[Choice]:
    """The matches to list and why; first those whose replays should find game: faults, worst losses, the closest."""
    rows = evidence.rows
    each = max(1, min(MOST_LOSSES, LOSSES // max(1, len(evidence.bots))))
    losses = [(number, word("worst_loss_of", bot=shown(*evidence.bots[bot]))) for number, bot in explain.losses(rows, each)]
    reasons = [
        *((number, word("why_fault")) for number in explain.faults(rows, MOST_FAULTS)), *losses[: len(evidence.bots)],
        *((number, word("why_close")) for number in explain.closest(rows, MOST_CLOSE)), *losses[len(evidence.bots) :],
    ]  # fmt: skip
    found: dict[int, list[str]] = {}
    for number, reason in reasons:
        found.setdefault(number, []).append(reason)
    if rows.matches <= ALL_MATCHES:
        found |= {number: [] for number in range(rows.matches) if number not in found}
    return [Choice(number, why) for number, why in found.items()]


def listed_pairs(evidence: PoolEvidence, word: Words) -> dict[frozenset[Bot], str]:
    """For two bots a link to the first of their matches that is listed."""
    rows = evidence.rows
    if not rows.matches:
        return {}
    starts = [int(rows.starts[choice.match]) for choice in chosen_matches(evidence, word)]
    ids = boards.read_match_ids(evidence.tournament.folder, [int(evidence.row_numbers[start]) for start in starts])
    found: dict[frozenset[Bot], str] = {}
    for start in starts:
        end = int(rows.starts[rows.starts.searchsorted(start, side="right")])
        link = f"#{row_anchor(evidence, ids[int(evidence.row_numbers[start])])}"
        bots = [evidence.bots[number] for number in rows.bots[start:end].tolist()]
        for pair in itertools.combinations(bots, 2):
            found.setdefault(frozenset(pair), link)
    return found


def row_anchor(evidence: PoolEvidence, match_id: str) -> str:
    """The address of a listed match's row."""
    return f"{evidence.anchor}-listed-{match_id}"


def _lead(evidence: PoolEvidence, chosen: Sequence[Choice], word: Words) -> str:
    total = evidence.rows.matches
    if len(chosen) == total:
        return word("matches_all", n=f"{total:,}")
    return word("matches_chosen", n=f"{len(chosen):,}", total=f"{total:,}", faults=MOST_FAULTS, close=MOST_CLOSE)


def _records(evidence: PoolEvidence, numbers: Sequence[int]) -> list[tuple[MatchRecord, str | None]]:
    """The stored matches with these numbers in the pool, and the keys of their deals, as far as they are public."""
    rows = [int(evidence.row_numbers[evidence.rows.starts[number]]) for number in numbers]
    found = boards.find_matches(evidence.tournament.folder, rows)
    return [found[row] for row in rows]


def _row(evidence: PoolEvidence, choice: Choice, record: MatchRecord, anchors: set[str], word: Words) -> list[Cell | Value]:
    anchor = _anchor(evidence, record)
    link = f"#{anchor}" if anchor in anchors else ""
    return [
        Cell(record.match_id, link=link, anchor=row_anchor(evidence, record.match_id)), _result(record, word, "\n"),
        ", ".join(choice.reasons), record.deal, record.rotation, len(record.actions),
    ]  # fmt: skip


def _result(record: MatchRecord, word: Words, between: str = " · ") -> str:
    """The result of a match: `1. alice (seat 0, 30) · 2. bob (seat 1, 12, crash)`."""
    parts = []
    for number, seat in sorted(enumerate(record.seats), key=lambda item: item[1].place):
        fault = f", {seat.ending.value}" if seat.ending.blame == "bot" else ""
        where = word("seat_n", n=number)
        parts.append(f"{seat.place}. {shown(seat.bot, seat.bot_version)} ({where}, {seat.score:g}{fault})")
    return between.join(parts)


def _replays(
    evidence: PoolEvidence, word: Words, listed: Sequence[tuple[Choice, MatchRecord, str | None]]
) -> tuple[list[Replay], str]:
    """Replays until the pool's share of the page is full, and why the other replays, or all, are left out."""
    if not evidence.tournament.manifest.finished or any(key is None for *_, key in listed):
        return [], word("replays_later")
    share = PAGE_LETTERS // max(1, len(evidence.tournament.pools))
    replays: list[Replay] = []
    for choice, record, key in listed:
        try:
            frames = packed(stored_match(record, bytes.fromhex(key or "")), REPLAY_LETTERS)
        except (ArenaError, ValueError) as error:
            return replays, word("replays_not", text=printable(evidence.tournament.reason(error)))
        if len(frames) > share:
            return replays, word("replays_some", n=len(replays))
        share -= len(frames)
        what = ", ".join(choice.reasons) or _result(record, word)
        title = word("replay_of", match=record.match_id, text=what)
        replays.append(Replay(_anchor(evidence, record), title, record.game, record.match_id, frames))
    return replays, ""


def _anchor(evidence: PoolEvidence, record: MatchRecord) -> str:
    return f"{evidence.anchor}-match-{record.match_id}"


def faults(evidence: PoolEvidence, pool: Pool) -> Section | None:
    """The section with the first faults of each bot: what was wrong, what it saw and what it printed."""
    by_bot: dict[tuple[str, int], list[FaultPlace]] = {bot: [] for bot in evidence.bots}
    for place in evidence.faults:
        by_bot.setdefault((place.fault.bot, place.fault.bot_version), []).append(place)
    chosen = [place for own in by_bot.values() for place in own[:EACH]][:MOST]
    if not chosen:
        return None
    logs = [_log(evidence, place, pool.word) for place in chosen]
    anchors: dict[tuple[str, int, int | None], str] = {
        (place.fault.match_id, place.fault.seat, place.fault.decision): log.anchor for place, log in zip(chosen, logs)
    }
    table = tables.faults([fault_card(place) for place in chosen], pool.caption("faults_seen"), _ToLogs(anchors))
    values = {"n": f"{len(chosen):,}", "total": f"{len(evidence.faults):,}", "each": EACH}
    return Section("faults_seen", [table, *logs], values)


class _ToLogs(Links):
    """Leads from a fault to its log."""

    def __init__(self, anchors: Mapping[tuple[str, int, int | None], str]) -> None:
        self._anchors = anchors

    def match(self, match_id: str, seat: int, decision: int | None = None) -> str:
        """Return the address of a match."""
        return f"#{self._anchors[match_id, seat, decision]}"


def fault_card(place: FaultPlace) -> FaultCard:
    """A stored fault as tables show it."""
    fault = place.fault
    return FaultCard(
        match_id=fault.match_id, bot=fault.bot, version=fault.bot_version, seat=fault.seat, decision=fault.decision,
        ending=fault.ending, reason=printable(without_output(fault.reason), _REASON_LETTERS),
    )  # fmt: skip


def slow_decisions(evidence: PoolEvidence, pool: Pool) -> Section | None:
    """The section that names the matches with the slowest decisions."""
    times = evidence.tournament.slowest_ms[evidence.row_numbers]
    order = np.lexsort((-times, evidence.rows.bots))
    firsts = np.searchsorted(evidence.rows.bots[order], range(len(evidence.bots) + 1))
    chosen = [int(row) for first, end in itertools.pairwise(firsts) for row in order[first : min(end, first + SLOWEST_EACH)]]
    if not chosen:
        return None
    stored = [int(evidence.row_numbers[row]) for row in chosen]
    ids = boards.read_match_ids(evidence.tournament.folder, stored)
    seats = [row - int(evidence.rows.starts[np.searchsorted(evidence.rows.starts, row, side="right") - 1]) for row in chosen]
    rows = [
        (shown(*evidence.bots[evidence.rows.bots[row]]), ids[number], seat, float(times[row]))
        for row, number, seat in zip(chosen, stored, seats)
    ]
    table = tables.slow_decisions(rows, pool.caption("slow_decisions"))
    return Section("slow_decisions", [table], {"each": SLOWEST_EACH})


def _log(evidence: PoolEvidence, place: FaultPlace, word: Words) -> Log:
    """Everything known of a fault: reason, exit, output, and the view, which needs the match's key."""
    fault = place.fault
    where = word("at_start") if fault.decision == AT_START else word("at_decision", n=fault.decision)
    parts = [without_output(fault.reason)]
    if fault.exit:
        parts.append(word("its_process", text=fault.exit))
    parts.append(word("it_printed", text=fault.output) if fault.output else word("it_printed_nothing"))
    parts.append(seen(place, word))
    who = shown(fault.bot, fault.bot_version)
    title = word("fault_title", bot=who, ending=fault.ending.value, where=where, match=fault.match_id)
    anchor = f"{evidence.anchor}-fault-{fault.match_id}-{fault.seat}-{fault.decision}"
    return Log(anchor, title, "\n\n".join(part for part in parts if part))


def seen(place: FaultPlace, word: Words) -> str:
    """Return what the bot saw, in words; or why that is left out."""
    fault = place.fault
    if fault.decision == AT_START:
        return ""
    try:
        manifest = read_manifest(place.folder)
        if manifest.key is None:
            return word("seen_later")
        record = parquet.find_match(place.folder, fault.match_id)
        game = games.load(record.game)
        if record.rules_version != game.version:
            return word("seen_not", text=word("rules_changed", game=record.game))
        key = key_of_stored(place.folder, record, bytes.fromhex(manifest.key))
        setup = setup_of(record, key, stored_clock(manifest, place.folder))
        view = seen_at(game, record, setup, fault.seat, fault.decision)
    except (ArenaError, ValueError, KeyError, StopIteration) as error:
        return word("seen_not", text=printable(str(error)))
    return word("it_saw", text=view)


MOST_FRAMES = 2_000  # of all eyes together: more would find no room, and take seconds to make
_LETTERS = 4 / 3  # that base64 makes of a byte


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What one pair of eyes sees of the match."""

    header: Header
    pages: dict[int, list[Frame]]
    """The pages that are here, by number."""


class Packed(msgspec.Struct, frozen=True, kw_only=True):
    """A match as the page holds it."""

    views: list[View]
    """All cards open first, then the seats, unless they found no room."""
    opinion: Opinion


def packed(match: StoredMatch, room: int) -> str:
    """The match in about `room` letters at most: if need be without the seats' eyes, and then without pages from its middle.

    Raises StoreError for a damaged log.
    """
    seats: list[int | None] = list(range(len(match.record.seats)))
    worth = opinion(match)
    if len(worth.values) * (1 + len(seats)) <= MOST_FRAMES:
        pages = list(range(-(-len(worth.values) // PAGE)))
        whole = _block([_view(match, eyes, pages) for eyes in [None, *seats]], worth)
        if len(whole) <= room:
            return whole
    return _block([_shortened(match, worth, room)], worth)


def _block(views: list[View], worth: Opinion) -> str:
    content = msgspec.json.encode(Packed(views=views, opinion=worth))
    return base64.b64encode(zlib.compress(content, 9)).decode()


def _view(match: StoredMatch, eyes: int | None, pages: list[int]) -> View:
    return View(header=header(match, eyes), pages={page: frames(match, eyes, page).frames for page in pages})


def _shortened(match: StoredMatch, worth: Opinion, room: int) -> View:
    """All cards open, in as many pages as find game: the beginning, the end, where seats lost it, then from the front."""
    last = (len(worth.values) - 1) // PAGE
    wanted = [0, last, *(frame // PAGE for frame in worth.lost if frame is not None), *range(last)]
    found: dict[int, list[Frame]] = {}
    for page in dict.fromkeys(wanted):
        made = frames(match, None, page).frames
        room -= int(_LETTERS * len(zlib.compress(msgspec.json.encode(made))))
        if found and room < 0:
            break
        found[page] = made
    return View(header=header(match, None), pages=dict(sorted(found.items())))
