"""What the process that locks a build in is told, and what it answers: msgpack, each message after its length."""

import os
import struct
from collections.abc import Iterator

import msgspec

HEADER = struct.Struct("<Q")


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be built, and how it is held. Sent once; when the pipe ends, everything ends."""

    level: str
    """The isolation level: LOCKED or NAMESPACE."""
    program: str
    """The path of the program."""
    command: list[str]
    """The arguments of the program, its name first."""
    files: dict[str, bytes]
    """The bot's files by their paths in its folder."""
    makes: list[str]
    """The files and folders that play, as paths in the bot's folder."""
    seconds: int
    """CPU seconds that a single process may use."""
    memory: int
    """Bytes of memory."""
    disk: int
    """Bytes of files."""
    readable: tuple[str, ...]
    """The files and folders of the system that may be read."""
    toolchains: tuple[str, ...]
    """The folders of the system from which programs may be run."""
    devices: tuple[str, ...]
    environment: dict[str, str]
    scratch: str
    """The folder in which a build has its own where it has no file system of its own."""
    mount_point: str


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """The lock does not work here: nothing was run."""

    reason: str


class Started(msgspec.Struct, frozen=True, tag="started"):
    """The command runs now, locked in."""

    group: int
    """The group of its processes; its number is of use where the build has no namespace of processes alone."""
    folder: str
    """The folder that it may write."""


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """Nothing of the build runs any more."""

    status: int
    """The wait status of the command."""
    cpu: float
    """CPU seconds of all processes that were waited for."""
    is_full: bool
    """Whether its file system has no room left."""
    files: dict[str, bytes] = {}
    """What it made, by paths in the bot's folder; empty if the command failed, or if that is nothing that may play."""
    problem: str = ""
    """What is wrong with what it made, in words."""


Message = Refused | Started | Ended
_encoder = msgspec.msgpack.Encoder()
_messages: "msgspec.msgpack.Decoder[Message]" = msgspec.msgpack.Decoder(Message)


def packed(message: msgspec.Struct) -> bytes:
    """A message with its length before it."""
    body = _encoder.encode(message)
    return HEADER.pack(len(body)) + body


def read_order(descriptor: int) -> Order | None:
    """Wait for the order; None: whoever would give it is gone."""
    head = _read(descriptor, HEADER.size)
    body = _read(descriptor, HEADER.unpack(head)[0]) if len(head) == HEADER.size else b""
    return msgspec.msgpack.decode(body, type=Order) if body else None


def _read(descriptor: int, size: int) -> bytes:
    """So many bytes, or none if the pipe ends before."""
    data = bytearray()
    while len(data) < size:
        more = os.read(descriptor, min(1 << 20, size - len(data)))
        if not more:
            return b""
        data += more
    return bytes(data)


class Messages:
    """Cuts what has come into messages."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, data: bytes) -> Iterator[Message]:
        """Take bytes; yields the messages that are complete now."""
        self._bytes += data
        while len(self._bytes) >= HEADER.size:
            end = HEADER.size + HEADER.unpack_from(self._bytes)[0]
            if len(self._bytes) < end:
                return
            yield _messages.decode(bytes(self._bytes[HEADER.size : end]))
            del self._bytes[:end]
