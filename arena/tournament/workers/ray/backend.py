"""The Ray backend: a local Ray instance that it starts, or a running cluster at an address. Only this module imports Ray."""

import contextlib
import logging
import os
import re
import secrets
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from arena.agent import BotFiles
from arena.disk import SHARED_MEMORY, refusal
from arena.errors import ArenaError
from arena.tournament.formats.tables import Stage
from arena.tournament.workers.backend import FIRST, Chunk, Lost, Past, Ticket, shared_file, take_notes
from arena.tournament.workers.processes import HASH_SEED, available_cpus, uninterrupted
from arena.tournament.workers.ray.cluster import ENVIRONMENT, Cluster, Node
from arena.tournament.workers.ray.watchdog import Watchdog
from arena.tournament.workers.worker import Job, Worker

LISTENER_SECONDS = 10.0
_START_TRIES, _ATTACH_TRIES = "20", "4"  # seconds; a standing cluster answers at once, or never
_NO_NODE_HERE = "No node info found"  # Ray's words
_TOKEN = "is its token in RAY_AUTH_TOKEN, or in a file that RAY_AUTH_TOKEN_PATH names (else ~/.ray/auth_token)?"
_TEMPORARY_BYTES = 107 - 64 - 21
_OBJECT_STORE_BYTES = 80 << 20  # results are small rows
_WATCHERS = ("start_api_server", "start_log_monitor", "start_monitor")
"""The methods of Ray's `Node` by which it starts processes that only watch."""
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_worker_niceness": "0",  # as workers have it at home; with Ray's 15, whatever else the machine does would come first
    "RAY_task_events_report_interval_ms": "0",  # for Ray's dashboard, as the next two
    "RAY_enable_metrics_collection": "0",
    "RAY_event_stats": "0",
}


@dataclass
class _Sent:
    """A chunk that was handed to Ray."""

    ticket: int
    node: Node | None
    """The node that plays the chunk; None: on a local instance Ray chooses."""
    matches: Sequence[int]


