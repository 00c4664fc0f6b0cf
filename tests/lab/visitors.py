"""Many visitors of a server in one process: sockets that only note when which message came."""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Sequence

from websockets.asyncio.client import ClientConnection, connect

_DONE = re.compile(rb'"done":(\d+)')
_AT_ONCE = 50  # sockets that are opened together
_OPEN_SECONDS = 60.0

Note = tuple[float, int]
"""When a message came (monotonic), and how many matches were done by it."""


class Visitor:
    """A tab that watches one board."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self.bytes = 0
        """Bytes of the messages that came."""
        self.opened = asyncio.Event()
        """Set by the first message."""

    async def watch(self, socket: ClientConnection) -> None:
        """Note what comes until the socket is closed."""
        while True:
            message = await socket.recv(decode=False)
            self.bytes += len(message)
            if found := _DONE.search(message):
                self.notes.append((time.monotonic(), int(found[1])))
            self.opened.set()


@contextlib.asynccontextmanager
async def visit(port: int, cookies: Sequence[str], channel: str, count: int) -> AsyncIterator[list[Visitor]]:
    """So many open sockets, spread over the sessions of these cookies; each has its first message."""
    visitors = [Visitor() for _ in range(count)]
    async with contextlib.AsyncExitStack() as opened:
        watching: list[asyncio.Task[None]] = []
        opened.callback(lambda: [task.cancel() for task in watching])
        for first in range(0, count, _AT_ONCE):
            batch = range(first, min(count, first + _AT_ONCE))
            sockets = [_connection(port, cookies[number % len(cookies)]) for number in batch]
            for number, socket in zip(batch, await asyncio.gather(*map(opened.enter_async_context, sockets))):
                await socket.send(f'{{"watch":"{channel}"}}')
                watching.append(asyncio.create_task(visitors[number].watch(socket)))
            await asyncio.wait_for(asyncio.gather(*(visitors[number].opened.wait() for number in batch)), _OPEN_SECONDS)
        yield visitors


def _connection(port: int, cookie: str) -> connect:
    place = f"127.0.0.1:{port}"
    return connect(
        f"ws://{place}/live", origin=f"http://{place}", additional_headers={"Cookie": cookie}, compression=None,
        ping_interval=None, close_timeout=1.0, proxy=None,
    )  # fmt: skip
