"""Writes a line letter by letter, and never ends it. Expected: timeout; blame: bot."""

import os
import time


def attack(reply):
    while True:
        os.write(1, b" ")
        time.sleep(0.02)
