"""The socket of a tab at a live table: who may act, how fast, and what a slow tab is sent."""

import asyncio
import contextlib
from collections import deque

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from arena.server.limits import Buckets, Rate
from arena.server.live_board.socket import MOST_SOCKETS, POLICY_VIOLATION, OpenSockets, cut
from arena.server.problems import Problem
from arena.server.table_process.messages import Act, FromPerson, Notice, Ping, Pong, Start
from arena.server.tables.table import Table, said
from arena.server.tables.tables import Tables
from arena.server.visitors import Persons, language_of, visitor_of

BOARD = Rate(a_second=5.0, burst=40)
"""How many messages a tab may send at a table that waits for its people."""
REAL_TIME = Rate(a_second=25.0, burst=100)
"""How many in real time, where a hand clicks several times within a second."""
QUEUED = 8
"""Messages that wait for a slow tab. With more, only the newest of those that say everything are kept."""
MOST_QUEUED = 64
"""Messages that wait at all; a tab that is slower still is closed, and comes back by itself."""
LONGEST_ACTION = 1000
"""Letters of an action."""
NEWEST_ONLY = ("welcome", "frame", "ask")
GOING_AWAY, TRY_AGAIN = 1001, 1013
FOR_GOOD = 4000
"""What is added to the HTTP status of a refusal: a browser is told no more of a handshake than that it failed, so the socket is
opened and closed with this code. A page does not try again after one from 4400 on."""
MALFORMED, LEFT = FOR_GOOD + 400, FOR_GOOD + 410

_DECODER = msgspec.json.Decoder(FromPerson)


class TableSockets:
    """The sockets of all tabs at all tables."""

    def __init__(self, tables: Tables, persons: Persons, counted: OpenSockets) -> None:
        self._tables, self._persons, self._counted = tables, persons, counted

    async def endpoint(self, websocket: WebSocket) -> None:
        """Serve one tab until it is closed."""
        try:
            visitor = await run_in_threadpool(visitor_of, websocket, self._persons)
            self._tables.at(websocket.path_params["id"], visitor.person)
            with self._counted.one_more(websocket):
                await websocket.accept()
                table, seat = self._tables.at(
                    websocket.path_params["id"], visitor.person
                )  # it may have changed hands meanwhile
                if len(table.seats[seat].tabs) >= MOST_SOCKETS:  # a guest can have any number of sessions
                    raise Problem(429, "refusal_many_tabs", most=MOST_SOCKETS)
                await _Tab(websocket, self._tables, table, seat).serve()
        except Problem as problem:
            if websocket.application_state is WebSocketState.CONNECTING:
                await websocket.accept()
            await websocket.close(FOR_GOOD + problem.status, cut(problem.said(language_of(websocket))))


class _Tab:
    """One tab."""

    def __init__(self, websocket: WebSocket, tables: Tables, table: Table, seat: int) -> None:
        self._websocket, self._tables, self._table, self._seat = websocket, tables, table, seat
        self._queue: deque[tuple[str, str]] = deque()
        self._there_is_more = asyncio.Event()
        self._goodbye: tuple[int, str] | None = None
        self._bucket = Buckets(BOARD if table.plan.tick_ms is None else REAL_TIME)

    async def serve(self) -> None:
        """Send and receive until one of the two ends."""
        sending = asyncio.create_task(self._send())
        self._table.connect(self._seat, self)
        try:
            with contextlib.suppress(WebSocketDisconnect):
                await self._receive()
        finally:
            self._table.disconnect(self._seat, self)
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    def offer(self, kind: str, text: str) -> None:
        """Take a message. For a slow tab the newest position and question stand for those before."""
        if self._goodbye is not None:
            return
        if len(self._queue) >= QUEUED and kind in NEWEST_ONLY:
            self._queue = deque(one for one in self._queue if one[0] != kind)
        self._queue.append((kind, text))
        if len(self._queue) > MOST_QUEUED:
            self._queue.clear()
            self._goodbye = (TRY_AGAIN, "too slow")
        self._there_is_more.set()

    def close(self, *, has_left: bool) -> None:
        """Send what waits, then close; the page of who has left does not come back."""
        self._goodbye = (LEFT, "left") if has_left else (GOING_AWAY, "the server closes")
        self._there_is_more.set()

    async def _receive(self) -> None:
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            if not self._bucket.take(None):
                await self._websocket.close(POLICY_VIOLATION, "too many messages")
                return
            try:
                self._hear(message.get("text") or "")
            except (msgspec.DecodeError, UnicodeError, RecursionError):
                await self._websocket.close(MALFORMED, "not a message that the server knows")
                return

    def _hear(self, text: str) -> None:
        """Take a message. A tab that was told goodbye has no seat any more, though it may still talk if it reads nothing."""
        message = _DECODER.decode(text)
        if self._goodbye is None:
            self._take(message)

    def _take(self, message: FromPerson) -> None:
        if isinstance(message, Ping):
            self.offer("pong", said(Pong(at=message.at)))
            return
        if isinstance(message, Act) and len(message.action) > LONGEST_ACTION:
            raise msgspec.DecodeError
        if isinstance(message, Start):
            try:
                self._tables.check_start(self._table)
            except Problem:
                self.offer("notice", said(Notice(key="notice_busy")))
                return
        self._table.said(self._seat, message)

    async def _send(self) -> None:
        while True:
            await self._there_is_more.wait()
            self._there_is_more.clear()
            while self._queue:
                await self._websocket.send_text(self._queue.popleft()[1])
            if self._goodbye is not None:
                code, reason = self._goodbye
                await self._websocket.close(code, cut(reason))
                return
