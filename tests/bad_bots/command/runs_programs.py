"""Runs a shell, itself, the loader, and a program in memory. Expected: refused; the bot plays on: played, no blame."""

import os
import sys

from attempts import syscall, try_all

EMPTY_PATH = 0x1000
OWN = os.open("main.py", os.O_RDONLY)  # now: who is ready opens nothing


def attack(reply):
    environment = {}
    loader = "/lib64/ld-linux-x86-64.so.2"
    programs = ["/bin/sh", "/usr/bin/python3", sys.executable or "/usr/bin/python3", loader, "main.py"]
    try_all(*(lambda path=path: os.execve(path, [path, "-c", "echo"], environment) for path in programs))
    try_all(syscall(322, OWN, b"", None, None, EMPTY_PATH), lambda: os.dup2(OWN, 200), lambda: os.dup2(OWN, 64))
    try_all(
        syscall(322, 200, b"", None, None, EMPTY_PATH), syscall(319, b"x", 0), lambda: os.execv(f"/proc/self/fd/{OWN}", ["x"])
    )
