"""Starts processes that start processes. Expected: used more than 1 s of CPU time."""

import contextlib
import os

while True:
    with contextlib.suppress(OSError):
        os.fork()
