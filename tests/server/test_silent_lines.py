"""A line that swallows everything, and ends no connection: each side notices, and `arena join` comes again."""

import contextlib
import threading
from collections.abc import Iterator
from queue import Queue
from typing import Any

import msgspec
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket
from websockets.sync.client import connect
from websockets.sync.server import ServerConnection, serve

from arena.agent import BotFiles
from arena.server.joining import client
from arena.server.joining.address import ServerAddress
from arena.server.joining.client import Joining
from arena.server.remote.messages import Join, Joined
from arena.server.server import configured, listener
from helpers.line import Line

SOON = 0.05  # seconds
PATIENCE = 60.0


@pytest.fixture
def line() -> Iterator[Line]:
    line = Line()
    yield line
    line.close()


def test_the_server_ends_a_socket_that_answers_nothing(line: Line) -> None:
    ended: Queue[dict[str, Any]] = Queue()

    async def endpoint(websocket: WebSocket) -> None:
        await websocket.accept()
        ended.put(dict(await websocket.receive()))

    config = configured(Starlette(routes=[WebSocketRoute("/", endpoint)]))
    assert config.ws_ping_interval is not None and config.ws_ping_timeout is not None
    assert config.ws_ping_interval + config.ws_ping_timeout <= 60
    config.ws_ping_interval = config.ws_ping_timeout = SOON
    server = uvicorn.Server(config)
    with listener("127.0.0.1", 0) as place:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
        thread.start()
        line.target = place.getsockname()[1]
        try:
            with connect(f"ws://127.0.0.1:{line.port}/", ping_interval=None, close_timeout=SOON) as guest:
                assert guest.ping().wait(PATIENCE) and ended.empty()
                line.swallow()
                assert ended.get(timeout=PATIENCE)["type"] == "websocket.disconnect"
        finally:
            server.should_exit = True
            thread.join()


def test_a_bot_that_hears_nothing_comes_again(
    line: Line, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(client, "ASKS_AFTER", SOON)
    monkeypatch.setattr(client, "FIRST_WAIT", SOON)
    said: Queue[str] = Queue()
    keys: list[str] = []

    def server(guest: ServerConnection) -> None:
        keys.append(msgspec.json.decode(guest.recv(), type=Join).key)
        guest.send(msgspec.json.encode(Joined(name="Aya/bot", key="the key", playing=False)).decode())
        with contextlib.suppress(Exception):
            guest.recv()

    bot = BotFiles("bot.py", {"bot.py": b""})
    joining = Joining(ServerAddress(f"http://127.0.0.1:{line.port}", "token"), bot, "bot", ["naga"], False, said.put)
    with serve(server, "127.0.0.1", 0, ping_interval=None, close_timeout=SOON) as server:
        line.target = server.socket.getsockname()[1]
        threads = [threading.Thread(target=target) for target in (server.serve_forever, joining.play)]
        for thread in threads:
            thread.start()
        try:
            assert said.get(timeout=PATIENCE).startswith("Aya/bot is here")
            line.swallow()
            assert said.get(timeout=PATIENCE) == "the connection is lost: the server does not answer; trying again"
            assert said.get(timeout=PATIENCE) == "connected again" and keys == ["", "the key"]
            assert not caplog.records, "what the library logs would stand in the terminal, with a traceback"
        finally:
            joining.leave()
            threads[1].join()
            server.shutdown()
            threads[0].join()
