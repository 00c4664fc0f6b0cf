"""Who comes in: by the server's token, by a session in memory, or by a session or a token of an account in the site's file.

Who has come in is remembered, so that few requests touch the file. Access that this process ends is over at once; what
another process ends, within a second.

A session is for each browser that has shown the server's token, or that a table has let in. Token and sessions are random and
of 256 bits, and only their SHA-256 is kept: nothing that could be used is written down anywhere. What a program may ask for
with its token is listed here; what is not asks for the widest scope, and some acts no token does.
"""

import asyncio
import contextlib
import hmac
import logging
import re
import time
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from arena.errors import StoreError
from arena.results.accounts import Accounts, Scope
from arena.results.site_file import HOST, Account, digest, new_token, now
from arena.server.limits import Buckets, Rate
from arena.server.problems import Problem

BY_NO_TOKEN = ("/login", "/logout", "/invite", "/account", "/admin", "/api/admin", "/marks/freeze")
"""How the paths begin where who logs in, and with what, is changed, or what cannot be undone: a person does that."""
_LOOKED_AT = ("GET", "HEAD", "OPTIONS")
_SENT = re.compile(r"/api/bots/[^/]+|(/api)?/(ask|play|tables|join)(/.*)?|/remote/socket")
_ORDER = tuple(Scope)


def beyond_scope(scope: Scope, request: Mapping[str, Any]) -> Problem | None:
    """Return what keeps out a request that comes with a token of this scope; `request`: of HTTP or a socket, as ASGI has it."""
    path: str = request["path"]
    if request["type"] == "websocket":
        needed = Scope.SEND if _SENT.fullmatch(path) else Scope.LOOK
    elif request["method"] in _LOOKED_AT:
        needed = Scope.LOOK
    elif path.startswith(BY_NO_TOKEN):
        return Problem(403, "refusal_needs_session")
    else:
        needed = Scope.SEND if _SENT.fullmatch(path) else Scope.MANAGE
    if _ORDER.index(scope) >= _ORDER.index(needed):
        return None
    return Problem(403, "refusal_scope", has=scope.value, needs=needed.value)


MOST_SESSIONS = 4096
"""Sessions that are kept; the one that has been idle longest makes room."""
MOST_GUESTS = 2048
"""Sessions of guests, who can have one after the other by their link: they push out none but each other's.

The address that has most of them makes room: who takes hundreds ends nobody's but their own."""


