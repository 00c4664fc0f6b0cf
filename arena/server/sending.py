"""Answers go out in parts, and a visitor has some of them at a time: who reads slowly, or asks for all at once, waits alone."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Hashable
from dataclasses import dataclass

from starlette.types import Message, Send

from arena.server.problems import Problem

PART = 64 << 10
"""Bytes of a part of an answer: the next one waits until the client has read most of this one (deadlines.py)."""
AT_ONCE = 6
"""Requests of one visitor that are answered at a time; a browser has as many connections."""
AT_ONCE_OF_ADDRESS = 24
"""The same for all at an address who have no account: a class may come from one."""
MOST_WAITING = 200
"""Requests of one visitor that wait for that."""


@dataclass
class _Lane:
    """The requests of one visitor."""

    free: asyncio.Semaphore
    here: int = 0


class Lanes:
    """A lane for each visitor: a thousand requests of one take from others what a few of them would."""

    def __init__(self) -> None:
        self._lanes: dict[Hashable, _Lane] = {}

    @contextlib.asynccontextmanager
    async def entered(self, visitor: Hashable, most: int) -> AsyncIterator[None]:
        """Wait for the visitor's turn, and hold it. Raises Problem 429 if too many of them wait already."""
        lane = self._lanes.setdefault(visitor, _Lane(asyncio.Semaphore(most)))
        if lane.here >= most + MOST_WAITING:
            raise Problem(429, "refusal_too_many")
        lane.here += 1
        try:
            async with lane.free:
                yield
        finally:
            lane.here -= 1
            if not lane.here:
                self._lanes.pop(visitor, None)


def in_parts(send: Send) -> Send:
    """Sends each body in parts: the server waits with the next part until there is room, and holds no more than that."""

    async def sender(message: Message) -> None:
        body = memoryview(message.get("body", b"")) if message["type"] == "http.response.body" else memoryview(b"")
        while len(body) > PART:
            await send({"type": "http.response.body", "body": bytes(body[:PART]), "more_body": True})
            body = body[PART:]
        await send(message if not body else {**message, "body": bytes(body)})

    return sender
