"""The page of an account: who I am, where I am logged in, and my tokens for programs."""

import msgspec

from arena.results.account_rows import Role
from arena.results.accounts import Scope
from arena.server.asked import Asked


class AccountQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page takes no parameters."""


class OpenSession(msgspec.Struct, frozen=True, kw_only=True):
    """A browser in which the account is logged in."""

    opened: str
    seen: str
    """When it was used last, to some minutes: UTC, ISO 8601."""
    is_this: bool
    """Whether it is the browser that asks."""


class ApiToken(msgspec.Struct, frozen=True, kw_only=True):
    """A token for programs; the token itself was shown once."""

    id: str
    label: str
    made: str
    used: str | None
    """When it was used last, to some minutes: UTC, ISO 8601."""
    scope: Scope
    """What a program may do with it: `look`, `send` or `manage`."""
    until: str
    """When it ends by itself: UTC, ISO 8601."""


class AccountView(msgspec.Struct, frozen=True, kw_only=True):
    """The account of whoever asks."""

    name: str
    role: Role
    is_own: bool
    """Whether it is an account that was invited, and not that of who has the token of the hall."""
    since: str | None
    """When the account was made: UTC, ISO 8601."""
    sessions: list[OpenSession]
    tokens: list[ApiToken]


def account(asked: Asked[AccountQuery]) -> AccountView:
    """The data of `/account`."""
    found = asked.visitor.account
    assert found is not None  # guests of tables come to no such page
    if not asked.visitor.has_own_account:
        return AccountView(name=found.name, role=found.role, is_own=False, since=None, sessions=[], tokens=[])
    return AccountView(
        name=found.name, role=found.role, is_own=True, since=found.since,
        sessions=[
            OpenSession(opened=one.opened, seen=one.seen, is_this=one.digest == asked.visitor.session)
            for one in asked.accounts.sessions(found)
        ],
        tokens=[
            ApiToken(id=one.id, label=one.label, made=one.made, used=one.used, scope=one.scope, until=one.until)
            for one in asked.accounts.api_tokens(found)
        ],
    )  # fmt: skip
