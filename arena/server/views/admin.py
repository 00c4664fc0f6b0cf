"""The organisers' page: everybody with an account, and what organisers have done."""

from typing import Annotated

import msgspec

from arena.results.account_rows import Account, Role
from arena.results.accounts import AuditRow, Member
from arena.server.asked import Asked
from arena.server.problems import Problem
from arena.server.visitors import Visitor

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
