"""Reads the memory, the environment and the maps of the zygote and the worker in /proc. Expected: refused; the bot plays on: played, no blame."""

import os

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            try:
                for pid in (os.getppid(), 1, "self"):
                    for name in ("environ", "mem", "maps", "cmdline"):
                        try:
                            with open(f"/proc/{pid}/{name}", "rb") as file:
                                print("GOT", pid, name, file.read(10))
                        except OSError as error:
                            print("REFUSED", error)
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