class RayBackend:
    """Runs chunks as Ray tasks without retries: the driver decides what a crash means.

    A context manager; implements backend.Backend.
    """

    falls_together = False

    def __init__(self, job: Job, workers: int | None, address: str | None = None, say: Callable[[str], None] = print) -> None:
        """Start a local instance with `workers` CPUs, or attach to the cluster at `address` and use so many of its CPUs.

        `workers` None: all CPUs; `say` gets the news of a cluster, a line at a time. Raises ArenaError.
        """
        self._watchdog: Watchdog | None = None
        self._notes: str | None = None  # the folder of the workers' notes, where they are on this machine
        self._cluster: Cluster | None = None
        self._ray = _ray(is_local=address is None)
        self._is_ours = not self._ray.is_initialized()  # a notebook may use Ray already: then it stays as it is
        on_terminate = signal.getsignal(signal.SIGTERM)
        self._workers = workers or available_cpus()
        try:
            if self._is_ours and address is None:
                self._start_local(self._workers)
            else:
                if self._is_ours and address is not None:
                    self._attach(address)
                self._cluster = Cluster(self._ray, job, workers, say)
                self._cluster.wait_until_ready()
        except BaseException:
            self.close()
            raise
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, on_terminate)  # Ray's own handler prints a stack trace
        self.stage: Stage | None = None
        self._job = self._ship(job)
        self._play = self._ray.remote(_play)
        self._play_at: dict[Node | None, Any] = {}  # Ray's handle of it, with the options of a node
        self._job_id = secrets.token_hex(8)
        self._serial = 0
        self._waiting: deque[tuple[int, list[int], Past, Stage | None]] = deque()
        self._sent: dict[Any, _Sent] = {}

    def __enter__(self) -> "RayBackend":
        return self

    def __exit__(self, *_: object) -> None:
        with uninterrupted():
            self.close()

    @property
    def slots(self) -> int:
        """How many chunks run at the same time; changes as the nodes of a cluster come and go."""
        return self._workers if self._cluster is None else self._cluster.slots

    def submit(self, indices: Sequence[int], past: Past = FIRST) -> Ticket:
        """Queue a chunk. It waits here until a node of the cluster has room for it."""
        self._serial += 1
        self._waiting.append((self._serial, list(indices), past, self.stage))
        self._send()
        return self._serial

    def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
        """The chunks that have ended, after at most `seconds`."""
        if lost := self._lost_nodes():
            return lost
        self._send()
        if not self._sent:  # all nodes are gone: others may come
            time.sleep(seconds)
            return []
        sent = list(self._sent)
        if not (ready := self._ray.wait(sent, num_returns=len(sent), timeout=0)[0]):
            ready, _ = self._ray.wait(sent, num_returns=1, timeout=seconds)
        ended: list[tuple[Ticket, Chunk | Lost]] = []
        for reference in ready:
            chunk = self._sent.pop(reference)
            outcome = self._result(reference, chunk.matches)
            if chunk.node is not None:
                chunk.node.chunks -= 1
                if isinstance(outcome, Lost):
                    chunk.node.failed += 1
                else:
                    chunk.node.heard, chunk.node.failed = time.monotonic(), 0
            ended.append((chunk.ticket, outcome))
        return ended

    def compile(self, game: str, part: str) -> bool:
        """Have a part compiled on all nodes of the cluster; false on a local instance."""
        if self._cluster is not None:
            self._cluster.compile(game, part)
        return self._cluster is not None

    def cancel(self, ticket: Ticket) -> None:
        """Kill the worker at once: a gentle cancel does not stop compiled code, and blocks a later hard one.

        A chunk that still waits here for a node is left where it is: nothing of it runs too long.
        """
        for reference, sent in self._sent.items():
            if sent.ticket == ticket:
                self._ray.cancel(reference, force=True)

    def close(self) -> None:
        """Shut the local instance down, or leave the cluster with nothing of this run left on it."""
        if self._cluster is not None:
            self._cluster.close()
        if self._is_ours:
            self._ray.shutdown()
        if self._watchdog is not None:
            self._watchdog.close()
            self._watchdog = None

    def _send(self) -> None:
        """Hand waiting chunks to Ray, as many as there is room for."""
        while self._waiting:
            node = None if self._cluster is None else self._cluster.choose()
            if self._cluster is not None and node is None:
                return
            ticket, indices, past, stage = self._waiting.popleft()
            if node not in self._play_at:
                there = {} if node is None else {"scheduling_strategy": node.strategy, "runtime_env": ENVIRONMENT}
                self._play_at[node] = self._play.options(max_retries=0, num_cpus=1, **there)
            if node is not None:
                node.chunks += 1
            self._sent[self._play_at[node].remote([self._job], self._job_id, indices, past, stage, self._notes)] = _Sent(
                ticket, node, indices
            )

    def _lost_nodes(self) -> list[tuple[Ticket, Chunk | Lost]]:
        """The chunks of nodes that are gone or silent: Ray may report them late, or never."""
        lost: list[tuple[Ticket, Chunk | Lost]] = []
        for node in self._cluster.look() if self._cluster is not None else ():
            for reference, sent in list(self._sent.items()):
                if sent.node is node:
                    del self._sent[reference]
                    self._ray.cancel(reference, force=True)  # a silent node may come back, and find itself busy
                    lost.append((sent.ticket, Lost(f"the node {node.name} was lost")))
            node.chunks = 0
            self._play_at.pop(node, None)
        return lost

    def _ship(self, job: Job) -> Any:
        """Put a job into Ray's object store. A worker fetches it once, and only the bots that it plays."""
        bots = {sha256: self._ray.put(bot) for sha256, bot in job.bots.items()}
        return self._ray.put(msgspec.structs.replace(job, bots=_ShippedBots(bots)))

    def _attach(self, address: str) -> None:
        """Attach to a running cluster. Raises ArenaError."""
        try:
            _require_listener(address)
            if not self._ray._private.services.find_node_ids():  # Ray itself would look for one during a minute
                raise RuntimeError(_NO_NODE_HERE)
            with tempfile.TemporaryDirectory() as empty, contextlib.chdir(empty), _hushed():
                self._ray.init(address=address, runtime_env=ENVIRONMENT, **_quiet())
        except (RuntimeError, OSError, ValueError, AssertionError, self._ray.exceptions.RayError) as error:
            raise ArenaError(f"--address {address}: {_attach_trouble(error)}") from None

    def _start_local(self, workers: int) -> None:
        closed = Path(tempfile.mkdtemp(prefix="arena-ray-", dir=_short_temporary_folder()))  # to all other users
        self._watchdog = Watchdog(closed)
        notes, folder = closed / "notes", closed / "r"  # Ray lets everybody write into its own folder
        notes.mkdir(mode=0o700)
        folder.mkdir()
        self._notes = str(notes)
        try:
            # Ray's workers import from the driver's current folder first: not from a checkout
            with contextlib.chdir(folder), _on_loopback(self._ray), _without_watchers(self._ray):
                self._ray.init(
                    address="local",
                    num_cpus=workers,
                    include_dashboard=False,
                    object_store_memory=_OBJECT_STORE_BYTES,
                    _temp_dir=str(folder),
                    _plasma_directory=str(folder) if refusal(SHARED_MEMORY) else None,  # else Ray waits for it in vain
                    **_quiet(),
                )
        except Exception as error:  # a plain one where a busy machine is too slow for it
            raise ArenaError(f"Ray did not start on this machine: {error}; `--backend local` plays without Ray") from None

    def _result(self, reference: Any, matches: Sequence[int]) -> Chunk | Lost:
        try:
            result: Chunk = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            if isinstance(error, self._ray.exceptions.RayTaskError):
                raise RuntimeError(str(error)) from None  # our own code failed outside a match
            waited_for = {} if self._notes is None else take_notes(Path(self._notes), matches)
            return Lost(f"{type(error).__name__}: {str(error).splitlines()[0]}", waited_for)
        return result


