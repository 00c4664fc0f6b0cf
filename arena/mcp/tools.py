"""A tool: a name, what it is for, its arguments as a Struct, and a function. What the server offers is a list of them."""

import sys
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from arena.errors import ArenaError, nearest, visible
from arena.mcp.answers import Answer, bounded
from arena.names import in_words


@dataclass(frozen=True)
class Tool:
    """One tool."""

    name: str
    about: str
    """For the model: what it does, when to use it."""
    arguments: type[msgspec.Struct]
    call: Callable[[Any], Awaitable[Answer]]
    is_reading: bool = True
    """Whether it changes nothing."""
    is_open: bool = False
    """Whether it reaches other machines."""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        (_,), components = msgspec.json.schema_components((self.arguments,), ref_template="#/$defs/{name}")
        own: dict[str, Any] = components.pop(self.arguments.__name__)
        own.pop("title", None)
        own.pop("description", None)
        own.setdefault("properties", {})
        return own | ({"$defs": components} if components else {})


class NoTool(Exception):
    """Raised for the name of no tool. Its text names those that there are."""


class Toolbox:
    """The fixed list of tools of a server."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self.tools = tuple(tools)
        self._known = {one.name: one for one in tools}

    async def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Call a tool. What is wrong with the arguments, and what cannot be done, is an answer; NoTool for an unknown name."""
        tool = self._known.get(name)
        if tool is None:
            raise NoTool(f"no tool {name[:80]!r}; {nearest(name, self._known)}")
        try:
            asked = msgspec.convert(arguments, tool.arguments, strict=False)
        except (msgspec.ValidationError, RecursionError) as error:
            return Answer(argument_error(error), is_error=True)
        try:
            answer = await tool.call(asked)
        except ArenaError as error:
            return Answer(bounded(visible(str(error))), is_error=True)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            return Answer(f"a bug of arena: {type(error).__name__}; its log says more", is_error=True)
        return Answer(bounded(answer.text), answer.data, answer.is_error)


def argument_error(error: Exception) -> str:
    r"""What is wrong with the arguments of a call, in one line: the argument first.

    >>> argument_error(msgspec.ValidationError("Expected `int`, got `str` - at `$.seat`"))
    'seat: Expected `int`, got `str`'
    """
    text, _, place = in_words(error).partition(" - at `$")
    where = place.rstrip("`").lstrip(".")
    return f"{where}: {text}" if where else text


def one_tool(call: Callable[[Any], Awaitable[Answer]], about: str, arguments: type[msgspec.Struct], **more: bool) -> Tool:
    """A tool that is called as its function is. `about`: for the model."""
    return Tool(call.__name__, about, arguments, call, **more)
