"""A finished match as readable text: every decision, as one seat saw it or with all cards open; beside it what the cards and
the players did to it, and what a bot noted and printed.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from arena.audit.notes import DecisionNotes, MatchNotes
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.errors import quoted
from arena.hints import hints
from arena.ratings.match_luck import LuckCourse, Numbers
from arena.records import MatchRecord
from arena.reports.pages.scenes import consequences, description, events, result, scenes
from arena.reports.round_result import round_lines, said
from arena.reports.table import shown

RULE = "-" * 72
LEAST = 0.01
"""The smallest change that is shown, in shares of rivals."""


def replay_lines(
    game: Game,
    record: MatchRecord,
    options: dict[str, OptionValue],
    deal_seed: int,
    seat: int | None = None,
    remarks: Mapping[int, Sequence[str]] = MappingProxyType({}),
) -> Iterator[str]:
    """A match from its action log, as lines of text. Raises StoreError for a log that the rules do not allow.

    `options`: all, resolved; `seat`: who looks, None for all cards open; `remarks`: lines before the actions of some decisions.
    """
    names = [shown(row.bot) for row in record.seats]
    head = f"{game.name} {record.match_id}  " + "  ".join(f"seat {place}: {name}" for place, name in enumerate(names))
    for scene in scenes(game, record, options, deal_seed):
        if head:
            yield head
            head = ""
        for played in scene.played:
            yield from remarks.get(played.number, ())
            for who, text in events(game, played, seat):
                yield f"{played.number:5}  seat {who}  {text}"
        yield from (f"       -> {said(fact, game.name, names)}" for fact in consequences(game, scene, seat))
        if not scene.is_cut:
            yield RULE
            yield description(game, scene, seat)
        if (found := result(game, scene)) is not None:
            yield from round_lines(found, game.name, names)
    yield from result_lines(record, seat)


def result_lines(record: MatchRecord, seat: int | None = None) -> Iterator[str]:
    """The places, best first, then the notes on faults: all notes, or those of one seat. With them what a lock explains."""
    for place, row in sorted(enumerate(record.seats), key=lambda item: item[1].place):
        fault = f"  {row.ending.value} at decision {row.fault_decision}" if row.ending.blame == "bot" else ""
        yield f"place {row.place}  seat {place} {shown(row.bot)}  score {row.score:g}{fault}"
    notes = [note for note in record.notes if seat is None or note.startswith(f"seat {seat} ")]
    yield from (f"note: {quoted(note)}" for note in notes)
    if any(row.isolation.startswith("locked") for row in record.seats):
        yield from (f"hint: {hint}" for hint in hints(notes))


def luck_lines(course: LuckCourse) -> dict[int, list[str]]:
    """The lines before each decision that say how what happened before it moved what the match is worth."""
    lines: dict[int, list[str]] = {}
    for moment, (worth, dealt, drawn, chosen) in enumerate(zip(course.values, course.dealt, course.drawn, course.chosen)):
        parts = {"choice": chosen, "cards": drawn, "deal": dealt}
        moved = [f"{name} {_signed(part)}" for name, part in parts.items() if max(map(abs, part)) >= LEAST]
        if moved or moment == 0:
            lines[moment] = [f"       {'  '.join(['worth ' + ' '.join(f'{share:.2f}' for share in worth), *moved])}"]
    return lines


def luck_summary(record: MatchRecord, course: LuckCourse) -> Iterator[str]:
    """Yield what chance gave each seat, and what the choices of all made of it."""
    if not course.events:
        yield "luck: not looked at: a bot failed at its start, or the match is void"
        return
    if len(course.values) <= len(record.actions):
        yield f"luck: looked at up to decision {len(course.values) - 1}, the first fault of a bot"
    sums = (course.dealt.sum(axis=0), course.drawn.sum(axis=0), course.chosen.sum(axis=0))
    for seat, (row, dealt, drawn, chosen) in enumerate(zip(record.seats, *sums)):
        rivals = sum(other.unit != row.unit for other in record.seats)
        yield (
            f"luck: seat {seat} {shown(row.bot)}: the cards were worth {rivals * (dealt + drawn):+.2f} places "
            f"({rivals * dealt:+.2f} by deals, {rivals * drawn:+.2f} by what came later), choices {rivals * chosen:+.2f}"
        )


def _signed(part: Numbers) -> str:
    return " ".join(f"{share:+.2f}" for share in part)


def decision_lines(found: MatchNotes) -> dict[int, list[str]]:
    """The lines of each decision at which the bot said something."""
    lines = {one.decision: list(_lines(one)) for one in found.said}
    if found.differs_from is not None:
        lines[found.differs_from].insert(0, _line("", "from here on it does not repeat the match"))
    return lines


def summary_lines(found: MatchNotes) -> Iterator[str]:
    """Yield what is to be known of all notes: how far they go, and whether they are those of the match."""
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
