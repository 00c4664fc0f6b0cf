"""Who plays: a name that others see, and a random secret in a cookie by which the person is known again."""

import contextlib
import logging
import secrets

from arena.errors import StoreError
from arena.results.account_rows import Account
from arena.results.person_names import LONGEST_NAME, BadName, checked_name
from arena.results.person_names import folded_name as folded_name
from arena.results.site_file import NameTaken, SiteFile, StoredPerson, now
from arena.results.tokens import digest, new_token
from arena.server.problems import Problem

LOG = logging.getLogger("arena.server")
_KEPT = 10_000  # persons in memory


class Persons:
    """The persons who have played in a results folder. They outlive the hall. Blocking: for threads, not for the loop."""

    def __init__(self, file: SiteFile) -> None:
        self._file = file
        self._known: dict[str, StoredPerson] = {}
        self._changes = (0, 0)

    def known(self, secret: str | None) -> StoredPerson | None:
        """The person whose secret a cookie holds; None: it is nobody's, or the file cannot be read."""
        if not secret:
            return None
        key = digest(secret)
        self._look()
        if key not in self._known:
            try:
                found = self._file.person(key)
            except StoreError:
                return None
            if found is None:
                return None
            self._remember(found)
        return self._known[key]

    def named(self, person: StoredPerson | None, offered: str) -> tuple[StoredPerson, str | None]:
        """The person under this name, and the secret for the cookie of one who is new. Raises Problem for a name that is none.

        A person who is known may take another name.
        """
        name = checked(offered)
        folded = folded_name(name)
        try:
            if person is None:
                secret = new_token()
                found = StoredPerson(id=secrets.token_hex(12), name=name, folded=folded, secret=digest(secret), since=now())
                self._file.add(found)
                self._remember(found)
                return found, secret
            if person.name != name:
                person = self._file.rename(person, name, folded)
                self._remember(person)
        except NameTaken:
            raise Problem(409, "refusal_name_taken", name=name) from None
        except StoreError as error:
            LOG.error("nobody can sit down: %s", error)  # it names files: not for guests
            raise Problem(503, "refusal_no_names") from None
        return person, None

    def forget(self, person: StoredPerson) -> None:
        """Free the name of a new person who did not get a seat, and so no cookie either."""
        self._known.pop(person.secret, None)
        with contextlib.suppress(StoreError):
            self._file.remove(person)

    def free_name(self) -> str:
        """A name for somebody who gives none."""
        lowest = 1000
        while True:
            name = f"guest-{lowest + secrets.randbelow(9 * lowest)}"
            lowest *= 10  # the short ones may all be taken
            try:
                if not self._file.is_taken(folded_name(name)):
                    return name
            except StoreError:
                return name

    def _look(self) -> None:
        """Forget everybody if the file has changed: a name may have gone to an account."""
        with contextlib.suppress(StoreError):
            changes = self._file.changes()
            if changes != self._changes:
                self._known.clear()
            self._changes = changes

    def _remember(self, person: StoredPerson) -> None:
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[person.secret] = person


def checked(offered: str) -> str:
    """A name as it is shown. Raises Problem 400 for one that nobody can have."""
    try:
        return checked_name(offered)
    except BadName as error:
        raise Problem(400, str(error), most=LONGEST_NAME) from None


def person_of(account: Account) -> StoredPerson:
    """The person who plays for an account, whom no cookie but that of a session makes known."""
    return StoredPerson(id=account.id, name=account.name, folded=account.folded, secret="", since=account.since)
