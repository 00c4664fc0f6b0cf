"""A process of a table that plays no game: it says what the server passes on, so that tests of the server are short.

It reads a Setup, answers with Ready and a Frame and an Ask for each person, echoes what people do as Frames, and ends a match
with Over and Stored when somebody plays `end`. Other actions make it misbehave. It imports nothing of arena: it starts fast.
"""

import json
import os
import signal
import sys
import time
from typing import Any

MATCH_ID = "ab" * 12


def say(**message: Any) -> None:
    print(json.dumps(message), flush=True)


def tell(seat: int, **message: Any) -> None:
    say(kind="envelope", seat=seat, message=message)


def main() -> None:
    setup = json.loads(sys.stdin.readline())
    people = [seat for seat, plan in enumerate(setup["seats"]) if plan.get("person")]
    if setup.get("options", {}).get("series") == "first_to:9":
        say(kind="broken", error="/a/path/of/the/server: the options do not fit")
        return
    say(kind="ready", options={"resolved": True})
    number = 0

    def show(text: str) -> None:
        for seat in people:
            tell(seat, kind="frame", number=number, position={"hand": f"cards of seat {seat}"}, text=text, choosing=[seat])
            tell(seat, kind="ask", decision=number, legal=["go", "end"], since=[])

    show("begin")
    for line in sys.stdin:
        message = json.loads(line)
        kind, seat, action = message["kind"], message.get("seat", -1), message.get("action")
        if kind == "stop":
            say(kind="stored", match_id=None)
            return
        if kind == "advise":
            tell(seat, kind="hint", decision=number, best="go", simulations=1, choices=[], loss=None)
            continue
        if action == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if action == "nonsense":
            print("{not json", flush=True)
            time.sleep(60)
        if action == "end":
            for one in people:
                tell(one, kind="over", match_id=MATCH_ID, places=[1] * len(setup["seats"]), scores=[0.0] * len(setup["seats"]))
            say(kind="stored", match_id=MATCH_ID)
            for one in people:
                tell(one, kind="luck", seats=[])
            return
        number += 1
        show({"act": f"{seat} {action}", "replace": f"replaced {seat}", "restore": f"restored {seat}"}[kind])


if __name__ == "__main__":
    main()
