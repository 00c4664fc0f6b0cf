"""Looks up names, new and old, once it plays. Expected: refused; the bot plays on: played, no blame."""

import os
from collections.abc import Callable

from arena.agent import Agent, View

OWN = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.dirname(os.__file__)
FOLDER = os.open(OWN, os.O_RDONLY)
ATTEMPTS: list[Callable[[], object]] = [
    lambda: os.stat(f"{OWN}/new"),
    lambda: os.stat(f"{LIBRARY}/os.py"),
    lambda: os.stat("new", dir_fd=FOLDER),
    lambda: os.open(__file__, os.O_RDONLY),
    lambda: os.open("new", os.O_RDONLY, dir_fd=FOLDER),
    lambda: os.listdir(LIBRARY),
    lambda: os.readlink(f"{LIBRARY}/new"),
    lambda: os.lstat(f"{LIBRARY}/new"),
    lambda: os.chdir(LIBRARY),
]


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            if os.access(f"{LIBRARY}/os.py", os.R_OK):
                print("GOT access")
            for attempt in ATTEMPTS:
                try:
                    print("GOT", attempt())
                except FileNotFoundError as error:
                    print("GOT", error)
                except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                    print("REFUSED", type(error).__name__, error)
        return view.legal[0]
