"""Whom a proxy lets in: names that its sign-in gives to people, each with the account here that it opens.

An account is made when a name is seen for the first time. It has no token; the proxy alone opens it. An account that somebody
was invited to is never opened by a name that is merely the same: its owner links the two by showing the token once.

Each name has one session, whose secret nobody ever gets: it is there so that it can be ended, listed and counted as others are.
"""

import secrets
from typing import Any

import msgspec

from arena.results import sqlite
from arena.results.accounts import PROXY, Accounts, CannotInvite, add_session, add_to_log, is_reserved, make_account
from arena.results.people import BadName, checked_name, folded_name
from arena.results.site_file import Account, Role, SiteFile, digest, new_token, now


class NotAdmitted(Exception):
    """Somebody whom the proxy names cannot come in. Its text is the key of a sentence in the pages' words."""


class Identities:
    """The names of a proxy in a results folder. Blocking: for threads, not for the loop. All methods may raise StoreError."""

    def __init__(self, file: SiteFile, accounts: Accounts) -> None:
        self._file, self._accounts = file, accounts

    def sign_in(self, subject: str, name: str, *, role: Role, is_organiser: bool, how: str) -> str:
        """The digest of the session of whom the proxy names. Raises NotAdmitted.

        `subject`: the name, exactly as the proxy writes it; `name`: how the account is called that is made for a new one;
        `role`: what such an account may do; `is_organiser`: whether the account is to be an organiser's from now on; `how`:
        the way, for the audit log.
        """
        with self._file.writing() as db:
            account, session = _linked(db, subject)
            if account is None:
                account = _made(db, name, role)
                _link(db, subject, account)
                add_to_log(db, account, "sign_in_new", account.name, how)
            if account.closed is not None:
                raise NotAdmitted("sign_in_closed")
            is_raised = is_organiser and not account.is_organiser
            if is_raised:
                db.execute("update accounts set role = ? where id = ?", (Role.ORGANISER, account.id))
                add_to_log(db, PROXY, "role", account.name, f"{account.role} to {Role.ORGANISER}")
            if not db.execute("select 1 from sessions where digest = ? and account = ?", (session, account.id)).fetchone():
                session = _opened(db, subject, account)
                add_to_log(db, account, "sign_in", account.name, how)
        if is_raised:
            self._accounts.revision = object()
        return session

    def connect(self, subject: str, account: Account, how: str) -> None:
        """Let a name of the proxy open an account, whose token was shown. Raises NotAdmitted if it opens another one."""
        with self._file.writing() as db:
            known, _ = _linked(db, subject)
            if known is None:
                _link(db, subject, account)
                add_to_log(db, account, "sign_in_link", account.name, how)
            elif known.id != account.id:
                raise NotAdmitted("sign_in_linked")


def _linked(db: sqlite.Connection, subject: str) -> tuple[Account | None, str]:
    """The account that a name opens, and the digest of its session; None: it opens none."""
    row: Any = db.execute(
        "select i.session, a.id, a.name, a.folded, a.role, a.since, a.closed "
        "from identities i join accounts a on a.id = i.account where i.subject = ?",
        (subject,),
    ).fetchone()
    if row is None:
        return None, ""
    return msgspec.convert(dict(zip(Account.__struct_fields__, row[1:])), Account), str(row[0])


def _link(db: sqlite.Connection, subject: str, account: Account) -> None:
    db.execute("insert into identities values (?, ?, '', ?)", (subject, account.id, now()))


def _made(db: sqlite.Connection, offered: str, role: Role) -> Account:
    """A new account. Raises NotAdmitted for a name that nobody can have, or that somebody has."""
    try:
        name = checked_name(offered)
    except BadName:
        raise NotAdmitted("sign_in_bad_name") from None
    folded = folded_name(name)
    if is_reserved(name) or db.execute("select 1 from accounts where folded = ?", (folded,)).fetchone():
        raise NotAdmitted("sign_in_taken")
    account = Account(id=secrets.token_hex(12), name=name, folded=folded, role=role, since=now())
    try:
        make_account(db, account)
    except CannotInvite:  # it looks like another one
        raise NotAdmitted("sign_in_taken") from None
    return account


def _opened(db: sqlite.Connection, subject: str, account: Account) -> str:
    """The digest of a new session, whose secret is thrown away: no cookie opens it."""
    secret = new_token()
    add_session(db, account, secret)
    db.execute("update identities set session = ? where subject = ?", (digest(secret), subject))
    return digest(secret)
