"""Who may look: one secret token for the hall, and a session for each browser that has shown it.

Both are random and of 256 bits, and only their SHA-256 is kept: nothing that could be used is written down anywhere.
"""

import hashlib
import hmac
import secrets
from collections import OrderedDict

MOST_SESSIONS = 4096
"""Sessions that are kept; the one that has been idle longest makes room."""


def digest(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


class Sessions:
    """The token of a hall and the sessions that were opened with it. They end with the process."""

    def __init__(self, token: str) -> None:
        self._token = digest(token)
        self._open: OrderedDict[str, None] = OrderedDict()

    def is_token(self, offered: str) -> bool:
        """Whether this is the hall's token."""
        return hmac.compare_digest(digest(offered), self._token)

    def opened(self) -> str:
        """The secret of a new session, for a cookie."""
        secret = secrets.token_urlsafe(32)
        self._open[digest(secret)] = None
        while len(self._open) > MOST_SESSIONS:
            self._open.popitem(last=False)
        return secret

    def close(self, secret: str) -> None:
        """End a session."""
        self._open.pop(digest(secret), None)

    def known(self, secret: str | None, bearer: str | None) -> str | None:
        """The name of the session that a cookie or an `Authorization: Bearer` header belongs to; None: of none."""
        if bearer is not None and self.is_token(bearer):
            return self._token
        if secret is None or (name := digest(secret)) not in self._open:
            return None
        self._open.move_to_end(name)
        return name
