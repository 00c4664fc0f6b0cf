"""Prints without end. Expected: output; blame: bot."""

import os


def attack(reply):
    while True:
        os.write(2, b"x" * 65536)
