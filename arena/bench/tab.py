"""A tab of the hall that one thread reads and writes: a WebSocket without compression, as browsers open it."""

import socket

from arena.bench.visitors import CLOSE, PING, PONG, SHORT, TEXT, asked_for, masked

SECONDS = 60.0
"""How long to wait for the next message, unless said otherwise: a process may have to compile first."""


class Tab:
    """An open socket; a context manager."""

    def __init__(self, port: int, path: str, cookie: str, seconds: float = SECONDS) -> None:
        """Open it. Raises OSError, and ValueError if the hall refuses."""
        self._connection = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        self._read = self._connection.makefile("rb")
        try:
            self._connection.sendall(asked_for(path, port, cookie))
            first = self._read.readline()
            if b" 101 " not in first:
                raise ValueError(f"no socket at {path}: {first!r}")
            while self._read.readline().strip():
                pass
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> "Tab":
        return self

    def __exit__(self, *_: object) -> None:
        self._read.close()
        self._connection.close()

    def say(self, message: bytes) -> None:
        """Send a message."""
        self._connection.sendall(masked(TEXT, message))

    def heard(self) -> bytes:
        """The next message. Raises ValueError if the hall closes the socket, OSError if it is gone or says nothing."""
        while True:
            kind, length = self._bytes(2)
            if length >= SHORT:
                length = int.from_bytes(self._bytes(2 if length == SHORT else 8), "big")
            content = self._bytes(length)
            if kind == TEXT:
                return content
            if kind == PING:
                self._connection.sendall(masked(PONG, content))
            if kind == CLOSE:
                raise ValueError(f"the hall closes the socket: {content[2:]!r}")

    def _bytes(self, count: int) -> bytes:
        found = self._read.read(count)
        if len(found) < count:
            raise ConnectionError("the hall is gone")
        return found
