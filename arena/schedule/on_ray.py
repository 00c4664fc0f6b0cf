"""The Ray backend, and the one door to Ray: a local instance of our own, or a standing cluster by its address."""

import contextlib
import logging
import os
import secrets
import signal
import socket
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.schedule.backend import Lost, Ticket
from arena.schedule.guardian import Guardian
from arena.schedule.processes import HASH_SEED
from arena.schedule.tables import Stage
from arena.schedule.worker import NO_KILLS, Chunk, Job, Worker

LISTENER_SECONDS = 10.0
_OBJECT_STORE_BYTES = 80 << 20  # results are small rows
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
}


class RayBackend:
    """Tasks on Ray without retries: what a crash means is the driver's decision.

    A context manager; implements backend.Backend.
    """

    falls_together = False

    def __init__(self, job: Job, workers: int, address: str | None = None) -> None:
        """Start a local instance with `workers` CPUs, or attach to the cluster at `address`. Raises ArenaError."""
        self._guardian: Guardian | None = None
        self._ray = _ray(is_local=address is None)
        self._is_ours = not self._ray.is_initialized()  # a notebook may use Ray already: then it stays as it is
        on_terminate = signal.getsignal(signal.SIGTERM)
        try:
            if not self._is_ours:
                pass
            elif address is None:
                self._start_local(workers)
            else:
                _require_listener(address)
                with tempfile.TemporaryDirectory() as empty, contextlib.chdir(empty):
                    self._ray.init(address=address, runtime_env={"env_vars": HASH_SEED}, **_quiet())
        except BaseException as error:
            self.close()
            if not isinstance(error, RuntimeError | ConnectionError | OSError | ValueError):
                raise
            where = f"at {address}" if address else "on this machine"
            raise ArenaError(f"Ray did not start {where}: {error}; `--backend local` plays without Ray") from None
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, on_terminate)  # Ray's own handler prints a stack trace
        available = int(self._ray.cluster_resources().get("CPU", 1))
        self.slots = max(1, min(workers, available))
        self.stage: Stage | None = None
        self._job = self._ray.put(job)
        self._play = self._ray.remote(_play).options(max_retries=0, num_cpus=1)
        self._job_id = secrets.token_hex(8)
        self._pending: list[Any] = []

    def __enter__(self) -> "RayBackend":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, indices: Sequence[int], kills: Mapping[int, int] = NO_KILLS) -> Ticket:
        """Queue a chunk."""
        reference = self._play.remote(self._job, self._job_id, list(indices), dict(kills), self.stage)
        self._pending.append(reference)
        return reference  # type: ignore[no-any-return]  # hashable

    def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
        """The chunks that have ended, after at most `seconds`."""
        ready, _ = self._ray.wait(self._pending, num_returns=1, timeout=seconds)
        if ready:
            ready, _ = self._ray.wait(self._pending, num_returns=len(self._pending), timeout=0)
        ended = set(ready)
        self._pending = [reference for reference in self._pending if reference not in ended]
        return [(reference, self._result(reference)) for reference in ready]

    def cancel(self, ticket: Ticket) -> None:
        """Kill the worker at once: a gentle cancel does not stop compiled code, and blocks a later hard one."""
        self._ray.cancel(ticket, force=True)

    def close(self) -> None:
        """Shut the local instance down, or leave the cluster; nothing of ours is left."""
        if self._is_ours:
            self._ray.shutdown()
        if self._guardian is not None:
            self._guardian.close()
            self._guardian = None

    def _start_local(self, workers: int) -> None:
        folder = tempfile.mkdtemp(prefix="arena-ray-", dir=_short_temporary_folder())
        self._guardian = Guardian(Path(folder))
        with contextlib.chdir(folder):  # Ray lets workers import from the driver's current folder first: not from a checkout
            self._ray.init(
                address="local",
                num_cpus=workers,
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE_BYTES,
                _temp_dir=folder,
                **_quiet(),
            )

    def _result(self, reference: Any) -> Chunk | Lost:
        try:
            result: Chunk = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            if isinstance(error, self._ray.exceptions.RayTaskError):
                raise RuntimeError(str(error)) from None  # our own code failed outside a match
            return Lost(f"{type(error).__name__}: {str(error).splitlines()[0]}")
        return result


def _play(job: Job, job_id: str, indices: list[int], kills: dict[int, int], stage: Stage | None) -> Chunk:
    """The body of a Ray task; a worker process keeps its Worker between chunks."""
    known = _workers()
    if job_id not in known:
        for worker in known.values():
            worker.close()
        known.clear()  # at most one job: a standing cluster's workers are used again
        known[job_id] = job.worker()
    return known[job_id].play(indices, kills, stage)


@cache
def _workers() -> dict[str, Worker]:
    return {}


@cache
def _ray(*, is_local: bool) -> Any:
    """Ray, imported after its settings are in the environment: it reads some of them on import."""
    os.environ.update(HASH_SEED)
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    if is_local:  # a token of this run alone: nobody else on this machine can reach the instance, and no file is written
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    import ray
    import ray._private.worker

    if hasattr(ray._private.worker, "_worker_logs_enabled"):
        ray._private.worker._worker_logs_enabled = False  # a kilobyte per lost worker; we say it in a line of our own
    return ray


def _require_listener(address: str) -> None:
    """Raise OSError when nobody listens at `host:port`: Ray itself would try for many minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=LISTENER_SECONDS).close()


def _quiet() -> dict[str, Any]:
    return {"log_to_driver": False, "logging_level": logging.ERROR}


def _short_temporary_folder() -> str:
    """Unix socket paths have at most 107 bytes, of which Ray takes about 60."""
    return tempfile.gettempdir() if len(tempfile.gettempdir()) < 30 else "/tmp"
