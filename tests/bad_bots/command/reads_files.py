"""Reads what is not its own: the system's, arena's, its opponents', the home. Expected: refused; the bot plays on: played, no blame."""

import os

from attempts import try_all

PATHS = [
    "/etc/passwd", "/etc/hostname", "/root/.bashrc", "/home", "/root", "/tmp", "/proc/self/status", "/proc/1/cmdline", "/sys",
    "/var/log", "/dev/mem", "/bin/sh/..", "/usr/bin/env", "..", "/bots", "/dev/shm",
]  # fmt: skip


def attack(reply):
    def opened(path):
        return os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1)

    try_all(*(lambda path=path: opened(path) for path in PATHS if path != ".." or os.getcwd() != "/bot"))
