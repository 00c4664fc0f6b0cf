"""The one way to print: results on standard output, as a table, JSON, CSV or Markdown; all else on standard error.

With `--format json` and `--format csv` standard output holds the result alone, so that a program can read it whole. Here are
also times and rates for people, and a table of figures, whose first column names what was measured.
"""

import contextlib
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Generic, TypeVar

from rich.console import Console, RenderableType
from rich.text import Text

from arena.cli.shared.streams import is_gone
from arena.errors import ConfigError, quoted, visible
from arena.reports.data import Record, csv_text, json_text
from arena.reports.table import Column, Table
from arena.reports.terminal import ConsolePage, MarkdownPage, Page


def rate_text(rate: float) -> str:
    """Matches per second.

    >>> rate_text(1234.5), rate_text(2.34)
    ('1,234 a second', '2.3 a second')
    """
    return f"{rate:,.0f} a second" if rate >= 10 else f"{rate:.1f} a second"


def duration_text(seconds: float) -> str:
    """A time for people.

    >>> duration_text(0.4), duration_text(75), duration_text(7300)
    ('1 s', '1 min 15 s', '2 h 1 min')
    """
    whole = max(1, round(seconds))
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def write_table(page: Page, title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> None:
    """Write a title and a table; the first `names` columns hold words, the others numbers."""
    page.heading(title)
    columns = [Column(heading, "" if place < names else ">") for place, heading in enumerate(headings)]
    page.table(Table(columns, rows))  # whole: a name that is cut says nothing


PIPE_WIDTH = 120  # columns of a table that goes into a file or a pipe, unless COLUMNS says otherwise
_PAGERS = ("MANPAGER", "PAGER")  # in the order in which pydoc looks, by which rich finds one
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


def show(
    format: Format,
    write: Callable[[Page], object],
    document: object,
    rows: Iterable[Record] = (),
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
    yield ConsolePage(output_console())


def output_console() -> Console:
    """Standard output, for tables and for progress that is redrawn there; what is written goes through `plain_text`."""
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    return console


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
    console = output_console()
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
    """The program that the variables name as the pager, if this machine has none of that name. Blank ones are forgotten."""
    for name in _PAGERS:
        if not os.environ.get(name, "").strip():
            os.environ.pop(name, None)
    command = next((os.environ[name] for name in _PAGERS if name in os.environ), None)
    if command is None:
        return None
    try:
        words = [word for word in shlex.split(command) if "=" not in word]  # a shell starts it: `LESS=R less`
    except ValueError:
        return command
    return None if words and shutil.which(words[0]) else (words or [command])[0]


def note(text: str) -> None:
    """Print a line that is not part of the result: news, progress, a warning. It goes to standard error."""
    print(visible(text), file=sys.stderr, flush=True)


LINE_SECONDS = 2.0
P = TypeVar("P")


class NowAndThen(Generic[P]):
    """Notes how far something is, whenever LINE_SECONDS have passed since the last line."""

    def __init__(self, line: Callable[[P], str]) -> None:
        self._line, self._last = line, time.monotonic()

    def __call__(self, progress: P) -> None:
        """Hear how far it is."""
        if time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            note(self._line(progress))


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
