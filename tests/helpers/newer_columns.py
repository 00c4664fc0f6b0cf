"""The stored table of matches as a later version may have it: with columns that this version's files lack."""

from pathlib import Path
from typing import Any

from arena.records import MatchRecord
from arena.results import parquet, schema
from arena.results.schema import MATCHES, Column, Default, Kind, Table
from arena.results.table_file import TableWriter

MOOD = Column("mood", Kind.TEXT, "of the seat", default=Default("calm", "nobody asked"))
ENERGY = Column("energy", Kind.FLOAT32, "in joules", default=Default(0.1, "a guess"))
PAUSES = Column("pauses", Kind.INT32, "counted", hashed=False, default=Default(-1, "not counted then"))
FRIEND = Column("friend", Kind.TEXT, "if there is one", nullable=True, default=Default(None, "not known"))
ADDED = (MOOD, ENERGY, PAUSES, FRIEND)


def with_more(table: Table, *columns: Column) -> Table:
    return Table(table.name, (*table.columns, *columns))


LONGER = with_more(MATCHES, *ADDED)


def write_longer(folder: Path, records: list[MatchRecord], **values: Any) -> None:
    """The matches as a version writes them that has more columns."""
    parquet.write_matches(folder, records)
    with TableWriter(folder, LONGER) as rows:
        for record in records:
            rows.add([row | values for row in schema.match_rows(record, folder.name)])
        rows.finish()
        rows.publish()
