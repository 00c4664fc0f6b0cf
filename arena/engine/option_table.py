"""A rule option that is a table of named rows, such as a deck of cards with numbers: read from a CSV file, kept by value.

A config or a command line may name a file; from then on the rows themselves are the option's value. So they are in the
state, in what travels to workers and bots, in result rows, hashes and traces, and no file is needed to play a match again.
A table that equals the default is left out of resolved options: the room's version stands for it.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena import foreign_files
from arena.engine.options import Option, OptionValue
from arena.errors import ConfigError
from arena.userfiles import existing_path

NAME = "name"  # the first column
FILE_BYTES = 1 << 20  # of a table
WORD_BYTES = 8
NAME_WORDS = 3  # 64-bit words that hold a name as UTF-8
NAME_BYTES = NAME_WORDS * WORD_BYTES
HIDDEN = "?"  # in masked positions


class RowError(ValueError):
    """A row of a data table is not allowed; the message names the row."""

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(f"row {row + 1}: {problem}")
        self.row = row
        """Number of the row, from 0."""
        self.problem = problem


@dataclass(frozen=True)
class Column:
    """A column of a data table: whole numbers from `lowest` to `highest`."""

    name: str
    lowest: int
    highest: int


@dataclass(frozen=True)
class DataTable:
    """An option that is a table of rows [name, number, ...] with different names.

    Encoded as the number of rows, then for each row its numbers and the words of its name.
    """

    name: str
    default: list[OptionValue]
    columns: tuple[Column, ...]
    """The columns after the name."""
    most: int
    """The most rows that the table may have."""
    meaning: str

    @property
    def accepts(self) -> str:
        """The allowed values in words."""
        return f"a list of rows [{', '.join(self._header)}], or the path of a CSV file with these columns"

    @property
    def row_width(self) -> int:
        """How many whole numbers a row takes."""
        return len(self.columns) + NAME_WORDS

    @property
    def width(self) -> int:
        """How many whole numbers the value takes in the options vector: rows that are not there are zero."""
        return 1 + self.most * self.row_width

    def encode(self, value: OptionValue) -> list[int]:
        """The rows as whole numbers. Raises RowError for the first row that is not allowed, ValueError for no rows at all."""
        if not isinstance(value, list):
            raise ValueError(self.accepts)
        if len(value) > self.most:
            raise RowError(self.most, f"at most {self.most} rows are possible, not {len(value)}")
        header, codes, names = self._header, [len(value)], set[str]()
        for place, row in enumerate(value):
            if not isinstance(row, list) or len(row) != len(header):
                raise RowError(place, f"[{', '.join(header)}] is needed, not {row!r}")
            name = _checked_name(row[0], place)
            if name in names:
                raise RowError(place, f'{NAME}: "{name}" is the name of an earlier row too')
            names.add(name)
            for column, number in zip(self.columns, row[1:]):
                codes.append(_checked_number(number, column, place))
            codes += _words(name)
        return codes + [0] * (self.width - len(codes))

    def decode(self, codes: list[int]) -> OptionValue:
        """The rows that encoded numbers stand for."""
        rows: list[OptionValue] = []
        for at in range(1, 1 + codes[0] * self.row_width, self.row_width):
            numbers, words = codes[at : at + len(self.columns)], codes[at + len(self.columns) : at + self.row_width]
            rows.append([row_name(words), *numbers])
        return rows

    def read(self, path: Path) -> tuple[list[OptionValue], int]:
        """The rows of a CSV file, and how many lines it has. Raises ConfigError that names the file and the line."""
        rows: list[OptionValue] = []
        lines: list[int] = []
        for line, fields in _csv_lines(path):
            if not lines:
                if fields != self._header:
                    raise ConfigError(f"{path}:{line}: the first line must be {','.join(self._header)}")
            elif len(fields) != len(self._header):
                raise ConfigError(f"{path}:{line}: {len(self._header)} fields are needed, not {len(fields)}")
            else:
                rows.append([fields[0], *map(_number_or_text, fields[1:])])
            lines.append(line)
        if not lines:
            raise ConfigError(f"{path}:1: the file is empty; its first line must be {','.join(self._header)}")
        try:
            self.encode(rows)
        except RowError as error:
            raise ConfigError(f"{path}:{lines[error.row + 1]}: {error.problem}") from None
        return rows, lines[-1]

    @property
    def _header(self) -> list[str]:
        return [NAME, *(column.name for column in self.columns)]


def table_beside(module: str, file: str, name: str, columns: tuple[Column, ...], most: int, meaning: str) -> DataTable:
    """An option whose default is read from the CSV file `file` in the folder of `module` (a room's `__file__`)."""
    empty = DataTable(name, [], columns, most, meaning)
    rows, _ = empty.read(Path(module).parent / file)
    return DataTable(name, rows, columns, most, meaning)


def read_tables(
    options: Sequence[Option], given: Mapping[str, OptionValue], folders: Sequence[Path]
) -> tuple[dict[str, OptionValue], dict[str, str]]:
    """`given` with each table's path replaced by its rows, and for each such table the `file:line` at which it ends.

    Paths are relative to one of `folders`. Raises ConfigError, which names the option, or the file and the line.
    """
    values, ends = dict(given), dict[str, str]()
    for option in options:
        value = values.get(option.name)
        if isinstance(option, DataTable) and isinstance(value, str):
            key = f"options.{option.name}"
            path = existing_path(value, folders, f"{key}: no such file")
            try:
                values[option.name], last = option.read(path)
            except ConfigError as error:
                raise ConfigError(f"{key}: {error}") from None
            ends[option.name] = f"{path}:{last}"
    return values, ends


def row_name(words: Sequence[int]) -> str:
    """A row's name from its words.

    >>> row_name(_words("Raccoon dog"))
    'Raccoon dog'
    """
    return b"".join(word.to_bytes(WORD_BYTES, "little", signed=True) for word in words).rstrip(b"\0").decode()


def _words(name: str) -> list[int]:
    data = name.encode().ljust(NAME_BYTES, b"\0")
    return [int.from_bytes(data[at : at + WORD_BYTES], "little", signed=True) for at in range(0, NAME_BYTES, WORD_BYTES)]


def _checked_name(name: object, row: int) -> str:
    if not isinstance(name, str) or not name or name != name.strip() or not name.isprintable() or name == HIDDEN:
        raise RowError(row, f"{NAME}: a printable text without spaces around it is needed, not {name!r}")
    if len(name.encode()) > NAME_BYTES:
        raise RowError(row, f"{NAME}: at most {NAME_BYTES} bytes of UTF-8 are possible, not {name!r}")
    return name


def _checked_number(number: object, column: Column, row: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not column.lowest <= number <= column.highest:
        raise RowError(row, f"{column.name}: a whole number from {column.lowest} to {column.highest} is needed, not {number!r}")
    return number


def _number_or_text(field: str) -> int | str:
    plain = field.isascii() and field.removeprefix("-").isdigit() and len(field) < 10
    return int(field) if plain else field


def _csv_lines(path: Path) -> list[tuple[int, list[str]]]:
    """Line numbers and stripped fields of the lines that are not blank."""
    try:
        reader: Any = csv.reader(io.StringIO(foreign_files.text(path, FILE_BYTES), newline=""), strict=True)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        found = [(reader.line_num, [field.strip() for field in fields]) for fields in reader]
    except csv.Error as error:
        raise ConfigError(f"{path}:{reader.line_num}: not CSV: {error}") from None
    return [(number, fields) for number, fields in found if any(fields)]
