"""What worker, zygote and locked child say to each other: typed msgpack, each message after its length (u32, little endian).

A seat's set-up, its bot's parameters and its seed go to the child through the seat's own socket, never through the zygote: what
the zygote has read, later children could find in its memory.
"""

import struct
from typing import Any

import msgspec

from arena.agent import EndInfo, StartInfo
from arena.errors import printable
from arena.records import Limits
from arena.seats.protocol import MESSAGE_BYTES, NoMessage

__all__ = ["MESSAGE_BYTES", "NoMessage"]

HEADER = struct.Struct("<I")
START_ID = 0
TEXT = 4000  # characters of an action


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """To the zygote, once: what to prepare."""

    rooms: tuple[str, ...]
    level: str
    """The strongest isolation to try."""
    libraries: tuple[str, ...]
    devices: tuple[str, ...]
    store: str
    """The folder of all bots' folders."""
    mount_point: str
    parent: int
    dies_with_thread: bool


class Up(msgspec.Struct, frozen=True):
    """The zygote is ready, or says why not."""

    level: str
    reason: str = ""
    """Why not more than `level`."""
    error: str | None = None


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """To a child before it is locked: who it will be."""

    folder: str
    """Name of the bot's folder in the store."""
    main: str
    limits: Limits
    seed: str
    """Hex."""
    params: bytes
    """JSON."""
    info: StartInfo | None
    """None: only say what the bot declares."""
    command: tuple[str, ...] = ()
    """Of a command bot: the path of its program, and its arguments."""
    loader: str = ""
    is_public: bool = False
    """See lockdown.Program."""


class Ask(msgspec.Struct, frozen=True, array_like=True, tag="ask"):
    """A decision."""

    id: int
    state: bytes
    """As the seat sees it."""
    seat: int
    codes: list[int]
    events: list[tuple[int, str]]
    move: float
    bank: float
    start: float


class End(msgspec.Struct, frozen=True, array_like=True, tag="end"):
    """The match is over."""

    id: int
    result: EndInfo


class Locked(msgspec.Struct, frozen=True, array_like=True, tag="locked", forbid_unknown_fields=True):
    """From a child, before any code of its bot: what happens from now on is the bot's doing."""

    id: int
    cpu_seconds: float
    """Its CPU time so far."""


class Ready(msgspec.Struct, frozen=True, array_like=True, tag="ready", forbid_unknown_fields=True):
    """From a child that is locked and has its bot."""

    id: int
    wants_forced: bool
    games: list[str]


class Action(msgspec.Struct, frozen=True, array_like=True, tag="action", forbid_unknown_fields=True):
    """The bot's choice."""

    id: int
    action: str | int
    is_timed: bool = False
    """Whether a time budget had a part in it."""


class Failed(msgspec.Struct, frozen=True, array_like=True, tag="failed", forbid_unknown_fields=True):
    """The bot raised, or returned what is no answer."""

    id: int
    ending: str
    reason: str


class Done(msgspec.Struct, frozen=True, array_like=True, tag="done", forbid_unknown_fields=True):
    """The bot knows the end."""

    id: int


Request = Ask | End
Reply = Locked | Ready | Action | Failed | Done

_encoder = msgspec.msgpack.Encoder()
_requests: Any = msgspec.msgpack.Decoder(Request)
_replies: Any = msgspec.msgpack.Decoder(Reply)


def frame(message: msgspec.Struct) -> bytes:
    """A message with its length before it."""
    body = _encoder.encode(message)
    return HEADER.pack(len(body)) + body


def decode_request(body: bytes) -> Request:
    """For the child: what the worker sent."""
    return _requests.decode(body)  # type: ignore[no-any-return]


def decode_reply(body: bytes | bytearray | memoryview) -> Reply:
    """A stranger's bytes as a reply; raises NoMessage, and nothing else, for all that is none."""
    try:
        reply: Reply = _replies.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError, OverflowError) as error:
        raise NoMessage(f"not decodable: {printable(str(error), 200)}") from None
    return reply


class Frames:
    """Cuts a stream of bytes into messages; keeps what does not make a whole one yet."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def __len__(self) -> int:
        return len(self._bytes)

    def add(self, data: bytes) -> None:
        """What came."""
        self._bytes += data

    def take(self) -> bytes | None:
        """The next whole message, or None; raises NoMessage for a length beyond MESSAGE_BYTES."""
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
