"""Who may do what with a bot, and read what it says: its owner and organisers everything, others what was published."""

from collections.abc import Collection
from typing import Any

from arena.records import MatchRecord, SeatRecord
from arena.results.accounts import Accounts
from arena.results.site_file import OwnedBot
from arena.server.asked import Asked
from arena.server.people.store import PERSON, REMOTE_SEAT
from arena.server.visitors import Visitor


def owns(visitor: Visitor, bot: OwnedBot | None) -> bool:
    """Return whether a bot belongs to who asks."""
    return bot is not None and visitor.account is not None and bot.owner == visitor.account.id


def may_manage(visitor: Visitor, bot: OwnedBot | None) -> bool:
    """Return whether who asks may withdraw a bot, and see and publish its sources."""
    return visitor.is_organiser or owns(visitor, bot)


def may_see_source(visitor: Visitor, bot: OwnedBot | None, version: int) -> bool:
    """Return whether who asks may see the source of a version."""
    return may_manage(visitor, bot) or (bot is not None and bot.published == version)


def log_look(accounts: Accounts, visitor: Visitor, bot: OwnedBot | None, version: int) -> None:
    """Note in the audit log that an organiser looks at a source that is private to its author. Raises StoreError."""
    if bot is not None and not owns(visitor, bot) and bot.published != version:
        accounts.log_look(visitor.account, "source", bot.name, f"version {version}")


def heard_seats(asked: Asked[Any], record: MatchRecord) -> tuple[int, ...]:
    """The seats of a match whose bots' notes and output the visitor may read."""
    account = asked.visitor.account
    bots = [place for place, row in enumerate(record.seats) if row.isolation not in (PERSON, REMOTE_SEAT)]
    if account is None or not asked.visitor.is_author:
        return ()
    if asked.visitor.is_organiser:
        return tuple(bots)
    owned = asked.submitting.inbox.bots_of(account.id)
    return tuple(place for place in bots if record.seats[place].bot in owned and _is_submitted(asked, record.seats[place]))


def owned_bots(asked: Asked[Any]) -> Collection[str] | None:
    """The names of the visitor's bots; None: an organiser, who may read what any bot says."""
    account = asked.visitor.account
    if account is None or not asked.visitor.is_author:
        return ()
    return None if asked.visitor.is_organiser else asked.submitting.inbox.bots_of(account.id)


def _is_submitted(asked: Asked[Any], row: SeatRecord) -> bool:
    """Return whether the code of a seat was submitted under its name. Any tournament may call its bots as it likes."""
    bot = asked.library.submitted.all().get(row.bot)
    return bot is not None and any(version.sha256 == row.bot_sha256 for version in bot.versions)
