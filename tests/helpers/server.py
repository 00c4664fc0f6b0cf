"""The server as a browser or a program asks it, without a network."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from starlette.testclient import TestClient, WebSocketTestSession

from arena.ratings.settings import RatingSettings
from arena.records import MatchRecord
from arena.results.journal import Journal, packed
from arena.results.lock import LOCK_FILE
from arena.results.manifest import write_manifest
from arena.results.status import Pace, Score
from arena.server.app import application
from arena.server.guard import Rules
from helpers.results import make_manifest

TOKEN = "the-token"
HOST = "http://127.0.0.1:8000"


@contextmanager
def server(out: Path, *, logged_in: bool = True, rules: Rules | None = None) -> Iterator[TestClient]:
    """A client of the server of these results; with the token, unless it is still to log in."""
    headers = {"authorization": f"Bearer {TOKEN}"} if logged_in else {}
    app = application(out, token=TOKEN, rules=rules)
    with TestClient(app, base_url=HOST, headers=headers, raise_server_exceptions=False, follow_redirects=False) as client:
        yield client


def live(client: TestClient, **changes: str) -> WebSocketTestSession:
    """A socket of the server."""
    return client.websocket_connect(HOST.replace("http", "ws") + "/live", headers=changes)


class Played:
    """A tournament that this test plays, match by match: the journal, the manifest and the lock of a run that goes on."""

    def __init__(self, out: Path, name: str = "cup", total: int = 100, **changes: Any) -> None:
        self.folder = out / name
        self.folder.mkdir(parents=True)
        bots = [
            {"name": bot, "version": 1, "sha256": "0" * 64, "params": "{}", "games": ("naga",), "trusted": True}
            for bot in ("alice", "bob")
        ]
        entries = [{"game": "naga", "pool": "naga", "options": {}, "deals": 50}]
        config = {"entries": entries, "ratings": msgspec.to_builtins(RatingSettings())}
        manifest = make_manifest(name=name, finished=False, matches=total, played=0, config=config, void=0, endings={})
        self.manifest = msgspec.structs.replace(manifest, bots=msgspec.convert(bots, type(manifest).__annotations__["bots"]))
        write_manifest(self.folder, self.manifest)
        self.journal = Journal(self.folder)
        self._total, self._score = total, Score()
        self._lock = (self.folder / LOCK_FILE).open("a+")
        self._lock.write(str(os.getpid()))
        self._lock.flush()
        self.store()

    def store(self, *records: MatchRecord) -> None:
        """Store matches as a run does, in one transaction with its notes."""
        finished = packed(records)
        self._score = self._score.plus(finished.endings)
        pace = Pace(total=self._total, played=self._score.done, seconds=1.0 + self._score.done / 10)
        self.journal.add(finished.rows, {**self._score.values(), **pace.values()})

    def end(self) -> None:
        """Let go of the folder."""
        self.journal.close()
        self._lock.truncate(0)
        self._lock.close()
