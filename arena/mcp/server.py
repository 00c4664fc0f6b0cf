"""The door to the SDK of the Model Context Protocol: tools, pages and prompts as it takes them, on stdio or HTTP.

Requests are stateless: all that a call is about stands in its arguments, and matches are known by handles.
"""

import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

import arena
from arena.errors import ArenaError
from arena.mcp.answers import bounded
from arena.mcp.catalogue import Catalogue, NoPage
from arena.mcp.foreign import WARNING
from arena.mcp.tools import NoTool, Toolbox
from arena.server.server import run as run_server

PATH = "/mcp"
"""The path under which the server answers over HTTP."""
LARGEST_REQUEST = 256 << 10
"""Bytes of a request over HTTP."""
NAME = "arena"
_INSTRUCTIONS = (
    "A hall for card games with hidden cards. To play: games, rules, new_match, then act once for each move; each answer is "
    f"the next view. {WARNING}"
)

Context = Any
"""What the SDK hands to a handler beside the request; nothing of it is needed."""


def sdk_server(toolbox: Toolbox, catalogue: Catalogue) -> Server[Any]:
    """The server of the SDK that offers these."""

    async def list_tools(context: Context, asked: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=_tools(toolbox))

    async def call_tool(context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            answer = await toolbox.call(asked.name, asked.arguments or {})
        except NoTool as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error)) from None
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)], structured_content=dict(answer.data) or None,
            is_error=answer.is_error,
        )  # fmt: skip

    async def list_resources(context: Context, asked: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        found = [types.Resource(uri=one.uri, name=one.uri, title=one.title, mime_type=one.kind) for one in catalogue.pages]
        return types.ListResourcesResult(resources=found)

    async def list_templates(context: Context, asked: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        found = [
            types.ResourceTemplate(uri_template=one.uri, name=one.uri, title=one.title, mime_type=one.kind)
            for one in catalogue.patterns
        ]
        return types.ListResourceTemplatesResult(resource_templates=found)

    async def read_resource(context: Context, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(asked.uri)
        try:
            text, kind = await catalogue.read(uri)
        except NoPage as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error), data={"uri": uri}) from None
        except ArenaError as error:
            raise MCPError(code=types.INTERNAL_ERROR, message=str(error), data={"uri": uri}) from None
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, text=text, mime_type=kind)])

    async def list_prompts(context: Context, asked: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=_prompts(catalogue))

    async def get_prompt(context: Context, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
        found = next((one for one in catalogue.prompts if one.name == asked.name), None)
        if found is None:
            known = ", ".join(one.name for one in catalogue.prompts)
            raise MCPError(code=types.INVALID_PARAMS, message=f"no prompt {asked.name[:80]!r}; there are: {known}")
        try:
            text = found.write(asked.arguments or {})
        except ArenaError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error)) from None
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=bounded(text)))
        return types.GetPromptResult(description=found.about, messages=[message])

    return Server(
        NAME, version=arena.__version__, title="arena", instructions=_INSTRUCTIONS, on_list_tools=list_tools,
        on_call_tool=call_tool, on_list_resources=list_resources, on_list_resource_templates=list_templates,
        on_read_resource=read_resource, on_list_prompts=list_prompts, on_get_prompt=get_prompt,
    )  # fmt: skip


def serve_stdio(server: Server[Any], opened: AbstractAsyncContextManager[object]) -> None:
    """Serve one client over stdin and stdout until it is gone. `opened`: is open meanwhile.

    What anything else prints goes to stderr.
    """

    async def serve() -> None:
        async with opened, stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serve)


def serve_http(server: Server[Any], opened: AbstractAsyncContextManager[object], place: socket.socket) -> None:
    """Serve any number of clients at an address of this machine until Ctrl-C. `opened`: is open meanwhile."""
    run_server(http_application(server, opened, place.getsockname()[0]), place)


def http_application(server: Server[Any], opened: AbstractAsyncContextManager[object], host: str) -> Any:
    """The Starlette application that answers over HTTP; `host`: a loopback address, whose pages of other sites are kept out."""
    app = server.streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True, max_request_body_size=LARGEST_REQUEST, host=host
    )
    inner = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        async with opened, inner(app):
            yield

    app.router.lifespan_context = lifespan
    return app


def _tools(toolbox: Toolbox) -> list[types.Tool]:
    return [
        types.Tool(
            name=one.name, description=one.about, input_schema=one.schema,
            annotations=types.ToolAnnotations(
                read_only_hint=one.is_reading, idempotent_hint=one.is_reading, destructive_hint=False,
                open_world_hint=one.is_open,
            ),
        )
        for one in toolbox.tools
    ]  # fmt: skip


def _prompts(catalogue: Catalogue) -> list[types.Prompt]:
    return [
        types.Prompt(
            name=one.name, description=one.about,
            arguments=[
                types.PromptArgument(name=arg.name, description=arg.about, required=arg.is_needed) for arg in one.arguments
            ],
        )
        for one in catalogue.prompts
    ]  # fmt: skip
