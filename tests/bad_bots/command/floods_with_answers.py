"""Writes answers without end. Expected: protocol; blame: bot."""

import json
import os


def attack(reply):
    line = json.dumps(reply).encode() + b"\n"
    while True:
        os.write(1, line * 1000)
