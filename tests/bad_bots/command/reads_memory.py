"""Traces its parent and reads its memory; takes memory that no limit counts. Expected: refused; the bot plays on: played, no blame."""

import mmap
import os
import resource

from attempts import syscall, try_all


def attack(reply):
    parent = os.getppid()
    try_all(
        syscall(101, 16, parent, 0, 0), syscall(310, parent, None, 0, None, 0, 0), lambda: open(f"/proc/{parent}/mem", "rb"),
        syscall(319, b"x", 0), lambda: mmap.mmap(-1, 1 << 20), lambda: mmap.mmap(-1, 1 << 30, 0x102),
        lambda: resource.setrlimit(resource.RLIMIT_DATA, (1 << 40, 1 << 40)), syscall(425, 8, None), syscall(29, 0, 4096, 0o600),
        lambda: mmap.mmap(-1, 4 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS),
    )  # fmt: skip
