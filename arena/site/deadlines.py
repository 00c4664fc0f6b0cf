"""Deadlines for receiving a request, which uvicorn lacks: one letter a minute would hold a connection for ever."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.site.headers import security_headers

HEAD_SECONDS = 10.0
"""How long the head of a request may take."""
BODY_SECONDS = 10.0
"""How long the one form that the hall takes may take."""
LARGEST_HEAD = 16 * 1024
"""Bytes of a request's head."""

_LATE = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n"


class PromptProtocol(H11Protocol):
    """HTTP for clients that finish what they begin."""

    seconds = HEAD_SECONDS
    _deadline: asyncio.TimerHandle | None = None

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

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, with the headers that every answer has."""
        if not self.transport.is_closing():
            self._refuse(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n")

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self._refuse(_LATE)

    def _refuse(self, head: bytes) -> None:
        lines = [b"%s: %s\r\n" % header for header in security_headers("/")]
        self.transport.write(head + b"".join(lines) + b"\r\n")
        self.transport.close()

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def protocol_with(seconds: float) -> type[Any]:
    """The protocol with another deadline, for tests."""
    return type("PromptProtocol", (PromptProtocol,), {"seconds": seconds})
