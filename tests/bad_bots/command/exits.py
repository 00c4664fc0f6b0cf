"""Ends itself as if all were well. Expected: crash; blame: bot."""

import os


def attack(reply):
    os._exit(0)
