"""The submitted bots as a table."""

from collections.abc import Sequence

from arena.reports.selection.submitted import SubmittedBot
from arena.reports.terminal.page import Column, Page, fitting


def print_submitted_bots(bots: Sequence[SubmittedBot], page: Page) -> None:
    """Print a line per submitted version."""
    columns = [
        Column("bot", [bot.name for bot in bots], justify="left"),
        Column("version", [str(bot.version) for bot in bots]),
        Column("state", [bot.state for bot in bots], justify="left"),
        Column("rating", ["-" if bot.rating is None else f"{bot.rating:.2f}" for bot in bots]),
        Column("rank", ["-" if bot.rank is None else str(bot.rank) for bot in bots], 4),
        Column("tournament", [bot.tournament or "-" for bot in bots], 3, "left"),
        Column("KB", [f"{bot.bytes / 1000:,.1f}" for bot in bots], 2),
        Column("submitted", [bot.submitted[:16].replace("T", " ") for bot in bots], 5, "left"),
        Column("games", [", ".join(bot.games) or "all" for bot in bots], 1, "left"),
    ]
    page.table(fitting(columns, page.width), ["dim" if bot.state == "replaced" else "" for bot in bots])
