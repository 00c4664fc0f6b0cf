"""Closes its standard output and goes on. Expected: protocol; blame: bot."""

import os
import time


def attack(reply):
    os.close(1)
    while True:
        time.sleep(60)
