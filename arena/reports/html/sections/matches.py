"""The matches of a pool and their replays: all of them, or a choice that says what it is."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.errors import ArenaError, printable
from arena.ratings import notable
from arena.records import MatchRecord
from arena.reports.html.plots import Plotter
from arena.reports.pages.document import Block, Cell, Column, Replay, Section, Table, Words
from arena.reports.pages.frames import stored_match
from arena.reports.pages.packing import packed
from arena.reports.selection.evidence import PoolEvidence
from arena.reports.selection.names import shown
from arena.tournament.archive import boards

ALL_MATCHES = 60  # a pool with so many has all of them listed
MOST_FAULTS, MOST_CLOSE = 12, 6
LOSSES = 24  # of all bots together; each has one at least
MOST_LOSSES = 3  # of a bot
PAGE_LETTERS = 2_500_000  # of the replays of a whole page
REPLAY_LETTERS = 60_000  # of one replay; a longer one lacks the seats' eyes, and then steps of its middle


@dataclass(frozen=True)
class Choice:
    """A match that is listed."""

    match: int
    """The number of the match in the pool."""
    reasons: Sequence[str]
    """Why it is listed; empty where all matches are."""


def matches(evidence: PoolEvidence, _plotter: Plotter) -> Section | None:
    """The section that lists matches, with the replays that fit."""
    if not evidence.rows.matches:
        return None
    chosen = chosen_matches(evidence)
    found = _records(evidence, [choice.match for choice in chosen])
    records = [record for record, _ in found]
    replays, reason = _replays(evidence, [(choice, *match) for choice, match in zip(chosen, found)])
    anchors = {replay.anchor for replay in replays}
    columns = [
        Column("match", is_number=False, is_code=True),
        Column("result", is_number=False, meaning="best first: place, bot, seat, score", is_long=True),
        Column("why", is_number=False, is_long=True), Column("deal"), Column("rotation"), Column("decisions"),
    ]  # fmt: skip
    rows = [_row(evidence, choice, record, anchors) for choice, record in zip(chosen, records)]
    blocks: list[Block] = [Table(f"Matches of {evidence.title}", columns, rows)]
    if reason:
        blocks.append(Words(reason))
    return Section("Matches", _lead(evidence, chosen), [*blocks, *replays])


def chosen_matches(evidence: PoolEvidence) -> list[Choice]:
    """The matches to list and why; first those whose replays should find room: faults, worst losses, the closest."""
    rows = evidence.rows
    each = max(1, min(MOST_LOSSES, LOSSES // max(1, len(evidence.bots))))
    losses = [(number, f"worst loss of {shown(*evidence.bots[bot])}") for number, bot in notable.losses(rows, each)]
    reasons = [
        *((number, "fault") for number in notable.faults(rows, MOST_FAULTS)), *losses[: len(evidence.bots)],
        *((number, "close") for number in notable.closest(rows, MOST_CLOSE)), *losses[len(evidence.bots) :],
    ]  # fmt: skip
    found: dict[int, list[str]] = {}
    for number, reason in reasons:
        found.setdefault(number, []).append(reason)
    if rows.matches <= ALL_MATCHES:
        found |= {number: [] for number in range(rows.matches) if number not in found}
    return [Choice(number, why) for number, why in found.items()]


def row_anchor(evidence: PoolEvidence, match_id: str) -> str:
    """The address of a listed match's row."""
    return f"{evidence.anchor}-listed-{match_id}"


def _lead(evidence: PoolEvidence, chosen: Sequence[Choice]) -> str:
    total = evidence.rows.matches
    if len(chosen) == total:
        return f"All {total:,} rated matches."
    return (
        f"{len(chosen):,} of {total:,} rated matches: each faulty bot's first faults ({MOST_FAULTS} at most), every bot's "
        f"worst losses (worst place, then widest gap in points), and the {MOST_CLOSE} closest. `arena replay` shows any other."
    )


def _records(evidence: PoolEvidence, numbers: Sequence[int]) -> list[tuple[MatchRecord, str | None]]:
    """The stored matches with these numbers in the pool, and the keys of their deals, as far as they are public."""
    rows = [int(evidence.row_numbers[evidence.rows.starts[number]]) for number in numbers]
    found = boards.find_matches(evidence.tournament.folder, rows)
    return [found[row] for row in rows]


def _row(evidence: PoolEvidence, choice: Choice, record: MatchRecord, anchors: set[str]) -> list[Cell]:
    anchor = _anchor(evidence, record)
    return [
        Cell(record.match_id, link=f"#{anchor}" if anchor in anchors else "", anchor=row_anchor(evidence, record.match_id)),
        Cell(_result(record, "\n")),
        Cell(", ".join(choice.reasons)), Cell(f"{record.deal}", record.deal), Cell(f"{record.rotation}", record.rotation),
        Cell(f"{len(record.actions):,}", len(record.actions)),
    ]  # fmt: skip


def _result(record: MatchRecord, between: str = " · ") -> str:
    """The result of a match: `1. alice (seat 0, 30) · 2. bob (seat 1, 12, crash)`."""
    parts = []
    for number, seat in sorted(enumerate(record.seats), key=lambda item: item[1].place):
        fault = f", {seat.ending.value}" if seat.ending.blame == "bot" else ""
        parts.append(f"{seat.place}. {shown(seat.bot, seat.bot_version)} (seat {number}, {seat.score:g}{fault})")
    return between.join(parts)


def _replays(evidence: PoolEvidence, listed: Sequence[tuple[Choice, MatchRecord, str | None]]) -> tuple[list[Replay], str]:
    """Replays until the pool's share of the page is full, and why the other replays, or all, are left out."""
    if not evidence.tournament.manifest.finished or any(key is None for *_, key in listed):
        return [], "Replays come when the tournament is over: until then they would give away deals that are still played."
    share = PAGE_LETTERS // max(1, len(evidence.tournament.pools))
    replays: list[Replay] = []
    for choice, record, key in listed:
        try:
            frames = packed(stored_match(record, bytes.fromhex(key or "")), REPLAY_LETTERS)
        except (ArenaError, ValueError) as error:
            return replays, f"Replays are left out: {printable(evidence.tournament.reason(error))}"
        if len(frames) > share:
            shown_here = f"The first {len(replays)} of these have a replay below"
            return replays, f"{shown_here}; `arena replay` and the number of the match shows any."
        share -= len(frames)
        title = f"Replay {record.match_id}: {', '.join(choice.reasons) or _result(record)}"
        replays.append(Replay(_anchor(evidence, record), title, record.game, record.match_id, frames))
    return replays, ""


def _anchor(evidence: PoolEvidence, record: MatchRecord) -> str:
    return f"{evidence.anchor}-match-{record.match_id}"
