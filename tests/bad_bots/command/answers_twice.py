"""Answers twice. Expected: protocol; blame: bot."""

import json
import sys


def attack(reply):
    sys.stdout.write(json.dumps(reply) + "\n")
