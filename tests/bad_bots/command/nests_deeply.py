"""Sends arrays in arrays in arrays. Expected: malformed; blame: bot."""

import os


def attack(reply):
    os.write(1, b'{"id": %d, "action": ' % reply["id"] + b"[" * 60000 + b"\n")
    while True:
        pass