class _ShippedBots(Mapping[str, BotFiles]):
    """The bots by content hash. Each is fetched at its first match in this process."""

    def __init__(self, references: Mapping[str, Any]) -> None:
        self._references = references
        self._fetched: dict[str, BotFiles] = {}

    def __getitem__(self, sha256: str) -> BotFiles:
        if sha256 not in self._fetched:
            bot: BotFiles = _ray(is_local=False).get(self._references[sha256])
            if bot.sha256 != sha256:
                raise RuntimeError(f"bot {sha256} arrived as {bot.sha256}")
            self._fetched[sha256] = bot
        return self._fetched[sha256]

    def __iter__(self) -> Iterator[str]:
        return iter(self._references)

    def __len__(self) -> int:
        return len(self._references)


def _play(job: list[Any], job_id: str, indices: list[int], past: Past, stage: Stage | None, notes: str | None) -> Chunk:
    """The body of a Ray task; a worker process keeps its Worker between chunks.

    `job`: a list with the reference to the job; a bare reference Ray would fetch again for every chunk. `notes`: the folder
    for this worker's note of whom it waits for; None: the driver could not read it.
    """
    known = _workers()
    if job_id not in known:
        for worker in known.values():
            worker.close()
        known.clear()  # at most one job: a standing cluster's workers are used again
        known[job_id] = _ray(is_local=False).get(job[0]).worker()
        if notes is not None:
            known[job_id].keep_note(shared_file(Path(notes, str(os.getpid()))))
    return known[job_id].play(indices, past, stage)


@cache
def _workers() -> dict[str, Worker]:
    return {}


@cache
def _ray(*, is_local: bool) -> Any:
    """Import Ray, after putting its settings into the environment: Ray reads some of them on import."""
    os.environ.update(HASH_SEED)
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", _START_TRIES if is_local else _ATTACH_TRIES)
    if is_local:  # a token of this run alone: nobody else on this machine can reach the instance, and no file is written
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    import ray
    import ray._private.worker

    if hasattr(ray._private.worker, "_worker_logs_enabled"):
        ray._private.worker._worker_logs_enabled = False  # a kilobyte per lost worker; we say it in a line of our own
    return ray


def _require_listener(address: str) -> None:
    """Raise OSError if nobody listens at `host:port`. Ray itself would go on trying for many minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=LISTENER_SECONDS).close()


def _attach_trouble(error: Exception) -> str:
    """A message, in one line, that says why attaching to Ray failed and what would help."""
    text = f"{error} {error.__cause__ or ''}"
    versions = re.findall(r"(Ray|Python): (\S+)", text)
    if "ersion mismatch" in text and len(versions) == 4:
        there, here = (", ".join(f"{what} {version}" for what, version in part) for part in (versions[:2], versions[2:]))
        return f"the cluster runs {there}, this machine {here}; install the same on all"
    if "no authentication token" in text:
        return f"the cluster may want a token, and none is here: {_TOKEN}"
    if _NO_NODE_HERE in text:
        return (
            "no node of it runs on this machine; run the command on one of the cluster's machines (in a pod of it), or let "
            "this one join: `ray start --address=HOST:PORT --num-cpus=0`"
        )
    if isinstance(error, OSError) and not isinstance(error, ConnectionError | TimeoutError):
        return f"{error.strerror or error}; give HOST:PORT of the head"
    if isinstance(error, OSError) and not text.startswith("Failed"):
        return (
            f"no cluster answers there ({error.strerror or error}); is the head up, and is this its port (6379, if not chosen)?"
        )
    if text.startswith("Failed to connect"):
        return f"somebody listens there, but did not let us in: is that the head of a Ray cluster, and {_TOKEN}"
    return text.strip().splitlines()[0]


@contextlib.contextmanager
def _on_loopback(ray: Any) -> Iterator[None]:
    """Have Ray's processes that are started meanwhile listen on 127.0.0.1 alone, as Ray itself has it on other systems."""
    constants = ray._private.ray_constants
    before = constants.ENABLE_RAY_CLUSTER
    constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


@contextlib.contextmanager
def _without_watchers(ray: Any) -> Iterator[None]:
    """Have Ray start no dashboard, log monitor and autoscaler meanwhile: nobody looks at a private instance.

    Each of them is a Python process, whose start takes more than a second of CPU time; Ray itself waits for the dashboard.
    """
    node = ray._private.node.Node
    before = {name: getattr(node, name) for name in _WATCHERS if hasattr(node, name)}
    for name in before:
        setattr(node, name, lambda *_, **__: None)
    try:
        yield
    finally:
        for name, start in before.items():
            setattr(node, name, start)


@contextlib.contextmanager
def _hushed() -> Iterator[None]:
    """Keep Ray from writing to the terminal every second while it cannot attach. Errors are raised all the same."""
    sys.stderr.flush()
    terminal = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(terminal, 2)
        os.close(nowhere)
        os.close(terminal)


def _quiet() -> dict[str, Any]:
    return {"log_to_driver": False, "logging_level": logging.ERROR}


def _short_temporary_folder() -> str:
    """A temporary folder with a short path: Unix socket paths have at most 107 bytes, of which Ray takes 64, and we 21."""
    return tempfile.gettempdir() if len(tempfile.gettempdir()) <= _TEMPORARY_BYTES else "/tmp"
