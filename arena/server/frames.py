"""How many frames a socket may send, which uvicorn does not count.

The shortest has six bytes and counts for nothing: to read a megabyte of them takes seconds, in which nobody has an answer.
"""

from collections.abc import Hashable

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from arena.server.buckets import Buckets, Rate

FRAMES = Rate(a_second=500.0, burst=2000)
"""How many frames a socket may send, of any kind: a remote bot sends one for each decision."""
OF_VISITOR = Rate(a_second=1000.0, burst=4000)
"""How many all sockets of a visitor may send together, one after the other, too."""
_SLICE = 4096
"""Bytes that are read at a time, after which it is looked how many frames they were."""
_visitors = Buckets(OF_VISITOR)


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
        self._left, count = self._left or Buckets(FRAMES), len(self.conn.events)
        if self._left.take(None, count) and _visitors.take(self._visitor(), count):
            super().handle_events()
        else:
            self.transport.abort()

    def _visitor(self) -> Hashable:
        """Whom the frames are counted for: whoever the guard has found to come; before that the address."""
        state: dict[str, Hashable] = getattr(self, "scope", {}).get("state", {})
        return state.get("visitor", self.client and self.client[0])
