"""Rule options: how a game names them, what they accept, and how they become whole numbers in the state.

An option may be a table of named rows, such as a deck of cards with numbers: read from a CSV file, kept by value.

A config or a command line may name a file; from then on the rows themselves are the option's value. So they are in the
state, in what travels to workers and bots, in result rows, hashes and traces, and no file is needed to play a match again.
A table that equals the default is left out of resolved options: the game's version stands for it.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeAlias

from arena import userfiles
from arena.errors import ConfigError
from arena.userfiles import existing_path

OptionValue: TypeAlias = bool | int | str | list[Any]  # of the same; msgspec reads no type that names itself


class Option(Protocol):
    """One rule option of a game."""

    @property
    def name(self) -> str:
        """The option's name, as written in configs, positions and result rows; that of the field it fills, if it is empty."""
        ...

    @property
    def default(self) -> OptionValue:
        """The value where the config gives none."""
        ...

    @property
    def meaning(self) -> str:
        """What the option decides, in one line, with the number of the decision in RULES.md."""
        ...

    @property
    def accepts(self) -> str:
        """The allowed values in words."""
        ...

    @property
    def width(self) -> int:
        """How many whole numbers the value takes in the options vector."""
        ...

    def encode(self, value: OptionValue) -> list[int]:
        """The value as `width` whole numbers; raises ValueError for a value that is not allowed."""
        ...

    def decode(self, codes: list[int]) -> OptionValue:
        """The value of `width` whole numbers: the inverse of `encode`, in its resolved form."""
        ...


@dataclass(frozen=True)
class Part:
    """What a field of a state takes of an option of several numbers: those from `first` on; a row of the field every `step`."""

    option: Option
    first: int = 0
    step: int = 1


@dataclass(frozen=True)
class Choice:
    """An option with a few possible texts or numbers; encoded as the value's place in `values`."""

    default: str | int
    values: tuple[str | int, ...]
    meaning: str
    name: str = ""
    width: ClassVar[int] = 1

    @property
    def accepts(self) -> str:
        """The allowed values in words."""
        return "one of " + ", ".join(self._texts)

    def encode(self, value: OptionValue) -> list[int]:
        """The place of the value among `values`; a number equals its text (YAML reads `5` as a number)."""
        if isinstance(value, bool) or not isinstance(value, int | str) or str(value) not in self._texts:
            raise ValueError(self.accepts)
        return [self._texts.index(str(value))]

    def decode(self, codes: list[int]) -> OptionValue:
        """The value at an encoded place."""
        return self.values[codes[0]]

    @property
    def _texts(self) -> list[str]:
        return [str(value) for value in self.values]


@dataclass(frozen=True)
class Flag:
    """A yes-or-no option; encoded as 1 or 0."""

    default: bool
    meaning: str
    name: str = ""
    accepts: ClassVar[str] = "true or false"
    width: ClassVar[int] = 1

    def encode(self, value: OptionValue) -> list[int]:
        """The flag as 1 or 0."""
        if not isinstance(value, bool):
            raise ValueError(self.accepts)
        return [int(value)]

    def decode(self, codes: list[int]) -> OptionValue:
        """The flag that 1 or 0 stands for."""
        return bool(codes[0])


@dataclass(frozen=True)
class Whole:
    """An option that is a whole number from `lowest` to `highest`; encoded as itself."""

    default: int
    lowest: int
    highest: int
    meaning: str
    name: str = ""
    is_length: bool = False
    """Whether the option sets how many rounds a match has: tests then keep it small."""
    width: ClassVar[int] = 1

    @property
    def accepts(self) -> str:
        """The allowed values in words."""
        return f"a whole number from {self.lowest} to {self.highest}"

    def encode(self, value: OptionValue) -> list[int]:
        """The number as a list of one."""
        if isinstance(value, bool) or not isinstance(value, int) or not self.lowest <= value <= self.highest:
            raise ValueError(self.accepts)
        return [value]

    def decode(self, codes: list[int]) -> OptionValue:
        """The number out of a list of one."""
        return codes[0]


@dataclass(frozen=True)
class Counted:
    """An option that is a kind with a count, such as `first_to:3`; encoded as the place of the kind, then the count."""

    default: str
    kinds: tuple[str, ...]
    highest: int
    meaning: str
    name: str = ""
    width: ClassVar[int] = 2

    @property
    def accepts(self) -> str:
        """The allowed values in words."""
        forms = " or ".join(f"{kind}:N" for kind in self.kinds)
        return f"{forms} with N from 1 to {self.highest}"

    def encode(self, value: OptionValue) -> list[int]:
        """The place of the kind, and the count."""
        kind, _, count = value.partition(":") if isinstance(value, str) else ("", "", "")
        plain = count.isascii() and count.isdigit() and not count.startswith("0")
        if kind not in self.kinds or not plain or len(count) > len(str(self.highest)) or int(count) > self.highest:
            raise ValueError(self.accepts)
        return [self.kinds.index(kind), int(count)]

    def decode(self, codes: list[int]) -> OptionValue:
        """The value as text, `kind:count`."""
        return f"{self.kinds[codes[0]]}:{codes[1]}"


def parse_options(words: Iterable[str]) -> dict[str, OptionValue]:
    """Rule options from `KEY=VALUE` words; a value is true, false, a whole number, a JSON list or else a text.

    >>> parse_options(["majority=clinch", "moon_duplicate=false", "decks=2"])
    {'majority': 'clinch', 'moon_duplicate': False, 'decks': 2}
    """
    options: dict[str, OptionValue] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not key or not equals:
            raise ConfigError(f"--option {word}: KEY=VALUE is needed")
        if key in options:
            raise ConfigError(f"--option {word}: {key} is given twice")
        options[key] = _value(text)
    return options


def _value(text: str) -> OptionValue:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, bool | int | list) else text


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
    def count(self) -> Part:
        """How many rows there are, as a field takes it."""
        return Part(self)

    @property
    def names(self) -> Part:
        """The names of all rows, as an array of `most` rows of NAME_WORDS takes them."""
        return Part(self, 1 + len(self.columns), self._row_width)

    def column(self, name: str) -> Part:
        """The numbers of one column, as an array of `most` takes them."""
        return Part(self, self._header.index(name), self._row_width)

    @property
    def _row_width(self) -> int:
        """How many whole numbers a row takes."""
        return len(self.columns) + NAME_WORDS

    @property
    def width(self) -> int:
        """How many whole numbers the value takes in the options vector: rows that are not there are zero."""
        return 1 + self.most * self._row_width

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
        for at in range(1, 1 + codes[0] * self._row_width, self._row_width):
            numbers, words = codes[at : at + len(self.columns)], codes[at + len(self.columns) : at + self._row_width]
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
    """An option whose default is read from the CSV file `file` in the folder of `module` (a game's `__file__`)."""
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
        reader: Any = csv.reader(io.StringIO(userfiles.read_text(path, FILE_BYTES), newline=""), strict=True)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        found = [(reader.line_num, [field.strip() for field in fields]) for fields in reader]
    except csv.Error as error:
        raise ConfigError(f"{path}:{reader.line_num}: not CSV: {error}") from None
    return [(number, fields) for number, fields in found if any(fields)]
