"""`arena warmup [GAME ...]`: compile the rules now instead of at the first use."""

from typing import Annotated

import typer

from arena.cache import cache_root
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.printing import say
from arena.games import load
from arena.games import names as all_games
from arena.tournament.workers.compiling import RATINGS, everything, warm_games


def warmup(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="GAME...", help="Names of the games. Default: all games.")
    ] = None,
) -> int:
    """Compile the rules now instead of at the first use.

    With the rules, all searches that bots can ask for, what tells luck, and ratings. Other commands compile what they
    need themselves. Everything is kept in a cache.
    """
    names = games or all_games()
    for name in names:
        load(name)  # an unknown name is refused before anything is compiled
    if not warm_games(everything(names), say, RATINGS):
        say(f"all compiled already: {', '.join(names)}")
    say(f"cache: {cache_root()}")
    return DONE
