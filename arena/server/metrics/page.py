"""The one page of the metrics' port. It asks for no token: it tells numbers alone, and listens at this machine by default."""

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from arena.server.metrics import observed
from arena.server.metrics.exposition import GAUGE, MEDIA, single, text_of
from arena.server.metrics.requests import RequestCounts

if TYPE_CHECKING:
    from arena.server.app import Server

LOG = logging.getLogger("arena.server")
PATH = "/metrics"
FRESH_SECONDS = 1.0
"""How long an answer is told again: reading a large folder must not be a way to keep the server busy."""


class MetricsPage:
    """An application of its own, in the loop of the server."""

    def __init__(self, server: "Server", counts: RequestCounts) -> None:
        self._server, self._counts, self._started = server, counts, time.time()
        self._lock = asyncio.Lock()
        self._text, self._until = "", float("-inf")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http":
            await (await self._answer(Request(scope)))(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if request.url.path != PATH:
            return Response(f"404: the metrics are at {PATH}\n", 404, media_type="text/plain")
        if request.method not in ("GET", "HEAD"):
            return Response("405: the metrics are only read\n", 405, {"allow": "GET, HEAD"}, "text/plain")
        try:
            return Response(await self._now(), headers={"content-type": MEDIA, "cache-control": "no-store"})
        except Exception:
            LOG.exception("the metrics cannot be told")
            return Response("500: a mistake of the server; the terminal is told more\n", 500, media_type="text/plain")

    async def _now(self) -> str:
        """The text of this second; whoever asks meanwhile waits for the same."""
        async with self._lock:
            if time.monotonic() >= self._until:
                began = time.perf_counter()
                found = [*observed.about(self._started), *observed.of_loop(self._server), *self._counts.families()]
                found += await run_in_threadpool(lambda: list(observed.of_folder(self._server)))
                found.append(
                    single("scrape_seconds", GAUGE, "How long these numbers took to find.", time.perf_counter() - began)
                )  # fmt: skip
                self._text, self._until = text_of(found), time.monotonic() + FRESH_SECONDS
            return self._text
