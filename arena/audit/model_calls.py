"""What a language model was asked and answered in a stored match, in words: of its kept answers; it is not asked again."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from arena.errors import StoreError, printable
from arena.llm.kept_answers import FOLDER, AnswerFolder
from arena.records import CallRecord, MatchRecord
from arena.results import parquet

MOST_LETTERS = 100_000
"""How many letters of one text of a call are shown."""
_FIXED = "system"  # the role of the fixed part of a prompt, which is the same at each decision


def calls_of(folder: Path, record: MatchRecord, seat: int) -> list[CallRecord]:
    """The calls of a seat, in order. `folder`: of the match's tournament. Raises StoreError."""
    found: Sequence[CallRecord] = record.calls or parquet.find_calls(folder, record.match_id)
    return [call for call in found if call.seat == seat]


def told_calls(folder: Path, calls: Sequence[CallRecord]) -> Iterator[tuple[int, str]]:
    """Each decision, by its number in `arena replay`, with what was asked and answered at it.

    What was asked is there only where transcripts were kept; the fixed part of the prompt is left out.
    """
    kept = AnswerFolder(folder=str(folder / FOLDER))
    for decision, own in groupby(calls, key=lambda call: call.decision):
        yield decision, "\n\n".join(_told(kept, call) for call in own)


def _told(kept: AnswerFolder, call: CallRecord) -> str:
    """One call in words."""
    tokens = f"{call.prompt_tokens:,} tokens asked, {call.cached_tokens:,} of them kept, {call.completion_tokens:,} answered"
    lines = [f"try {call.attempt + 1}: {call.kind}; {call.model}, {tokens}, {call.total_s:.1f} s"]
    try:
        found = kept.find(call.answer)
    except StoreError as error:
        return "\n".join([*lines, printable(str(error), MOST_LETTERS)])
    if found is None:
        return "\n".join([*lines, printable(call.raw, MOST_LETTERS)])
    asked = [message["content"] for message in found.messages[-1:] if message.get("role") != _FIXED]
    lines += [f"asked:\n{printable(text, MOST_LETTERS)}" for text in asked]
    return "\n".join([*lines, f"answered:\n{printable(found.reply.text, MOST_LETTERS)}"])