class Sessions:
    """The token of a server and the sessions that were opened with it. They end with the process."""

    def __init__(self, token: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._token, self._clock = digest(token), clock
        self._open: OrderedDict[str, float] = OrderedDict()  # with when the token was last shown
        self._guests: OrderedDict[str, str] = OrderedDict()  # with the address of each

    def is_token(self, offered: str) -> bool:
        """Return whether this is the server's token."""
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
        """Return whether the session of this name is a guest's."""
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


LOG = logging.getLogger("arena.server")
FRESH_SECONDS = 1.0
"""How long what is remembered of the file counts without a look at it."""
NOTED_SECONDS = 600.0
"""How often it is noted that a session or a token is in use."""
MOST_KEPT = 4096
"""Sessions and tokens that are remembered."""
LOOKUPS = Rate(a_second=50.0, burst=500)
"""How many sessions and tokens an address may show that have to be looked up."""
SESSION_ENDED, JUDGED_ANEW = 4401, 1012
"""How a socket is closed whose session has ended, after which a page does not come back; and one whose account has changed."""


@dataclass(frozen=True)
class Entry:
    """Somebody who has come in."""

    session: str
    """The name of the session, or of the token."""
    account: Account | None
    """The account; None for a guest of a table."""
    is_program: bool = False
    """Whether a token came with the request, and no cookie."""
    scope: Scope | None = None
    """What the token lets a program do; None: no token came."""
    until: str | None = None
    """When the token ends by itself; None: never."""

    @property
    def is_guest(self) -> bool:
        """Whether a link to a table has let the visitor in."""
        return self.account is None


_Key = tuple[str, bool]  # the digest of a secret, and whether it is a token for programs and not a session


class Entrance:
    """Knows who comes in. Lives in the event loop."""

    def __init__(self, sessions: Sessions, accounts: Accounts, clock: Callable[[], float] = time.monotonic) -> None:
        self._sessions, self._accounts, self._clock = sessions, accounts, clock
        self._kept: OrderedDict[_Key, Entry] = OrderedDict()
        self._noted: OrderedDict[_Key, float] = OrderedDict()
        self._revision, self._changes, self._looked = accounts.revision, (-1, -1), float("-inf")
        self._lookups = Buckets(LOOKUPS)
        self._sockets: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    async def entry(self, secret: str | None, bearer: str | None, address: str | None) -> Entry | None:
        """Whoever comes with the secret of a cookie, or an `Authorization: Bearer` header. Raises Problem 429.

        `address`: where the request comes from.
        """
        known = self._sessions.known(secret, bearer)
        if known is not None:
            return Entry(known, None if self._sessions.is_guest(known) else HOST)
        for offered, is_bearer in ((bearer, True), (secret, False)):
            if not offered:
                continue
            key = digest(offered), is_bearer
            if key not in self._kept:
                self.count_lookup(address)
            if (found := await self._of_account(key)) is not None:
                return found
        return None

    async def of_session(self, name: str) -> Entry | None:
        """Whom the session of this digest belongs to; None: it has ended."""
        return await self._of_account((name, False))

    def count_lookup(self, address: str | None) -> None:
        """Count that something has to be looked up for who asks from an address. Raises Problem 429 after too many."""
        if not self._lookups.take(address):
            raise Problem(429, "refusal_too_many")

    async def serve_socket(self, app: ASGIApp, scope: Connection, receive: Receive, send: Send, entry: Entry) -> None:
        """Serve a socket of an account, which is closed when its session ends or its account changes."""
        assert entry.account is not None
        is_closed = False

        async def sender(message: MutableMapping[str, Any]) -> None:
            nonlocal is_closed
            is_closed = is_closed or message["type"] in ("websocket.close", "websocket.http.response.start")
            await send(message)

        changed = asyncio.Event()
        self._sockets[entry.account.id].add(changed)
        serving = asyncio.ensure_future(app(scope, receive, sender))
        try:
            code = await self._ended(serving, changed, entry)
            if code is None:
                await serving
                return
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            if not is_closed:
                with contextlib.suppress(RuntimeError, OSError):  # the other side may have gone meanwhile
                    await send({"type": "websocket.close", "code": code, "reason": ""})
        finally:
            serving.cancel()
            self._sockets[entry.account.id].discard(changed)
            if not self._sockets[entry.account.id]:
                del self._sockets[entry.account.id]

    def look_again(self, account: Account) -> None:
        """Judge the open sockets of an account anew, at once."""
        for changed in self._sockets.get(account.id, ()):
            changed.set()

    async def _ended(self, serving: "asyncio.Future[None]", changed: asyncio.Event, entry: Entry) -> int | None:
        """Wait until a socket is served, or until it has to be closed: the code to close it with."""
        while True:
            waiting = asyncio.ensure_future(changed.wait())
            both: set[asyncio.Future[Any]] = {serving, waiting}
            try:
                await asyncio.wait(both, timeout=FRESH_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            finally:
                waiting.cancel()
            if serving.done():
                return None
            changed.clear()
            found = await self._of_account((entry.session, entry.is_program))
            if found != entry:
                return SESSION_ENDED if found is None else JUDGED_ANEW

    async def _of_account(self, key: _Key) -> Entry | None:
        """Whom a session or a token lets in; remembered, and as it is now."""
        if self._revision is not self._accounts.revision:
            self._kept.clear()
            self._revision = self._accounts.revision
        if (known := self._kept.get(key)) is not None and known.until is not None and known.until <= now():
            del self._kept[key]
        is_fresh = self._clock() - self._looked < FRESH_SECONDS
        if is_fresh and key in self._kept and not self._is_due(key):
            self._kept.move_to_end(key)
            return self._kept[key]
        revision, began = self._revision, self._clock()
        try:
            changes, found = await run_in_threadpool(self._read, key)
        except StoreError as error:
            LOG.error("nobody with an account can come in: %s", error)
            return None
        if revision is not self._accounts.revision:  # something has changed meanwhile: what was read may be over
            return await self._of_account(key)
        if changes != self._changes:
            self._kept.clear()
        self._changes, self._looked = changes, began
        if found is not None:
            self._remember(key, found)
        return found

    def _read(self, key: _Key) -> tuple[tuple[int, int], Entry | None]:
        """A look at the file, from a thread: the mark of its changes from before that, and whom the key lets in."""
        name, is_program = key
        changes = self._accounts.changes()
        if changes == self._changes and key in self._kept and not self._is_due(key):
            return changes, self._kept.get(key)
        bearer = self._accounts.of_program(name) if is_program else None
        account = self._accounts.of_session(name) if not is_program else None if bearer is None else bearer.account
        if account is None:
            return changes, None
        if self._is_due(key):
            self._noted[key] = self._clock()
            self._accounts.note_use(name)
        if bearer is None:
            return changes, Entry(name, account)
        return changes, Entry(name, account, is_program=True, scope=bearer.scope, until=bearer.until)

    def _is_due(self, key: _Key) -> bool:
        """Return whether it is time to note that a session or a token is in use."""
        return self._clock() - self._noted.get(key, float("-inf")) >= NOTED_SECONDS

    def _remember(self, key: _Key, entry: Entry) -> None:
        self._kept[key] = entry
        for kept in (self._kept, self._noted):
            while len(kept) > MOST_KEPT:
                kept.popitem(last=False)
