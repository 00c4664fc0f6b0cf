"""What a bot noted and printed in a match, as lines of text."""

from collections.abc import Iterator

from arena.audit.notes import DecisionNotes, MatchNotes
from arena.reports.selection.names import shown


def decision_lines(found: MatchNotes) -> dict[int, list[str]]:
    """The lines of each decision at which the bot said something."""
    lines = {one.decision: list(_lines(one)) for one in found.said}
    if found.differs_from is not None:
        lines[found.differs_from].insert(0, _line("", "from here on it does not repeat the match"))
    return lines


def summary_lines(found: MatchNotes) -> Iterator[str]:
    """What is to be known of all notes: how far they go, and whether they are those of the match."""
    who = f"notes of seat {found.seat} {shown(found.bot)}"
    count = sum(len(one.notes) for one in found.said)
    yield f"{who}: {count:,} at {found.asked:,} of its {found.decisions:,} decisions"
    for name, text in (("at its start", found.ended.first_output), ("at the end", found.ended.last_output)):
        yield from (f"{who}: printed {name}: {line}" for line in text.splitlines())
    if found.differs_from is not None:
        why = "a search with a time budget" if found.ended.is_timed else "a clock, or randomness of its own"
        yield f"{who}: this bot does not repeat from decision {found.differs_from} on: {why}"
    if found.ended.fault:
        yield f"{who}: it failed now, and not in the match: {found.ended.fault}"
    if found.ended.is_full:
        yield f"{who}: it said more than is collected in a match; the rest is left out"


def number_text(value: float) -> str:
    """A number that a bot noted.

    >>> number_text(3.0), number_text(0.25), number_text(1e9)
    ('3', '0.25', '1000000000')
    """
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.6g}"


def _lines(one: DecisionNotes) -> Iterator[str]:
    for note in one.notes:
        yield _line("note", note.text if note.value is None else f"{note.text}: {number_text(note.value)}")
    if one.is_cut:
        yield _line("note", "(more than 1 KB: the rest is left out)")
    if one.is_odd:
        yield _line("note", "(what was no text and number is left out)")
    for line in one.output.splitlines():
        yield _line("printed", line)
    if one.now is not None:
        yield _line("answers", one.now)


def _line(kind: str, text: str) -> str:
    return "\n".join(f"       {kind:8} {line}".rstrip() for line in text.splitlines() or [""])
