"""What a bot noted and printed in a match: for its author and the organisers. The match is played again for it."""

from typing import Annotated

import msgspec

from arena.audit.notes import DecisionNotes
from arena.server.asked import Asked
from arena.server.bot_notes import Hearing
from arena.server.problems import Problem
from arena.server.rights import heard_seats, owns
from arena.server.views.match import checked_id, stored


class NotesQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The seat whose notes are asked for."""

    seat: Annotated[int, msgspec.Meta(ge=0, le=63)]
    """The seat of the bot."""


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far the match is played again, and whether the bot does what it did."""

    is_over: bool
    """Whether nothing more comes; until then ask again."""
    decisions: int
    """How many decisions the seat had; 0: the match has not begun yet."""
    answered: int
    """How many of them the bot has answered again."""
    differs_from: int | None
    """The first decision at which the bot answered otherwise than in the match: from there on it says other things."""
    is_timed: bool
    """Whether it searched with a time budget, and so cannot repeat itself."""
    is_late: bool
    """Whether it was ended because it took too long: later decisions are missing."""
    is_full: bool
    """Whether it said more than is collected in a match."""
    fault: str
    """How it failed now and not in the match; empty: it did not."""


class ShownNote(msgspec.Struct, frozen=True, kw_only=True):
    """One note: a text, and a number that the text names."""

    text: str
    value: float | None


class NotedDecision(msgspec.Struct, frozen=True, kw_only=True):
    """The notes of one decision."""

    decision: int
    """The decision, by its number in `arena replay`."""
    notes: list[ShownNote]
    is_cut: bool
    """Whether it noted more than 1 KB: the rest is left out."""
    is_odd: bool
    """Whether something was no text and number, and is left out."""
    now: str | None
    """What the bot answered now, if it is not what it answered in the match."""


class NotesOfMatch(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot noted in a match."""

    progress: Progress
    noted: list[NotedDecision]
    """The decisions at which it noted something, or answered otherwise than in the match."""


class PrintedAt(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot printed at one decision."""

    decision: int
    output: str


class OutputOfMatch(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot printed in a match."""

    progress: Progress
    first: str
    """What it printed before its first decision."""
    printed: list[PrintedAt]
    last: str
    """What it printed after its last decision."""


def match_notes(asked: Asked[NotesQuery]) -> NotesOfMatch:
    """The data of `/api/m/ID/notes`. The first who asks has the match played again. Raises Problem."""
    hearing = _hearing(asked)
    noted = [
        NotedDecision(
            decision=one.decision,
            notes=[ShownNote(text=note.text, value=note.value) for note in one.notes],
            is_cut=one.is_cut,
            is_odd=one.is_odd,
            now=one.now,
        )
        for one in hearing.said
        if one.notes or one.is_cut or one.is_odd or one.now is not None
    ]
    return NotesOfMatch(progress=_progress(hearing, hearing.said), noted=noted)


def match_output(asked: Asked[NotesQuery]) -> OutputOfMatch:
    """The data of `/api/m/ID/output`, as `match_notes`."""
    hearing = _hearing(asked)
    ended = hearing.ended
    return OutputOfMatch(
        progress=_progress(hearing, hearing.said), first="" if ended is None else ended.first_output,
        printed=[PrintedAt(decision=one.decision, output=one.output) for one in hearing.said if one.output],
        last="" if ended is None else ended.last_output,
    )  # fmt: skip


def _hearing(asked: Asked[NotesQuery]) -> Hearing:
    match_id, seat = checked_id(asked), asked.query.seat
    record = stored(asked.library, match_id)[1].record
    account = asked.visitor.account
    if seat >= len(record.seats):
        raise Problem(404, "refusal_no_seat", last=len(record.seats) - 1, seat=seat)
    row = record.seats[seat]
    if seat not in heard_seats(asked, record) or account is None:
        if account is not None and asked.visitor.is_organiser:
            raise Problem(404, "notes_refusal_no_code", bot=row.bot)
        raise Problem(403, "notes_refusal_not_yours", bot=row.bot)
    owned = asked.owned.of(row.bot)
    if owned is not None and not owns(asked.visitor, owned):
        asked.accounts.log_look(account, "notes", row.bot, f"match {record.match_id}, seat {seat}")
    computing = asked.submitting.computing
    hearing = asked.notes.ask(
        (record.match_id, seat, row.bot_sha256), account.id, may_begin=lambda: computing.check(account),
        pay=computing.payer(account),
    )  # fmt: skip
    if hearing.failed is not None and hearing.failed.has_no_code:
        raise Problem(404, "notes_refusal_no_code", bot=row.bot)
    if hearing.failed is not None:
        raise Problem(503, "notes_refusal_failed", bot=row.bot, text=hearing.failed.why)
    return hearing


def _progress(hearing: Hearing, said: list[DecisionNotes]) -> Progress:
    ended = hearing.ended
    return Progress(
        is_over=hearing.is_over, decisions=hearing.decisions, answered=hearing.answered,
        differs_from=next((one.decision for one in said if one.now is not None), None),
        is_timed=ended is not None and ended.is_timed, is_late=hearing.is_late, is_full=ended is not None and ended.is_full,
        fault="" if ended is None else ended.fault,
    )  # fmt: skip
