"""The tools of who holds tournaments: the boards, and why a match ended as it did."""

from dataclasses import dataclass
from typing import Annotated

import msgspec

from arena.mcp.answers import Answer
from arena.mcp.arguments import StoredMatch
from arena.mcp.commands import Commands
from arena.mcp.foreign import marked
from arena.mcp.tools import Tool, one_tool
from arena.names import FolderName


class Boards(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `boards`."""

    tournament: Annotated[
        FolderName | None,
        msgspec.Meta(description="Name of a tournament; archive: all. Default: which ones there are."),
    ] = None
    pool: Annotated[
        Annotated[str, msgspec.Meta(pattern=r"\A[a-z0-9_][a-z0-9_/-]{0,79}\Z")] | None,
        msgspec.Meta(description="Only this game or rating pool."),
    ] = None


class Why(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `why`."""

    match: StoredMatch


@dataclass(frozen=True)
class OrganiserTools:
    """The tools of an organiser."""

    commands: Commands

    def tools(self) -> list[Tool]:
        """The tools, in the order in which they are listed."""
        return [
            one_tool(self.boards, "The leaderboard of a tournament, or how far all tournaments are.", Boards),
            one_tool(self.why, "Why a match ended so: decision by decision what the cards did, and what the players.", Why),
        ]

    async def boards(self, asked: Boards) -> Answer:
        """Show a board."""
        if asked.tournament is None:
            return await self._shown("status", "--format", "md")
        pool = () if asked.pool is None else ("--game", asked.pool)
        return await self._shown("leaderboard", asked.tournament, *pool, "--format", "md")

    async def why(self, asked: Why) -> Answer:
        """Explain a match."""
        return await self._shown("replay", asked.match, "--luck")

    async def _shown(self, *words: str) -> Answer:
        return Answer(marked(await self.commands.text(*words)))
