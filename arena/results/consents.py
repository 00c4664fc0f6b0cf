"""Who has agreed that matches under the own name are published without it. Nobody has who was not asked."""

from arena.results.site_file import Account, SiteFile, now


class Consents:
    """The consents of a results folder. Blocking: for threads. All methods may raise StoreError."""

    def __init__(self, file: SiteFile) -> None:
        self._file = file

    def give(self, account: Account) -> None:
        """Note that the owner of an account has agreed."""
        with self._file.writing() as db:
            db.execute("insert or ignore into consents values (?, ?)", (account.id, now()))

    def withdraw(self, account: Account) -> None:
        """Note that the owner of an account agrees no longer."""
        with self._file.writing() as db:
            db.execute("delete from consents where person = ?", (account.id,))

    def has(self, account: Account) -> bool:
        """Return whether the owner of an account has agreed."""
        with self._file.reading() as db:
            return db is not None and bool(db.execute("select 1 from consents where person = ?", (account.id,)).fetchall())

    def names(self) -> dict[str, str]:
        """The names, folded, of all who have agreed, each with the moment from which on it is theirs: UTC, ISO 8601.

        Whoever had a name before its account was made is somebody else. Those of closed accounts are left out: their owners
        cannot come in to withdraw.
        """
        with self._file.reading() as db:
            return {} if db is None else {str(folded): str(since) for folded, since in db.execute(_NAMES)}


_NAMES = """
select names.folded, accounts.since from consents
join accounts on accounts.id = consents.person join names on names.person = consents.person
where accounts.closed is null
"""
