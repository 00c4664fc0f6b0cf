"""Prints a letter now and then, and never answers. Expected: timeout; blame: bot."""

import os
import time


def attack(reply):
    while True:
        os.write(2, b".")
        time.sleep(0.02)
