"""Whose bots are whose, as pages show it, and which version's source is public: the table `bots` of the site's file.

Who submits a bot first owns it (results/inbox.py). Here its owner or an organiser changes something about that.
"""

from collections.abc import Mapping

import msgspec

from arena.results import sqlite
from arena.results.account_rows import HOST
from arena.results.site_file import SiteFile, now

_COLUMNS = "b.name, b.owner, coalesce(a.name, ''), b.published"
_ALL = f"select {_COLUMNS} from bots b left join accounts a on a.id = b.owner"


class OwnedBot(msgspec.Struct, frozen=True):
    """A bot that belongs to somebody."""

    name: str
    owner: str
    """The id of the account."""
    owner_name: str
    """The name of the account; empty for the organiser who started the hall."""
    published: int | None
    """The version whose source everybody may see; None: none."""


class OwnedBots:
    """The owners of the bots of a results folder. Blocking: for threads. All methods may raise StoreError."""

    def __init__(self, file: SiteFile) -> None:
        self._file = file

    def all(self) -> Mapping[str, OwnedBot]:
        """All bots that belong to somebody, by name."""
        with self._file.reading() as db:
            return {} if db is None else {str(row[0]): OwnedBot(*row) for row in db.execute(_ALL)}

    def of(self, bot: str) -> OwnedBot | None:
        """The owner of a bot; None: it is nobody's, such as a bot that was submitted in a terminal."""
        with self._file.reading() as db:
            row = None if db is None else db.execute(f"{_ALL} where b.name = ?", (bot,)).fetchone()
            return None if row is None else OwnedBot(*row)

    def publish(self, bot: str, version: int | None) -> None:
        """Let everybody see the source of one version of a bot; None: of none."""
        with self._file.writing() as db:
            _have(db, bot)
            db.execute("update bots set published = ? where name = ?", (version, bot))

    def give(self, bot: str, account: str) -> None:
        """Make a bot the account's: it may submit new versions and see the sources, and the owner of before may not."""
        with self._file.writing() as db:
            _have(db, bot)
            db.execute("update bots set owner = ? where name = ?", (account, bot))


def _have(db: sqlite.Connection, bot: str) -> None:
    """Have a row of a bot that was nobody's: it is the organiser's then."""
    db.execute("insert or ignore into bots (name, owner, since) values (?, ?, ?)", (bot, HOST.id, now()))
