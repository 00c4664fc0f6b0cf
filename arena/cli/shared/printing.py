"""The one way to print: results on standard output, as a table, JSON, CSV or Markdown; all else on standard error.

With `--format json` and `--format csv` standard output holds the result alone, so that a program can read it whole.
"""

import contextlib
import csv
import io
import os
import shutil
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from rich.console import Console, RenderableType
from rich.text import Text

from arena.cli.shared.streams import is_gone
from arena.errors import ConfigError, quoted, visible
from arena.reports.terminal import ConsolePage, MarkdownPage, Page

PIPE_WIDTH = 120  # columns of a table that goes into a file or a pipe, unless COLUMNS says otherwise
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # how a formula may begin, wide signs too
READING_WIDTH = 100  # columns of prose, at most: longer lines are hard to read


class Format(StrEnum):
    """The form in which a command prints its result."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "md"

    @property
    def is_for_people(self) -> bool:
        """Whether the result is written onto a page; else it is data for programs."""
        return self in (Format.TABLE, Format.MARKDOWN)


Row = Mapping[str, Any] | msgspec.Struct


def show(
    format: Format,
    write: Callable[[Page], object],
    document: object,
    rows: Iterable[Row] = (),
    *,
    columns: Sequence[str] = (),
) -> None:
    """Print a result on standard output.

    `write` puts it onto a page, for people; `document` is all of it as plain data, for JSON; `rows` are its rows, for CSV, and
    `columns` their keys, which are needed only if there may be no row. A command without rows calls `refuse_csv` first.
    """
    if format is Format.JSON:
        say(json_text(document))
    elif format is Format.CSV:
        say(csv_text(rows, columns).rstrip("\n"))
    else:
        with page_of(format) as page:
            write(page)


def refuse_csv(format: Format, what: str) -> None:
    """Raise ConfigError if a result that is not one table is asked for as CSV. Call it before the work begins."""
    if format is Format.CSV:
        raise ConfigError(f"--format csv: {what} is not one table; use --format json")


@contextlib.contextmanager
def page_of(format: Format) -> Iterator[Page]:
    """A page on standard output: a table's page is printed as it is written, a Markdown page when it is complete."""
    if format is Format.MARKDOWN:
        page = MarkdownPage()
        yield page
        say(page.text.rstrip("\n"))
        return
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    yield ConsolePage(console)


def json_text(document: object) -> str:
    """A document as readable JSON. Numbers of numpy are plain numbers; NaN and infinity are null.

    >>> print(json_text([1.5, float("nan")]))
    [
      1.5,
      null
    ]
    """
    return _escaped(msgspec.json.format(_encoded(document), indent=2).decode())


def csv_text(rows: Iterable[Row], columns: Sequence[str] = ()) -> str:
    r"""A header line, then a line for each row; an empty field for null, NaN and infinity; nested values as JSON.

    A text that a spreadsheet would take for a formula has a `'` before it.

    >>> csv_text([{"bot": "a", "rank": None, "games": ["naga"]}])
    'bot,rank,games\na,,"[""naga""]"\n'
    """
    plain = [msgspec.json.decode(_encoded(row)) for row in rows]
    target = io.StringIO()
    found = dict.fromkeys(key for row in plain for key in row)  # rows may have keys that others lack
    writer = csv.DictWriter(target, list(columns) or list(found), lineterminator="\n")
    if writer.fieldnames:
        writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in plain)
    return target.getvalue()


def say(text: str = "") -> None:
    """Print a line of the result on standard output, at once."""
    print(visible(text), flush=True)


def say_all(lines: Iterable[str]) -> None:
    """Print many lines of the result on standard output, as long as somebody reads them."""
    for line in lines:
        print(visible(line))
        if is_gone(sys.stdout):
            return


def page_through(renderable: RenderableType) -> None:
    """Print a long text for people: on a terminal through the user's pager, which PAGER names, if there is such a program."""
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    console.width = min(console.width, READING_WIDTH)
    missing = _missing_pager()
    if missing is not None and console.is_terminal:
        note(f"PAGER names {missing}, which is no program here")
    if not console.is_terminal or missing is not None:
        console.print(renderable)
        return
    os.environ.setdefault("LESS", "FRX")  # as git does: colours, and no pager for a text that fits the screen
    with console.pager(styles=True):
        console.print(renderable)


def _missing_pager() -> str | None:
    """The program that the variables name as the pager, if this machine has none of that name."""
    words = (os.environ.get("MANPAGER", os.environ.get("PAGER")) or "").split()  # as pydoc looks, by which rich finds it
    return words[0] if words and shutil.which(words[0]) is None else None


def note(text: str) -> None:
    """Print a line that is not part of the result: news, progress, a warning. It goes to standard error."""
    print(visible(text), file=sys.stderr, flush=True)


def complain(text: str) -> None:
    """Print the message of an error on standard error; its further lines, such as a bot's traceback, are marked."""
    print(f"arena: {quoted(text)}", file=sys.stderr, flush=True)


def error_console() -> Console:
    """Standard error, for progress that is redrawn; what is written there goes through `plain_text` or `news_on`."""
    return Console(stderr=True, highlight=False, emoji=False)


def plain_text(text: str) -> Text:
    """A text for progress that is redrawn: no sign in it is markup or moves the cursor."""
    return Text(visible(text))


def news_on(console: Console) -> Callable[[str], None]:
    """A function that prints a line on a console, above what is redrawn there; a terminal breaks it between words."""
    return lambda text: console.print(plain_text(text), soft_wrap=not console.is_terminal)


def _plain(value: object) -> object:
    """A number or an array of numpy as Python's own."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise NotImplementedError(f"no plain form of {type(value)}")


def _cell(value: object) -> object:
    if isinstance(value, bool | list | dict):
        return visible(msgspec.json.encode(value).decode())
    if isinstance(value, str):
        return f"'{visible(value)}" if value.startswith(_FORMULA) else visible(value)
    return value


def _encoded(document: object) -> bytes:
    try:
        return msgspec.json.encode(document, enc_hook=_plain)
    except UnicodeEncodeError:  # half a character, such as the name of a file may hold
        return msgspec.json.encode(_whole(msgspec.to_builtins(document, enc_hook=_plain)))


def _whole(value: Any) -> Any:
    """Plain data whose texts can be encoded."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list | tuple) else value


def _escaped(text: str) -> str:
    r"""JSON whose invisible characters are escaped, which changes nothing for whoever reads it.

    >>> _escaped('"\x9b2J\u202e\U000e0001"')
    '"\\u009b2J\\u202e\\udb40\\udc01"'
    """
    if text.replace("\n", "").isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter == "\n" else _as_units(letter) for letter in text)


def _as_units(letter: str) -> str:
    """A character as JSON escapes it: in units of UTF-16."""
    return "".join(f"\\u{unit:04x}" for (unit,) in struct.iter_unpack(">H", letter.encode("utf-16-be")))
