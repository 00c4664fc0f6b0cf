"""Something outside that bots ask: a server of this machine that answers each time otherwise."""

from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from helpers.http_servers import answering


class Counter(BaseHTTPRequestHandler):
    """Answers each request with the number of requests so far."""

    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(type(self).asked).encode())


def counting_server() -> AbstractContextManager[str]:
    """The address of such a server."""
    return answering(Counter)


PYTHON = """
import urllib.request
from arena.agent import Agent


class Asking(Agent):
    asks_outside = True

    def act(self, view):
        with urllib.request.urlopen("{address}") as answer:
            return view.legal[int(answer.read()) % len(view.legal)]
"""
COMMAND = """
import json, sys, urllib.request

for line in sys.stdin:
    asked = json.loads(line)
    answer = {{"id": asked["id"], "ok": True}}
    if "legal" in asked:
        with urllib.request.urlopen("{address}") as said:
            answer = {{"id": asked["id"], "action": asked["legal"][int(said.read()) % len(asked["legal"])]}}
    print(json.dumps(answer), flush=True)
"""
TOML = 'name = "asking"\ncommand = ["python3", "asking.py"]\nasks_outside = true\n'


def asking_bot(folder: Path, address: str) -> Path:
    """A bot in Python that asks the server before each decision, and says that it does."""
    path = folder / "asking.py"
    path.write_text(PYTHON.format(address=address))
    return path


def asking_program(folder: Path, address: str) -> Path:
    """A command bot that does the same."""
    path = folder / "asking"
    path.mkdir()
    (path / "bot.toml").write_text(TOML)
    (path / "asking.py").write_text(COMMAND.format(address=address))
    return path
