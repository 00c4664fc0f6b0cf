"""Agents at tables in this process: a line to a table that is played by a thread, and clients of the server's SDK."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio

from arena.mcp.server import sdk_server
from arena.mcp.service import Service, service
from arena.mcp.sessions import Matches
from arena.server.table_process.arranging import BotSeats, arrange
from arena.server.table_process.input_queue import Messages
from arena.server.table_process.messages import FromTable, Ready, Setup, Stop, ToTable
from arena.server.table_process.process import play_and_keep
from mcp import Client


class Ended(Exception):
    """The match is given up."""


class _Inbox(Messages):
    """What the agent says to a table in a thread."""

    def take(self, seconds: float | None) -> ToTable | None:
        """The next message. Raises Ended where there comes none."""
        message = super().take(seconds)
        if isinstance(message, Stop):
            raise Ended
        return message


class LineToThread:
    """Plays a match by the code of a table's process, without the process; stands for Line."""

    def __init__(self) -> None:
        self._inbox = _Inbox()

    async def run(self, setup: Setup, hear: Callable[[FromTable], Awaitable[None] | None]) -> int:
        """Play the match to its end, or until it is given up."""

        loop = asyncio.get_running_loop()

        def said(message: FromTable) -> None:
            with suppress(RuntimeError):  # the loop is closed: the test is over
                loop.call_soon_threadsafe(hear, message)

        def play() -> None:
            table = arrange(setup)
            said(Ready(options=table.setup.options))
            with BotSeats(table) as seats:
                try:
                    play_and_keep(table, seats, self._inbox, said, setup)
                except Ended:
                    return

        try:
            await anyio.to_thread.run_sync(play, abandon_on_cancel=True)
        finally:
            self.end()
        return 0

    def send(self, message: ToTable) -> None:
        """Tell the table something."""
        self._inbox.put(message)

    def end(self) -> None:
        """Give the match up."""
        self._inbox.put(Stop())


def in_threads(results: Path, name: str = "agent", **more: Any) -> Service:
    """What a server offers whose matches are played by threads."""
    return service(results, name, matches=Matches(LineToThread), **more)  # type: ignore[arg-type]


@asynccontextmanager
async def client_of(offered: Service) -> AsyncIterator[Client]:
    """A client in this process."""
    async with offered.opened(), Client(sdk_server(offered.toolbox, offered.catalogue)) as client:
        yield client


async def said(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool answers, which is no error."""
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content[0].text
    return found.content[0].text


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool says that does not do what it is asked for."""
    found = await client.call_tool(tool, arguments)
    assert found.is_error, found.content[0].text
    return found.content[0].text


async def begun(client: Client, **wish: Any) -> tuple[str, str]:
    """The handle of a new match, and what is answered."""
    found = await client.call_tool("new_match", wish)
    assert not found.is_error, found.content[0].text
    return found.structured_content["match"], found.content[0].text


async def legal(client: Client, match: str) -> list[str]:
    """The legal actions of the open decision."""
    lines = (await said(client, "state", match=match, part="legal")).splitlines()[1:]
    return [line.strip().partition("  (")[0] for line in lines]


async def played(client: Client, match: str, choose: Callable[[list[str]], str] = lambda actions: actions[0]) -> list[str]:
    """Play a match to its end; returns the answers."""
    answers = []
    while True:
        found = await client.call_tool("act", {"match": match, "action": choose(await legal(client, match))})
        assert not found.is_error, found.content[0].text
        answers.append(found.content[0].text)
        if found.structured_content["status"] != "your_turn":
            return answers


def run(call: Callable[[], Awaitable[Any]]) -> Any:
    """Run a coroutine function in a loop of its own."""
    return anyio.run(call)
