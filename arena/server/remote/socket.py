"""The socket of a program on its author's machine: who may come, how many, how fast, and what a slow one is sent."""

import asyncio
import contextlib
from collections import Counter, deque

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.names import in_words
from arena.results.site_file import Account
from arena.server.limits import Buckets, Rate
from arena.server.live_board.socket import POLICY_VIOLATION, cut
from arena.server.problems import Problem, answer_of
from arena.server.remote.lobby import Lobby, Program
from arena.server.remote.messages import Crash, Join, Leave
from arena.server.tables.socket import GOING_AWAY, MALFORMED, TRY_AGAIN
from arena.server.visitors import Persons, visitor_of

JOIN_SECONDS = 10.0
"""How long a socket may be open without saying who it is."""
AN_ACCOUNT = 16
"""Sockets of one account: twice its programs, since a lost connection is noticed late."""
UNASKED = Rate(a_second=1.0, burst=20)
"""How many messages a program may send that nobody asked for."""
MOST_QUEUED = 16
"""Messages that wait for a program; there is never more than one question. One that reads nothing is closed, and comes back."""
LONGEST = 64 * 1024
"""Bytes of a message of a program; the server cuts off longer ones too."""


class _Head(msgspec.Struct):
    """The part of a message that tells its kind; an answer to a question has none."""

    type: str = ""


class RemoteSockets:
    """The sockets of all programs."""

    def __init__(self, lobby: Lobby, persons: Persons) -> None:
        self._lobby, self._persons = lobby, persons
        self._open: Counter[str] = Counter()

    async def endpoint(self, websocket: WebSocket) -> None:
        """Serve one program until the socket is closed."""
        visitor = await run_in_threadpool(visitor_of, websocket, self._persons)
        account = visitor.account
        if account is None or not account.is_author:
            await websocket.send_denial_response(answer_of(Problem(403, "refusal_remote_author"), "/api"))
            return
        if self._open[account.id] >= AN_ACCOUNT:
            await websocket.send_denial_response(answer_of(Problem(429, "refusal_remote_many", most=AN_ACCOUNT), "/api"))
            return
        self._open[account.id] += 1
        try:
            await websocket.accept()
            await _Line(websocket, self._lobby, account).serve()
        finally:
            self._open[account.id] -= 1


class _Line:
    """The socket of one program."""

    def __init__(self, websocket: WebSocket, lobby: Lobby, account: Account) -> None:
        self._websocket, self._lobby, self._account = websocket, lobby, account
        self._queue: deque[str] = deque()
        self._there_is_more = asyncio.Event()
        self._goodbye: tuple[int, str] | None = None
        self._unasked = Buckets(UNASKED)

    def offer(self, text: str) -> None:
        """Take a message, without waiting."""
        self._queue.append(text)
        if len(self._queue) > MOST_QUEUED:
            self._queue.clear()
            self._goodbye = (TRY_AGAIN, "too slow")
        self._there_is_more.set()

    def close(self, why: str) -> None:
        """Say goodbye."""
        self._goodbye = (GOING_AWAY, why)
        self._there_is_more.set()

    async def serve(self) -> None:
        """Send and receive until one of the two ends."""
        program: Program | None = None
        sending = asyncio.create_task(self._send())
        try:
            with contextlib.suppress(WebSocketDisconnect):
                program = await self._joined()
                while program is not None and not program.has_left and await self._hear(program):
                    pass
        finally:
            if program is not None:
                program.disconnect(self)
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def _joined(self) -> Program | None:
        """The program that says who it is; None: it does not."""
        try:
            async with asyncio.timeout(JOIN_SECONDS):
                text = await self._text()
            return self._lobby.join(self._account, msgspec.json.decode(text, type=Join), self)
        except TimeoutError:
            await self._closed(POLICY_VIOLATION, "the first message, join, did not come")
        except msgspec.ValidationError as error:
            await self._closed(MALFORMED, f"the first message is join: {in_words(error)}")
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            await self._closed(MALFORMED, "not a message that the server knows")
        except Problem as problem:
            await self._closed(4000 + problem.status, problem.message)
        return None

    async def _hear(self, program: Program) -> bool:
        """Take the next message; False: it was the last one."""
        text = await self._text()
        if program.connection is not self:
            return False
        try:
            kind = msgspec.json.decode(text, type=_Head).type
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            kind = ""  # an answer that is none: its match says so
        if kind == "":
            return program.said(text) or await self._closed(POLICY_VIOLATION, "too many messages that nobody asked for")
        if not self._unasked.take(None):
            return await self._closed(POLICY_VIOLATION, "too many messages that nobody asked for")
        try:
            message = msgspec.json.decode(text, type=Leave | Crash)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return await self._closed(MALFORMED, "not a message that the server knows")
        if isinstance(message, Leave):
            program.leave()
            return await self._closed(1000, "goodbye")
        program.gave_up("says that its bot has failed")
        return True

    async def _text(self) -> str:
        message = await self._websocket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect
        text: str = message.get("text") or ""
        if len(text) > LONGEST:
            await self._closed(1009, "a message is at most 64 KiB")
            raise WebSocketDisconnect
        return text

    async def _closed(self, code: int, why: str) -> bool:
        """Close the socket; returns False."""
        await self._websocket.close(code, cut(why))
        return False

    async def _send(self) -> None:
        while True:
            await self._there_is_more.wait()
            self._there_is_more.clear()
            while self._queue:
                await self._websocket.send_text(self._queue.popleft())
            if self._goodbye is not None:
                code, reason = self._goodbye
                await self._websocket.close(code, cut(reason))
                return
