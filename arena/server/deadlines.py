"""Deadlines for receiving a request and for sending an answer, which uvicorn lacks.

One letter a minute would hold a connection for ever, and who reads nothing what is sent to it.
"""

import asyncio
import socket
import struct
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.server.headers import security_headers

HEAD_SECONDS = 10.0
"""How long the head of a request may take."""
BODY_SECONDS = 10.0
"""How long the one form that the hall takes may take."""
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
