"""Who has an account in a hall, and what the account may do. Stored in the site's file (results/site_file.py)."""

import enum

import msgspec


class Role(enum.StrEnum):
    """What an account may do; each may do what those after it may."""

    ORGANISER = "organiser"
    """Everything: invite people, see all sources and outputs, close accounts, withdraw bots. All of it is in the audit log."""
    AUTHOR = "author"
    """Submit bots, and see their sources, outputs and notes."""
    GUEST = "guest"
    """Look and play."""


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A person whom an organiser has invited; or the organiser who started the hall."""

    id: str
    """Random; no page shows it."""
    name: str
    folded: str
    """The name without what only its writing tells from another one."""
    role: Role
    since: str
    """When the account was made: UTC, ISO 8601."""
    closed: str | None = None
    """When an organiser closed it; None: it is open."""

    @property
    def is_organiser(self) -> bool:
        """Whether the account may do what organisers do."""
        return self.role is Role.ORGANISER

    @property
    def is_author(self) -> bool:
        """Whether the account may submit bots."""
        return self.role is not Role.GUEST


HOST = Account(id="host", name="organiser", folded="organiser", role=Role.ORGANISER, since="")
"""The account of who has the token that `arena serve` prints: it is no row of the file, and always an organiser."""
