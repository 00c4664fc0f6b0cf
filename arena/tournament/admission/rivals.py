"""House bots as opponents in `arena check`. They are shipped with the package, so that a bot can be checked anywhere."""

from functools import cache

from arena.agent import BotFiles, read_bot
from arena.agent.naming import house_bots


@cache
def rivals(game: str) -> dict[str, BotFiles]:
    """The opponents for a game by name: the house bots made for it (`bots/<game>_*.py`), if any, then the random bot."""
    known = house_bots()
    names = [*(name for name in known if name.startswith(f"{game}_")), "random_bot"]
    return {name: read_bot(known[name]) for name in names}
