"""Mounts a file system, changes the root, calls chroot. Expected: refused; the bot plays on: played, no blame."""

import ctypes
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
                libc = ctypes.CDLL(None, use_errno=True)
                if libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0:
                    print("GOT a mount")
                print("REFUSED mount", ctypes.get_errno())
                os.chroot("/usr")
                print("GOT a root")
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
