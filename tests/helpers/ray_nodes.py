"""Ray nodes for tests: several on one machine, started, frozen and killed by the pids of what we started, never by a name."""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from arena.tournament.workers.ray.watchdog import descendants
from helpers.processes import runs, until

_START = "import sys; from ray.scripts.scripts import main; sys.argv[0] = 'ray'; main()"
_AGAIN = """
import subprocess, sys
for _ in range(5):  # a node that is not up after 30 seconds gives up: on a busy machine that is no fault
    if not subprocess.call(sys.argv[1:]):
        break
"""
_FEW = ("--num-gpus", "0", "--object-store-memory", str(80 << 20), "--disable-usage-stats")


class Node:
    """One node: `ray start --block` and all that runs below it."""

    def __init__(self, arguments: tuple[str, ...], environment: dict[str, str], log: Path) -> None:
        with log.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-S", "-c", _AGAIN, sys.executable, "-P", "-c", _START, "start", "--block", *_FEW, *arguments],
                env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
            )  # fmt: skip
        self.log = log

    @property
    def pids(self) -> set[int]:
        """Its processes: raylet, helpers, workers and what those have started."""
        return {self.process.pid} | descendants({self.process.pid})

    def freeze(self) -> None:
        """As if its network were dead: no process of it moves."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        for pid in self.pids:
            _signal(pid, signal.SIGCONT)

    def kill(self) -> None:
        """As if its power were cut."""
        self._signal_all(signal.SIGSTOP)  # so that nothing is started meanwhile
        pids = self.pids
        for pid in pids:
            _signal(pid, signal.SIGKILL)
        self.process.wait()
        until(lambda: not any(map(runs, pids)))

    def _signal_all(self, number: signal.Signals) -> None:
        done: set[int] = set()
        while fresh := self.pids - done:
            for pid in fresh:
                _signal(pid, number)
            done |= fresh


class RayNodes:
    """A standing cluster on this machine, with a token of its own. A context manager that leaves nothing behind."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="arena-ray-", dir="/tmp"))  # short: Ray's sockets are in it
        self.address = f"127.0.0.1:{free_port()}"
        self.token = secrets.token_hex(32)
        self.nodes: list[Node] = []

    def __enter__(self) -> "RayNodes":
        return self

    def __exit__(self, *_: object) -> None:
        for node in reversed(self.nodes):
            node.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def environment(self) -> dict[str, str]:
        """Of nodes, and of who wants to use them."""
        return os.environ | {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": self.token, "RAY_USAGE_STATS_ENABLED": "0"}

    def add(self, name: str, cpus: int = 1, **environment: str) -> Node:
        """Start a node; the first one is the head. It joins a few seconds later."""
        port = self.address.rpartition(":")[2]
        place = (
            ("--address", self.address)
            if self.nodes
            else ("--head", "--port", port, "--temp-dir", str(self.folder), "--include-dashboard=false")
        )
        node = Node(
            (*place, "--node-ip-address", "127.0.0.1", "--node-name", name, "--num-cpus", str(cpus)),
            self.environment | environment, self.folder / f"{name}.log",
        )  # fmt: skip
        self.nodes.append(node)
        return node


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
