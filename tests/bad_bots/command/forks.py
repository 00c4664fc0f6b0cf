"""Forks, in every way. Expected: refused; the bot plays on: played, no blame."""

import os

from attempts import syscall, try_all


def attack(reply):
    def spawn():
        return os.posix_spawn("/bin/true", ["true"], {})

    try_all(os.fork, os.forkpty, spawn, syscall(58), syscall(56, 17, 0, 0, 0, 0), syscall(56, 0x4000 | 0x100 | 17, 0, 0, 0, 0))
