"""Signals the zygote, its group, all, and itself with SIGKILL. Expected: refused; the bot plays on: played, no blame."""

import os
import signal

from attempts import syscall, try_all


def attack(reply):
    parent, own = os.getppid(), os.getpid()
    try_all(
        lambda: os.kill(parent, signal.SIGKILL), lambda: os.kill(-1, signal.SIGKILL), lambda: os.killpg(0, signal.SIGTERM),
        lambda: os.kill(own, signal.SIGKILL), syscall(234, own, own, 9), syscall(234, parent, parent, 15),
        syscall(424, 3, 9, 0, 0),
    )  # fmt: skip
