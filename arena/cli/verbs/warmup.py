"""`arena warmup [GAME ...]`: compile the rules now instead of at the first use."""

from typing import Annotated

import typer
from rich.console import Console

from arena.cache import cache_root
from arena.games import load
from arena.games import names as all_games
from arena.workers.warmup import warm_rooms


def warmup(games: Annotated[list[str] | None, typer.Argument(help="Games; default: all.")] = None) -> int:
    """Compile the rules into the cache (done by itself at the first use)."""
    console = Console(highlight=False, soft_wrap=True)
    names = games or all_games()
    for name in names:
        load(name)  # an unknown name is refused before anything is compiled
    if not warm_rooms(names, lambda text: console.print(text, markup=False)):
        console.print(f"all compiled already: {', '.join(names)}", markup=False)
    console.print(f"cache: {cache_root()}", markup=False)
    return 0
