"""Answers, closes its standard input and waits. Expected: protocol; blame: bot."""

import json
import os
import sys
import time


def attack(reply):
    os.close(0)
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()
    while True:
        time.sleep(60)
