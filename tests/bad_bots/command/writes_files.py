"""Writes, makes, links and changes files wherever it can. Expected: refused; the bot plays on: played, no blame."""

import os

from attempts import try_all

PLACES = ["/tmp/arena-was-here", "/dev/shm/arena-was-here", "arena-was-here", "/var/tmp/arena-was-here"]


def attack(reply):
    try_all(*(lambda path=path: open(path, "w") for path in PLACES))
    try_all(
        lambda: open("main.py", "a"), lambda: os.unlink("main.py"), lambda: os.chmod("main.py", 0o777),
        lambda: os.rename("main.py", "x.py"), lambda: os.symlink("main.py", "y"), lambda: os.mkdir("z"),
        lambda: os.utime("main.py"), lambda: os.truncate("main.py", 0),
    )  # fmt: skip
