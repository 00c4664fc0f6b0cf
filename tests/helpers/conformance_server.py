"""`python -m helpers.conformance_server`: our door to the SDK with what the conformance suite of the protocol calls.

The suite is npm's `@modelcontextprotocol/conformance`. It prints its address, and serves until it is stopped.
"""

import contextlib

import msgspec

from arena.mcp.answers import Answer, Refused
from arena.mcp.catalogue import PLAIN, Argument, Catalogue, NoPage, Page, Prompt
from arena.mcp.player_tools import NoArguments
from arena.mcp.server import PATH, sdk_server, serve_http
from arena.mcp.tools import Tool, Toolbox
from arena.server.server import listener


async def simple(asked: msgspec.Struct) -> Answer:
    return Answer("This is a simple text response for testing.")


async def failing(asked: msgspec.Struct) -> Answer:
    raise Refused("This tool intentionally returns an error for testing")


async def read(uri: str) -> tuple[str, str]:
    if uri == "test://static-text":
        return "This is the content of the static text resource.", PLAIN
    if uri.startswith("test://template/"):
        return f"the data of {uri.split('/')[3]}", PLAIN
    raise NoPage(uri)


def main() -> None:
    tools = [
        Tool("test_simple_text", "Text.", NoArguments, simple), Tool("test_error_handling", "An error.", NoArguments, failing),
    ]  # fmt: skip
    prompts = [
        Prompt("test_simple_prompt", "A prompt.", (), lambda given: "This is a simple prompt for testing."),
        Prompt(
            "test_prompt_with_arguments", "Arguments.", [Argument(name, "", is_needed=True) for name in ("arg1", "arg2")],
            lambda given: f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'",
        ),
    ]  # fmt: skip
    patterns = [Page("test://template/{id}/data", "A template", PLAIN)]
    catalogue = Catalogue([Page("test://static-text", "A text", PLAIN)], patterns, read, prompts)
    with listener("127.0.0.1", 0) as place:
        print(f"http://127.0.0.1:{place.getsockname()[1]}{PATH}", flush=True)
        serve_http(sdk_server(Toolbox(tools), catalogue), contextlib.nullcontext(), place)


if __name__ == "__main__":
    main()
