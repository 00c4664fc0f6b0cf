"""The end of a live match: its result, and where it was won."""

from arena.records import MatchRecord
from arena.reports.pages.frames import opinion, stored_match
from arena.server.table_process.arranging import Arranged
from arena.server.table_process.messages import Curve, Over


def result(table: Arranged, record: MatchRecord) -> Over:
    """The end of a match, and its evaluation over time, which looks at all cards."""
    match = stored_match(record, table.key)
    curve = Curve(numbers=[scene.number for scene in match.scenes], values=opinion(match).values)
    return Over(
        match_id=record.match_id, places=[row.place for row in record.seats], scores=[row.score for row in record.seats],
        curve=curve,
    )  # fmt: skip
