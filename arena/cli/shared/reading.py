"""What `arena docs` and `arena rules` share: how a page is shown, and how pages are listed."""

import textwrap
import webbrowser
from collections.abc import Mapping
from typing import Annotated

import typer

from arena.cli.shared.printing import PIPE_WIDTH, Format, note, page_of, page_through, say
from arena.reports.manual import ManualPage, TerminalPage, written

Browser = Annotated[bool, typer.Option("--browser", help="Write the pages as HTML and open this one in a browser.")]


def show_page(page: ManualPage, *, browser: bool) -> None:
    """Show a page in the terminal, or open it in a browser."""
    if not browser:
        page_through(TerminalPage(page))
        return
    file = written(page)
    say(str(file))
    if not webbrowser.open(file.as_uri()):
        note("no browser could be started: open the file in one")


def list_pages(groups: Mapping[str, Mapping[str, str]], closing: str) -> None:
    """Print names and what each is about, a group after the other, and a closing line."""
    indent = 2 + max(len(name) for group in groups.values() for name in group)
    with page_of(Format.TABLE) as page:
        width = min(page.width, PIPE_WIDTH)
        for title, names in groups.items():
            if title:
                page.heading(title)
            for name, about in names.items():
                for line in textwrap.wrap(about, width, initial_indent=name.ljust(indent), subsequent_indent=" " * indent):
                    page.line(line)
            page.say("")
        page.say(closing)
