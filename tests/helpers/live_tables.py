"""A server with live tables whose processes play no game, and persons who sit at them, without a network."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient, WebSocketTestSession

from arena.server.app import application
from arena.server.tables.table import Table
from arena.server.tables.tables import Tables
from helpers.server import HOST, TOKEN

COMMAND = (sys.executable, "-I", "-S", str(Path(__file__).with_name("table_process.py")))


@dataclass
class Timer:
    """Something that happens at a time."""

    at: float
    call: Callable[[], None]
    is_on: bool = True

    def cancel(self) -> None:
        self.is_on = False


@dataclass
class Clock:
    """Time that goes on when a test says so."""

    now: float = 0.0
    timers: list[Timer] = field(default_factory=list)

    def later(self, seconds: float, call: Callable[[], None]) -> Timer:
        self.timers.append(Timer(self.now + seconds, call))
        return self.timers[-1]

    def advance(self, seconds: float) -> None:
        """Let time go on; whatever is due happens in its order."""
        end = self.now + seconds
        while due := [timer for timer in self.timers if timer.is_on and timer.at <= end]:
            first = min(due, key=lambda timer: timer.at)
            first.is_on, self.now = False, first.at
            first.call()
        self.now = end


class Visitor:
    """A browser of one person."""

    def __init__(self, sitting: "Sitting", *, has_token: bool) -> None:
        self._sitting = sitting
        self.client = TestClient(sitting.app, base_url=HOST, raise_server_exceptions=False, follow_redirects=False)
        self.client.portal = sitting.client.portal  # all share the loop in which the tables live
        if has_token:
            self.client.post("/login", data={"token": TOKEN})

    def open(self, game: str = "naga", **fields: Any) -> Table:
        """Open a table by the form, on seat 0."""
        answer = self.client.post(f"/play/{game}", data={"seat": "0", "opponent": "level:club", **fields})
        assert answer.status_code == 303, answer.text
        return self._sitting.table(answer.headers["location"])

    def join(self, table: Table, name: str = "") -> Any:
        return self.client.post(f"/join/{table.code}", data={"name": name})

    @contextmanager
    def at(self, table: Table | str, **headers: str) -> Iterator[WebSocketTestSession]:
        """A tab at a table."""
        name = table if isinstance(table, str) else table.id
        address = f"{HOST.replace('http', 'ws')}/tables/{name}/socket"
        with self.client.websocket_connect(address, headers={"origin": HOST, **headers}) as tab:
            yield tab


@dataclass
class Sitting:
    """The server, its clock, and its tables."""

    client: TestClient
    app: Any
    clock: Clock
    tables: Tables

    def person(self, *, has_token: bool = True) -> Visitor:
        return Visitor(self, has_token=has_token)

    def table(self, path: str) -> Table:
        """The table of a page's address."""
        found = re.fullmatch(r"/tables/([\w-]+)", path)
        assert found is not None, path
        return self.tables._tables[found[1]]

    def pass_time(self, seconds: float) -> None:
        """Let time go on, in the loop of the tables."""
        assert self.client.portal is not None
        self.client.portal.call(self.clock.advance, seconds)


@contextmanager
def sitting(out: Path, *, cores: int = 8) -> Iterator[Sitting]:
    """A server at whose tables people can sit."""
    clock = Clock()
    tables = Tables(cores=cores, later=clock.later, command=COMMAND)
    app = application(out, token=TOKEN, tables=tables)
    with TestClient(app, base_url=HOST, raise_server_exceptions=False, follow_redirects=False) as client:
        yield Sitting(client, app, clock, tables)


def until(tab: WebSocketTestSession, kind: str, **fields: Any) -> dict[str, Any]:
    """The next message of a kind in which some fields are as given; others are passed over."""
    while True:
        message: dict[str, Any] = tab.receive_json()
        if message["kind"] == kind and all(message.get(name) == value for name, value in fields.items()):
            return message
