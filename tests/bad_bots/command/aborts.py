"""Dies by a signal. Expected: crash; blame: bot."""

import os


def attack(reply):
    os.abort()
