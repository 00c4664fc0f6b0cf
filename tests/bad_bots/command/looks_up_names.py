"""Looks up names, new and old, once it plays. Expected: refused; the bot plays on: played, no blame."""

import os

from attempts import try_all

LIBRARY = os.path.dirname(os.__file__)


def found(path):
    try:
        return os.stat(path)
    except FileNotFoundError as error:
        return error


def attack(reply):
    try_all(
        lambda: found("new"), lambda: found(f"{LIBRARY}/new"), lambda: found("main.py"), lambda: os.listdir("."),
        lambda: os.open("main.py", os.O_RDONLY), lambda: os.chdir(LIBRARY), lambda: os.lstat(LIBRARY),
    )  # fmt: skip
