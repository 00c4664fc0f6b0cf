"""The page of an account (who I am, where I am logged in, my tokens for programs) and the organisers' page (everybody with an
account, and what organisers have done).
"""

from typing import Annotated

import msgspec

from arena.results.accounts import AuditRow, Member, Scope
from arena.results.site_file import Account, Role
from arena.server.asked import Asked
from arena.server.problems import Problem
from arena.server.visitors import Visitor


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
    """Whether it is an account that was invited, and not that of who has the token of the server."""
    since: str | None
    """When the account was made: UTC, ISO 8601."""
    sessions: list[OpenSession]
    tokens: list[ApiToken]
    consents: bool
    """Whether the matches of the account may be published without its name."""


def account(asked: Asked[AccountQuery]) -> AccountView:
    """The data of `/account`."""
    found = asked.visitor.account
    assert found is not None  # guests of tables come to no such page
    if not asked.visitor.has_own_account:
        return AccountView(name=found.name, role=found.role, is_own=False, since=None, sessions=[], tokens=[], consents=False)
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
        consents=asked.accounts.consents.has(found),
    )  # fmt: skip


MOST_ROWS = 30
"""Rows of the audit log on a page."""


class AdminQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What can be chosen on the page."""

    before: Annotated[int, msgspec.Meta(ge=1, le=2**62)] | None = None
    """Only rows of the audit log before this number: the `next` of the page before."""


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody with an account."""

    name: str
    role: Role
    state: str
    """`invited` (has never come), `open`, or `closed`."""
    link: bool
    """Whether a join link is out that nobody has used."""
    since: str
    seen: str | None
    """When the account was used last, to some minutes: UTC, ISO 8601."""
    is_me: bool


class Admin(msgspec.Struct, frozen=True, kw_only=True):
    """Everybody with an account, and what organisers have done."""

    people: list[Person]
    audit: list[AuditRow]
    """The newest first."""
    next: int | None
    """The `before` of the next page of the audit log; None on the last one."""


def admin(asked: Asked[AdminQuery]) -> Admin:
    """The data of `/admin`. Raises Problem 403."""
    me = organiser(asked.visitor)
    rows = asked.accounts.audit(asked.query.before, MOST_ROWS + 1)
    people = [_person(member, me) for member in asked.accounts.members()]
    return Admin(people=people, audit=rows[:MOST_ROWS], next=rows[MOST_ROWS - 1].number if len(rows) > MOST_ROWS else None)


def organiser(visitor: Visitor) -> Account:
    """The account of an organiser who asks. Raises Problem 403 for everybody else."""
    if visitor.account is None or not visitor.is_organiser:
        raise Problem(403, "refusal_not_organiser")
    return visitor.account


def _person(member: Member, me: Account) -> Person:
    found = member.account
    is_new = member.is_waiting and member.seen is None
    return Person(
        name=found.name, role=found.role, state="closed" if found.closed else "invited" if is_new else "open",
        link=member.is_waiting, since=found.since, seen=member.seen, is_me=found.id == me.id,
    )  # fmt: skip
