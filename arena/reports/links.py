"""Where the cells of tables lead to."""

from arena.ratings.rows import Bot
from arena.records import Ending


class Links:
    """The addresses that cells lead to; here none, as in a terminal. Pages have some."""

    def bot(self, bot: str) -> str:
        """The address of a bot."""
        return ""

    def pair(self, bot: Bot, rival: Bot) -> str:
        """The address of the matches of two bots."""
        return ""

    def ended(self, bot: str, ending: Ending) -> str:
        """The address of the matches that ended so for a bot."""
        return ""

    def match(self, match_id: str, seat: int, decision: int | None = None) -> str:
        """The address of a match as a seat sees it, at a decision; None: where the seat lost it."""
        return ""


NO_LINKS = Links()
