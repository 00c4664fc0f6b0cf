"""`arena rules [GAME]`: the rules of a game, as they are played here, and what learning programs see of it."""

from typing import Annotated

import typer

from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.reading import Browser, list_pages, show_page
from arena.errors import ConfigError
from arena.reports.manual import games_with_rules, rules_page


def rules(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="Name of the game. Default: a list of all games.")] = None,
    encoding: Annotated[
        bool, typer.Option("--encoding", help="Show what learning programs see instead, number by number.")
    ] = False,
    browser: Browser = False,
) -> int:
    """Show the rules of a game as they are played here.

    With every rule option, and every decision that the sources leave open. A page is shown by the pager that PAGER names.
    """
    if game is None:
        if browser or encoding:
            raise ConfigError(f"{'--browser' if browser else '--encoding'}: name a game; arena rules lists them")
        list_pages({"": games_with_rules()}, "arena rules GAME shows the rules of one; --browser opens them in a browser.")
        return DONE
    if encoding:
        from arena.reports.encodings import encoding_page  # loads the game, which the rules in words do not need

        show_page(encoding_page(game), browser=browser)
        return DONE
    show_page(rules_page(game), browser=browser)
    return DONE
