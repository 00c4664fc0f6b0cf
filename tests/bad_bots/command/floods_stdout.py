"""Writes a line without end. Expected: malformed; blame: bot."""

import os


def attack(reply):
    while True:
        os.write(1, b"x" * 65536)
