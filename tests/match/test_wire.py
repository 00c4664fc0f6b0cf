"""The wire decoder against 10,000 random and mutated replies: always an ending, never a traceback."""

import os
import random
import socket
import struct
import time
from collections import Counter
from typing import Any

import msgspec
import pytest

from arena.match import Answer, Fault
from arena.match.sandbox import wire  # the test of the locks themselves goes inside
from arena.match.sandbox.seat import LockedSeat
from arena.records import Ending, Limits
from helpers.seats_without_process import BLAMED, Nobody, NoKeeper

REPLIES = 10_000
ID = 77


def answer(reply: bytes, printed: bytes = b"") -> Answer | Fault:
    """What a seat makes of the bytes that come back, after which the channel closes."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    seat = LockedSeat(NoKeeper(), None, seed=0, params={}, limits=Limits(memory=1))  # type: ignore[arg-type]
    seat._child = Nobody(0, os.open(os.devnull, os.O_RDONLY), ours, reader)
    seat._id, seat._limit = ID, 5.0
    seat._began = time.perf_counter()
    if printed:
        os.write(writer, printed)
    theirs.setblocking(False)
    theirs.send(reply[:100_000])
    theirs.close()
    os.close(writer)
    found = seat.answer()
    seat.close()
    return found


def frames(chance: random.Random) -> bytes:
    """A reply that is right, or nearly."""
    message: Any = chance.choice(
        [
            wire.Action(ID, "field 1"), wire.Action(ID, 0), wire.Failed(ID, "crash", "x"), wire.Done(ID),
            wire.Ready(ID, True, ["naga"]), wire.Failed(ID, "host", "x"), wire.Action(ID + 1, 3), wire.Locked(0),
        ]
    )  # fmt: skip
    return wire.frame(message)


def mutated(chance: random.Random) -> bytes:
    data = bytearray(frames(chance))
    for _ in range(chance.choice((0, 1, 1, 2, 5, 20))):
        place = chance.randrange(len(data) + 1)
        kind = chance.randrange(4)
        if kind == 0 and place < len(data):
            data[place] = chance.randrange(256)
        elif kind == 1:
            data[place:place] = chance.randbytes(chance.randrange(1, 9))
        elif kind == 2:
            del data[place : place + chance.randrange(1, 5)]
        else:
            data += data[:place]
    return bytes(data)


def noise(chance: random.Random) -> bytes:
    body = chance.randbytes(chance.choice((0, 1, 3, 40, 2000)))
    if chance.random() < 0.7:
        return struct.pack("<I", len(body)) + body
    return body


def test_ten_thousand_replies_have_an_ending_each() -> None:
    chance = random.Random(4)
    seen: Counter[str] = Counter()
    for number in range(REPLIES):
        found = answer(mutated(chance) if number % 3 else noise(chance))
        if isinstance(found, Fault):
            assert found.ending in BLAMED and found.reason.replace("\n", " ").isprintable()
            seen[found.ending.value] += 1
        else:
            assert isinstance(found.action, str | int)
            seen["answered"] += 1
    assert seen["answered"] > 50 and seen["malformed"] > 500 and seen["protocol"] > 500


@pytest.mark.parametrize(
    ("reply", "ending"),
    [
        (wire.frame(wire.Action(ID, 0)) + b"x", Ending.PROTOCOL),
        (wire.frame(wire.Action(ID + 1, 0)), Ending.PROTOCOL),
        (wire.frame(wire.Failed(ID, "host", "")), Ending.PROTOCOL),
        (struct.pack("<I", wire.MESSAGE_BYTES + 1), Ending.MALFORMED),
        (struct.pack("<I", 60_000) + b"\x91" * 60_000, Ending.MALFORMED),
        (struct.pack("<I", 3) + msgspec.msgpack.encode({}) + b"  ", Ending.MALFORMED),
        (b"", Ending.CRASH),
    ],
)
def test_each_break_of_the_protocol_has_its_ending(reply: bytes, ending: Ending) -> None:
    found = answer(reply)
    assert isinstance(found, Fault) and found.ending is ending


def test_what_a_bot_printed_is_in_the_note_and_harms_no_terminal() -> None:
    found = answer(b"", b"\x1b[2J here \xff\x00")
    assert isinstance(found, Fault) and "it printed: " in found.reason and "\x1b" not in found.reason
