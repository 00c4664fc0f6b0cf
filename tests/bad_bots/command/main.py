"""Plays five legal decisions of Naga, then attacks. Not an attack itself: each is a file beside it with `attack(reply)`."""

import importlib
import json
import sys

sys.path.insert(0, ".")
attack = importlib.import_module(sys.argv[1]).attack
asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        answer = {"id": message["id"], "ok": True}
    elif message["type"] == "act":
        asked += 1
        answer = {"id": message["id"], "action": 0}
        if asked == 6:
            answer = attack(answer) or answer
    else:
        continue
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
