"""All that `arena mcp` offers, put together: which tools are there depends on how it was started, and never changes."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from arena.mcp.author_tools import AuthorTools
from arena.mcp.catalogue import Catalogue
from arena.mcp.commands import Commands
from arena.mcp.hall import Hall
from arena.mcp.organiser_tools import OrganiserTools
from arena.mcp.pages import PATTERNS, pages, read_page
from arena.mcp.player_tools import PlayerTools
from arena.mcp.prompts import prompts
from arena.mcp.sessions import Matches
from arena.mcp.tools import Toolbox

AUTHORS_RESULTS = "leaderboards"
"""The folder in the author's folder in which comparisons are stored."""


@dataclass(frozen=True)
class Service:
    """What a server offers, and what has to be open meanwhile."""

    toolbox: Toolbox
    catalogue: Catalogue
    matches: Matches
    commands: tuple[Commands, ...]

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Open while somebody is served; afterwards no process is left."""
        async with contextlib.AsyncExitStack() as opened:
            for one in self.commands:
                await opened.enter_async_context(one)
            await opened.enter_async_context(self.matches)
            yield


def service(
    results: Path,
    name: str,
    *,
    author: Path | None = None,
    submit_to: str | None = None,
    hall: Hall | None = None,
    matches: Matches | None = None,
) -> Service:
    """What a server offers.

    `results`: the folder of all results; `name`: what its agents are called at the table; `author`: the folder of an author's
    bots, None without the author's tools; `submit_to`: see AuthorTools; `hall`: a hall elsewhere to play at, too;
    `matches`: those of tests.
    """
    matches = Matches() if matches is None else matches
    commands = [Commands(results.absolute())]
    tools = PlayerTools(results.absolute(), name, matches, commands[0], hall).tools()
    if author is not None:
        commands.append(Commands(author / AUTHORS_RESULTS, author))
        tools += AuthorTools(author, commands[1], submit_to).tools()
    tools += OrganiserTools(commands[0]).tools()
    read = partial(read_page, commands=commands[0])
    catalogue = Catalogue(pages(), PATTERNS, read, prompts(with_author=author is not None))
    return Service(Toolbox(tools), catalogue, matches, tuple(commands))
