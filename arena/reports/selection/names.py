"""How bots are named for people."""

from arena.errors import one_line, printable
from arena.records import Rating

NAME_LETTERS = 80  # of a name that anybody may have chosen; a tournament allows 40


def bot_name(bot: str, version: int) -> str:
    """A bot's name, with its version unless that is the first."""
    return bot if version == 1 else f"{bot} v{version}"


def shown(name: str, version: int = 1) -> str:
    """A name (of a bot, a pool, a tournament) as a page shows it: cut to a length, in one line, all of it visible."""
    return one_line(printable(bot_name(name, version), NAME_LETTERS))


def name_of(rating: Rating) -> str:
    """The name of a rating's bot as a page shows it."""
    return shown(rating.bot, rating.bot_version)
