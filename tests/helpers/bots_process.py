"""A process of a match of bots that plays no game: it asks each remote program what a table would, so that tests are short.

It says each line that a program answered, and what the server says of it, on its error output; the match ends when the first
program has answered two decisions, or has gone. It imports nothing of arena: it starts fast.
"""

import json
import sys
from typing import Any

MATCH_ID = "cd" * 12


def say(**message: Any) -> None:
    print(json.dumps(message), flush=True)


def forward(seat: int, is_end: bool = False, **line: Any) -> None:
    say(kind="forward", seat=seat, line=json.dumps(line), is_end=is_end)


def main() -> None:
    setup = json.loads(sys.stdin.readline())
    seats = [seat for seat, plan in enumerate(setup["seats"]) if "remote" in plan]
    say(kind="ready", options={})
    asked = dict.fromkeys(seats, 1)
    for seat in seats:
        forward(seat, type="start", id=1)
    for line in sys.stdin:
        message = json.loads(line)
        seat, kind = message.get("seat", -1), message["kind"]
        if kind == "stop":
            say(kind="stored", match_id=None)
            return
        if kind == "gaveup" or (kind == "replied" and asked[seat] == 3):
            break
        elif kind == "replied":
            asked[seat] += 1
            forward(seat, type="act", id=asked[seat], echo=message["line"][:50])
    for seat in seats:
        forward(seat, is_end=True, type="end", id=99)
    say(kind="stored", match_id=MATCH_ID)


if __name__ == "__main__":
    main()
