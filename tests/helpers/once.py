"""What all test processes need and one of them finds."""

import fcntl
import json
import os
from collections.abc import Callable
from typing import Any

import pytest


def once(folders: pytest.TempPathFactory, name: str, find: Callable[[], Any]) -> Any:
    """The answer of `find`, as JSON gives it back: the first test process that asks for `name` finds it, the others wait."""
    folder = folders.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # of all test processes
    answer = folder / f"{name}.json"
    with answer.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not answer.exists():
            answer.write_text(json.dumps(find()))
    return json.loads(answer.read_text())
