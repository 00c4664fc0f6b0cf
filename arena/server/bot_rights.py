"""Who may do what with a bot: its owner and organisers everything, others only look at what was published."""

from arena.results.accounts import Accounts
from arena.results.owned_bots import OwnedBot
from arena.server.visitors import Visitor


def owns(visitor: Visitor, bot: OwnedBot | None) -> bool:
    """Whether a bot belongs to who asks."""
    return bot is not None and visitor.account is not None and bot.owner == visitor.account.id


def may_manage(visitor: Visitor, bot: OwnedBot | None) -> bool:
    """Whether who asks may withdraw a bot, and see and publish its sources."""
    return visitor.is_organiser or owns(visitor, bot)


def may_see_source(visitor: Visitor, bot: OwnedBot | None, version: int) -> bool:
    """Whether who asks may see the source of a version."""
    return may_manage(visitor, bot) or (bot is not None and bot.published == version)


def log_look(accounts: Accounts, visitor: Visitor, bot: OwnedBot | None, version: int) -> None:
    """Note in the audit log that an organiser looks at a source that is private to its author. Raises StoreError."""
    if bot is not None and not owns(visitor, bot) and bot.published != version:
        accounts.log_look(visitor.account, "source", bot.name, f"version {version}")
