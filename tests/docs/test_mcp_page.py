"""docs/mcp.md names every tool with its arguments, and the limits as they are."""

import re
from pathlib import Path

from arena.mcp import answers, commands, opening, server, sessions
from arena.mcp.hall import Hall
from arena.mcp.service import service
from arena.server.joining.address import ServerAddress
from helpers.paths import DOCS

TEXT = (DOCS / "mcp.md").read_text("utf-8")


def test_every_tool_stands_there_with_its_arguments(tmp_path: Path) -> None:
    offered = service(
        tmp_path, "agent", author=tmp_path, submit_to="http://x", hall=Hall(ServerAddress("http://x", "t"), "agent")
    )
    named = {name: arguments.split(", ") if arguments else [] for name, arguments in re.findall(r"`(\w+)\(([\w, ]*)\)`", TEXT)}
    for tool in offered.toolbox.tools:
        takes = list(tool.schema["properties"])
        assert named.get(tool.name, []) == takes or (not takes and f"`{tool.name}`" in TEXT), f"{tool.name}: {takes}"
    assert named.keys() <= {tool.name for tool in offered.toolbox.tools}


def test_the_limits_are_those_of_the_code() -> None:
    rows = dict(re.findall(r"^\| ([^|`]+) \| ([^|]+) \|$", TEXT.partition("## Limits")[2], re.MULTILINE))
    assert rows["matches at the same time"].startswith(f"{sessions.MOST_RUNNING},")
    assert f"{sessions.IDLE_SECONDS / 60:g} minutes" in rows["idle time"]
    assert rows["an answer"] == f"{answers.MOST_BYTES >> 10} KB; replays have pages of {answers.PAGE_BYTES >> 10} KB"
    assert rows["a request over HTTP"] == f"{server.LARGEST_REQUEST >> 10} KB"
    assert rows["commands at the same time"].startswith(f"{commands.MOST_RUNNING}; {commands.MOST_KEPT} that wait")
    assert f"waits up to {sessions.PATIENCE:g} s" in TEXT and f'pace="{opening.STOPPED}"' in TEXT
