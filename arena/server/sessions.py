"""Who may look: one secret token for the hall, and a session for each browser that has shown it, or that a table has let in.

Both are random and of 256 bits, and only their SHA-256 is kept: nothing that could be used is written down anywhere.
"""

import hmac
import time
from collections import Counter, OrderedDict
from collections.abc import Callable

from arena.results.tokens import digest, new_token

MOST_SESSIONS = 4096
"""Sessions that are kept; the one that has been idle longest makes room."""
MOST_GUESTS = 2048
"""Sessions of guests, who can have one after the other by their link: they push out none but each other's.

The address that has most of them makes room: who takes hundreds ends nobody's but their own."""


class Sessions:
    """The token of a hall and the sessions that were opened with it. They end with the process."""

    def __init__(self, token: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._token, self._clock = digest(token), clock
        self._open: OrderedDict[str, float] = OrderedDict()  # with when the token was last shown
        self._guests: OrderedDict[str, str] = OrderedDict()  # with the address of each

    def is_token(self, offered: str) -> bool:
        """Whether this is the hall's token."""
        return hmac.compare_digest(digest(offered), self._token)

    def opened(self, *, guest_at: str | None = None) -> str:
        """The secret of a new session, for a cookie. `guest_at`: the address of somebody whom a link to a table has let in."""
        secret = new_token()
        if guest_at is None:
            self._open[digest(secret)] = self._clock()
            while len(self._open) > MOST_SESSIONS:
                self._open.popitem(last=False)
        else:
            self._guests[digest(secret)] = guest_at
            while len(self._guests) > MOST_GUESTS:
                [(crowded, _)] = Counter(self._guests.values()).most_common(1)
                del self._guests[next(name for name, address in self._guests.items() if address == crowded)]
        return secret

    def confirm(self, name: str) -> None:
        """Note that who has the session of this name has shown the token again."""
        if name in self._open:
            self._open[name] = self._clock()

    def age(self, name: str) -> float:
        """The seconds since the token was last shown for a session of this name; the token itself is always shown."""
        return 0.0 if name == self._token else self._clock() - self._open.get(name, float("-inf"))

    def close(self, secret: str) -> None:
        """End a session."""
        self._open.pop(digest(secret), None)
        self._guests.pop(digest(secret), None)

    def is_guest(self, name: str) -> bool:
        """Whether the session of this name is a guest's."""
        return name in self._guests

    def known(self, secret: str | None, bearer: str | None) -> str | None:
        """The name of the session that a cookie or an `Authorization: Bearer` header belongs to; None: of none."""
        if bearer is not None and self.is_token(bearer):
            return self._token
        if secret is None:
            return None
        name = digest(secret)
        if name in self._open:
            self._open.move_to_end(name)
        elif name in self._guests:
            self._guests.move_to_end(name)
        else:
            return None
        return name
