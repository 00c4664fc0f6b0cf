"""A finished match as readable text: every decision, as one seat saw it or with all cards open."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from arena.engine.options import OptionValue
from arena.engine.room import Game
from arena.errors import quoted
from arena.records import MatchRecord
from arena.reports.pages.scenes import description, events, scenes
from arena.reports.selection.names import shown

RULE = "-" * 72


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
        if not scene.is_cut:
            yield RULE
            yield description(game, scene, seat)
    yield from result_lines(record, seat)


def result_lines(record: MatchRecord, seat: int | None = None) -> Iterator[str]:
    """The places, best first, then the notes on faults: all notes, or those of one seat."""
    for place, row in sorted(enumerate(record.seats), key=lambda item: item[1].place):
        fault = f"  {row.ending.value} at decision {row.fault_decision}" if row.ending.blame == "bot" else ""
        yield f"place {row.place}  seat {place} {shown(row.bot)}  score {row.score:g}{fault}"
    yield from (f"note: {quoted(note)}" for note in record.notes if seat is None or note.startswith(f"seat {seat} "))
