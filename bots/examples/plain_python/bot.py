"""A bot in Python that needs nothing of arena: random legal actions of every game, always the same from the same seed.

The hall writes one JSON object a line to standard input and reads one a line from standard output. Standard output is for
answers alone: print to standard error, which is kept for you when a match fails.
"""

import json
import random
import sys


def reply(message: dict) -> None:
    """One line, sent at once."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def choose(message: dict, rng: random.Random) -> str:
    """One of `message["legal"]`. This is where your ideas go."""
    return rng.choice(message["legal"])


def main() -> None:
    """Answer until the input ends."""
    rng = random.Random()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            rng.seed(int(message["seed"], 16))  # no other randomness, and a match can be repeated
            reply({"id": message["id"], "ok": True})
        elif message["type"] == "act":
            reply({"id": message["id"], "action": choose(message, rng)})


main()
