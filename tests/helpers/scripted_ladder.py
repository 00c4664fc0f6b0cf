"""A process of a ladder that plays nothing, so that tests of the server are short: it says what a ladder says, and misbehaves.

Its argument is a file to which it writes a line for all that happens to it. The first one ends at once; the next one, at its
first LookNow, says that a version has entered and is rated. It imports nothing of arena: it starts fast.
"""

import json
import sys
from pathlib import Path


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)


def main() -> int:
    diary = Path(sys.argv[1])
    with diary.open("a") as notes:

        def note(text: str) -> None:
            notes.write(text + "\n")
            notes.flush()

        begin = json.loads(sys.stdin.readline())
        note(f"{begin['kind']} {begin['workers']}")
        say(kind="state", doing="starting")
        if diary.read_text().count("begin") == 1:
            print("Traceback: what a mistake", file=sys.stderr, flush=True)
            return 3
        say(kind="state", doing="playing", text="2 bots", matches=7, rate=3.5)
        say(kind="said", text="a line for the organiser")
        for line in sys.stdin:
            kind = json.loads(line)["kind"]
            note(kind)
            if kind == "look":
                say(kind="entered", bot="alice", version=1)
                say(kind="rated", bot="alice", version=1)
                say(kind="state", doing="waiting", matches=8)
        note("hung up")
    return 0


if __name__ == "__main__":
    sys.exit(main())
