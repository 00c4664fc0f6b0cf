"""One socket: what a tab asks for, and a short queue of what it is sent."""

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import Iterator

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.results.site_file import HOST, Account
from arena.server.limits import Buckets, Rate
from arena.server.live_board.channel import Alive, Channel, Watch
from arena.server.live_board.feed import Feed
from arena.server.problems import Problem, answer_of

MOST_SOCKETS = 8
"""Sockets of one session: one a tab."""
MOST_OF_ACCOUNT = 16
"""Sockets of an account in all its sessions: it can open as many of these as it likes."""
MOST_WATCHED = 4
"""Channels that a socket may watch."""
QUEUED = 8
"""Messages that wait for a slow socket; with more it is sent a snapshot in their place."""
ASKING = Rate(a_second=2.0, burst=20)
"""How many messages a socket may send."""
POLICY_VIOLATION = 1008
LONGEST_REASON = 123
"""Bytes of the reason that a closing frame can hold."""


class OpenSockets:
    """How many sockets each session and each account has open, of all kinds together."""

    def __init__(self) -> None:
        self._open: Counter[str | None] = Counter()

    @contextlib.contextmanager
    def one_more(self, websocket: WebSocket) -> Iterator[None]:
        """Count a socket while it is open. Raises Problem 429 for one too many."""
        state = websocket.scope["state"]
        account: Account | None = state["account"]
        bounds = {state["session"]: MOST_SOCKETS}
        if account is not None and account != HOST:
            bounds[account.id] = MOST_OF_ACCOUNT
        for who, most in bounds.items():
            if self._open[who] >= most:
                raise Problem(429, "refusal_many_tabs", most=most)
        self._open.update(dict.fromkeys(bounds, 1))
        try:
            yield
        finally:
            self._open.subtract(dict.fromkeys(bounds, 1))
            self._open += Counter()  # without those at zero


class Sockets:
    """The sockets of all sessions that watch boards."""

    def __init__(self, feed: Feed, counted: OpenSockets) -> None:
        self._feed, self._counted = feed, counted

    async def endpoint(self, websocket: WebSocket) -> None:
        """Serve one socket until it is closed."""
        try:
            with self._counted.one_more(websocket):
                await websocket.accept()
                await _Socket(websocket, self._feed).serve()
        except Problem as refusal:
            await websocket.send_denial_response(answer_of(refusal, websocket.url.path))


class _Socket:
    """A reader of channels."""

    def __init__(self, websocket: WebSocket, feed: Feed) -> None:
        self._websocket, self._feed = websocket, feed
        self._channels: dict[tuple[str, str | None], Channel] = {}
        self._queue: deque[str] = deque()
        self._overdue: dict[Channel, None] = {}
        self._there_is_more = asyncio.Event()
        self._bucket = Buckets(ASKING)

    async def serve(self) -> None:
        """Send and receive until one of the two ends."""
        sending = asyncio.create_task(self._send())
        try:
            with contextlib.suppress(WebSocketDisconnect):
                await self._receive()
        finally:
            for channel in self._channels.values():
                channel.readers.discard(self)
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    def offer(self, channel: Channel, text: str) -> None:
        """Take a message of a channel. A socket that is slow gets a snapshot when it has caught up."""
        if self._overdue or len(self._queue) >= QUEUED:
            self._queue.clear()
            self._overdue |= dict.fromkeys(self._channels.values())
        else:
            self._queue.append(text)
        self._there_is_more.set()

    async def _receive(self) -> None:
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text") or ""
            if not self._bucket.take(None):
                await self._websocket.close(POLICY_VIOLATION, "too many messages")
                return
            try:
                await self._watch(msgspec.json.decode(text, type=Watch))
            except (msgspec.DecodeError, UnicodeError, RecursionError):
                await self._websocket.close(POLICY_VIOLATION, "not a message that the server knows")
                return
            except Problem as problem:
                await self._websocket.close(POLICY_VIOLATION, cut(problem.message))
                return

    async def _watch(self, wanted: Watch) -> None:
        if wanted.ping is not None:
            self._answer(wanted.ping)
            return
        if len(self._channels) >= MOST_WATCHED:
            raise Problem(429, "refusal_many_tables", most=MOST_WATCHED)
        channel = await self._feed.channel(wanted.watch, wanted.pool)
        self._channels[wanted.watch, wanted.pool] = channel
        for text in channel.missed(wanted.epoch, wanted.last):
            self.offer(channel, text)
        channel.readers.add(self)
        self._feed.watch()

    def _answer(self, ping: int) -> None:
        """A tab that is sent too much already hears from the server anyway."""
        if len(self._queue) < QUEUED:
            self._queue.append(msgspec.json.encode(Alive(ping=ping)).decode())
            self._there_is_more.set()

    async def _send(self) -> None:
        while True:
            await self._there_is_more.wait()
            self._there_is_more.clear()
            while self._queue or self._overdue:
                await self._websocket.send_text(self._next())

    def _next(self) -> str:
        if self._queue:
            return self._queue.popleft()
        channel = next(iter(self._overdue))
        del self._overdue[channel]
        return channel.snapshot()


def cut(reason: str) -> str:
    """A reason that fits into a closing frame, whatever letters it has."""
    return reason.encode()[:LONGEST_REASON].decode(errors="ignore")
