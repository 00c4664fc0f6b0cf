"""The conversation with the hall: a line of JSON in, a line of JSON out. What to play is decided in strategy.py."""

import json
import sys

from messages import Choice, Ready, Request
from strategy import Strategy


def main() -> None:
    """Answer every message until the input ends."""
    strategy: Strategy | None = None
    for line in sys.stdin:
        message: Request = json.loads(line)
        if message["type"] == "start":
            strategy = Strategy(message)  # before the answer: once it is sent, no file can be opened any more
            answer({"id": message["id"], "ok": True})
        elif message["type"] == "act" and strategy is not None:
            answer(strategy.choose(message))
        elif message["type"] == "end" and strategy is not None:
            strategy.end(message)  # not answered
        else:
            raise ValueError(f"an unexpected message: {line}")


def answer(reply: Ready | Choice) -> None:
    """Send one line at once. Nothing else may be printed to standard output: use sys.stderr."""
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()


main()
