"""Answers, and adds an answer to the next request. Expected: protocol; blame: bot."""

import json
import os


def attack(reply):
    line = json.dumps(reply) + "\n" + json.dumps({"id": reply["id"] + 1, "action": 0}) + "\n"
    os.write(1, line.encode())
    while True:
        pass
