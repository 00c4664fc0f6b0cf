"""How many frames a socket may send, which uvicorn does not count.

The shortest has six bytes and counts for nothing: to read a megabyte of them takes seconds, in which nobody has an answer.
"""

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from arena.server.buckets import Buckets, Rate

FRAMES = Rate(a_second=500.0, burst=2000)
"""How many frames a socket may send, of any kind: a remote bot sends one for each decision."""
_SLICE = 4096
"""Bytes that are read at a time, after which it is looked how many frames they were."""


class CountingSocket(WebSocketsSansIOProtocol):
    """A socket that is cut off when it sends too many frames."""

    _left: Buckets | None = None

    def data_received(self, data: bytes) -> None:
        """Read what came, as long as there are not too many frames in it."""
        for start in range(0, len(data), _SLICE):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + _SLICE])

    def handle_events(self) -> None:
        """Count what was read."""
        self._left = self._left or Buckets(FRAMES)
        if self._left.take(None, len(self.conn.events)):
            super().handle_events()
        else:
            self.transport.abort()
