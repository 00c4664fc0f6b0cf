"""A language model's server that answers as it is told: an OpenAI-compatible `/chat/completions` of this machine.

By hand: `PYTHONPATH=tests .venv/bin/python -m helpers.stub_model 8731` answers every question with a random one of the legal
actions that it lists; configs/llm.yaml asks it.
"""

import json
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from helpers.http_servers import answering

Said = str | dict[str, Any]
"""A text to answer with, or what else the server does: `status`, `headers`, `body`, `finish_reason`, `cut`, `sleep`, ...

`raw`: all bytes that it sends, head included, part by part; then it hangs up.
"""


class StubModel:
    """What the server answers, and what it was asked."""

    def __init__(self, answer: Callable[[dict[str, Any]], Said]) -> None:
        self.answer = answer
        self.asked: list[dict[str, Any]] = []
        """The bodies of all requests."""
        self.headers: list[dict[str, str]] = []
        self.address = ""
        self.stopping = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    stub: StubModel
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.stub.asked.append(body)
        self.stub.headers.append(dict(self.headers))
        said = self.stub.answer(body)
        found: dict[str, Any] = {"text": said} if isinstance(said, str) else said
        if found.get("sleep"):
            self.stub.stopping.wait(found["sleep"])
        if "raw" in found:
            self.close_connection = True
            for part in found["raw"]:
                self.wfile.write(part)
        elif "status" in found:
            self._send(found["status"], found.get("body", "no"), {"Content-Type": "text/plain", **found.get("headers", {})})
        elif found.get("hang_up"):
            self.close_connection = True
        elif body.get("stream") and not found.get("plain"):
            self._stream(body, found)
        else:
            usage = found.get("usage", usage_of(body, found["text"]))
            choice = {
                "message": {"role": "assistant", "content": found["text"]},
                "finish_reason": found.get("finish_reason", "stop"),
            }
            self._send(
                200, json.dumps({"model": "stub-1", "choices": [choice], "usage": usage}), {"Content-Type": "application/json"}
            )

    def _send(self, status: int, text: str, headers: dict[str, str]) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, body: dict[str, Any], found: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        text = found["text"]
        for part in [text[at : at + 20] for at in range(0, len(text), 20)]:
            self._event({"model": "stub-1", "choices": [{"delta": {"content": part}}]})
            if found.get("dawdle") and self.stub.stopping.wait(found["dawdle"]):
                return
        if found.get("cut"):
            return
        self._event({"model": "stub-1", "choices": [{"delta": {}, "finish_reason": found.get("finish_reason", "stop")}]})
        self._event({"model": "stub-1", "choices": [], "usage": usage_of(body, text)})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, event: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        self.wfile.flush()


def usage_of(body: dict[str, Any], text: str) -> dict[str, Any]:
    """Tokens, as four letters each; the head counts as kept."""
    sizes = [len(message["content"]) // 4 for message in body["messages"]]
    return {
        "prompt_tokens": sum(sizes), "completion_tokens": len(text) // 4 + 10,
        "prompt_tokens_details": {"cached_tokens": sizes[0]}, "completion_tokens_details": {"reasoning_tokens": 10},
    }  # fmt: skip


@contextmanager
def serving(answer: Callable[[dict[str, Any]], Said], port: int = 0) -> Iterator[StubModel]:
    """A server that answers so."""
    stub = StubModel(answer)
    with answering(type("Handler", (_Handler,), {"stub": stub}), port) as address:
        stub.address = f"{address}/v1"
        try:
            yield stub
        finally:
            stub.stopping.set()


def action(text: str) -> str:
    """An answer that names an action."""
    return f'I think about it.\n{{"action": "{text}"}}'


def listed(body: dict[str, Any]) -> list[str]:
    """The legal actions that the last message of a prompt lists."""
    parts = body["messages"][-1]["content"].split("\n\n")
    found = [part.split("\n")[1:] for part in parts if part.startswith(("The legal actions:", "合法手:"))]
    return found[-1] if found else []


def at_random(body: dict[str, Any]) -> Said:
    """A listed action, chosen by what was asked; without a list nonsense, so that it is asked again."""
    legal = listed(body)
    rng = random.Random(body["messages"][-1]["content"])
    return action(rng.choice(legal)) if legal else action("something")


def model_folder(folder: Path, address: str, name: str = "model", **settings: Any) -> Path:
    """The folder of a bot that asks the server."""
    found = {"base_url": address, "model": "stub", **settings}
    lines = [f"{key} = {json.dumps(value)}" for key, value in found.items()]
    path = folder / name
    path.mkdir(parents=True, exist_ok=True)
    (path / "bot.toml").write_text(f'name = "{name}"\n\n[llm]\n' + "\n".join(lines) + "\n")
    return path


if __name__ == "__main__":
    with serving(at_random, int(sys.argv[1]) if len(sys.argv) > 1 else 8731) as running:
        print(f"answering at {running.address}; Ctrl-C ends it", flush=True)
        while True:
            time.sleep(3600)
