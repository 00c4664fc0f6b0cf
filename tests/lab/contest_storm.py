"""`arena serve --contest` as anybody starts it, and random kills of it, of its ladder, its checker and its tables.

Only the server that was started here is killed, and processes below it (lineage.py).
"""

import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from arena.errors import ArenaError
from lab.lineage import Lineage

SERVER, LADDER, CHECKER, TABLE = "archive", "ladder", "checker", "table"
KINDS = (SERVER,) * 2 + (LADDER,) * 3 + (CHECKER,) * 7 + (TABLE,) * 8  # as often as they stand here
PUBLIC = "https://arena.example.org"
"""What the server is told of its proxy: the authors are then told apart by the addresses that they forward."""
PAUSE = (0.2, 2.0)
"""Seconds between two kills, and after the server has come back."""
SPARED_SECONDS = 240.0
"""How long server and ladder are spared at most when no match is stored: on a busy machine a niced ladder begins late."""
START_SECONDS = 60.0
END_SECONDS = 60.0
LEFT_SECONDS = 15.0
"""No process may be left after that long."""
_POLL = 0.05
_PATIENCE = 3.0  # seconds to wait for a process of the chosen kind; then another one is chosen
_WORDS = {
    LADDER: re.compile(r".* -m arena\.contest\.ladder"),
    CHECKER: re.compile(r".* -m arena\.contest\.checker"),
    TABLE: re.compile(r".* -m arena\.live\b"),
}
"""How the command lines of the server's children begin."""


class Served:
    """The server of a contest, in a process group of its own."""

    def __init__(self, out: Path, contest: Path, port: int, workers: int) -> None:
        words = ["serve", out, "--contest", contest, "--port", port, "--workers", workers, "--behind-proxy", PUBLIC]
        self._command = [sys.executable, "-P", "-m", "arena", *map(str, words), "--no-browser"]
        self._errors = (out / "serve.log").open("ab")
        self._process: subprocess.Popen[str] | None = None
        self._lineage = Lineage()
        self.start()

    def start(self) -> None:
        """Start it. Raises ArenaError if it does not come up."""
        began = time.monotonic()
        while True:
            process = subprocess.Popen(
                self._command, stdout=subprocess.PIPE, stderr=self._errors, text=True, start_new_session=True
            )
            assert process.stdout is not None
            if process.stdout.readline():
                self._process = process
                return
            code = process.wait()
            if time.monotonic() - began > START_SECONDS:
                raise ArenaError(f"the server does not come up: exit code {code}; see {self._errors.name}")

    def look(self) -> None:
        """Take note of the processes that there are."""
        assert self._process is not None
        self._lineage.look(self._process.pid)

    def kill(self, kind: str, stream: random.Random) -> bool:
        """Kill a process of this kind; False: there is none."""
        assert self._process is not None
        self.look()
        if kind == SERVER:
            self._process.kill()
            self._process.communicate()
            return True
        found = self._lineage.named(self._process.pid, _WORDS[kind])
        return bool(found) and self._lineage.kill(stream.choice(found))

    def end(self) -> tuple[int, float]:
        """End it as Ctrl-C does: its exit code, and how many seconds that took. Raises ArenaError if it does not end."""
        assert self._process is not None
        self.look()
        began = time.monotonic()
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.communicate(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise ArenaError(f"the server has not ended {END_SECONDS:.0f} s after Ctrl-C") from None
        return self._process.returncode, time.monotonic() - began

    def left(self) -> int:
        """How many processes that were ever below the server are still there after a while."""
        return self._lineage.left(LEFT_SECONDS)

    def close(self) -> None:
        """Kill what is still there."""
        if self._process is not None and self._process.poll() is None:
            self.look()
            self._process.kill()
            self._process.communicate()
        self._lineage.left(0.0)
        self._errors.close()


@dataclass
class Storm:
    """Random kills until there are so many."""

    served: Served
    kills: int
    stream: random.Random
    killed: Counter[str] = field(default_factory=Counter)
    """How many processes were killed, by kind."""
    _matches: int = 0  # when the ladder was stopped last
    _since: float = field(default_factory=time.monotonic)

    def step(self, matches: int) -> None:
        """Kill one process at a random moment; a server that was killed is started again, as a service would be.

        `matches`: how many are stored. Server and ladder are spared until the ladder plays: else it would never do so.
        """
        time.sleep(self.stream.uniform(*PAUSE))
        kind = self.stream.choice(KINDS)
        is_spared = matches <= self._matches and time.monotonic() - self._since < SPARED_SECONDS
        if kind in (SERVER, LADDER):
            if is_spared:
                return
            self._matches, self._since = matches, time.monotonic()
        deadline = time.monotonic() + _PATIENCE
        while not self.served.kill(kind, self.stream):
            if time.monotonic() > deadline:
                return
            time.sleep(_POLL)
        self.killed[kind] += 1
        if kind == SERVER:
            self.served.start()

    @property
    def is_over(self) -> bool:
        """Whether all kills are done."""
        return self.killed.total() >= self.kills
