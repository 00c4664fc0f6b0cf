"""Many visitors of a hall in one process: sockets that only note when which message came, and so cost next to nothing."""

import asyncio
import contextlib
import functools
import re
import time
from collections.abc import AsyncIterator, Sequence
from typing import cast

TEXT, CLOSE, PING, PONG = 0x81, 0x88, 0x89, 0x8A
SHORT, MEDIUM = 126, 127  # how a length of two or eight bytes is announced
_DONE = re.compile(rb'"done":(\d+)')
_KEY = "dGhlIHNhbXBsZSBub25jZQ=="
_AT_ONCE = 50  # sockets that are opened together
_OPEN_SECONDS = 60.0

Note = tuple[float, int]
"""When a message came (monotonic), and how many matches were done by it."""


class Visitor(asyncio.Protocol):
    """A tab that watches one board."""

    def __init__(self, request: bytes, wish: bytes) -> None:
        self.notes: list[Note] = []
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.bytes = 0
        """Bytes that came."""
        self._request, self._wish = request, wish
        self._buffer = b""
        self._is_open = False
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for a socket."""
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(self._request)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note the end, and a socket that was refused."""
        self.closed.set_result(None)
        if not self.opened.done():
            self.opened.set_exception(ConnectionError(self._buffer[:80].decode("latin-1")))

    def data_received(self, data: bytes) -> None:
        """Take what comes apart into messages."""
        now = time.monotonic()
        self.bytes += len(data)
        self._buffer += data
        if not self._is_open:
            head, end, rest = self._buffer.partition(b"\r\n\r\n")
            if not end or b" 101 " not in head:
                return
            self._is_open, self._buffer = True, rest
            assert self.transport is not None
            self.transport.write(masked(TEXT, self._wish))
        while (message := self._message()) is not None:
            self._take(*message, now)

    def _message(self) -> tuple[int, bytes] | None:
        """The next whole message, as its kind and content."""
        if len(self._buffer) < 2:
            return None
        length, start = self._buffer[1], 2
        if length >= SHORT:
            start = 4 if length == SHORT else 10
            length = int.from_bytes(self._buffer[2:start], "big")
        if len(self._buffer) < start + length or len(self._buffer) < start:
            return None
        kind, content = self._buffer[0], self._buffer[start : start + length]
        self._buffer = self._buffer[start + length :]
        return kind, content

    def _take(self, kind: int, content: bytes, now: float) -> None:
        assert self.transport is not None
        if kind == PING:
            self.transport.write(masked(PONG, content))
        elif kind == TEXT:
            if not self.opened.done():
                self.opened.set_result(None)
            if found := _DONE.search(content):
                self.notes.append((now, int(found[1])))


def masked(kind: int, content: bytes) -> bytes:
    """A message of a client, masked by nothing but zeros, which masks nothing."""
    assert len(content) < SHORT
    return bytes([kind, 0x80 | len(content)]) + b"\0\0\0\0" + content


@contextlib.asynccontextmanager
async def visit(port: int, cookies: Sequence[str], channel: str, count: int) -> AsyncIterator[list[Visitor]]:
    """So many open sockets, spread over the sessions of these cookies; each has its first message."""
    visitors: list[Visitor] = []
    try:
        await _come(visitors, port, cookies, channel, count)
        yield visitors
    finally:
        for visitor in visitors:
            if visitor.transport is not None:
                visitor.transport.close()
        await asyncio.gather(*(visitor.closed for visitor in visitors))


async def _come(visitors: list[Visitor], port: int, cookies: Sequence[str], channel: str, count: int) -> None:
    loop = asyncio.get_running_loop()
    wish = b'{"watch":"%s"}' % channel.encode()
    for first in range(0, count, _AT_ONCE):
        batch = []
        for number in range(first, min(count, first + _AT_ONCE)):
            request = asked_for("/live", port, cookies[number % len(cookies)])
            _, visitor = await loop.create_connection(functools.partial(Visitor, request, wish), "127.0.0.1", port)
            batch.append(visitor)
        visitors += batch
        await asyncio.wait_for(asyncio.gather(*(visitor.opened for visitor in batch)), _OPEN_SECONDS)


def asked_for(path: str, port: int, cookie: str) -> bytes:
    """The request that opens a socket."""
    lines = (
        f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Origin: http://127.0.0.1:{port}", "Upgrade: websocket",
        "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {_KEY}", f"Cookie: {cookie}", "", "",
    )  # fmt: skip
    return "\r\n".join(lines).encode()
