"""Sends its answer a byte a second. Expected: timeout; blame: bot."""

import json
import sys
import time


def attack(reply):
    for letter in json.dumps(reply):
        sys.stdout.write(letter)
        sys.stdout.flush()
        time.sleep(1)
