"""A tab of the server that one thread reads and writes: a WebSocket without compression."""

import contextlib

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect

SECONDS = 60.0
"""How long to wait for the next message, unless said otherwise: a process may have to compile first."""


class Tab:
    """A socket that is open in a `with` block."""

    def __init__(self, port: int, path: str, cookie: str, seconds: float = SECONDS) -> None:
        self._place, self._path, self._cookie, self._seconds = f"127.0.0.1:{port}", path, cookie, seconds
        self._opened = contextlib.ExitStack()

    def __enter__(self) -> "Tab":
        """Open it. Raises OSError, and ValueError if the server refuses."""
        try:
            self._socket = self._opened.enter_context(connect(
                f"ws://{self._place}{self._path}", origin=f"http://{self._place}", additional_headers={"Cookie": self._cookie},
                compression=None, open_timeout=self._seconds, close_timeout=1.0, max_size=None, ping_interval=None, proxy=None,
            ))  # fmt: skip
        except InvalidHandshake as error:
            raise ValueError(f"no socket at {self._path}: {error}") from error
        except EOFError as error:
            raise ConnectionError("the server is gone") from error
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def say(self, message: bytes) -> None:
        """Send a message."""
        try:
            self._socket.send(message, text=True)
        except ConnectionClosed as error:
            raise ConnectionError("the server is gone") from error

    def heard(self) -> bytes:
        """The next message. Raises ValueError if the server closes the socket, OSError if it is gone or says nothing."""
        try:
            return self._socket.recv(self._seconds, decode=False)
        except ConnectionClosed as error:
            if error.rcvd is None:
                raise ConnectionError("the server is gone") from error
            raise ValueError(f"the server closes the socket: {error.rcvd.reason}") from error
