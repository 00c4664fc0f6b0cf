"""The messages between worker, zygote and locked child, and how bytes become messages: typed msgpack after its length.

The length is a u32, little endian. A seat's set-up, its bot's parameters and its seed go to the child through the seat's own
socket, never through the zygote: what the zygote has read, later children could find in its memory.
"""

import os
import struct
from typing import Any, Protocol

import msgspec

from arena.agent import EndInfo, StartInfo
from arena.agent.view import Notes
from arena.errors import printable
from arena.match.protocol import MESSAGE_BYTES, NoMessage
from arena.records import Limits


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
        """Return how many bytes are not part of a message yet."""
        ...

    def add(self, data: bytes) -> None:
        """Take bytes that were received."""
        ...

    def take(self) -> bytes | None:
        """The next complete message, or None. Raises NoMessage."""
        ...


__all__ = ["MESSAGE_BYTES", "NoMessage"]

SPAWN, TEMPLATE, STATUS, DROP = b"spawn", b"template", b"status ", b"drop "
"""What a worker says to its zygote and to templates: fork a seat, fork a template, how a child ended, that nobody asks."""
READY = b"ready"
"""What a template says when it can fork seats."""
ORDER_BYTES = 1 << 16  # of the first message to a zygote or a template

HEADER = struct.Struct("<I")
START_ID = 0
TEXT = 4000  # characters of an action


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """Sent to the zygote once: what it has to prepare."""

    games: dict[str, tuple[str, ...]]
    """Games, each with the parts beside the rules that the children may use (see arena/engine/readiness.py)."""
    level: str
    """The strongest isolation level to try."""
    libraries: tuple[str, ...]
    devices: tuple[str, ...]
    store: str
    """The folder that holds the folders of all bots."""
    mount_point: str
    parent: int
    dies_with_thread: bool


class Up(msgspec.Struct, frozen=True):
    """Sent by the zygote when it is ready, or cannot be."""

    level: str
    reason: str = ""
    """Why the isolation is not stronger than `level`."""
    error: str | None = None


class Bot(msgspec.Struct, frozen=True, kw_only=True):
    """Which bot a seat will run: sent to its template, or to a child that has none before it locks itself."""

    folder: str
    """The name of the bot's folder in the store."""
    main: str
    limits: Limits
    command: tuple[str, ...] = ()
    """The path of a command bot's program and its arguments; empty for a bot in Python."""
    loader: str = ""
    is_public: bool = False
    """Whether a user that owns nothing can reach the program and the files beside it."""


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """Sent to a child that has locked itself: what it will play."""

    seed: str
    """The seed of the bot's random generator, in hex digits."""
    params: bytes
    """The bot's parameters as JSON."""
    info: StartInfo | None
    """What the bot is told at the start; None: only report what the bot declares."""
    has_listener: bool = False
    """Whether somebody wants to know what the bot notes: then every answer to Ask comes within Noted."""


class Ask(msgspec.Struct, frozen=True, array_like=True, tag="ask"):
    """Asks the bot for a decision."""

    id: int
    state: bytes
    """The state as the seat sees it."""
    seat: int
    codes: list[int]
    events: list[tuple[int, str]]
    move: float
    bank: float
    start: float


class End(msgspec.Struct, frozen=True, array_like=True, tag="end"):
    """Tells the bot that the match is over."""

    id: int
    result: EndInfo


class Locked(msgspec.Struct, frozen=True, array_like=True, tag="locked", forbid_unknown_fields=True):
    """Sent by a child that has locked itself. It knows no match yet, and no line of the bot has run in it."""

    id: int


class Ready(msgspec.Struct, frozen=True, array_like=True, tag="ready", forbid_unknown_fields=True):
    """Sent by a child when its bot is ready to play."""

    id: int
    wants_forced: bool
    games: list[str]


class Action(msgspec.Struct, frozen=True, array_like=True, tag="action", forbid_unknown_fields=True):
    """The bot's answer to a decision: the action it chooses."""

    id: int
    action: str | int
    is_timed: bool = False
    """Whether a search with a time budget took part in the decision."""


class Failed(msgspec.Struct, frozen=True, array_like=True, tag="failed", forbid_unknown_fields=True):
    """Sent when the bot raised an exception or returned no action."""

    id: int
    ending: str
    reason: str


class Noted(msgspec.Struct, frozen=True, array_like=True, tag="noted", forbid_unknown_fields=True):
    """The answer to a decision, with what the bot noted about it; sent only where somebody listens."""

    id: int
    answer: Action | Failed
    notes: Notes


class Lacking(msgspec.Struct, frozen=True, array_like=True, tag="lacking", forbid_unknown_fields=True):
    """Sent instead of an answer when the bot asks for a part of the game that its process does not have."""

    id: int
    part: str


class Done(msgspec.Struct, frozen=True, array_like=True, tag="done", forbid_unknown_fields=True):
    """Sent when the bot has been told the end of the match."""

    id: int


Request = Ask | End
Reply = Locked | Ready | Action | Failed | Noted | Lacking | Done

_encoder = msgspec.msgpack.Encoder()
_bots: Any = msgspec.msgpack.Decoder(Bot)
_starts: Any = msgspec.msgpack.Decoder(Start)
_requests: Any = msgspec.msgpack.Decoder(Request)
_replies: Any = msgspec.msgpack.Decoder(Reply)


def frame(message: msgspec.Struct) -> bytes:
    """A message with its length before it."""
    body = _encoder.encode(message)
    return HEADER.pack(len(body)) + body


def decode_bot(body: bytes) -> Bot:
    """Return which bot a child will run; used by a child that no template has told."""
    return _bots.decode(body)  # type: ignore[no-any-return]


def decode_start(body: bytes) -> Start:
    """Return what a child is told first; used by the child."""
    return _starts.decode(body)  # type: ignore[no-any-return]


def decode_request(body: bytes) -> Request:
    """The request in a message of the worker; used by the child."""
    return _requests.decode(body)  # type: ignore[no-any-return]


def decode_reply(body: bytes | bytearray | memoryview) -> Reply:
    """The reply in untrusted bytes. Raises NoMessage, and nothing else, if there is none."""
    try:
        reply: Reply = _replies.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError, OverflowError) as error:
        raise NoMessage(f"not decodable: {printable(str(error), 200)}") from None
    return reply


class Frames:
    """Cuts a stream of bytes into messages; keeps an incomplete message until its end comes."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def __len__(self) -> int:
        return len(self._bytes)

    def add(self, data: bytes) -> None:
        """Take bytes that were received."""
        self._bytes += data

    def take(self) -> bytes | None:
        """The next complete message, or None. Raises NoMessage for one that is longer than MESSAGE_BYTES."""
        if len(self._bytes) < HEADER.size:
            return None
        (length,) = HEADER.unpack_from(self._bytes)
        if length > MESSAGE_BYTES:
            raise NoMessage(f"a message of {length:,} bytes; at most {MESSAGE_BYTES:,} are read")
        end = HEADER.size + length
        if len(self._bytes) < end:
            return None
        body = bytes(self._bytes[HEADER.size : end])
        del self._bytes[:end]
        return body
