"""Leaves its session and its group, clears its death signal, makes namespaces, becomes another user. Expected: refused; the bot plays on: played, no blame."""

import os

from attempts import syscall, try_all


def attack(reply):
    try_all(
        os.setsid, lambda: os.setpgid(0, 0), syscall(157, 1, 0, 0, 0, 0), syscall(157, 4, 1, 0, 0, 0),
        syscall(272, 0x10000000), syscall(272, 0x00020000), lambda: os.setuid(0), lambda: os.setresuid(0, 0, 0),
        lambda: os.nice(-5), lambda: os.sched_setaffinity(0, [0]), lambda: os.chroot("."),
    )  # fmt: skip
