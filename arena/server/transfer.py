"""Bodies of requests and answers: short, and in time, with deadlines that uvicorn lacks.

One letter a minute would hold a connection for ever, and so would who reads nothing of what is sent. Answers go out in parts,
and a visitor has some of them at a time: who reads slowly, or asks for all at once, waits alone.
"""

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator, Hashable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request
from starlette.types import Message, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.server.headers import security_headers
from arena.server.problems import Problem

LONGEST_FORM = 16 * 1024
"""Bytes of a form, or of a table that a program wants to open."""
_MOST_FIELDS = 200


async def body_of(request: Request, most: int = LONGEST_FORM) -> bytes:
    """The body of a request. Raises Problem for one that is too long, too slow, or cut off."""
    body = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise Problem(413, "refusal_long_form", most=f"{most:,}")
    except ClientDisconnect:
        raise Problem(400, "refusal_bad_form") from None
    except TimeoutError:
        raise Problem(408, "refusal_slow_form") from None
    return body


async def form_of(request: Request, most: int = LONGEST_FORM) -> dict[str, str]:
    """The fields of a form by name; of several of one name the first. Raises Problem for one that is none."""
    body = await body_of(request, most)
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise Problem(400, "refusal_bad_form") from None
    return dict(reversed(pairs))


HEAD_SECONDS = 10.0
"""How long the head of a request may take."""
BODY_SECONDS = 10.0
"""How long the one form that the server takes may take."""
SEND_SECONDS = 15.0
"""How long a part of an answer may wait until the client has read most of it, and the end of an answer all of it."""
LARGEST_HEAD = 16 * 1024
"""Bytes of a request's head."""

_LATE = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n"


class PromptProtocol(H11Protocol):
    """HTTP for clients that finish what they begin."""

    seconds = HEAD_SECONDS
    send_seconds = SEND_SECONDS
    _deadline: asyncio.TimerHandle | None = None
    _unsent: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock: a connection is made to ask for something."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(self.seconds, self._give_up)

    def data_received(self, data: bytes) -> None:
        """Stop the clock when the head of a request is whole; start it again for the next one."""
        super().data_received(data)
        is_waiting = self.cycle is None or self.cycle.response_complete
        if not is_waiting or self.transport.get_protocol() is not self:  # the second: it has become a socket
            self._stop()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.seconds, self._give_up)

    def pause_writing(self) -> None:
        """Start the clock of sending: more waits to be read than one part."""
        super().pause_writing()
        self._expect_reading()

    def resume_writing(self) -> None:
        """Stop it: the client has read most of that."""
        super().resume_writing()
        self._stop_sending()

    def on_response_complete(self) -> None:
        """Start it for what is left of a whole answer."""
        super().on_response_complete()
        if self.transport.get_write_buffer_size():
            self._expect_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clocks."""
        self._stop()
        self._stop_sending()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, with the headers that every answer has."""
        if not self.transport.is_closing():
            self._refuse(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n")

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self._refuse(_LATE)

    def _expect_reading(self) -> None:
        self._stop_sending()
        self._unsent = self.loop.call_later(self.send_seconds, self._cut)

    def _cut(self) -> None:
        """End a connection whose client does not read; what it has asked for next begins anew."""
        self._unsent = None
        is_waiting = self.cycle is not None and not self.cycle.response_complete and not self.flow.write_paused
        if is_waiting and not self.transport.is_closing():  # an answer of a later request goes out
            self._expect_reading()
        elif self.transport.get_write_buffer_size():
            at_once = struct.pack("ii", 1, 0)  # else the kernel goes on keeping what it has for a client that reads nothing
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            self.transport.abort()

    def _stop_sending(self) -> None:
        if self._unsent is not None:
            self._unsent.cancel()
            self._unsent = None

    def _refuse(self, head: bytes) -> None:
        lines = [b"%s: %s\r\n" % header for header in security_headers("/")]
        self.transport.write(head + b"".join(lines) + b"\r\n")
        self.transport.close()

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def protocol_with(seconds: float, send_seconds: float = SEND_SECONDS) -> type[Any]:
    """The protocol with other deadlines, for tests."""
    return type("PromptProtocol", (PromptProtocol,), {"seconds": seconds, "send_seconds": send_seconds})


PART = 64 << 10
"""Bytes of a part of an answer: the next one waits until the client has read most of this one."""
AT_ONCE = 6
"""Requests of one visitor that are answered at a time; a browser has as many connections."""
AT_ONCE_OF_ADDRESS = 24
"""The same for all at an address who have no account: a class may come from one."""
MOST_WAITING = 200
"""Requests of one visitor that wait for that."""


@dataclass
class _Lane:
    """The requests of one visitor."""

    free: asyncio.Semaphore
    here: int = 0


class Lanes:
    """A lane for each visitor: a thousand requests of one take from others what a few of them would."""

    def __init__(self) -> None:
        self._lanes: dict[Hashable, _Lane] = {}

    @contextlib.asynccontextmanager
    async def entered(self, visitor: Hashable, most: int) -> AsyncIterator[None]:
        """Wait for the visitor's turn, and hold it. Raises Problem 429 if too many of them wait already."""
        lane = self._lanes.setdefault(visitor, _Lane(asyncio.Semaphore(most)))
        if lane.here >= most + MOST_WAITING:
            raise Problem(429, "refusal_too_many")
        lane.here += 1
        try:
            async with lane.free:
                yield
        finally:
            lane.here -= 1
            if not lane.here:
                self._lanes.pop(visitor, None)


def in_parts(send: Send) -> Send:
    """Sends each body in parts: the server waits with the next part until there is room, and holds no more than that."""

    async def sender(message: Message) -> None:
        body = memoryview(message.get("body", b"")) if message["type"] == "http.response.body" else memoryview(b"")
        while len(body) > PART:
            await send({"type": "http.response.body", "body": bytes(body[:PART]), "more_body": True})
            body = body[PART:]
        await send(message if not body else {**message, "body": bytes(body)})

    return sender
