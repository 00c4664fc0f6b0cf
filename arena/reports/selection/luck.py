"""A match as chance and choices took it, as lines of a replay: what the cards did and what the players did, told apart."""

from collections.abc import Iterator

from arena.ratings.match_luck import LuckCourse, Numbers
from arena.records import MatchRecord
from arena.reports.selection.names import shown

LEAST = 0.01
"""The smallest change that is shown, in shares of rivals."""


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
    """What chance gave each seat, and what the choices of all made of it."""
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
