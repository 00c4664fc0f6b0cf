"""How many requests came, by route, and how long they took. Lives in the event loop.

A route is an address as the server knows it, with its named parts in braces: what stands for them, such as a bot, is not
counted apart. What the gate refuses, and what no route fits, has the route `none`. So there are only so many numbers, whoever
asks for what.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.server.metrics.exposition import COUNTER, GAUGE, HISTOGRAM, Family, Sample, family, single

BUCKETS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0)
"""Upper ends of the histogram's buckets; seconds. Pages that are kept take some milliseconds, a replay that is made seconds."""
NO_ROUTE = "none"
METHODS = ("GET", "HEAD", "POST", "PUT")
_OTHER = "other"


class RequestCounts:
    """All requests since the server was opened."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._paths: dict[object, str] = {}
        self._counts: Counter[tuple[str, str, int]] = Counter()
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._running = self._sockets = 0

    def know(self, routes: Iterable[BaseRoute]) -> None:
        """Take note of all routes."""
        self._paths = {route.endpoint: route.path for route in routes if isinstance(route, Route | WebSocketRoute)}

    def families(self) -> Iterator[Family]:
        """All numbers."""
        yield family(
            "http_requests_total", COUNTER, "Requests that were answered, by method, route and status.",
            (
                Sample(count, {"method": method, "route": route, "status": str(status)})
                for (method, route, status), count in sorted(self._counts.items())
            ),
        )  # fmt: skip
        yield family(
            "http_request_duration_seconds", HISTOGRAM, "Time from a request to the end of its answer, by route.",
            (sample for route in sorted(self._buckets) for sample in self._histogram(route)),
        )  # fmt: skip
        yield single("http_requests_running", GAUGE, "Requests that are being answered.", self._running)
        yield single("sockets_open", GAUGE, "Open WebSockets.", self._sockets)

    def _histogram(self, route: str) -> Iterator[Sample]:
        total = 0
        for end, count in zip((*BUCKETS, float("inf")), self._buckets[route]):
            total += count
            yield Sample(total, {"route": route, "le": "+Inf" if end == float("inf") else f"{end:g}"}, "_bucket")
        yield Sample(self._seconds[route], {"route": route}, "_sum")
        yield Sample(total, {"route": route}, "_count")

    async def count(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, and count it at its end."""
        if scope["type"] == "websocket":
            self._sockets += 1
            try:
                await app(scope, receive, send)
            finally:
                self._sockets -= 1
            return
        status, began = 500, self._clock()  # what ends without an answer is answered so outside

        async def sender(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._running += 1
        try:
            await app(scope, receive, sender)
        finally:
            self._running -= 1
            self._note(scope, status, self._clock() - began)

    def _note(self, scope: Mapping[str, object], status: int, seconds: float) -> None:
        route = self._paths.get(scope.get("endpoint"), NO_ROUTE)
        method = str(scope["method"])
        self._counts[method if method in METHODS else _OTHER, route, status] += 1
        self._buckets[route][sum(seconds > end for end in BUCKETS)] += 1
        self._seconds[route] += seconds


class Counted:
    """Around the application: counts what comes."""

    def __init__(self, app: ASGIApp, counts: RequestCounts) -> None:
        self._app, self._counts = app, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what comes."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:
            await self._counts.count(self._app, scope, receive, send)
