"""What a worker and a child send each other through, and how received bytes become messages."""

import os
from typing import Protocol


class Channel(Protocol):
    """Sends and receives bytes without waiting; raises BlockingIOError where it would have to wait."""

    def fileno(self) -> int:
        """The descriptor to wait for."""
        ...

    def recv(self, size: int, /) -> bytes:
        """The bytes that have come; empty at the end of the stream."""
        ...

    def send(self, data: bytes, /) -> int:
        """Send bytes; returns how many were taken."""
        ...

    def close(self) -> None:
        """Close the channel's file descriptors."""
        ...


class Pipes:
    """Two pipes as one channel: the standard input and output of a program."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.outgoing = outgoing
        self._incoming = incoming
        self._open = {incoming, outgoing}
        for number in (incoming, outgoing):
            os.set_blocking(number, False)

    def fileno(self) -> int:
        """The descriptor to wait for."""
        return self._incoming

    def recv(self, size: int) -> bytes:
        """The bytes that have come; empty at the end of the stream."""
        return os.read(self._incoming, size)

    def send(self, data: bytes) -> int:
        """Send bytes; returns how many were taken."""
        return os.write(self.outgoing, data)

    def close(self) -> None:
        """Close the pipes' file descriptors."""
        while self._open:
            os.close(self._open.pop())

    def end_output(self) -> None:
        """Close the way out alone."""
        if self.outgoing in self._open:
            self._open.remove(self.outgoing)
            os.close(self.outgoing)


class Cutter(Protocol):
    """Cuts received bytes into messages."""

    def __len__(self) -> int:
        """How many bytes are not part of a message yet."""
        ...

    def add(self, data: bytes) -> None:
        """Take bytes that were received."""
        ...

    def take(self) -> bytes | None:
        """The next complete message, or None. Raises NoMessage."""
        ...
