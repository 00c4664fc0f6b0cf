"""Sends bytes that are no UTF-8. Expected: malformed; blame: bot."""

import os


def attack(reply):
    os.write(1, b'{"id": %d, "action": "\xff\xfe"}\n' % reply["id"])
    while True:
        pass
