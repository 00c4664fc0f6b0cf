"""`arena docs [PAGE]`: the documentation that ships with arena."""

from typing import Annotated

import typer

from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.reading import Browser, list_pages, show_page
from arena.reports.manual import INDEX, docs_page, index


def docs(
    page: Annotated[str | None, typer.Argument(metavar="PAGE", help="Name of the page. Default: a list of all pages.")] = None,
    browser: Browser = False,
) -> int:
    """Show a page of the documentation, or list all pages.

    A page is shown by the pager that PAGER names.
    """
    if page is None and not browser:
        list_pages(index(), "arena docs PAGE shows a page, arena rules GAME the rules of a game; --browser opens a browser.")
        return DONE
    show_page(docs_page((page or INDEX).removesuffix(".md")), browser=browser)
    return DONE
