"""What takes the place of the process that plays a match again: scripts that say what it would, or what it never would."""

import sys
import threading

from arena.server.bot_notes import NotesDesk

_BEGUN = 'say(\'{"type": "begun", "decisions": 5}\')\n'
_HEARD = """say('{"type": "heard", "asked": %d, "said": {"decision": %d, "notes": [["sure", %d]], "output": "at %d"}}')\n"""
SCRIPTS = {
    "good": _BEGUN + "".join(_HEARD % (n, n, n, n) for n in (1, 2)) + 'say(\'{"type": "ended", "first_output": "hello"}\')\n',
    "stays": _BEGUN + _HEARD % (1, 1, 1, 1) + "time.sleep(600)\n",
    "dies": _BEGUN + "os.kill(os.getpid(), 9)\n",
    "raves": 'say("who is there?")\ntime.sleep(600)\n',
    "floods": "while True: os.write(1, b'x' * 65536)\n",
    "has_no_code": 'say(\'{"type": "failed", "why": "it is gone", "has_no_code": true}\')\n',
    "fails": 'say(\'{"type": "failed", "why": "no lock"}\')\n',
}


def child(name: str) -> tuple[str, ...]:
    """The command of one of them."""
    return (sys.executable, "-I", "-S", "-c", f"import os, time\nsay = lambda text: print(text, flush=True)\n{SCRIPTS[name]}")


def settle(desk: NotesDesk) -> None:
    """Wait until no match is played again."""
    while desk._children:
        for thread in threading.enumerate():
            if thread.name == "notes":
                thread.join()
