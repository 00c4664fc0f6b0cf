"""The wire protocol of command bots: one JSON object a line, both ways (docs/wire-protocol.md).

`python -m arena.match.protocol` prints the JSON Schema of these types, which is docs/protocol.schema.json.
"""

import codecs
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

import msgspec

from arena.errors import printable
from arena.records import Clock

VERSION = 1
MESSAGE_BYTES = 64 << 10
"""The most bytes of a line, in either direction, without the line feed."""
LARGEST_ID = (1 << 53) - 1  # exact in every language's numbers


_ABOUT_NOTES = "What the bot notes about the decision, for its author alone: [text, number or null], at most 1 KB in all."
_NOTES = {
    "type": "array",
    "items": {
        "type": "array", "prefixItems": [{"type": "string"}, {"type": ["number", "null"]}], "items": False, "minItems": 1,
    },
}  # fmt: skip


class Start(msgspec.Struct, frozen=True, kw_only=True, tag="start", tag_field="type"):
    """The first message to the bot: the match that it plays now. The bot answers with Ready."""

    id: int
    protocol: int
    """Version of this protocol: 1."""
    game: str
    options: Mapping[str, Any]
    """All rule options, resolved."""
    seats: int
    seat: int
    """The own seat, from 0."""
    seed: str
    """32 hex digits: the bot's only source of randomness, if its matches shall be repeatable."""
    clock: Clock
    params: Mapping[str, Any]
    """The parameters from the tournament's config."""


class Act(msgspec.Struct, frozen=True, kw_only=True, tag="act", tag_field="type"):
    """A message to the bot that asks for a decision. The bot answers with Choice."""

    id: int
    position: Mapping[str, Any]
    """The masked position: `?` for each hidden card."""
    legal: Sequence[str]
    """The legal actions in canonical order."""
    events: Sequence[tuple[int, str]]
    """What happened since this seat's last decision, that one included, as [seat, text that this seat may know]."""
    clock: Clock


class End(msgspec.Struct, frozen=True, kw_only=True, tag="end", tag_field="type"):
    """The last message to the bot: the match is over. The bot does not answer; the end of the input follows."""

    id: int
    places: Sequence[int]
    scores: Sequence[float]


class Ready(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The bot's answer to Start: it is ready to play."""

    id: int
    """The `id` of the Start message."""
    ok: bool


class Choice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The bot's answer to Act: its action."""

    id: int
    """The `id` of the Act message."""
    action: str | int
    """The text of a legal action, or its index in `legal`."""
    notes: Annotated[msgspec.Raw, msgspec.Meta(description=_ABOUT_NOTES, extra_json_schema=_NOTES)] = msgspec.field(
        default_factory=msgspec.Raw
    )
    """What the bot notes about the decision, unread: whatever stands there is no fault."""


Request = Start | Act | End
Reply = Ready | Choice
R = TypeVar("R", Ready, Choice)

_encoder = msgspec.json.Encoder()
_decoders: dict[type[Any], Any] = {kind: msgspec.json.Decoder(kind) for kind in (Ready, Choice)}


class NoMessage(ValueError):
    """Raised for bytes that are not a reply."""


def line(message: Request) -> bytes:
    """A message to the bot. Raises ValueError for one that is longer than MESSAGE_BYTES."""
    body = _encoder.encode(message)
    if len(body) > MESSAGE_BYTES:
        raise ValueError(f"a message of {len(body):,} bytes; at most {MESSAGE_BYTES:,} are sent")
    return body + b"\n"


def decode(body: bytes, kind: type[R]) -> R:
    """The reply in an untrusted line. Raises NoMessage, and nothing else, if there is none."""
    try:
        reply: R = _decoders[kind].decode(body.removeprefix(codecs.BOM_UTF8))  # as some languages begin what they write
    except (msgspec.MsgspecError, ValueError, RecursionError, OverflowError) as error:
        shown = printable(body[:80].decode("utf-8", "backslashreplace"))
        raise NoMessage(f"not a reply: {printable(str(error), 200)}: {shown}") from None
    return reply


class Lines:
    """Cuts a stream of bytes into lines; keeps an incomplete line until its end comes."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._searched = 0

    def __len__(self) -> int:
        return len(self._bytes)

    def add(self, data: bytes) -> None:
        """Take bytes that were received."""
        self._bytes += data

    def take(self) -> bytes | None:
        """The next complete line, or None. Raises NoMessage for a line that is longer than MESSAGE_BYTES."""
        end = self._bytes.find(b"\n", self._searched)
        self._searched = len(self._bytes) if end < 0 else 0
        if (end if end >= 0 else len(self._bytes)) > MESSAGE_BYTES:
            raise NoMessage(f"a line of more than {MESSAGE_BYTES:,} bytes")
        if end < 0:
            return None
        body = bytes(self._bytes[:end])
        del self._bytes[: end + 1]
        return body


def schema() -> dict[str, Any]:
    """The JSON Schema of every message: what arena sends and what a bot replies."""
    kinds = (Start, Act, End, Ready, Choice)
    found, components = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"arena wire protocol {VERSION}: one message, which is one line",
        "anyOf": list(found),
        "$defs": components,
    }


def schema_text() -> str:
    """The text of the JSON Schema as docs/protocol.schema.json stores it."""
    return msgspec.json.format(msgspec.json.encode(schema(), order="sorted"), indent=2).decode() + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
