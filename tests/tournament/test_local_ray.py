"""A local Ray instance: no other user of the machine reaches its files, no other machine its ports, and nobody watches it."""

import subprocess
import sys

import msgspec
import pytest

SOURCE = """
import json, os
from pathlib import Path
from arena.tournament.workers.ray import backend
from arena.tournament.workers.ray.watchdog import descendants

held = backend.RayBackend.__new__(backend.RayBackend)
held._watchdog = held._cluster = None
held._ray, held._is_ours = backend._ray(is_local=True), True
held._start_local(1)
try:
    held._ray.get(held._ray.remote(lambda: os.getpid()).remote())
    sockets = Path(held._ray._private.worker._global_node.get_sockets_dir_path())
    folder = next(path for path in sockets.parents if path.name.startswith("arena-ray-"))
    held_by, commands = set(), []
    for pid in descendants({os.getpid()}) | {os.getpid()}:
        try:
            commands.append(Path(f"/proc/{pid}/cmdline").read_text())
        except OSError:
            pass
        for number in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                held_by.add(os.readlink(number))
            except OSError:
                pass
    listening = []
    for table in ("tcp", "tcp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in held_by:
                listening.append(fields[1].partition(":")[0])
    longest = max(len(os.fsencode(path)) - len(os.fsencode(folder.parent)) for path in sockets.iterdir())
    print(json.dumps([folder.stat().st_mode & 0o777, listening, longest, commands]))
finally:
    held.close()
assert not folder.exists()
"""
WATCHERS = ("dashboard/dashboard.py", "log_monitor.py", "monitor.py")
"""Processes of Ray that a private instance does without: each takes a second of CPU time to start."""
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


@pytest.mark.skipif(sys.platform != "linux", reason="/proc says who listens")
def test_nobody_else_reaches_a_local_instance() -> None:
    ended = subprocess.run([sys.executable, "-P", "-c", SOURCE], check=False, capture_output=True, text=True, timeout=240)
    assert ended.returncode == 0, ended.stderr
    mode, listening, longest, commands = msgspec.json.decode(
        ended.stdout.splitlines()[-1], type=tuple[int, list[str], int, list[str]]
    )
    assert mode == 0o700 and listening and set(listening) <= LOOPBACK
    assert longest <= 107 - 22  # the path of a socket below the longest temporary folder that is used
    assert any("gcs_server" in command for command in commands)
    assert not [command for command in commands for watcher in WATCHERS if watcher in command]
