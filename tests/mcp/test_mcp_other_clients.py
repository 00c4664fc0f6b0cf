"""`arena mcp` and clients that others wrote: the conformance suite of the protocol, its inspector, and the SDK for TypeScript.

They are packages of npm, and are looked for in the folder that ARENA_NODE_MODULES names:
    npm install @modelcontextprotocol/conformance @modelcontextprotocol/inspector-cli @modelcontextprotocol/sdk node@22
The suite needs Node 22, which the package `node` has.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from helpers.paths import TESTS

pytestmark = pytest.mark.slow
MODULES = Path(os.environ.get("ARENA_NODE_MODULES", "node_modules")).absolute()
NODE = str(MODULES / "node" / "bin" / "node") if (MODULES / "node" / "bin" / "node").exists() else shutil.which("node")
OFFERED = {
    "server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-error", "resources-list",
    "resources-read-text", "resources-templates-read", "prompts-list", "prompts-get-simple", "prompts-get-with-args",
    "dns-rebinding-protection", "server-sse-multiple-streams",
}  # fmt: skip
"""The scenarios of the suite that are about what we offer; the others want pictures, sampling, subscriptions and the like."""
TYPESCRIPT = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
const client = new Client({ name: "ts", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
const call = (name, args) => client.callTool({ name, arguments: args });
let answer = await call("new_match", { game: "naga", seed: 7, opponents: ["beginner"] });
const match = answer.structuredContent.match;
const wrong = await call("act", { match, action: "no such action" });
if (!wrong.isError) throw new Error("an illegal action was played");
while (answer.structuredContent.status === "your_turn") {
  const legal = (await call("state", { match, part: "legal" })).content[0].text.split("\\n")[1].trim().split("  (")[0];
  answer = await call("act", { match, action: legal });
}
console.log((await call("result", { match })).content[0].text);
await client.close();
"""


def package(name: str) -> Path:
    """The folder of a package of npm. Skips the test where it is not there."""
    folder = MODULES / "@modelcontextprotocol" / name
    if NODE is None or not folder.is_dir():
        pytest.skip(f"no {folder}")
    return folder


@contextmanager
def served(*command: str) -> Iterator[str]:
    """A server that prints its address, on either stream."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=TESTS
    )
    assert process.stdout is not None
    try:
        yield next(found[0] for line in process.stdout if (found := re.search(r"http://\S+", line)))
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def node(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """What a program of Node printed."""
    assert NODE is not None
    return subprocess.run([NODE, *words], cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


def test_the_conformance_suite_passes_in_all_that_is_offered(tmp_path: Path) -> None:
    suite = package("conformance")
    with served("helpers.conformance_server") as address:
        done = node(str(suite / "dist" / "index.js"), "server", "--url", address, cwd=tmp_path)
    if "does not provide an export" in done.stderr:
        pytest.skip("the suite needs a newer Node")
    summary = dict(re.findall(r"^[✓✗] ([\w-]+): \d+ passed, (\d+) failed", done.stdout, re.MULTILINE))
    assert summary.keys() >= OFFERED, done.stdout + done.stderr
    assert {name for name, failed in summary.items() if failed == "0"} == OFFERED


def test_the_suite_finds_the_real_server_as_it_should_be(tmp_path: Path) -> None:
    suite = package("conformance")
    with served("arena", "mcp", "--http", "127.0.0.1:0", "--out", str(tmp_path)) as address:
        for scenario in ("server-initialize", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"):
            done = node(str(suite / "dist" / "index.js"), "server", "--url", address, "--scenario", scenario, cwd=tmp_path)
            if "does not provide an export" in done.stderr:
                pytest.skip("the suite needs a newer Node")
            assert done.returncode == 0, done.stdout + done.stderr


def test_the_inspector_lists_tools_and_calls_one(tmp_path: Path) -> None:
    build = package("inspector-cli") / "build"  # its working folder: it looks for its own package.json from there
    with served("arena", "mcp", "--http", "127.0.0.1:0", "--out", str(tmp_path)) as address:
        common = ("cli.js", "--cli", address, "--transport", "http", "--method")
        listed = json.loads(node(*common, "tools/list", cwd=build).stdout)
        words = ("--tool-name", "rules", "--tool-arg", "game=naga", "--tool-arg", "section=2.2")
        called = json.loads(node(*common, "tools/call", *words, cwd=build).stdout)
    assert [one["name"] for one in listed["tools"]][:4] == ["games", "rules", "new_match", "act"]
    assert called["content"][0]["text"].startswith("## 2.2 ")


def test_the_typescript_sdk_plays_a_match(tmp_path: Path) -> None:
    package("sdk")
    program = MODULES.parent / f"arena-{os.getpid()}.mjs"  # modules are looked for from where the program lies
    program.write_text(TYPESCRIPT)
    try:
        with served("arena", "mcp", "--http", "127.0.0.1:0", "--out", str(tmp_path)) as address:
            done = node(str(program), address, cwd=tmp_path)
    finally:
        program.unlink()
    assert "stored as match" in done.stdout, done.stderr
