"""A page as the terminal shows it."""

from collections.abc import Sequence
from typing import ClassVar

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown, MarkdownElement, TableElement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from arena.reports.manual.markdown import tokens, with_commands
from arena.reports.manual.pages import ManualPage, page_of_link

CODE_THEME = "ansi_dark"
"""The terminal's own colours, on its own background."""
_GAP = 2  # blanks between the columns of a table; as many are at both edges together


class _LeftHeading(Heading):
    """A heading at the left margin, where the library puts that of the page into the middle."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text.copy()
        text.justify = "left"
        yield text


class _WholeTable(TableElement):
    """A table of which nothing is cut: where it is too wide for the console, every row becomes a list."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        headings, rows = self._cells()
        widths = _fitted([[heading, *cells] for heading, *cells in zip(headings, *rows)], options.max_width)
        if widths:
            table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
            for heading, width in zip(headings, widths):
                table.add_column(heading, width=width)
            for row in rows:
                table.add_row(*row)
            yield table
            return
        for row in rows:
            for place, (heading, cell) in enumerate(zip(headings, row)):
                line = Text.assemble(heading, ": " if heading.plain else "", cell)
                yield Padding(line, (0, 0, 0, 2 if place else 0))
            yield Text()

    def _cells(self) -> tuple[list[Text], list[list[Text]]]:
        assert self.header is not None and self.header.row is not None and self.body is not None
        rows = [[cell.content for cell in row.cells] for row in self.body.rows]
        return [cell.content for cell in self.header.row.cells], rows


class TerminalPage(Markdown):
    """A page to print on a console of any width."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements, "heading_open": _LeftHeading, "table_open": _WholeTable,
    }  # fmt: skip

    def __init__(self, page: ManualPage) -> None:
        super().__init__("", code_theme=CODE_THEME, hyperlinks=False)
        self.parsed = with_commands(tokens(page.text), _command)


def _fitted(columns: Sequence[Sequence[Text]], room: int) -> list[int]:
    """Widths of the columns of a table of at most `room` characters that break no word; empty if there are none.

    The library would cut words while other columns still have room.
    """
    least = [max((cell_len(word) for cell in column for word in cell.plain.split()), default=0) for column in columns]
    widths = [max(cell_len(cell.plain) for cell in column) for column in columns]
    while sum(widths) + _GAP * len(columns) > room:
        wider = [place for place, width in enumerate(widths) if width > least[place]]
        if not wider:
            return []
        widths[max(wider, key=widths.__getitem__)] -= 1
    return widths


def _command(target: str) -> str:
    """The command that shows the page that a link leads to; empty for a place in the same page."""
    page = page_of_link(target)
    return "" if page is None else page.command
